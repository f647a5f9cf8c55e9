"""A table where two teams from source text play in this process: harness and rules are real, the sandbox is not."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import msgspec
import pytest

from botleague.rules import Fault, Move, PlayedMatch, Reply, Variant
from botleague_pelita import compat
from botleague_pelita.harness import PelitaHarness
from botleague_pelita.play.state import State
from botleague_pelita.rules import PelitaRules
from botleague_pelita.variants import pelita
from botleague_sandbox.language import LoadedProgram

MINI = """
##########
#a.  .  .#
#b# ## #y#
#. .  . x#
##########
"""

STILL = "TEAM_NAME = 'Still'\ndef move(bot, state):\n    return bot.position\n"


def loaded(source: str) -> LoadedProgram:
    """Return a team's module as the sandbox hands it over."""
    module = ModuleType("team")
    exec(compile(source, "team.py", "exec"), module.__dict__)
    return LoadedProgram(module, {"team": module}, {"team.py": source.encode()})


class StillClock:
    """A clock on which every call takes a second."""

    limit_ms = 3000.0

    def elapsed_ms(self) -> float:
        return 1000.0

    def propose(self, move: object) -> None:
        raise AssertionError("teams of this game propose nothing")


def through_wire(value: object) -> Any:
    """Return what arrives on the other side of the pipe."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value))


class Table:
    """One match of two teams from source text; :meth:`turn` plays a turn."""

    def __init__(self, variant: Variant, blue: str = STILL, red: str = STILL, seed: int = 1) -> None:
        self.variant = variant
        self.rules: PelitaRules = variant.rules  # type: ignore[assignment]  # the variant is one of ours
        self.rng = Random(seed)
        self.harnesses = [self.harness(seat, source) for seat, source in enumerate((blue, red))]
        self.state: State = self.rules.start([harness.name for harness in self.harnesses], self.rng)
        for seat, harness in enumerate(self.harnesses):
            harness.briefed(through_wire(self.rules.brief(self.state, seat)), StillClock())
        self.replies: list[Reply] = []

    def harness(self, seat: int, source: str) -> Any:
        harness: Any = PelitaHarness(seat=seat, config=through_wire(dict(self.variant.config)))
        declared = msgspec.convert(
            through_wire(harness.loaded(loaded(source))), self.variant.declaration_type
        )
        harness.name = self.rules.admit(seat, declared)
        return harness

    def turn(self) -> Reply:
        """Play one turn as the referee does, and return the reply that the rules got."""
        (seat,) = self.rules.acting(self.state)
        observation = through_wire(self.rules.observe(self.state, seat))
        reply: Reply
        try:
            sent = through_wire(self.harnesses[seat].answer(observation, StillClock()))
        except Exception as error:
            reply = Fault("exception", f"{type(error).__name__}: {error}")
        else:
            move = msgspec.convert(sent, self.variant.move_type)
            reason = self.rules.illegal(self.state, seat, move)
            assert not isinstance(reason, Fault)
            reply = Move(move) if reason is None else Fault("illegal", reason)
        self.state = self.rules.apply(self.state, {seat: reply}, self.rng)
        self.replies.append(reply)
        return reply

    def rounds(self, number: int) -> State:
        """Play whole rounds, or until the end."""
        for _ in range(4 * number):
            if self.state.verdict is not None:
                break
            self.turn()
        return self.state


@pytest.fixture
def table(lent_modules: None) -> Callable[..., Table]:
    """Return a function that opens a table: ``table(blue, red, seed=..., **config)``; a mini board by default."""

    def opened(blue: str = STILL, red: str = STILL, seed: int = 1, **config: Any) -> Table:
        return Table(pelita({"layout": MINI, **config}), blue, red, seed)

    return opened


@pytest.fixture
def play(lent_modules: None) -> Callable[..., PlayedMatch]:
    """What commands get to have a match held: here teams are files, played in this process."""

    def held(
        variant: Variant,
        bots: Sequence[str],
        *,
        seed: int | None = None,
        watch: Callable[[Any], bool] | None = None,
        with_siblings: bool = False,
    ) -> PlayedMatch:
        assert seed is not None, "Pelita's commands choose the seed, to name it"
        blue, red = (Path(bot).read_text(encoding="utf-8") for bot in bots)
        game = Table(variant, blue, red, seed)
        faults: list[tuple[int, Fault]] = []
        while not (watch and watch(game.state)):
            if game.state.verdict is not None:
                outcome = game.rules.outcome(game.state)
                return PlayedMatch(outcome, game.state, seed, b"record", ("one", "two"), tuple(faults))
            seat = game.state.team
            reply = game.turn()
            if isinstance(reply, Fault):
                faults.append((seat, reply))
        return PlayedMatch(None, game.state, seed, b"", (), tuple(faults))

    return held


@pytest.fixture
def lent_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The ``pelita`` modules, for the time of one test."""
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "pelita"}
    compat.install()
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "pelita"]:
        del sys.modules[name]
    sys.modules.update(before)
