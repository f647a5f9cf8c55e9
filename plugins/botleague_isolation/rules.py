"""The rules of Isolation for the referee: acting seats, legal moves, and the end of a match.

The engine knows the board. The rules add its surroundings in the original: each seat has a context
that it gets back on its next turn, and a seat without a legal action in time forfeits the game. A match is one game,
or two with a fair rematch, in which the seats change their player numbers.

Sources: rules/isolation.md, sections 4, 5, 8 and 9.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from botleague.rules import Fault, Outcome, Reply, Rules, Scene, Told, places_by_score, seat_name
from botleague_isolation.board import Setup
from botleague_isolation.engine import Action, Engine, Position, engine
from botleague_isolation.scene import cell_name, draw
from botleague_isolation.state import Forfeit, State
from botleague_isolation.wire import MATCH_CONTEXT_BYTES, Put, plain_action

_SEED_BITS = 53
_HOPS = 9  # newest steps, for the picture
_OPENING = 2  # actions that a fair rematch repeats


class IsolationRules(Rules[State]):
    """Isolation with one setup.

    Raises:
        ValueError: the game would be over before it starts.
    """

    def __init__(self, setup: Setup | None = None) -> None:
        self.setup = setup or Setup()
        self.engine: Engine = engine(self.setup)
        if self.engine.start.terminal_test():
            raise ValueError("the game would be over before the first action")

    def start(self, declarations: Sequence[object | Fault], rng: Random) -> State:
        """Return the first position; a seat that could not be loaded has forfeited already."""
        board, ply, locs = self.engine.start
        seeds = rng.getrandbits(_SEED_BITS), rng.getrandbits(_SEED_BITS)
        forfeits = tuple(
            Forfeit(seat, _why(declaration))
            for seat, declaration in enumerate(declarations)
            if isinstance(declaration, Fault)
        )
        return State(board, ply, locs, seeds=seeds, forfeits=forfeits)

    def brief(self, state: State, seat: int) -> object:
        """Tell the seat what its random numbers start from, so that a match can be repeated exactly."""
        return {"seed": state.seeds[seat]}

    def acting(self, state: State) -> tuple[int, ...]:
        """Return the seat to move; empty when the match is over."""
        if state.forfeits or self.position(state).terminal_test():
            return ()
        return (state.seat(state.ply % 2),)

    def observe(self, state: State, seat: int) -> object:
        """Return the position, with the board as a decimal string, and the seat's player number and own context.

        ``context_room`` is how many bytes of contexts the seat may still keep in this match.
        """
        return {
            "player": state.player(seat),
            "board": str(state.board),
            "ply": state.ply,
            "locs": list(state.locs),
            "context": state.contexts[seat],
            "context_room": MATCH_CONTEXT_BYTES - state.context_bytes[seat],
        }

    def illegal(self, state: State, seat: int, value: object) -> str | Fault | None:
        """Return why what the bot put is not an action here (section 4, the match runner), or None."""
        if not isinstance(value, Put):
            return "no action: the answer has another form"
        if value.action is UNSET:
            if value.late:
                return Fault("timeout", "the first was put after it")
            return "no action: get_action returned without putting one"
        if state.context_bytes[seat] + len(value.context or b"") > MATCH_CONTEXT_BYTES:
            return f"the contexts of the match come to more than {MATCH_CONTEXT_BYTES:,} bytes"
        actions = self.position(state).actions()
        if value.value in actions:
            return None
        return f"invalid move {_shown(value.value)}: {_possible(actions)}"

    def apply(self, state: State, replies: Mapping[int, Reply], rng: Random) -> State:
        """Return the position after the action of the seat to move, or its forfeit, or the start of the rematch."""
        ((seat, reply),) = replies.items()
        wrong = reply if isinstance(reply, Fault) else self.illegal(state, seat, reply.value)
        if wrong is None:
            put: Any = reply.value  # type: ignore[union-attr]  # a fault is wrong
            return self._or_rematch(self._moved(state, seat, put))
        fault = wrong if isinstance(wrong, Fault) else Fault("illegal", wrong)
        return self._or_rematch(replace(state, forfeits=(Forfeit(seat, _why(fault)),)))

    def outcome(self, state: State) -> Outcome | None:
        """Return the winner, None during the match. One win each in two games is a draw."""
        game = self._game_outcome(state)
        if game is None or state.earlier is None:
            return game
        wins = tuple(sum(scores) for scores in zip(state.earlier.scores, game.scores, strict=True))
        reason = f"first game: {state.earlier.reason}; rematch: {game.reason}"
        losers = tuple(sorted({*state.earlier.forfeits, *game.forfeits}))
        return Outcome(places_by_score(wins), wins, reason, losers)

    def _game_outcome(self, state: State) -> Outcome | None:
        """Return how the present game ended, by seats."""
        losers = forfeits = tuple(forfeit.seat for forfeit in state.forfeits)
        reason = "; ".join(f"{seat_name(lost.seat)} forfeits: {lost.reason}" for lost in state.forfeits)
        if not forfeits:
            position = self.position(state)
            if not position.terminal_test():
                return None
            losers = (state.seat(1 if position.utility(0) > 0 else 0),)
            reason = f"{seat_name(losers[0])} has no open cell to move to after {state.ply} plies"
        scores = tuple(float(seat not in losers) for seat in (0, 1))
        return Outcome(places_by_score(scores), scores, reason, forfeits)

    def scene(self, state: State) -> Scene:
        outcome = self.outcome(state)
        return draw(self.setup, state, self.position(state), outcome.reason if outcome else "")

    def view(self, told: Told, seat: int) -> Scene:
        """Return the board as the seat was told it, without the move that led there."""
        observation: Any = told.observations[-1]
        locs = tuple(observation["locs"])
        state = State(int(observation["board"]), observation["ply"], locs, first=seat ^ observation["player"])
        return draw(self.setup, state, self.position(state), "")

    def describe(self, state: State, seat: int, move: object) -> str:
        """Return the move with names and numbers of cells: "knight to g3 (cell 30)", in Isola also the closed cell."""
        assert isinstance(move, Put)
        loc = state.locs[state.player(seat)]
        action: Any = move.action
        target = self._cell_in_words(int(action) + (loc or 0))
        piece = self.setup.moves if isinstance(self.setup.moves, str) else "token"
        text = f"{piece} {'placed on' if loc is None else 'to'} {target}"
        return text if move.removed is None else f"{text}, closes {self._cell_in_words(move.removed)}"

    def _cell_in_words(self, cell: int) -> str:
        return f"{cell_name(self.setup, cell)} (cell {cell})"

    def position(self, state: State) -> Position:
        """Return ``state`` as a position of the engine."""
        return self.engine.Isolation(state.board, state.ply, state.locs)

    def sample(self, state: State, seat: int, rng: Random) -> Put:
        """Return one of the seat's actions, all alike."""
        return Put(**plain_action(rng.choice(self.position(state).actions())))

    def _or_rematch(self, after: State) -> State:
        """Return ``after``, or the start of the rematch if that is due: the first game is over, and had an opening."""
        is_due = self.setup.fair_rematch and after.earlier is None and len(after.opening) == _OPENING
        ended = self._game_outcome(after) if is_due else None
        if ended is None:
            return after
        first, second = after.opening
        board, ply, locs = self.engine.start.result(first).result(second)
        return State(
            board,
            ply,
            locs,
            context_bytes=after.context_bytes,
            seeds=after.seeds,
            first=1,
            opening=after.opening,
            earlier=ended,
        )

    def _moved(self, state: State, seat: int, put: Put) -> State:
        left = state.locs[state.player(seat)]
        board, ply, locs = self.position(state).result(put.value)
        to = locs[state.player(seat)]
        opening = state.opening if len(state.opening) == _OPENING else (*state.opening, put.value)
        contexts = (put.context, state.contexts[1]) if seat == 0 else (state.contexts[0], put.context)
        size = len(put.context or b"")
        first, second = state.context_bytes
        return replace(
            state,
            board=board,
            ply=ply,
            locs=locs,
            hops=state.hops if left is None or to is None else (*state.hops[1 - _HOPS :], (left, to)),
            removed=put.removed,
            contexts=contexts,
            context_bytes=(first + size, second) if seat == 0 else (first, second + size),
            opening=opening,
        )


_FAULTS = {
    "exception": "raised an exception before it put an action",
    "timeout": "put no action within the time limit",
    "crash": "its process died before it put an action",
    "garbage": "its answer could not be read",
    "rejected": "was not admitted",
}


def _why(fault: Fault) -> str:
    """Return the reason of a forfeit in one line, section 8's words first, then what the sandbox has to say."""
    detail = _gist(fault.detail)
    if fault.kind == "illegal":
        return detail or "invalid move"
    return f"{_FAULTS[fault.kind]}: {detail}" if detail else _FAULTS[fault.kind]


_CALL = re.compile(r" *(?P<place>\S.*, line \d+), in ")


def _gist(detail: str) -> str:
    """Return ``detail`` in one line: of a traceback the error and where it came from. Records hold all of it."""
    lines = detail.splitlines()
    places = [call["place"] for line in lines if (call := _CALL.search(line))]
    if not places:
        return lines[0] if lines else ""
    return f"{lines[-1]} ({places[-1]})"


def _shown(action: object) -> str:
    if isinstance(action, tuple):
        return f"({', '.join(map(_shown, action))})"
    return str(int(action)) if isinstance(action, int) and not isinstance(action, bool) else repr(action)


def _possible(actions: Sequence[Action]) -> str:
    if not actions:
        return "there is no possible action"
    first = ", ".join(_shown(action) for action in actions[:8])
    return f"possible here: {first}{f' and {len(actions) - 8} more' if len(actions) > 8 else ''}"
