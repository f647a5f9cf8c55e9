"""The fixture table is a work queue in which every match is recorded exactly once."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from botleague_storage import Database, bots, fixtures, leagues, matches, ratings, results, table_queries
from botleague_storage.league_rows.results import MatchRow
from botleague_storage.schema import bulk_statements
from botleague_storage.schema.league_tables import fixture
from botleague_storage.schema.schema import metadata

MakeMatch = Callable[[tuple[int, int]], MatchRow]


def test_fixtures_are_claimed_in_order_and_only_once(database: Database, season: int) -> None:
    with database.writing() as connection:
        first = fixtures.claim(connection, season, "a", until=10, number=3)
        second = fixtures.claim(connection, season, "b", until=15, number=3)
    assert [claim.ordinal for claim in first] == [0, 1, 2]
    assert [claim.ordinal for claim in second] == [3]
    assert first[1].versions == (2, 1)


def test_released_claim_is_refused_once_another_runner_holds_the_fixture(
    database: Database, season: int, a_match: MakeMatch
) -> None:
    with database.writing() as connection:
        (old,) = fixtures.claim(connection, season, "a", until=10, number=1)
        fixtures.release(connection, ["a"])
        (new,) = fixtures.claim(connection, season, "b", until=10, number=1)
        assert (new.fixture_id, new.epoch) == (old.fixture_id, old.epoch + 1)
        assert not results.add_all(connection, [(old.fixture_id, old.epoch, a_match((1, 2)))])
        assert results.add_all(connection, [(new.fixture_id, new.epoch, a_match((1, 2)))])
        assert not results.add_all(connection, [(new.fixture_id, new.epoch, a_match((1, 2)))])
    with database.reading() as connection:
        assert len(list(matches.played(connection, season))) == 1
        assert fixtures.counts(connection, season) == (4, 1)


def test_lease_is_renewed_until_its_holder_is_released(database: Database, season: int) -> None:
    with database.writing() as connection:
        fixtures.claim(connection, season, "a", until=10, number=4)
        fixtures.renew(connection, "a", until=100)
        assert fixtures.claim(connection, season, "b", until=110, number=4) == []
        assert fixtures.claims(connection, season) == [("a", 4, 100.0)]
        assert fixtures.release(connection, ["a"], keep=[1, 2, 3, 4]) == 0
        assert fixtures.release(connection, ["a"], keep=[2]) == 3
        assert fixtures.release(connection, ["a"]) == 1
        assert len(fixtures.claim(connection, season, "b", until=110, number=4)) == 4


def test_a_transaction_that_fails_records_nothing(
    database: Database, season: int, a_match: MakeMatch
) -> None:
    with database.writing() as connection:
        (claim,) = fixtures.claim(connection, season, "a", until=10, number=1)
    try:
        with database.writing() as connection:
            results.add_all(connection, [(claim.fixture_id, claim.epoch, a_match((1, 2)))])
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    with database.reading() as connection:
        assert fixtures.counts(connection, season) == (4, 0)
        assert list(matches.played(connection, season)) == []


def test_results_are_read_up_to_the_first_gap(database: Database, season: int, a_match: MakeMatch) -> None:
    with database.writing() as connection:
        claims = fixtures.claim(connection, season, "a", until=10, number=4)
        for claim in (claims[0], claims[2], claims[3]):
            results.add_all(connection, [(claim.fixture_id, claim.epoch, a_match((1, 2)))])
    with database.reading() as connection:
        assert [row.ordinal for row in matches.played(connection, season)] == [0]
        assert [row.ordinal for row in matches.played(connection, season, first=2)] == [2, 3]


def test_the_latest_matches_of_many_are_those_of_each(
    database: Database, season: int, a_match: MakeMatch
) -> None:
    with database.writing() as connection:
        for claim in fixtures.claim(connection, season, "a", until=10, number=4):
            results.add_all(
                connection,
                [(claim.fixture_id, claim.epoch, a_match((claim.versions[0], claim.versions[1])))],
            )
        ids = fixtures.ids(connection, season, range(4))
        matches.annul(connection, [ids[2]])
        each = {
            (2, 0, 3): [(ids[3], 0), (ids[1], 0)],
            (1, 0, 3): [(ids[3], 1), (ids[1], 1)],
            (2, 0, 0): [(ids[0], 1)],
            (9, 0, 3): [],
            (1, 2, 2): [],
        }
        versions = [*each] * 30  # more than one statement asks for
        rows = list(matches.latest_of(connection, season, versions, 2))
        assert [[(one.match, one.seat) for one in row] for row in rows] == [each[one] for one in versions]
        assert rows[0][1] == (ids[1], 0, False, {})
        assert list(matches.latest_of(connection, season, [], 2)) == []


def test_a_void_attempt_frees_the_fixture_and_is_noted_once(database: Database, season: int) -> None:
    with database.writing() as connection:
        for _ in range(2):
            (claim,) = fixtures.claim(connection, season, "a", until=10, number=1)
            results.add_void(connection, claim.fixture_id, claim.epoch, "lost worker")
            results.add_void(connection, claim.fixture_id, claim.epoch, "said twice")
        assert results.voids(connection, season) == [(0, "lost worker"), (0, "lost worker")]


def test_planned_fixtures_are_stored_and_removed_in_portions(
    database: Database, season: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: dict[str, list[int]] = {"fixture": [], "fixture_seat": []}

    def note(_: Any, cursor: Any, statement: str, *_more: object) -> None:
        if match := re.match(r"(?:copy|insert into|DELETE FROM) (fixture|fixture_seat) ", statement):
            sizes[match[1]].append(cursor.rowcount)

    sa.event.listen(database.engine, "after_cursor_execute", note)
    monkeypatch.setattr(bulk_statements, "PORTION", 3)
    monkeypatch.setattr(bulk_statements, "COPIED", 3)
    with database.writing() as connection:
        assert fixtures.discard(connection, season)
        assert fixtures.counts(connection, season) == (0, 0)
        fixtures.plan(connection, season, [fixtures.Planned(0, 0, 7, (1, 2))] * 4)
        assert fixtures.counts(connection, season) == (4, 0)
    assert sizes == {"fixture": [3, 1, 3, 1], "fixture_seat": [6, 2, 3, 3, 2]}


def test_references_to_fixtures_are_indexed() -> None:
    # Else the removal of each planned match reads all rows that refer to one.
    for table in metadata.sorted_tables:
        keys = [list(table.primary_key), *(list(index.columns) for index in table.indexes)]
        leading = {columns[0] for columns in keys}
        references = [key.parent for key in table.foreign_keys if key.column is fixture.c.id]
        assert leading.issuperset(references), table.name


def test_sums_are_kept_by_version_and_replaced_as_a_whole(database: Database, season: int) -> None:
    first = table_queries.Totals(3, 1, 1, 1, 0, {"exception": 3, "crash": 1}, 0.1 + 0.2, 7.5)
    second = table_queries.Totals(1, 1, 0, 0, 0, {}, 1.0, 2.0)
    with database.writing() as connection:
        table_queries.save_totals(connection, season, {1: first, 2: second})
        assert table_queries.totals(connection, season) == {1: first, 2: second}
        table_queries.save_totals(connection, season, {2: first})
        assert table_queries.totals(connection, season, [2, 9]) == {2: first}
        ratings.forget(connection, season, 1)
        assert table_queries.totals(connection, season) == {}


def test_a_page_of_a_table_has_its_ranks_and_names(database: Database, season: int) -> None:
    with database.writing() as connection:
        for name in ("cat", "dan"):
            source = bots.Source({"bot.py": name.encode()}, "bot.py")
            added, _ = bots.submit(connection, "chess", name, "", source)
            leagues.add_entrants(connection, season, [added.id])
        ratings.save(connection, season, 1, {4: ratings.RatingRow(4, "{}", 1600.0, 1, 0)})
        whole = table_queries.table(connection, season, newcomer=1500.0)
        assert [(row.rank, row.bot, row.state) for row in whole] == [
            (1, "dan", "{}"),
            (2, "ann", None),
            (2, "bob", None),
            (2, "cat", None),
        ]
        removed = table_queries.table(connection, season, newcomer=1500.0, last=[1, 4])
        assert [(row.rank, row.bot) for row in removed] == [(1, "bob"), (1, "cat"), (3, "dan"), (4, "ann")]
        for first in range(5):
            assert table_queries.table(connection, season, 1500.0, first, 2) == whole[first : first + 2]
            page = table_queries.table(connection, season, 1500.0, first, 2, last=[1, 4])
            assert page == removed[first : first + 2]


def test_ratings_are_saved_with_their_history_and_forgotten_together(database: Database, season: int) -> None:
    rows = {1: ratings.RatingRow(1, "{}", 1510.0, 1, 0), 2: ratings.RatingRow(2, "{}", 1490.0, 1, 0)}
    changes = [ratings.RatingChange(0, 1, 1500, 1510), ratings.RatingChange(0, 2, 1500, 1490)]
    with database.writing() as connection:
        assert ratings.coverage(connection, season) == (0, 1)
        ratings.save(connection, season, 1, rows)
        ratings.add_changes(connection, season, reversed(changes))
        assert ratings.coverage(connection, season) == (1, 1)
        assert ratings.ratings(connection, season) == list(rows.values())
        assert list(ratings.each_change(connection, season)) == changes
        assert ratings.states(connection, season, [2, 9]) == {2: "{}"}
        before = ratings.digest(connection, season)
        ratings.save(connection, season, 1, {2: ratings.RatingRow(2, "{}", 1491.0, 1, 0)})
        assert ratings.digest(connection, season) != before
        ratings.forget(connection, season, 2)
        assert ratings.coverage(connection, season) == (0, 2)
        assert (ratings.ratings(connection, season), list(ratings.each_change(connection, season))) == (
            [],
            [],
        )
