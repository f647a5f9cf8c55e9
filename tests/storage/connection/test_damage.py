"""Whatever is lost or changed behind the program's back, `problems` says in one sentence what and where."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from botleague_storage import (
    Database,
    DatabaseUnusable,
    NotFound,
    bots,
    events,
    fixtures,
    leagues,
    matches,
    problems,
    ratings,
    results,
    table_queries,
)
from botleague_storage.connection.damage_check import CHECKS
from botleague_storage.league_rows.results import MatchRow

MakeMatch = Callable[[tuple[int, int]], MatchRow]


@pytest.fixture
def played(database: Database, season: int, a_match: MakeMatch) -> int:
    """The season with something in every table: matches 1 and 2 are played, 3 is cancelled, 4 is to come."""
    with database.writing() as connection:
        for claim in fixtures.claim(connection, season, "a", until=10, number=3)[:2]:
            results.add_all(
                connection,
                [(claim.fixture_id, claim.epoch, a_match((claim.versions[0], claim.versions[1])))],
            )
        results.add_void(connection, 3, 1, "lost worker")
        matches.annul(connection, [3])
        for number in (1, 2):
            ratings.add_changes(connection, season, [ratings.RatingChange(0, number, 1500.0, 1501.0)])
        ratings.save(connection, season, 1, {1: ratings.RatingRow(1, '{"rating": 1501}', 1501.0, 1, 0)})
        table_queries.save_totals(
            connection, season, {1: table_queries.Totals(1, 1, 0, 0, 0, {"crash": 1}, 1.0, 2.0)}
        )
        events.append(connection, season, "voided", fixture_id=3, content={"why": "rain"})
        events.add_starts(connection, season, [events.StartRow(1, '{"rating": 1500}', 1500.0)])
    return season


def test_undamaged_database_has_no_problems_and_reports_its_extent(database: Database, played: int) -> None:
    steps: list[int] = []
    assert problems(database, steps.append) == []
    assert steps == list(range(1, CHECKS + 1))


@pytest.mark.parametrize(
    ("change", "messages"),
    [
        ("delete from record where fixture_id = 2", ["Match 2 is marked as done but has no record."]),
        ("delete from result where fixture_id = 1", ["Match 1 is marked as done but has no result."]),
        (
            "update fixture set status = 'planned' where id = 2",
            [f"Match 2 has a {what} but is not marked as done." for what in ("result", "record", "seat")],
        ),
        ("delete from fixture_seat where fixture_id = 4", ["Match 4 has no seats."]),
        (
            "delete from seat where fixture_id = 1 and seat = 1",
            ["Match 1 was planned for 2 seats, but 1 is stored."],
        ),
        (
            "update seat set version_id = 2 where fixture_id = 1 and seat = 0",
            ["Seat 0 of match 1 was planned for another bot version than is stored."],
        ),
        (
            "update record set digest = 'x' where fixture_id = 2",
            ["The record of match 2 is not what was recorded (its digest differs)."],
        ),
        (
            "update version set entry = 'other.py' where id = 1",
            ["The source of bot version 1 is not what was submitted (its digest differs)."],
        ),
        (
            "update season set settled = 0",
            ["Season 1 has a rating for match number 0, which its table does not cover yet."],
        ),
    ],
)
def test_rows_that_do_not_fit_are_named(
    database: Database, played: int, change: str, messages: list[str]
) -> None:
    with database.writing() as connection:
        connection.exec_driver_sql(change)
    assert problems(database) == messages


@pytest.mark.parametrize(
    "column",
    [
        "season.settings",
        "season_start.state",
        "event.content",
        "result.layers",
        "seat.faults",
        "rating.state",
        "standing.faults",
    ],
)
def test_a_text_that_is_cut_short_is_named_before_rows_are_judged_by_it(
    database: Database, played: int, column: str
) -> None:
    table, _, name = column.partition(".")
    with database.writing() as connection:
        connection.exec_driver_sql(f"update {table} set {name} = '{{\"rating'")
        connection.exec_driver_sql("update version set digest = 'x'")
    complaints = problems(database)
    assert complaints
    for line in complaints:
        assert line.startswith(f"The {name} of table {table} at ")
        assert "cannot be read" in line


@pytest.mark.parametrize("content", [b"", b"no zlib", zlib.compress(b"long enough to be cut")[:-3]])
def test_a_source_or_record_that_cannot_be_unpacked_is_named_and_refused(
    database: Database, played: int, content: bytes
) -> None:
    with database.writing() as connection:
        for table, key in (("version", "id"), ("record", "fixture_id")):
            column = "source" if table == "version" else "content"
            mark = "?" if database.is_sqlite else "%s"
            connection.exec_driver_sql(f"update {table} set {column} = {mark} where {key} = 2", (content,))
    assert problems(database) == [
        "The source of bot version 2 is not what was submitted (its digest differs).",
        "The record of match 2 is not what was recorded (its digest differs).",
    ]
    with database.reading() as connection:
        assert results.find(connection, 1).content == b"record of \x01\x02"
        with pytest.raises(DatabaseUnusable, match=r"record of this match is damaged.*db check"):
            results.find(connection, 2)
        whole = {
            match.fixture_id: row for match, row in results.finished(connection, played, with_records=True)
        }
        assert (whole[1].content, whole[2].content) == (b"record of \x01\x02", b"")
    with (
        pytest.raises(DatabaseUnusable, match=r"holds a row that cannot be read.*db check"),
        database.reading() as connection,
    ):
        bots.source_of(connection, 2)


@pytest.mark.parametrize("lost", [1, 2])
def test_a_match_whose_record_is_lost_is_named_wherever_it_stands(
    database: Database, played: int, lost: int
) -> None:
    with database.writing() as connection:
        connection.exec_driver_sql(f"delete from record where fixture_id = {lost}")
    with database.reading() as connection:
        with pytest.raises(DatabaseUnusable, match=rf"Match {lost} has no record.*db check"):
            list(results.finished(connection, played))
        with pytest.raises(NotFound, match="This match has no result"):
            results.find(connection, lost)


def test_a_match_that_lost_a_seat_is_not_read_as_a_smaller_one(database: Database, played: int) -> None:
    with database.writing() as connection:
        connection.exec_driver_sql("delete from seat where fixture_id = 2 and seat = 0")
    with (
        database.reading() as connection,
        pytest.raises(DatabaseUnusable, match=r"Match 2 was planned for 2 seats.*backup"),
    ):
        list(matches.matches(connection, played))


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_row_that_refers_to_nothing_is_named(database: Database, played: int, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "league.db")) as connection, connection:
        connection.execute("delete from variant")
    assert problems(database) == ["Row 1 of table league refers to a row of variant that is missing."]


def test_an_entrant_that_does_not_exist_or_is_there_already_is_refused(
    database: Database, played: int
) -> None:
    with pytest.raises(DatabaseUnusable), database.writing() as connection:
        leagues.add_entrants(connection, played, [99])
    with pytest.raises(DatabaseUnusable), database.writing() as connection:
        leagues.add_entrants(connection, played, [1])
    with database.reading() as connection:
        assert leagues.entrants(connection, played) == [1, 2]
