"""Executors that hold matches by a script, and what a league that they played comes to."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import msgspec

from botleague.executors import MatchOrder, MatchOutcome
from botleague.league.tables.standings import read_standings
from botleague.referee import MatchReport, SeatReport
from botleague.referee.journals.journal import JournalWriter
from botleague.rules import Outcome
from botleague_sandbox import Notes
from botleague_storage import ratings

from ..scripted_league import ScriptedLeague


class ScriptedExecutor:
    """Holds matches by a script: the lower version number wins, unless the script says that something fails.

    Outcomes come back in an order of chance, as they do from several processes.
    """

    def __init__(
        self, capacity: int = 1, seed: int = 0, failures: Sequence[MatchOutcome | None] = ()
    ) -> None:
        self.capacity = capacity
        self.held: list[MatchOrder] = []
        self._orders: list[MatchOrder] = []
        self._failures = list(failures)
        self._rng = random.Random(seed)

    def submit(self, order: MatchOrder) -> None:
        assert order.fixture not in {waiting.fixture for waiting in self._orders}, "it is under way"
        self._orders.append(order)

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        self._rng.shuffle(self._orders)
        order = self._orders.pop()
        if self._failures:
            failure = self._failures.pop(0)
            if failure is not None:
                return [MatchOutcome(order.fixture, order.epoch, None, failure.failure, failure.is_final)]
        self.held.append(order)
        names = [player.name for player in order.players]
        best = min(names)
        places = tuple(1 if name == best else 2 for name in names)
        seat = SeatReport({}, 1.0, 1.0, 1)
        outcome = Outcome(places, tuple(float(place == 1) for place in places), "scripted")
        return [
            MatchOutcome(
                order.fixture,
                order.epoch,
                MatchReport(repr(order.seed).encode(), outcome, (seat,) * len(places), ("script",), 1, 1.0),
            )
        ]

    def close(self) -> None:
        self._orders = []


def table_of(league: ScriptedLeague) -> list[Any]:
    with league.reading() as season:
        return [
            read_standings(league.open(season.connection)),
            ratings.ratings(season.connection, season.id),
            list(ratings.each_change(season.connection, season.id)),
        ]


class Chatty(ScriptedExecutor):
    """Every bot prints its seat."""

    def wait(self, timeout_s: float) -> list[MatchOutcome]:
        (outcome,) = super().wait(timeout_s)
        assert outcome.report is not None
        seats = []
        for number, seat in enumerate(outcome.report.seats):
            writer = JournalWriter()
            writer.said(0, Notes(f"I am seat {number}", b"", is_cut=False))
            seats.append(msgspec.structs.replace(seat, journal=writer.encode()))
        report = msgspec.structs.replace(outcome.report, seats=tuple(seats))
        return [MatchOutcome(outcome.fixture, outcome.epoch, report)]
