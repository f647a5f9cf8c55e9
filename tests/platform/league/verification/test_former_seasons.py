"""Seasons of an older botleague keep their tables, exports and fingerprints, to the last digit.

``made_by_3601da6.zip`` was written by the code of that commit: a database with a round robin of two seasons, a ladder,
a gauntlet and a swiss, and what that code printed and exported of it. Their terms name no prior.
"""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from botleague.league import Season, batch_report, open_season
from botleague.league.results import count_in
from botleague.league.season.hash_chain import check_chain, fingerprint, why_unproved
from botleague.league.season_ratings.round_ratings import check_ranking, rank
from botleague.league.tables.standings import read_standings
from botleague.league.verification.export_verification import check_export
from botleague.league.verification.season_export import exported, terms
from botleague.league.verification.season_verification import verify
from botleague.listing import write_csv
from botleague.plugins import PluginHost
from botleague_storage import Database
from botleague_storage.connection.upgrading import upgrade

KEPT = Path(__file__).parent / "made_by_3601da6.zip"

SEASONS = ("cup-1", "cup-2", "steps-1", "exam-1", "knock-1")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What that commit wrote, and its database as this release upgrades it."""
    folder = tmp_path_factory.mktemp("archive")
    with zipfile.ZipFile(KEPT) as archive:
        archive.extractall(folder)
    with closing(sqlite3.connect(folder / "old.db")) as connection:
        connection.executescript((folder / "old.sql").read_text())
    upgrade(str(folder / "old.db"))
    return folder


@pytest.fixture(scope="module", params=SEASONS)
def season(request: pytest.FixtureRequest, archive: Path, plugins: PluginHost) -> Iterator[Season]:
    league, number = request.param.split("-")
    database = Database(str(archive / "old.db"))
    with database.reading() as connection:
        yield open_season(connection, plugins, league, int(number))
    database.close()


def name_of(season: Season) -> str:
    return f"{season.league.name}-{season.row.number}"


def printed(archive: Path, season: Season) -> Any:
    return json.loads((archive / "tables.json").read_text())[name_of(season)]


def ignore(_: object) -> None:
    pass


def those_of(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return what there was before: later releases may tell more."""
    return {key: now[key] for key in before}


def assert_same(now: Any, before: Any) -> None:
    """Check that all that there was before is the same, but the last digits of batch ratings.

    Those differ between processors, whose linear algebra adds in another order (docs/ratings.md, section 7).
    """
    if isinstance(before, dict):
        for key, value in before.items():
            assert_same(now[key], value)
    elif isinstance(before, list):
        for pair in zip(now, before, strict=True):
            assert_same(*pair)
    else:
        assert now == (pytest.approx(before, rel=1e-9) if isinstance(before, float) else before)


def test_tables_are_the_same(archive: Path, season: Season) -> None:
    before = printed(archive, season)
    rows = json.loads(msgspec.json.encode([row.as_dict() for row in read_standings(season)]))
    assert_same(rows, before["standings"])
    report = msgspec.to_builtins(batch_report(season))
    assert_same(report, before["batch"])
    assert (report["spread"], report["is_informed"]) == (None, False)


def test_the_fingerprint_is_the_same_and_everything_still_follows(archive: Path, season: Season) -> None:
    assert str(fingerprint(season)) == printed(archive, season)["fingerprint"]
    assert list(verify(season, ignore)) == []


def test_exports_are_the_same(archive: Path, season: Season, plugins: PluginHost) -> None:
    folder = archive / "exports" / name_of(season)
    settings = json.loads((folder / "settings.json").read_text())
    now = json.loads(json.dumps(terms(season)))
    assert those_of(settings, now) == settings
    assert "prior" not in now
    tables = {}
    for table in exported(season, ignore, has_ids=True):
        file = io.StringIO(newline="")
        write_csv(file, table.columns, table.rows)
        tables[table.name] = list(csv.DictReader(io.StringIO(file.getvalue())))
    assert not {"spread", "is_informed"} & tables["ratings"][0].keys()
    for path in folder.glob("*.csv"):
        before = list(csv.DictReader(io.StringIO(path.read_bytes().decode())))
        assert [those_of(*pair) for pair in zip(before, tables[path.stem], strict=True)] == before
    assert list(check_export(folder, plugins)) == []


def test_ladder_table_is_recomputed_to_the_same_digits(archive: Path, plugins: PluginHost) -> None:
    with closing(Database(str(archive / "old.db"))) as database, database.writing() as connection:
        steps = open_season(connection, plugins, "steps")
        before = read_standings(steps)
        rank(steps, recompute=True)
        assert read_standings(steps) == before
        assert list(check_ranking(steps)) == []


def test_season_without_a_chain_stays_so(archive: Path, plugins: PluginHost, tmp_path: Path) -> None:
    """Nothing but the migration marks a season so: that botleague had databases from before there were chains."""
    with closing(sqlite3.connect(tmp_path / "old.db")) as connection:
        connection.executescript((archive / "old.sql").read_text())
        connection.execute("delete from chain")
        connection.execute("update season set settings = json_remove(settings, '$.new_versions')")
        connection.commit()
    upgrade(str(tmp_path / "old.db"))
    with closing(Database(str(tmp_path / "old.db"))) as database, database.writing() as connection:
        season = open_season(connection, plugins, "cup")
        count_in(season, recompute=True)
        assert connection.exec_driver_sql("select count(*) from chain").scalar_one() == 0
        assert fingerprint(season) is None
        assert f"{season.title} is not chained" in why_unproved(season)
        assert list(check_chain(season)) == []
