from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from botleague_storage import Database, bots, fixtures, leagues
from botleague_storage.league_rows.results import MatchRow, SeatRow
from botleague_storage.schema.schema import metadata


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A new database of either kind; what is tested with it holds for both."""
    is_sqlite = request.param == "sqlite"
    database = Database(
        str(tmp_path / "league.db") if is_sqlite else request.getfixturevalue("postgresql_url")
    )
    yield database
    database.close()


@pytest.fixture(scope="session")
def shared_postgresql_url(new_postgresql_url: Callable[[], str]) -> str:
    return new_postgresql_url()


@pytest.fixture
def postgresql_url(shared_postgresql_url: str) -> str:
    """A database whose tables are empty: emptying them is much quicker than making a database for each test."""
    database = Database(shared_postgresql_url)
    with database.writing() as connection:
        names = ", ".join(f'"{table.name}"' for table in metadata.sorted_tables)
        connection.execute(sa.text(f"truncate {names} restart identity"))
    database.close()
    return shared_postgresql_url


@pytest.fixture
def season(database: Database) -> int:
    """A season with two bots (versions 1 and 2) and four planned fixtures."""
    with database.writing() as connection:
        for name in ("ann", "bob"):
            bots.submit(connection, "chess", name, "", bots.Source({"bot.py": name.encode()}, "bot.py"))
        variant = leagues.variant_id(connection, "chess", "chess", hashlib.sha256(b"{}").hexdigest(), "{}")
        season = leagues.create(connection, "cup", variant, "{}")
        leagues.add_entrants(connection, season.id, [1, 2])
        fixtures.plan(
            connection, season.id, [fixtures.Planned(0, n // 2, 7, ((1, 2), (2, 1))[n % 2]) for n in range(4)]
        )
        return season.id


@pytest.fixture
def a_match() -> Callable[[tuple[int, int]], MatchRow]:
    """Makes a finished match that the first seat won; the second raised once."""

    def make(versions: tuple[int, int]) -> MatchRow:
        seats = tuple(
            SeatRow(version, place, 2.0 - place, False, {"exception": 1} if place == 2 else {}, 5.0, 6.0, 7)
            for place, version in enumerate(versions, 1)
        )
        return MatchRow("won", ("seccomp",), 30, 12.5, seats, b"record of " + bytes(versions))

    return make
