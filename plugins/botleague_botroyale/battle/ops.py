"""Operations: what happened in a battle as plain data, the same in records, observations and both processes.

An operation is ``(name, q, r)``: one of the actions with the cube coordinates of its target, or one of two things
that no bot decides, ``kill`` (the unit in turn, for a fault) and ``round`` (the next round starts). The
coordinates are 0 where they mean nothing. There is no hidden chance in a battle, so a first state and its
operations give every state.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from botleague_botroyale.battle.actions import Action, Idle, Jump, Move, Push
from botleague_botroyale.battle.state import State
from botleague_botroyale.board.hexagon import Hexagon, tile
from botleague_botroyale.settings import RoundMode

MoveOp: TypeAlias = tuple[Literal["idle", "move", "push", "jump"], int, int]
Op: TypeAlias = tuple[str, int, int]

IDLE: Op = ("idle", 0, 0)
KILL: Op = ("kill", 0, 0)
ROUND: Op = ("round", 0, 0)

_TARGETED: dict[str, type[Move]] = {"move": Move, "push": Push, "jump": Jump}
_NAMES: dict[type[Action], str] = {kind: name for name, kind in _TARGETED.items()}

# Farther than any map reaches; so far out only the fact counts.
_FAR_AWAY = 1 << 17


def action_from(op: Op) -> Action:
    """Return the action of an operation that a bot decided.

    Raises:
        ValueError: it is no such operation.
    """
    name, q, r = op
    if name == "idle":
        return Idle()
    if name not in _TARGETED:
        raise ValueError(f"{name!r} is not an action: must be idle, move, push or jump")
    return _TARGETED[name](tile(q, r))


def op_from(action: object) -> Op:
    """Return the operation that a bot's answer stands for. Only its class and its target are looked at.

    Raises:
        TypeError: it is not an action that a unit can do.
    """
    name = _NAMES.get(type(action))  # type: ignore[arg-type]  # any other class is simply not found
    if name is None:
        if isinstance(action, Idle):
            return IDLE
        raise TypeError(f"poll_action must return an Idle, Move, Push or Jump, not {type(action).__name__}")
    target = getattr(action, "target", None)
    if not isinstance(target, Hexagon):
        raise TypeError(f"the target of a {name} must be a Hexagon, not {type(target).__name__}")
    return (name, _bounded(target.q), _bounded(target.r))


def conceivable(state: State) -> Iterator[Action]:
    """Yield every action that the unit in turn might do, whether it is legal or not."""
    here = state.positions[state.round_remaining_turns[0]]
    yield Idle()
    yield from map(Move, here.neighbors)
    yield from map(Push, here.neighbors)
    yield from map(Jump, here.ring(2))


def replayed(state: State, op: Op, mode: RoundMode) -> State:
    """Return the state after ``op``."""
    if op == ROUND:
        return state.increment_round()
    if op == KILL:
        return state.apply_kill_unit() if mode == "auto" else state.apply_kill_unit_manual()
    action = action_from(op)
    return state.apply_action(action) if mode == "auto" else state.apply_action_manual(action)


def _bounded(coordinate: int) -> int:
    return max(-_FAR_AWAY, min(_FAR_AWAY, int(coordinate)))
