"""Every column of a played league is changed, one at a time: docs/reference/columns.md says what must be noticed."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from botleague.errors import BotleagueError, UsageError
from botleague.league import count_in, open_season, seasons_of
from botleague.league.season.hash_chain import Fingerprint, begin, check_chain, fingerprint, why_unproved
from botleague.league.verification.provenance import check_marks
from botleague.league.verification.season_export import numbers_like
from botleague.league.verification.season_verification import verify
from botleague.plugins import PluginHost
from botleague_storage import Database, StorageError, events, fixtures, leagues, matches
from botleague_storage.connection.damage_check import problems_in
from botleague_storage.schema.schema import metadata

from ....conftest import MadeOnce

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "columns.md"
COLUMNS = [
    (column, kind.lower())
    for kind, rows in re.findall(
        r"^## (\w+) columns\n(.*?)(?=^#|\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL
    )
    for column in re.findall(r"`(\w+\.\w+)`", rows)
]
KINDS = dict(COLUMNS)

COMMANDS = (
    "run guessing five lucky counter --league cup --seed 3 --rounds 1",
    "organise void cup 3 --reason overheated",
    "organise retire cup lucky --reason summer",
    "season new cup five lucky counter --carry 0.5 --seed 4",
    "run guessing --league cup",
    "run guessing five lucky counter --league steps --format ladder --format-option rounds=2 --seed 5",
    "organise void steps 3 --rerun --reason overheated",
    "run guessing --league steps",
    "account new ann --league cup",
    "account new bob --league steps",
    "team new gold ann",
    "invite new --league cup --team gold",
    "organise limits cup --gap 60",
)


@pytest.fixture(scope="module")
def played(
    tmp_path_factory: pytest.TempPathFactory,
    plugin_file: Path,
    run_all: Callable[..., list[Any]],
    made_once: MadeOnce,
) -> Path:
    """A league of two seasons, the second with ratings carried over."""

    def make(folder: Path) -> None:
        folder.mkdir()
        (folder / "botleague.toml").write_text(
            f'plugins = ["{plugin_file}"]\ndatabase = "cup.db"\njobs = 1\n'
        )
        for command, (code, _, errors) in zip(
            COMMANDS, run_all([one.split() for one in COMMANDS], folder, os.environ), strict=True
        ):
            assert code == 0, (command, errors)
        with closing(sqlite3.connect(folder / "cup.db")) as connection, connection:
            connection.execute("delete from team where id not in (select team_id from account)")
            connection.execute("insert into void values (1, 99, 'a lost worker', 0)")
            connection.execute("insert into session values (1, 'abc', 1, 'a browser', 0, 0, 9e9)")
            connection.execute(
                "insert into upload values "
                "(1, 1, 1, 'gold', 'five', '', x'90', 'waiting', '{}', 1, 0, 0, 0, 0, 0, 0, '')"
            )
            connection.execute(
                "insert into practice values (1, 1, 'gold', 1, 1, 0, 7, 'waiting', 0, 0, '', 0, 0, '', x'', x'')"
            )
            connection.execute("insert into decision values (99, 1, 1, 'grant', 1, 1, '{}', 0)")
            connection.execute("insert into announcement values (1, 1, 'The final starts at noon.', 0, 0)")
            connection.execute("insert into extension values (1, 'gold', 9e9)")
            connection.execute("insert into likeness values (1, 0, '[]')")
            connection.execute("insert into login_address values (1, 'abc', 1, 0, 0, 0)")
            connection.execute("insert into server_note values ('alive-at', '0')")
            connection.execute("insert into runner values ('desk/1/2', 0, 0, null, '', '', null)")
            connection.execute("insert into token values (1, 'abc', 1, 'a script', 'submit', 0, 9e9, 0)")

    return Path(shutil.copy(made_once("verified", make) / "cup.db", tmp_path_factory.mktemp("played")))


@pytest.fixture
def copied(played: Path, tmp_path: Path) -> Path:
    shutil.copy(played, tmp_path / "cup.db")
    return tmp_path / "cup.db"


def findings(
    connection: Connection, plugins: PluginHost, published: Fingerprint | None = None
) -> Iterator[str]:
    """Yield what `db check` reports, else `verify` of every season; the first with a published fingerprint."""
    problems = problems_in(connection)
    yield from problems
    if problems:
        return
    try:
        for league in leagues.leagues(connection):
            for season in seasons_of(connection, plugins, league.name):
                expected = published if season.title == "cup" else None
                yield from (problem.text for problem in verify(season, lambda _: None, expected))
    except (BotleagueError, StorageError) as error:
        yield str(error)


def complaints(path: Path, plugins: PluginHost, published: Fingerprint | None = None) -> list[str]:
    """Return what :func:`findings` yields of a database."""
    database = Database(str(path))
    with database.reading() as connection:
        texts = list(findings(connection, plugins, published))
    database.close()
    return texts


def changed(name: str, value: Any) -> Any:
    """Return another value for a column."""
    if name in ("season.settings", "event.content", "season_start.state", "rating.state"):
        content = json.loads(value)
        key = next(key for key, number in sorted(content.items()) if isinstance(number, int | float))
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
    assert sorted(column for column, _ in COLUMNS) == sorted(columns)
    assert set(KINDS.values()) == {"derived", "chained", "free"}


def test_a_sound_league_has_no_problem_and_is_its_fingerprint(played: Path, plugins: PluginHost) -> None:
    database = Database(str(played))
    with database.reading() as connection:
        published = fingerprint(open_season(connection, plugins, "cup", 1))
    database.close()
    assert published is not None
    assert (published.counts["entrants"], published.counts["events"]) == (3, 2)
    assert Fingerprint.parse(f" {str(published)[:20]}\n{str(published)[20:]}\n") == published
    assert complaints(played, plugins, published) == []


TITLES = {1: "cup", 2: "cup, season 2", 3: "steps"}


@contextmanager
def undone(database: Database) -> Iterator[Connection]:
    """A transaction in which everything may be written, and which is rolled back."""
    with database.engine.connect().execution_options(botleague_write=True) as connection:
        transaction = connection.begin()
        connection.exec_driver_sql("pragma defer_foreign_keys=on")
        yield connection
        transaction.rollback()


def chain_findings(connection: Connection, plugins: PluginHost) -> set[tuple[str, str]]:
    """Return (season, what the check of its chain reports) of every season."""
    return {
        (season.title, text)
        for league in leagues.leagues(connection)
        for season in seasons_of(connection, plugins, league.name)
        for text in check_chain(season)
    }


Change = tuple[str, tuple[Any, ...]]


def changes_of(connection: Connection, name: str) -> Iterator[tuple[bool, Change]]:
    """Yield statements that each change one cell of a column, and whether the change must be reported.

    They write a value that no other row has, and the value of another row. A row that is named must exist; which one
    it is, is free in some columns.
    """
    table, column = name.split(".")
    is_free = KINDS[name] == "free"
    keys = [key.name for key in metadata.tables[table].primary_key]
    names_a_row = bool(metadata.tables[table].c[column].foreign_keys)
    # No sums hold the measurements of a match that was voided, so a counted match is changed.
    counted = "where fixture_id in (select id from fixture where not void)" if name == "seat.cpu_ms" else ""
    order = f'"{column}" is null, length("{column}") desc'
    rows = connection.exec_driver_sql(f'select * from "{table}" {counted} order by {order}').mappings().all()
    assert rows, f"the leagues have no row of {table}"
    statement = f'update "{table}" set "{column}" = ? where ' + " and ".join(f'"{key}" = ?' for key in keys)
    for place in sorted({0, len(rows) // 2, len(rows) - 1}):
        row = rows[place]
        mine = tuple(row[key] for key in keys)
        must_exist = names_a_row and row[column] is not None
        yield must_exist or not is_free, (statement, (changed(name, row[column]), *mine))
        other = next((one[column] for one in rows if one[column] not in (None, row[column])), None)
        if other is not None:
            yield not is_free, (statement, (other, *mine))


@pytest.mark.parametrize("table", sorted({name.split(".")[0] for name in KINDS}))
def test_each_changed_cell_is_reported_unless_its_column_is_free(
    played: Path, plugins: PluginHost, table: str
) -> None:
    database = Database(str(played))

    def found_after(*changes: Change) -> list[str]:
        with undone(database) as connection:
            is_changed = not changes
            for statement, values in changes:
                with suppress(IntegrityError):  # what the database itself refuses
                    connection.exec_driver_sql(statement, values)
                    is_changed = True
            return list(itertools.islice(findings(connection, plugins), 1)) if is_changed else ["refused"]

    free, missed = [], []
    for name in [name for name in KINDS if name.split(".")[0] == table]:
        with database.reading() as connection:
            for is_due, change in changes_of(connection, name):
                if not is_due:
                    free.append(change)
                elif not found_after(change):
                    missed.append((name, change[1]))
    assert missed == []
    assert found_after(*free) == []
    database.close()


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
        begin(season)  # what somebody does who knows how links are made
        count_in(season, recompute=True)
        assert list(check_chain(season)) == []
        texts = list(check_chain(season, published))
    database.close()
    assert texts
    assert all("published" in text for text in texts)
    assert any(part in text for text in texts)


def test_a_gap_in_the_matches_is_reported(copied: Path, plugins: PluginHost) -> None:
    database = Database(str(copied))
    with undone(database) as connection:
        season = open_season(connection, plugins, "cup", 1)
        assert list(check_marks(season)) == []
        second, _ = fixtures.ids(connection, season.id, [1, 2]).values()
        connection.exec_driver_sql(f"delete from fixture_seat where fixture_id = {second}")
        assert list(check_marks(season)) == [(None, "match cup@1/2 is missing")]
    database.close()


def test_decided_matches_are_void_or_named_or_of_a_version(played: Path, plugins: PluginHost) -> None:
    database = Database(str(played))
    with database.reading() as connection:
        for season in seasons_of(connection, plugins, "cup") + seasons_of(connection, plugins, "steps"):
            played_matches = list(matches.matches(connection, season.id))
            named = {event.fixture_id for event in events.events(connection, season.id)}
            for version in season.names:
                decided = matches.decided(connection, season.id, [version], with_unplayed=False)
                assert list(decided) == [
                    match
                    for match in played_matches
                    if match.is_void or match.fixture_id in named or version in match.versions
                ]
            unplayed = matches.decided(connection, season.id, [], with_unplayed=True)
            assert {match.fixture_id for match in unplayed} >= {
                match.fixture_id for match in played_matches if not match.places
            }
            assert played_matches == list(
                matches.decided(connection, season.id, range(2000), with_unplayed=False)
            )
    database.close()


def test_each_removed_link_is_reported(copied: Path, plugins: PluginHost) -> None:
    database = Database(str(copied))
    with database.reading() as connection:
        links = connection.exec_driver_sql("select season_id, part, number from chain").fetchall()
        assert chain_findings(connection, plugins) == set()
    assert len(links) > 30
    for season, part, number in links:
        with undone(database) as connection:
            connection.exec_driver_sql(
                "delete from chain where season_id = ? and part = ? and number = ?", (season, part, number)
            )
            assert {title for title, _ in chain_findings(connection, plugins)} == {TITLES[season]}, (
                part,
                number,
            )
    database.close()


@pytest.mark.parametrize("league", ["cup", "steps"])
@pytest.mark.parametrize("has_other_terms", [False, True])
def test_removed_chain_is_reported_and_no_rebuild_replaces_it(
    copied: Path, plugins: PluginHost, league: str, has_other_terms: bool
) -> None:
    database = Database(str(copied))
    with undone(database) as connection:
        season = open_season(connection, plugins, league, 1)
        connection.exec_driver_sql(f"delete from chain where season_id = {season.id}")
        if has_other_terms:
            connection.exec_driver_sql(
                "update season set settings = json_set(settings, '$.penalties.points', 1.0) "
                f"where id = {season.id}"
            )
        count_in(open_season(connection, plugins, league, 1), recompute=True)  # `ratings rebuild`
        season = open_season(connection, plugins, league, 1)
        texts = list(check_chain(season))
        assert texts[0] == "its hash chain was removed: its settings have no link"
        assert texts[-1].endswith("settled, but not chained")
        assert fingerprint(season) is None
        assert "is incomplete" in why_unproved(season)
    database.close()


def test_mark_of_an_older_season_does_not_silence_the_check(copied: Path, plugins: PluginHost) -> None:
    database = Database(str(copied))
    with undone(database) as connection:
        published = fingerprint(open_season(connection, plugins, "cup", 1))
        connection.exec_driver_sql("update season set links = null where id = 1")
        marked = {
            (
                "cup",
                "it is marked as older than the hash chain, "
                "but a version of botleague with a hash chain started it",
            )
        }
        assert chain_findings(connection, plugins) == marked
        connection.exec_driver_sql("delete from chain where season_id = 1")
        count_in(open_season(connection, plugins, "cup", 1), recompute=True)
        assert chain_findings(connection, plugins) == marked
        connection.exec_driver_sql(
            "update season set settings = json_remove(settings, '$.new_versions') where id = 1"
        )
        season = open_season(connection, plugins, "cup", 1)
        assert "cup is not chained" in why_unproved(season), "the database cannot tell more"
        assert chain_findings(connection, plugins) == set()
        assert any("the terms" in text for text in check_chain(season, published)), "what was published can"
    database.close()


@pytest.mark.parametrize("text", ["", "cup", "1-2-3-abc-def", f"1-x-3-{'a' * 26}-{'b' * 12}", "-" * 4])
def test_malformed_fingerprint_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a fingerprint"):
        Fingerprint.parse(text)


@given(st.sets(st.integers(1, 10**6) | st.integers(1, 150), max_size=40))
def test_exported_numbers_sort_as_ids_do_and_follow_from_that_order_alone(ids: set[int]) -> None:
    numbers = numbers_like(ids)
    assert sorted(ids) == sorted(ids, key=numbers.__getitem__)
    assert sorted(ids, key=str) == sorted(ids, key=lambda one: str(numbers[one]))
    assert numbers_like(numbers.values()) == {number: number for number in numbers.values()}
