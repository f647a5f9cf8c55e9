"""Episodes of learning programs: a match, played by the referee from turn to turn of a learner.

Rules are pure, so a learner's next observation is computed from the state before its turn is played; its move is
ready when the referee requests it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from botleague.api import in_our_errors
from botleague.errors import BotleagueError, UsageError
from botleague.plugins.boundary import Boundary
from botleague.referee import (
    Finished,
    MixedPlayers,
    Player,
    SandboxedPlayers,
    Started,
    Turn,
    as_received,
    conduct,
    draw_opening,
)
from botleague.rules import Encoding, Fault, Move, Outcome, Reply, Variant
from botleague_sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class Table:
    """Common settings of all episodes of an environment.

    Attributes:
        variant: the variant to play; it has an encoding.
        declarations: declaration of each learner, by seat.
        opponents: bots on the other seats.
        openings: random opening turns per seat.
    """

    variant: Variant
    declarations: Mapping[int, object]
    opponents: Mapping[int, Player]
    openings: int

    @property
    def seats(self) -> int:
        """Number of seats."""
        return len(self.declarations) + len(self.opponents)

    @property
    def encoding(self) -> Encoding[Any]:
        """The variant's encoding."""
        assert self.variant.encoding is not None
        return self.variant.encoding


@dataclass(slots=True)
class Learner:
    """Seat of a learning program: its knowledge and its next move."""

    declaration: object
    known: Any = None
    move: Move | None = None

    def declare(self) -> object:
        """Return the seat's declaration."""
        return self.declaration

    def brief(self, briefing: object) -> None:
        """Do nothing: the briefing was read from the state."""

    def ask(self, question: object) -> Reply:
        """Return the prepared move."""
        assert self.move is not None
        return self.move


@dataclass(slots=True)
class Episode:
    """One match, up to the next turn of a learner.

    Attributes:
        seed: of the match.
        asked: seats of the learners that act now; empty at the end of the match.
        outcome: result of the match, None while it runs.
        state: of the match.
        faults: seats and kinds of the faults since the last turn of a learner.

    Raises:
        UsageError: a learner was not admitted.
        MachineryError: this machine failed.
        PluginError: rules or encoding broke their contract.
    """

    table: Table
    seed: int
    sandbox: Sandbox | None
    learners: dict[int, Learner] = field(init=False)
    asked: tuple[int, ...] = field(init=False, default=())
    outcome: Outcome | None = field(init=False, default=None)
    state: Any = field(init=False, default=None)
    faults: list[tuple[int, str]] = field(init=False, default_factory=list)
    _unopened: int = field(init=False, default=0)
    _others: SandboxedPlayers | _Nobody = field(init=False)
    _open: ExitStack = field(init=False, default_factory=ExitStack)
    _events: Any = field(init=False)

    def __post_init__(self) -> None:
        variant, table = self.table.variant, self.table
        self.learners = {seat: Learner(declaration) for seat, declaration in table.declarations.items()}
        self._others = _Nobody()
        if self.sandbox is not None:
            players, seats = list(table.opponents.values()), list(table.opponents)
            # A league would play the match again; training continues.
            others = SandboxedPlayers(
                self.sandbox, variant, players, self.seed, seats=seats, match_seats=table.seats, decides=True
            )
            self._others = self._open.enter_context(others)
        opening = draw_opening(variant, self.seed, table.seats, table.openings)
        self._unopened = len(opening)
        self._events = conduct(variant, self.seed, MixedPlayers(self.learners, self._others), opening)
        self._go_on()

    def step(self, actions: Mapping[int, Any]) -> None:
        """Play with the actions of the acting seats, up to the next turn of a learner."""
        variant, encoding = self.table.variant, self.table.encoding
        with Boundary("encoding of", variant.name):
            for seat in self.asked:
                learner = self.learners[seat]
                learner.move = as_received(variant, encoding.decode(learner.known, actions[seat]))
        self.faults = []
        self._go_on()

    def encoded(self, seat: int) -> Sequence[float]:
        """Return a learner's knowledge as numbers."""
        with Boundary("encoding of", self.table.variant.name):
            return self.table.encoding.encode(self.learners[seat].known)

    def mask(self, seat: int) -> Sequence[bool] | None:
        """Return the legal actions of an acting learner, None if all are legal."""
        with Boundary("encoding of", self.table.variant.name):
            return self.table.encoding.mask(self.learners[seat].known)

    def close(self) -> None:
        """End the processes of the opponents at any point of the match."""
        self._open.close()

    def _go_on(self) -> None:
        self.asked = ()
        try:
            with in_our_errors():
                while not self.asked and self.outcome is None:
                    self._take(next(self._events))
        except BotleagueError:
            self.close()
            raise
        if self.outcome is not None:
            self.close()

    def _take(self, event: Started | Turn | Finished) -> None:
        if isinstance(event, Finished):
            self.outcome = event.outcome
            return
        self.state = event.state
        if isinstance(event, Started):
            self._started(event)
        elif event.is_opening:
            self._unopened -= 1
            self._others.pass_turn()
        else:
            self._note(event.replies)
        if self._unopened:
            return
        if isinstance(event, Started) or event.is_opening:
            self._brief(event.state)
        self._ask(event.state)

    def _started(self, event: Started) -> None:
        for seat, declaration in enumerate(event.declarations):
            if isinstance(declaration, Fault):
                if seat in self.learners:
                    raise UsageError(f"The declaration of seat {seat} is refused: {declaration.detail}")
                self.faults.append((seat, declaration.kind))
                self._unopened = 0  # The referee plays no opening without all seats.
            elif seat in self.learners:
                self.learners[seat].declaration = declaration

    def _note(self, replies: Mapping[int, Reply]) -> None:
        for seat, reply in replies.items():
            kind = reply.kind if isinstance(reply, Fault) else reply.fault
            if kind is not None:
                self.faults.append((seat, kind))

    def _brief(self, state: Any) -> None:
        rules, encoding = self.table.variant.rules, self.table.encoding
        with Boundary("encoding of", self.table.variant.name):
            for seat, learner in self.learners.items():
                learner.known = encoding.begin(seat, learner.declaration, rules.brief(state, seat))

    def _ask(self, state: Any) -> None:
        rules, encoding = self.table.variant.rules, self.table.encoding
        with Boundary("encoding of", self.table.variant.name):
            self.asked = tuple(seat for seat in rules.acting(state) if seat in self.learners)
            for seat in self.asked:
                learner = self.learners[seat]
                learner.known = encoding.learn(learner.known, rules.observe(state, seat))


class _Nobody:
    """Players of a match without opponents: no sandbox is opened for them."""

    def declare(self) -> list[object]:
        return []

    def brief(self, briefs: Mapping[int, object]) -> dict[int, Fault]:
        return {}

    def ask(self, questions: Mapping[int, object]) -> dict[int, Reply]:
        return {}

    def pass_turn(self) -> None:
        pass
