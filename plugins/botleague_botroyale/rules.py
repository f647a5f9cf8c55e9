"""Bot Royale as the referee plays it: who is asked, what a fault costs, who came where.

The battle itself is :class:`~botleague_botroyale.state.State`. A :class:`Match` adds what a battle does not know:
faults, and which operations each seat has been told. One seat steers one unit of the same number.

Source: rules/botroyale.md, sections 3, 8 and 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from botleague.rules import Fault, Outcome, Reply, Scene, places_by_score
from botleague.rules import Move as Answer
from botleague_botroyale.actions import Action, Idle, Jump, Move, Push
from botleague_botroyale.ops import KILL, ROUND, Op, op_from, replayed
from botleague_botroyale.prng import MOD
from botleague_botroyale.scene import draw
from botleague_botroyale.settings import BattleSettings
from botleague_botroyale.state import State

__all__ = ["BotRoyaleRules", "Match"]


@dataclass(frozen=True, slots=True)
class Match:
    """A match at one point.

    Attributes:
        seed: of the battle.
        battle: the board.
        log: the latest operations, back to the first one that some living seat was not told.
        log_start: number of operations of the match before ``log``.
        told: per seat, how many operations of the match it knows.
        illegal: per seat, how many illegal actions it tried.
        faults: per seat, the first fault it made, None for none.
        disqualified: seats that rank last, in the order in which it befell them.
    """

    seed: int
    battle: State
    log: tuple[Op, ...]
    log_start: int
    told: tuple[int, ...]
    illegal: tuple[int, ...]
    faults: tuple[Fault | None, ...]
    disqualified: tuple[int, ...] = ()


class BotRoyaleRules:
    """The rules of one configuration."""

    def __init__(self, settings: BattleSettings) -> None:
        """Play by ``settings``."""
        self.settings = settings

    def admit(self, seat: int, declaration: object) -> object:
        """Bots of this game declare nothing."""
        return None

    def start(self, declarations: Sequence[object | Fault], rng: Random) -> Match:
        """Return the match after the first round change; a seat that is not in dies on its first turn."""
        settings = self.settings
        seats = len(settings.map.spawns)
        seed = rng.randrange(MOD) if settings.seed is None else settings.seed
        faults = tuple(given if isinstance(given, Fault) else None for given in declarations)
        match = Match(
            seed=seed,
            battle=settings.map.state(seed, settings.rules).increment_round(),
            log=(ROUND,),
            log_start=0,
            told=(0,) * seats,
            illegal=(0,) * seats,
            faults=faults,
            disqualified=tuple(
                seat for seat, fault in enumerate(faults) if fault and self._disqualifies(fault)
            ),
        )
        return self._up_to_a_question(match)

    def brief(self, match: Match, seat: int) -> object:
        """Return the map and the seed: what the state of round 0 is made of."""
        return {"map": self.settings.map.to_plain(), "seed": match.seed}

    def acting(self, match: Match) -> tuple[int, ...]:
        """Return the unit in turn."""
        unit = match.battle.current_unit
        return () if unit is None or match.battle.game_over else (unit,)

    def observe(self, match: Match, seat: int) -> object:
        """Return the operations since the seat was asked last; everything in this game is public."""
        return {"ops": match.log[match.told[seat] - match.log_start :]}

    def illegal(self, match: Match, seat: int, value: object) -> str | None:
        """Return None for every action: an illegal one is a move of this game, which ends the turn."""
        if not isinstance(value, tuple | list) or len(value) != 3:
            return "a move is an action's name and two coordinates"
        if value[0] not in ("idle", "move", "push", "jump"):
            return "a unit can idle, move, push or jump"
        if any(type(number) is not int for number in value[1:]):
            return "the coordinates of a target are whole numbers"
        return None

    def apply(self, match: Match, replies: Mapping[int, Reply], rng: Random) -> Match:
        """Return the match up to the next question."""
        (seat,) = self.acting(match)
        match = replace(match, told=_with(match.told, seat, match.log_start + len(match.log)))
        reply = replies[seat]
        if isinstance(reply, Answer):
            reason = self.illegal(match, seat, reply.value)
            if reason is not None:
                reply = Fault("illegal", reason)
        match = (
            self._after_fault(match, seat, reply)
            if isinstance(reply, Fault)
            else self._after_move(match, seat, reply.value)
        )
        return self._up_to_a_question(match)

    def sample(self, match: Match, seat: int, rng: Random) -> object:
        """Return a move that is legal and, where there is one, keeps the unit alive."""
        battle = match.battle.copy()
        here = battle.positions[seat]
        choices: list[Action] = [Idle(), *map(Push, here.neighbors), *map(Move, here.neighbors)]
        legal = [
            action for action in (*choices, *map(Jump, here.ring(2))) if battle.check_legal_action(action)
        ]
        harmless = [action for action in legal if seat in battle.apply_action_manual(action).living]
        return op_from(rng.choice(harmless or legal))

    def outcome(self, match: Match) -> Outcome | None:
        """Return the winner first, then the dead, who died later before who died earlier."""
        if self.acting(match):
            return None
        battle = match.battle
        seats = range(battle.num_of_units)
        merits = [
            (seat not in match.disqualified, seat in battle.living, battle.casualties[seat]) for seat in seats
        ]
        return Outcome(
            places=places_by_score(merits),
            scores=tuple(float(sum(other < merit for other in merits)) for merit in merits),
            reason=_reason(battle),
            forfeits=tuple(seat for seat in seats if match.faults[seat] is not None),
        )

    def scene(self, match: Match) -> Scene:
        """Return a picture of the board."""
        faults = [None if fault is None else fault.kind for fault in match.faults]
        return draw(match.battle, self.settings.map, faults, match.illegal)

    def _after_move(self, match: Match, seat: int, value: Any) -> Match:
        after = self._stepped(match, (value[0], value[1], value[2]))
        if after.battle.is_last_action_legal:
            return after
        tried = match.illegal[seat] + 1
        limit = self.settings.illegal_limit
        if limit is not None and tried >= limit:
            after = self._after_fault(match, seat, Fault("illegal", f"illegal action number {tried}"))
        return replace(after, illegal=_with(after.illegal, seat, tried))

    def _after_fault(self, match: Match, seat: int, fault: Fault) -> Match:
        if self._disqualifies(fault):
            match = replace(match, disqualified=(*match.disqualified, seat))
        match = replace(match, faults=_with(match.faults, seat, fault))
        return self._stepped(match, KILL)

    def _disqualifies(self, fault: Fault) -> bool:
        penalty = self.settings.on_timeout if fault.kind == "timeout" else self.settings.on_fault
        return penalty == "disqualify"

    def _stepped(self, match: Match, op: Op) -> Match:
        battle = replayed(match.battle, op, self.settings.round_mode)
        return replace(match, battle=battle, log=(*match.log, op))

    def _up_to_a_question(self, match: Match) -> Match:
        """Return the match after all that no bot decides, without the operations that everybody knows."""
        while not match.battle.game_over:
            unit = match.battle.current_unit
            if unit is None:
                match = self._stepped(match, ROUND)
            elif match.faults[unit] is not None:
                match = self._stepped(match, KILL)
            else:
                break
        end = match.log_start + len(match.log)
        start = min((match.told[seat] for seat in match.battle.living), default=end)
        return replace(match, log=match.log[start - match.log_start :], log_start=start)


def _with(values: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _reason(battle: State) -> str:
    rounds = f"in round {battle.round_count}"
    if battle.winner is not None:
        return f"Unit {battle.winner} is the last one alive {rounds}."
    latest = max(battle.casualties)
    last = [str(uid) for uid, when in enumerate(battle.casualties) if when == latest]
    if len(last) == 1:
        return f"Nobody is left: unit {last[0]} died last {rounds}."
    return f"Nobody is left: units {', '.join(last[:-1])} and {last[-1]} died together {rounds}."
