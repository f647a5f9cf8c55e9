"""Two runners share a queue, stall, come back late, repeat themselves: it does what a plain list of matches would."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from botleague_storage import Database, bots, fixtures, leagues, matches, ratings, results
from botleague_storage.league_rows.results import MatchRow

MakeMatch = Callable[[tuple[int, int]], MatchRow]
RUNNERS = st.sampled_from(["a", "b"])
TIMES = st.sampled_from([10.0, 7210.0, -7190.0])
SOME = st.lists(st.integers(0, 11), max_size=4)
"""Ordinal numbers; those that are not planned yet mean nothing."""


@dataclass
class Wanted:
    """A match as the list has it."""

    planned: fixtures.Planned
    fixture_id: int
    status: str = "planned"
    epoch: int = 0
    holder: str = ""
    until: float = 0.0
    is_void: bool = False
    recorded: int | None = None

    def free(self) -> None:
        self.status, self.holder = "planned", ""


class Queue(RuleBasedStateMachine):
    """Every example has a league of its own in one database, and runners whose names are its own."""

    database: Database
    make_match: MakeMatch

    def __init__(self) -> None:
        super().__init__()
        self.list: list[Wanted] = []
        self.claims: list[tuple[int, int]] = []
        self.voids: list[tuple[int, int]] = []
        with self.database.writing() as connection:
            number = len(leagues.leagues(connection))
            variant = leagues.variant_id(connection, "chess", "chess", "0" * 64, "{}")
            self.season = leagues.create(connection, f"cup {number}", variant, "{}").id
        self.names = {name: f"{name} of cup {number}" for name in "ab"}
        self.plan([3, 1], "")

    def claimed(self, fixture_id: int, epoch: int) -> Wanted | None:
        """Return the match of which this is the newest claim."""
        of = (item for item in self.list if (item.fixture_id, item.epoch) == (fixture_id, epoch))
        return next((item for item in of if item.status == "claimed"), None)

    def at(self, ordinals: Collection[int]) -> list[int]:
        return [item.fixture_id for item in self.list if item.planned.round in ordinals]

    @rule(sizes=st.lists(st.integers(1, 3), min_size=1, max_size=2), label=st.sampled_from(["", "x" * 99]))
    def plan(self, sizes: list[int], label: str) -> None:
        first, group = len(self.list), len(self.list)
        coming: list[fixtures.Planned] = []
        for size in sizes:
            group += 1
            for place in range(size):
                number = first + len(coming)
                seats = (1, 2) if place % 2 == 0 else (2, 1)
                coming.append(fixtures.Planned(number, group, 2**62 + number, seats, label))
        with self.database.writing() as connection:
            assert fixtures.plan(connection, self.season, iter(coming)) == len(coming)
            ids = fixtures.ids(connection, self.season, range(first, first + 99))
        assert sorted(ids) == [item.round for item in coming]
        self.list += [Wanted(item, ids[item.round]) for item in coming]

    @rule(runner=RUNNERS, until=TIMES, number=st.integers(1, 4), without=SOME)
    def claim(self, runner: str, until: float, number: int, without: list[int]) -> None:
        left = self.at(without)
        free = [item for item in self.list if item.status == "planned"]
        expected = [item for item in free if item.fixture_id not in left][:number]
        for item in expected:
            item.status, item.holder, item.epoch = "claimed", runner, item.epoch + 1
            item.until = until
        with self.database.writing() as connection:
            claimed = fixtures.claim(connection, self.season, self.names[runner], until, number, left)
        assert [(match.fixture_id, match.epoch) for match in claimed] == [
            (item.fixture_id, item.epoch) for item in expected
        ]
        self.claims += [(match.fixture_id, match.epoch) for match in claimed]

    @rule(runner=RUNNERS, until=TIMES)
    def renew(self, runner: str, until: float) -> None:
        with self.database.writing() as connection:
            fixtures.renew(connection, self.names[runner], until)
        for item in self.list:
            if item.holder == runner:
                item.until = until

    @rule(runner=RUNNERS, keep=SOME)
    def release(self, runner: str, keep: list[int]) -> None:
        kept_ids = self.at(keep)
        expected = [item for item in self.list if item.holder == runner and item.fixture_id not in kept_ids]
        for item in expected:
            item.free()
        with self.database.writing() as connection:
            assert fixtures.release(connection, [self.names[runner]], kept_ids) == len(expected)

    @precondition(lambda self: self.claims)
    @rule(chosen=st.lists(st.integers(0, 8), min_size=1, max_size=4))
    def record(self, chosen: list[int]) -> None:
        """Newest claims, lost ones and ones recorded before, even twice in one batch."""
        batch = [self.claims[-1 - number % len(self.claims)] for number in chosen]
        expected = set()
        for fixture_id, epoch in batch:
            item = self.claimed(fixture_id, epoch)
            if item is not None:
                item.free()
                item.status, item.recorded = "done", epoch
                expected.add((fixture_id, epoch))
        with self.database.writing() as connection:
            assert expected == results.add_all(
                connection, [(fixture_id, epoch, self.make_match((1, 2))) for fixture_id, epoch in batch]
            )

    @precondition(lambda self: self.claims)
    @rule(number=st.integers(0, 3))
    def fail(self, number: int) -> None:
        """An attempt is lost by the machinery's fault; only the holder can say so."""
        claim = self.claims[-1 - number % len(self.claims)]
        with self.database.writing() as connection:
            results.add_void(connection, *claim, "lost worker")
        item = self.claimed(*claim)
        if item is not None:
            item.free()
            self.voids.append((item.planned.round, item.epoch))

    @rule(ordinals=SOME)
    def annul(self, ordinals: list[int]) -> None:
        expected = [item for item in self.list if item.planned.round in ordinals and not item.is_void]
        for item in expected:
            item.free()
            item.status, item.is_void = "done", True
        with self.database.writing() as connection:
            assert matches.annul(connection, self.at(ordinals)) == len(expected)

    @rule()
    def settle(self) -> None:
        """The ratings cover all up to the first gap: what is counted from there on comes to the same."""
        with self.database.writing() as connection:
            ratings.save(connection, self.season, self.first_gap, {})

    @property
    def first_gap(self) -> int:
        done = [item.status == "done" for item in self.list]
        return [*done, False].index(False)

    @invariant()
    def is_as_listed(self) -> None:
        done = [entry for entry in self.list if entry.status == "done"]
        counting = [entry.planned.round for entry in done if not entry.is_void]
        with self.database.reading() as connection:
            rows = list(matches.matches(connection, self.season))
            assert fixtures.counts(connection, self.season) == (len(self.list), len(done))
            assert fixtures.is_open(connection, self.season) == (len(done) < len(self.list))
            leases: dict[str, list[float]] = {}
            for entry in self.list:
                if entry.holder:
                    leases.setdefault(self.names[entry.holder], []).append(entry.until)
            assert fixtures.claimants(connection, self.season) == leases.keys()
            assert fixtures.claims(connection, self.season) == [
                (name, len(ends), max(ends)) for name, ends in sorted(leases.items())
            ]
            played = [match.ordinal for match in matches.played(connection, self.season)]
            later = [match.ordinal for match in matches.played_out_of_order(connection, self.season, 1)]
            recorded = [
                (match.fixture_id, match.epoch) for match, _ in results.finished(connection, self.season)
            ]
            voids = results.voids(connection, self.season)
        assert [
            fixtures.Planned(match.round, match.group, match.seed, match.versions, match.label)
            for match in rows
        ] == [
            fixtures.Planned(item.round, item.group, item.seed, item.versions, item.label[:64])
            for item in (entry.planned for entry in self.list)
        ]
        groups = [match.group for match in rows]
        assert [match.set_size for match in rows] == [groups.count(group) for group in groups]
        assert [match.ordinal for match in rows] == list(range(len(rows)))
        assert [match.is_void for match in rows] == [entry.is_void for entry in self.list]
        assert played == [ordinal for ordinal in counting if ordinal < self.first_gap]
        assert later == [ordinal for ordinal in counting if ordinal >= 1]
        assert recorded == [(w.fixture_id, w.recorded) for w in self.list if w.recorded is not None]
        assert voids == [(ordinal, "lost worker") for ordinal, _ in sorted(self.voids)]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_the_queue_behaves_as_a_list_of_matches(database: Database, a_match: MakeMatch) -> None:
    with database.writing() as connection:
        for name in ("ann", "bob"):
            bots.submit(connection, "chess", name, "", bots.Source({"bot.py": name.encode()}, "bot.py"))

    class Here(Queue):
        make_match = staticmethod(a_match)

    Here.database = database
    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=12, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
