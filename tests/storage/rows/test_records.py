"""Records of several matches are read at once; one that is damaged or missing is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from botleague_storage import Database, DatabaseUnusable, fixtures, results
from botleague_storage.league_rows.results import MatchRow
from botleague_storage.schema.league_tables import record


@pytest.mark.parametrize(
    "damage", [record.delete(), record.update().values(content=b"x")], ids=["missing", "damaged"]
)
def test_lost_record_is_refused(
    database: Database, season: int, a_match: Callable[[tuple[int, int]], MatchRow], damage: Any
) -> None:
    with database.writing() as connection:
        claims = fixtures.claim(connection, season, "a", until=10, number=3)
        for claim in claims:
            results.add_all(connection, [(claim.fixture_id, claim.epoch, a_match((1, 2)))])
        ids = [claim.fixture_id for claim in claims]
        assert results.records(connection, ids) == dict.fromkeys(ids, a_match((1, 2)).content)
        connection.execute(damage.where(record.c.fixture_id == ids[1]))
        with pytest.raises(DatabaseUnusable, match="record of this match is damaged"):
            results.records(connection, ids)
        assert results.records(connection, ids[2:]).keys() == {ids[2]}
