"""Journals are stored beside results, the latest of each bot in a season, and depend on nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from botleague_storage import Database, fixtures, journals, problems, results
from botleague_storage.league_rows.results import MatchRow

MakeMatch = Callable[[tuple[int, int]], MatchRow]


@pytest.fixture
def recorded(database: Database, season: int, a_match: MakeMatch) -> int:
    with database.writing() as connection:
        for claim in fixtures.claim(connection, season, "a", until=10, number=4):
            results.add_all(
                connection,
                [(claim.fixture_id, claim.epoch, a_match((claim.versions[0], claim.versions[1])))],
            )
    return season


def test_nonempty_journal_is_stored_by_seat(database: Database, recorded: int) -> None:
    with database.writing() as connection:
        journals.add_all(connection, recorded, [(1, 0, 1, b"one"), (1, 1, 2, b""), (2, 1, 1, b"two")])
        journals.add_all(connection, recorded, [])
    with database.reading() as connection:
        assert [journals.find(connection, number) for number in (1, 2, 3)] == [{0: b"one"}, {1: b"two"}, {}]
    assert problems(database) == []


def test_the_oldest_of_a_bot_go_first_and_those_of_others_stay(
    database: Database, recorded: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botleague_storage.league_rows.journals.MAX_BYTES", 100)
    with database.writing() as connection:
        for number in (1, 2, 3):
            rows = [(number, 0, 1, b"x" * 40), (number, 1, 2, b"y" * 10)]
            journals.add_all(connection, recorded, rows)
        assert journals.find(connection, 1) == {1: b"y" * 10}
        assert journals.find(connection, 2) == {0: b"x" * 40, 1: b"y" * 10}
        journals.add_all(connection, recorded, [(4, 0, 1, b"z" * 100), (4, 1, 1, b"z")])
        assert [sorted(journals.find(connection, number)) for number in (1, 2, 3, 4)] == [[1], [1], [1], [1]]


def test_a_match_that_is_played_again_loses_its_journals(database: Database, recorded: int) -> None:
    with database.writing() as connection:
        journals.add_all(connection, recorded, [(1, 0, 1, b"one"), (2, 0, 1, b"two")])
        epoch, _ = results.set_aside(connection, 1)
        assert journals.find(connection, 1) == {}
        results.put_back(connection, 1, epoch)
        assert results.find(connection, 1).turns == 30
        assert journals.find(connection, 2) == {0: b"two"}


def test_a_share_of_the_disk_is_free(database: Database) -> None:
    assert 0 <= database.free_share() <= 1
    assert database.is_sqlite or database.free_share() == 1
