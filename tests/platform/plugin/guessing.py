"""A one-file plugin for tests: everyone guesses a hidden number at the same time, closest wins a point.

Small, but it has what the contract must carry: simultaneous turns, hidden information, chance, declarations, two to
four seats, faults that cost a point, and a harness that calls a plain ``move(observation)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Annotated

from msgspec import Meta

from botleague.rules import (
    BotSource,
    Configuration,
    Fault,
    LoadedBot,
    Move,
    NotAdmitted,
    Outcome,
    Reply,
    Rules,
    Scene,
    Seats,
    Text,
    TimeControl,
    TurnClock,
    Variant,
    hookimpl,
    places_by_score,
    plain_form,
)


@dataclass(frozen=True, slots=True)
class State:
    turn: int
    hidden: int
    points: tuple[int, ...]
    out: tuple[int, ...]
    last: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Guessing(Rules[State]):
    """Rules: ``turns`` guesses from 0 to 9."""

    turns: int = 6

    def admit(self, seat: int, declaration: object) -> object:
        if declaration == "cheater":
            raise NotAdmitted("A bot may not be called cheater.")
        return declaration

    def start(self, declarations: Sequence[object | Fault], rng: Random) -> State:
        out = tuple(seat for seat, what in enumerate(declarations) if isinstance(what, Fault))
        return State(0, rng.randrange(10), (0,) * len(declarations), out)

    def brief(self, state: State, seat: int) -> object:
        return {"seat": seat, "turns": self.turns}

    def acting(self, state: State) -> tuple[int, ...]:
        if state.turn >= self.turns:
            return ()
        return tuple(seat for seat in range(len(state.points)) if seat not in state.out)

    def observe(self, state: State, seat: int) -> object:
        return {"turn": state.turn, "last": list(state.last), "points": list(state.points)}

    def apply(self, state: State, replies: Mapping[int, Reply], rng: Random) -> State:
        points = list(state.points)
        guesses = {}
        for seat, reply in replies.items():
            if isinstance(reply, Move):
                assert isinstance(reply.value, int)
                guesses[seat] = reply.value
            else:
                points[seat] -= 1
        if guesses:
            best = min(abs(guess - state.hidden) for guess in guesses.values())
            for seat, guess in guesses.items():
                points[seat] += abs(guess - state.hidden) == best
        return replace(
            state,
            turn=state.turn + 1,
            hidden=rng.randrange(10),
            points=tuple(points),
            last=tuple(guesses.values()),
        )

    def illegal(self, state: State, seat: int, value: object) -> str | None:
        return None if isinstance(value, int) and 0 <= value <= 9 else f"{value!r} is not from 0 to 9"

    def sample(self, state: State, seat: int, rng: Random) -> object:
        return rng.randrange(10)

    def outcome(self, state: State) -> Outcome | None:
        if self.acting(state):
            return None
        keys = [(seat not in state.out, points) for seat, points in enumerate(state.points)]
        return Outcome(
            places_by_score(keys), tuple(map(float, state.points)), "all guesses were made", state.out
        )

    def twins(self, state: State, seat: int) -> Iterator[State]:
        return (replace(state, hidden=number) for number in range(10))

    def scene(self, state: State) -> Scene:
        return Scene(10, 2, (Text(state.hidden + 0.5, 1, "*"),), (f"turn {state.turn}: {state.points}",))


class GuessingHarness:
    """Calls the bot's ``move(observation)`` of a bot, which may declare ``NAME`` and import ``table``."""

    def __init__(self, seat: int, seats: int, config: Mapping[str, object]) -> None:
        self.seats = seats
        self.bot: ModuleType | None = None
        self.move = "move"

    def modules(self) -> Mapping[str, Mapping[str, object]]:
        return {"table": {"SEATS": self.seats, "bank_ms": lambda: self.turn.bank_ms}}

    def loaded(self, bot: LoadedBot) -> object:
        functions = {name: value for name, value in vars(bot.module).items() if name[:4] == "move"}
        if functions:
            bot.choose(functions, "move")
        self.move = bot.choice or "move"
        self.bot = bot.module
        return getattr(bot.module, "NAME", "")

    def briefed(self, brief: object, turn: TurnClock) -> None:
        prepare = getattr(self.bot, "prepare", None)
        if prepare is not None:
            prepare(brief)

    def answer(self, observation: object, turn: TurnClock) -> object:
        assert self.bot is not None
        self.turn = turn
        return getattr(self.bot, self.move)(observation)


class Options(Configuration, frozen=True):
    turns: Annotated[int, Meta(ge=1, le=1000)] = 6


USUAL = Options()


def configured(options: Options) -> Variant:
    return variant("guessing", Seats(2, 4), options)


def variant(name: str, seats: Seats, options: Options = USUAL) -> Variant:
    return Variant(
        name=name,
        game="guessing",
        summary="guess the hidden number",
        rules=Guessing(options.turns),
        harness="guessing:GuessingHarness",
        move_type=int,
        config=plain_form(options),
        config_type=Options,
        configured=configured,
        declaration_type=str,
        sample_declarations=("ann", "bob"),
        seats=seats,
        time=TimeControl(move_ms=60, load_ms=500, grace_ms=30),
    )


BOTS = Path(__file__).parent / "guessing_bots"


@hookimpl
def botleague_variants() -> list[Variant]:
    return [variant("guessing", Seats(2)), variant("guessing-melee", Seats(2, 4), Options(3))]


@hookimpl
def botleague_bots() -> list[BotSource]:
    return [
        BotSource(path.stem.replace("_", "-"), str(path), "guessing", "a test bot")
        for path in sorted(BOTS.glob("*.py"))
    ]
