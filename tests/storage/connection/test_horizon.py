"""What lies beyond a horizon does not exist for any query of its transaction, and for no other transaction."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
import sqlalchemy as sa

from botleague_storage import (
    Database,
    Horizon,
    events,
    fixtures,
    horizon_of,
    is_limited,
    results,
    whole_season,
)
from botleague_storage.league_rows.results import MatchRow
from botleague_storage.schema.schema import metadata

MakeMatch = Callable[[tuple[int, int]], MatchRow]

OF_SEASONS = [
    *(
        "fixture",
        "fixture_seat",
        "result",
        "seat",
        "record",
        "event",
        "entrant",
        "season",
        "rating",
        "standing",
    ),
]


def rows(connection: sa.Connection) -> dict[str, int]:
    return {
        name: connection.scalar(sa.select(sa.func.count()).select_from(metadata.tables[name])) or 0
        for name in OF_SEASONS
    }


@pytest.fixture
def played(database: Database, season: int, a_match: MakeMatch) -> Database:
    """Three of four matches are played, and two things were decided."""
    with database.writing() as connection:
        for claim in fixtures.claim(connection, season, "a", 10, 3):
            assert results.add_all(connection, [(claim.fixture_id, claim.epoch, a_match((1, 2)))])
        events.append(connection, season, "calendar")
        events.append(connection, season, "retired", version_id=1)
    return database


def test_nothing_beyond_a_horizon_exists_for_its_transaction_alone(played: Database, season: int) -> None:
    with played.reading() as connection:
        before = rows(connection)
        assert not is_limited(connection)
    horizon = Horizon(season, settled=2, end=2, events=0, entrants=1, shown_events=("calendar",))
    with played.reading(lambda _: [horizon]) as connection:
        assert horizon_of(connection, season) == horizon
        assert rows(connection) == {
            **before,
            "fixture": 2,
            "fixture_seat": 4,
            "result": 2,
            "seat": 4,
            "record": 2,
            "event": 1,
            "entrant": 1,
        }
        assert [row.kind for row in events.events(connection, season)] == ["calendar"]
        # Refused, or undone: it only reads.
        with suppress(sa.exc.DBAPIError), connection.begin_nested():
            connection.execute(sa.text("update fixture set void = 1"))
    with played.reading() as connection:
        assert rows(connection) == before
        assert not connection.scalar(sa.text("select max(void) from fixture"))
    with played.reading(lambda _: []) as connection:
        assert is_limited(connection)
        assert rows(connection) == before


def test_a_season_is_whole_for_a_while_for_who_sees_some_bots(played: Database, season: int) -> None:
    with played.reading(lambda _: [Horizon(season, settled=3, versions=frozenset())]) as connection:
        assert rows(connection)["result"] == 0
        with whole_season(connection, season):
            assert rows(connection)["result"] == 3
        assert rows(connection)["result"] == 0
    with played.reading(lambda _: [Horizon(season, 2, end=2, versions=frozenset([1]))]) as connection:
        assert rows(connection)["result"] == 2
