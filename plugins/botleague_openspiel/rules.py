"""Rules of every game of OpenSpiel: the library's positions behind the contract of botleague.

Native code believes what it is given: ``apply_action(10**9)`` ends the process, and rules run in the host. So each
action of a bot is compared with the legal ones in Python first, and positions are cloned before each change.

A seat that commits a fault is out. If there were two seats, the other wins at once; otherwise the first
legal action is played for it to the end, and it is placed behind all that continue.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Any

from botleague.rules import (
    MAX_DESCRIPTION_LENGTH,
    Fault,
    Forfeits,
    Outcome,
    Reply,
    Rules,
    Scene,
    Told,
    seat_name,
)
from botleague_openspiel import scene
from botleague_openspiel.boards import text_of
from botleague_openspiel.library import Game, Position, action_name, load
from botleague_openspiel.setup import Setup, entry, parse
from botleague_openspiel.state import State

_SEED_BITS = 53
_NUMBERED = re.compile(r"^(\d+ - |Player: \d+ Action: |Pl\d+: )")
_MAX_SHOWN = 6  # legal actions in a message


class OpenSpielRules(Rules[State]):
    """One game with its parameters."""

    def __init__(self, setup: Setup) -> None:
        self._name, _ = parse(setup.game)
        self._traits = entry(self._name).traits
        self._is_hidden = "h" in self._traits
        self._drawing = scene.Drawing(self._name)
        self._load: Callable[[int], Game] = lru_cache(lambda players: load(setup.game, players))

    def start(self, declarations: Sequence[object | Fault], rng: Random) -> State:
        """Return the position in which the first seat acts, after chance. A seat that did not start is out."""
        seeds = tuple(rng.getrandbits(_SEED_BITS) for _ in declarations)
        position = self._load(len(declarations)).new_initial_state()
        needs_since = self._is_hidden and not self._has_all(position)
        since: tuple[tuple[str, ...], ...] = ((),) * len(declarations) * needs_since
        return self._advanced(State((), Forfeits.of(declarations), seeds, since, position), rng)

    def brief(self, state: State, seat: int) -> object:
        """Return the seed of the bot's random numbers, so that a match can be repeated."""
        return {"seed": state.seeds[seat]}

    def acting(self, state: State) -> tuple[int, ...]:
        """Return the seats that act: one, or at a simultaneous turn all who have an action."""
        if self._is_over(state):
            return ()
        return tuple(seat for seat in _players(state.position) if seat not in state.forfeits)

    def observe(self, state: State, seat: int) -> object:
        """Return the history of an open game; else texts of what the seat knows, and its legal actions with names."""
        position = state.position
        if not self._is_hidden:
            return {"player": seat, "history": list(state.history)}
        legal = position.legal_actions(seat)
        return {
            "player": seat,
            "observation": self._knowledge(position, seat),
            "since": list(state.since[seat]) if state.since else [],
            "legal_actions": legal,
            "names": [action_name(position, seat, action) for action in legal],
        }

    def illegal(self, state: State, seat: int, value: object) -> str | None:
        """Return why ``value`` is not a legal action, or None."""
        legal = state.position.legal_actions(seat)
        if type(value) is int and value in legal:
            return None
        names = [action_name(state.position, seat, action) for action in legal[:_MAX_SHOWN]]
        examples = names if isinstance(value, str) else map(str, legal[:_MAX_SHOWN])
        first = ", ".join(examples) + (", …" if len(legal) > _MAX_SHOWN else "")
        return f"{value!r} is not one of the {len(legal)} legal actions: {first}"

    def sample(self, state: State, seat: int, rng: Random) -> int:
        return int(rng.choice(state.position.legal_actions(seat)))

    def apply(self, state: State, replies: Mapping[int, Reply], rng: Random) -> State:
        """Return the position after the actions and the chance that follows; a seat with a fault is out."""
        checked = {seat: self._checked(state, seat, reply) for seat, reply in replies.items()}
        actions = {seat: reply for seat, reply in checked.items() if isinstance(reply, int)}
        since = tuple(() if seat in replies else texts for seat, texts in enumerate(state.since))
        forfeits, position = state.forfeits.after(checked), state.position.clone()
        after = replace(state, forfeits=forfeits, since=since, position=position, before=state.position)
        if self._is_over(after):
            return after
        self._play(position, actions)
        return self._advanced(self._noted(after), rng)

    def outcome(self, state: State) -> Outcome | None:
        """Return the places by the library's returns, with the seats that are out behind all others."""
        if not self._is_over(state):
            return None
        scores = self._scores(state)
        return state.forfeits.outcome(scores, _result(state.forfeits, scores))

    def scene(self, state: State) -> Scene:
        return self._drawing.scene(state, self.acting(state), self.outcome(state))

    def view(self, told: Told, seat: int) -> Scene | None:
        """Return the text of what a seat knows, in games that hide something."""
        if not self._is_hidden:
            return None
        observation: Any = told.observations[-1]
        return scene.written(observation["observation"], f"what {seat_name(seat)} knows")

    def twins(self, state: State, seat: int) -> Iterable[State]:
        """Yield the state with other seeds of the others' bots, and with other cards where the library can."""
        seeds = tuple(seed if seat == one else seed ^ 1 for one, seed in enumerate(state.seeds))
        yield replace(state, seeds=seeds)
        if "r" in self._traits and seat in self.acting(state):
            other = state.position.resample_from_infostate(seat, Random(len(state.history)).random)
            yield replace(state, seeds=seeds, position=other, history=tuple(other.history()))

    def describe(self, state: State, seat: int, move: object) -> str:
        """Return the library's name of an action."""
        if isinstance(move, int) and self.illegal(state, seat, move) is None:
            move = _NUMBERED.sub("", action_name(state.position, seat, move))
        return str(move)[:MAX_DESCRIPTION_LENGTH]

    def _is_over(self, state: State) -> bool:
        """Return whether the match is over: the position is, or only one seat of several plays on."""
        return state.forfeits.ends_match or state.position.is_terminal()

    def _checked(self, state: State, seat: int, reply: Reply) -> int | Fault:
        if isinstance(reply, Fault):
            return reply
        reason = self.illegal(state, seat, reply.value)
        return int(reply.value) if reason is None else Fault("illegal", reason)  # type: ignore[call-overload]  # legal

    def _advanced(self, state: State, rng: Random) -> State:
        """Return the state after chance and after turns of seats that are out; its position is its own and changes."""
        position = state.position
        while not self._is_over(state):
            if position.is_chance_node():
                outcomes = position.chance_outcomes()  # thousands for a roll of five dice
                ((action, _),) = rng.choices(outcomes, [share for _, share in outcomes])
                position.apply_action(action)
                continue
            if any(seat not in state.forfeits for seat in _players(position)):
                break
            self._play(position, {})
            state = self._noted(state)
        state = self._noted(state) if state.history else state
        return replace(state, history=tuple(position.history()))

    def _noted(self, state: State) -> State:
        """Return the state with the present observation of each seat, if it is new."""
        position = state.position
        if not state.since or position.is_chance_node() or position.is_terminal():
            return state
        texts_now = [self._knowledge(position, seat) for seat in range(len(state.seeds))]
        since = tuple(
            texts if texts[-1:] == (text,) else (*texts, text)
            for texts, text in zip(state.since, texts_now, strict=True)
        )
        return replace(state, since=since)

    def _play(self, position: Position, actions: Mapping[int, int]) -> None:
        """Apply the actions of a turn in place, with the first legal one of a seat without action."""
        if not position.is_simultaneous_node():
            (seat,) = _players(position)
            position.apply_action(actions.get(seat, position.legal_actions(seat)[0]))
            return
        options = [position.legal_actions(seat) or [0] for seat in range(position.num_players())]
        position.apply_actions([actions.get(seat, legal[0]) for seat, legal in enumerate(options)])

    def _knowledge(self, position: Position, seat: int) -> str:
        if self._has_all(position):
            return text_of(position.information_state_string(seat))
        return text_of(position.observation_string(seat))

    def _has_all(self, position: Position) -> bool:
        """Return whether one text tells all that a seat knows."""
        has_text: bool = position.get_game().get_type().provides_information_state_string
        return has_text and "l" not in self._traits

    def _scores(self, state: State) -> tuple[float, ...]:
        """Return the library's returns, its least for seats that are out; won and lost games of two count 1 and 0."""
        game: Game = state.position.get_game()
        least, most = game.min_utility(), game.max_utility()
        scores = [least if seat in state.forfeits else most for seat in range(len(state.seeds))]
        if state.position.is_terminal():
            scores = state.position.returns()
        is_won = (least, most, len(scores)) == (-1, 1, 2)
        return tuple((score + 1) / 2 if is_won else float(score) for score in scores)


def _players(position: Position) -> Sequence[int]:
    """Return the seats that have an action, of a position in which players act."""
    if not position.is_simultaneous_node():
        return (position.current_player(),)
    return [seat for seat in range(position.num_players()) if position.legal_actions(seat)]


def _result(forfeits: Forfeits, scores: Sequence[float]) -> str:
    """Return the result of the seats that are not out, in words; empty if all are out."""
    most = max((scores[seat] for seat in forfeits.playing), default=0.0)
    first = [seat_name(seat) for seat in forfeits.playing if scores[seat] == most]
    if len(first) == len(scores) > 1:
        return "a draw" if most in (0.0, 0.5) else f"all have {most:g}"
    verb = "wins" if len(first) == 1 else "win"
    with_score = "" if set(scores) <= {-1.0, 0.0, 1.0} else f" with {most:g}"
    return f"{' and '.join(first)} {verb}{with_score}" if first else ""
