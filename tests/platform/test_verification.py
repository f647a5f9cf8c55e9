"""Every column of a played league is changed, one at a time: docs/verify.md says what must be noticed."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from botleague.errors import BotleagueError, UsageError
from botleague.league import count_in, open_season, seasons_of
from botleague.league.chain import Fingerprint, check_chain, fingerprint
from botleague.league.verification import verify
from botleague.plugins import PluginHost
from botleague_storage import Database, StorageError, leagues, problems
from botleague_storage.schema import metadata

PAGE = Path(__file__).parents[2] / "docs" / "verify.md"
PEOPLE = (
    *("team", "account", "role", "one_time_code", "invite", "session", "token"),
    *("upload", "upload_limit", "practice", "decision", "likeness"),
)
"""Tables on which no league depends."""

KINDS = dict(re.findall(r"^\| (\w+\.\w+) \| (derived|chained|free) \|", PAGE.read_text(), flags=re.MULTILINE))

COMMANDS = (
    "run guessing five lucky counter --league cup --seed 3 --rounds 1",
    "organise void cup 3 --reason overheated",
    "organise retire cup lucky --reason summer",
    "season new cup five lucky counter --carry 0.5 --seed 4",
    "run guessing --league cup",
    "run guessing five lucky counter --league steps --format ladder --format-option rounds=2 --seed 5",
    "organise void steps 15 --replay --reason overheated",
    "run guessing --league steps",
    "account new ann --league cup",
    "team new gold ann",
    "invite new --league cup --team gold",
    "organise limits cup --gap 60",
)


@pytest.fixture(scope="module")
def played(
    tmp_path_factory: pytest.TempPathFactory, plugin_file: Path, run_all: Callable[..., list[Any]]
) -> Path:
    """A league of two seasons, the second with ratings carried over."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "botleague.toml").write_text(f'plugins = ["{plugin_file}"]\ndatabase = "cup.db"\njobs = 1\n')
    for command, (code, _, errors) in zip(
        COMMANDS, run_all([one.split() for one in COMMANDS], folder, os.environ), strict=True
    ):
        assert code == 0, (command, errors)
    with closing(sqlite3.connect(folder / "cup.db")) as connection, connection:
        connection.execute("insert into void values (1, 99, 'a lost worker', 0)")
        connection.execute("insert into session values (1, 'abc', 1, 'a browser', 0, 0, 9e9)")
        connection.execute(
            "insert into upload values (1, 1, 1, 'gold', 'five', '', x'90', 'waiting', '{}', 1, 0, 0, 0, 0, 0, 0, '')"
        )
        connection.execute(
            "insert into practice values (1, 1, 'gold', 1, 1, 0, 7, 'waiting', 0, 0, '', 0, 0, '', x'', x'')"
        )
        connection.execute("insert into decision values (99, 1, 1, 'grant', 1, 1, '{}', 0)")
        connection.execute("insert into likeness values (1, 0, '[]')")
        connection.execute("insert into token values (1, 'abc', 1, 'a script', 'submit', 0, 9e9, 0)")
    return folder / "cup.db"


@pytest.fixture
def copied(played: Path, tmp_path: Path) -> Path:
    shutil.copy(played, tmp_path / "cup.db")
    return tmp_path / "cup.db"


def complaints(path: Path, plugins: PluginHost, published: Fingerprint | None = None) -> list[str]:
    """What `db check` says of a database, else `verify`, the first season with a published fingerprint."""
    database = Database(str(path))
    found = problems(database)
    if found:
        database.close()
        return found
    try:
        with database.reading() as connection:
            for league in leagues.leagues(connection):
                for season in seasons_of(connection, plugins, league.name):
                    expected = published if season.title == "cup" else None
                    found += [problem.text for problem in verify(season, lambda _: None, expected)]
    except (BotleagueError, StorageError) as error:
        found.append(str(error))
    database.close()
    return found


def changed(name: str, value: Any) -> Any:
    """Return another value for a column."""
    if name in ("season.settings", "event.content", "season_start.state", "rating.state"):
        content = json.loads(value)
        key = next(key for key, found in sorted(content.items()) if isinstance(found, int | float))
        return json.dumps({**content, key: content[key] + 1})
    match name, value:
        case "fixture.status", _:
            return "planned"
        case "upload.state", _:
            return "refused"
        case "upload.report", _:
            return '{"problems": []}'
        case "fixture.void", _:
            return 1 - value
        case (("seat.faults" | "standing.faults"), _):
            return json.dumps({**json.loads(value), "crash": 7})
        case "result.layers", _:
            return '["none"]'
        case "replaced.noted", _:
            return value.replace('"place": 1', '"place": 2', 1)
        case "record.content" | "replaced.content" | "version.source", _:
            return zlib.compress(zlib.decompress(value) + b"x")
        case _, bytes():
            return value + b"x"
        case _, None:
            return 1
        case _, str():
            return value + "x"
        case _:
            return value + 1000


def test_the_page_names_every_column_of_the_schema_once() -> None:
    columns = [f"{table.name}.{column.name}" for table in metadata.sorted_tables for column in table.c]
    assert sorted(KINDS) == sorted(columns)


def test_a_sound_league_has_no_problem_and_is_its_fingerprint(played: Path, plugins: PluginHost) -> None:
    database = Database(str(played))
    with database.reading() as connection:
        known = fingerprint(open_season(connection, plugins, "cup", 1))
    database.close()
    assert known is not None
    assert (known.counts["entrants"], known.counts["events"]) == (3, 2)
    assert Fingerprint.parse(f" {str(known)[:20]}\n{str(known)[20:]}\n") == known
    assert complaints(played, plugins, known) == []


@pytest.mark.parametrize("name", sorted(name for name in KINDS if name.split(".")[0] not in PEOPLE))
def test_a_changed_column_is_noticed_unless_it_is_free(copied: Path, plugins: PluginHost, name: str) -> None:
    table, column = name.split(".")
    keys = [key.name for key in metadata.tables[table].primary_key]
    with closing(sqlite3.connect(copied)) as connection, connection:
        connection.row_factory = sqlite3.Row
        # No sums hold the measurements of a match that was voided, so a counted match is changed.
        counted = "where fixture_id in (select id from fixture where not void)" if table == "seat" else ""
        rows = connection.execute(
            f'select * from "{table}" {counted} order by "{column}" is null, length("{column}") desc'
        ).fetchall()
        assert rows, "the league has no such row"
        row = rows[0]
        where = " and ".join(f'"{key}" = ?' for key in keys)
        connection.execute(
            f'update "{table}" set "{column}" = ? where {where}',
            (changed(name, row[column]), *(row[key] for key in keys)),
        )
    told = complaints(copied, plugins)
    assert bool(told) == (KINDS[name] != "free"), told
    for text in told:
        sides = re.search(r"has .*? (\S+), but the results give (\S+)$", text)
        assert sides is None or sides[1] != sides[2], text


def test_of_people_only_what_refers_to_rows_is_noticed(copied: Path, plugins: PluginHost) -> None:
    def change_all(kind: str) -> int:
        with closing(sqlite3.connect(copied)) as connection, connection:
            connection.row_factory = sqlite3.Row
            count = 0
            for table in PEOPLE:
                row = dict(connection.execute(f'select * from "{table}" order by rowid desc').fetchone())
                named = [name for name in row if name != "id" and KINDS[f"{table}.{name}"] == kind]
                values = ", ".join(f'"{name}" = ?' for name in named)
                if named:
                    connection.execute(
                        f'update "{table}" set {values} where rowid = (select max(rowid) from "{table}")',
                        [changed(f"{table}.{name}", row[name]) for name in named],
                    )
                count += len(named)
        return count

    assert change_all("free") > 20
    assert complaints(copied, plugins) == []
    count = change_all("derived")
    told = complaints(copied, plugins)
    assert len(told) == count == 19
    assert all("is missing" in text for text in told)


FORGERIES = {
    "another K": (
        "update season set settings = replace(settings, '\"seed\":3', '\"seed\":4') where id = 1",
        "terms",
    ),
    "another order of entrants": (
        "update entrant set number = case number when 0 then 101 when 1 then 100 else number end where season_id = 1;"
        "update entrant set number = number - 100 where number >= 100",
        "entrants",
    ),
    "an inserted start": ("insert into season_start values (1, 1, null, 1700.0)", "entrants"),
    "a deleted event": ("delete from event where season_id = 1 and number = 2", "events"),
    "a void that came later": (
        "update event set fixture_id = 2 where kind = 'voided'; update fixture set void = id = 2 where season_id = 1",
        "events",
    ),
    "a deleted last match": (
        "".join(
            f"delete from {table} where {column} = (select max(id) from fixture where season_id = 1);"
            for table, column in (
                ("result", "fixture_id"),
                ("seat", "fixture_id"),
                ("record", "fixture_id"),
                ("fixture_seat", "fixture_id"),
                ("fixture", "id"),
            )
        ),
        "matches",
    ),
    "another winner": (
        "update seat set place = 3 - place where fixture_id = 1; update seat set score = place where fixture_id = 1",
        "matches",
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_league_that_fits_itself_is_not_the_published_one(
    copied: Path, plugins: PluginHost, forgery: str
) -> None:
    statements, part = FORGERIES[forgery]
    database = Database(str(copied))
    with database.reading() as connection:
        published = fingerprint(open_season(connection, plugins, "cup", 1))
    with closing(sqlite3.connect(copied)) as connection:
        connection.executescript(statements + "; delete from chain where season_id = 1")
    with database.writing() as connection:
        season = open_season(connection, plugins, "cup", 1)
        count_in(season, anew=True)
        assert list(check_chain(season)) == []
        told = list(check_chain(season, published))
    database.close()
    assert told
    assert all("published" in text for text in told)
    assert any(part in text for text in told)


@pytest.mark.parametrize("text", ["", "cup", "1-2-3-abc-def", f"1-x-3-{'a' * 26}-{'b' * 12}", "-" * 4])
def test_what_is_not_a_fingerprint_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a fingerprint"):
        Fingerprint.parse(text)
