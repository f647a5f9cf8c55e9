"""A log whose rows were changed by hand: every command that reads it names the row, and none ends in a traceback."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from botleague.cli.kit.command_tree import make_app
from botleague.league.season.roster import EVENT_KINDS, MEMBER_EVENTS
from botleague_storage import DamagedRow, Database, events
from botleague_storage.league_rows.events import ANYWHERE, CONTENT
from botleague_storage.schema.league_tables import event

SAMPLES: dict[type, Any] = {int: 1, str: "x", float: 1.5, type(None): None}
COMMANDS = ("standings cup", "verify cup", "run guessing --league cup")


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory, plugin_file: Path) -> Iterator[Path]:
    """A league that was played, of which a test may damage the log."""
    folder = tmp_path_factory.mktemp("league")
    (folder / "botleague.toml").write_text(f'plugins = ["{plugin_file}"]\ndatabase = "cup.db"\njobs = 1\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = CliRunner().invoke(
            make_app("run"), ["run", "guessing", "five", "lucky", "--league", "cup", "--rounds", "1"]
        )
        assert done.exit_code == 0, done.output
        yield folder / "cup.db"


def sound(kind: str) -> dict[str, Any]:
    """Return a content of which each value is of a type that it can have."""
    fields = {**{name: ANYWHERE[name] for name in ("planned", "reason")}, **CONTENT.get(kind, {})}
    return {name: SAMPLES[kinds[0]] for name, kinds in fields.items()}


def damaged(kind: str) -> Iterator[tuple[str, str]]:
    """Yield contents with one value missing or of another type, and what is said of them."""
    content = sound(kind)
    for name in CONTENT.get(kind, {}):
        yield json.dumps({key: value for key, value in content.items() if key != name}), f"has no {name!r}"
    for name in content:
        for value in ([1], {"a": 1}, 10**30, True, "x" if isinstance(content[name], int) else 1.5):
            if isinstance(value, (CONTENT.get(kind, {}).get(name) or ANYWHERE[name])) and value not in (
                10**30,
                True,
            ):
                continue
            yield json.dumps({**content, name: value}), f"{name} cannot be"
    yield "{", "is no JSON"
    yield "[]", "is no JSON object"


@contextmanager
def with_event(league: Path, kind: str, **columns: Any) -> Iterator[None]:
    """Add an event to a league's log for a while."""
    row = {
        "season_id": 1,
        "number": 99,
        "kind": kind,
        "version_id": 1 if kind in MEMBER_EVENTS else None,
        "fixture_id": 1 if kind in ("voided", "replayed", "audited") else None,
        "recorded_at": 0.0,
        **columns,
    }
    with closing(sqlite3.connect(league)) as connection, connection:
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        connection.execute(f"insert into event ({names}) values ({marks})", tuple(row.values()))
    try:
        yield
    finally:
        with closing(sqlite3.connect(league)) as connection, connection:
            connection.execute("delete from event")


def refusals() -> list[str]:
    """Return the error of each command, "" where it is not that a row is damaged, which is exit code 2."""
    errors = [CliRunner().invoke(make_app(words[0]), words).exception for words in map(str.split, COMMANDS)]
    return [str(error) if isinstance(error, DamagedRow) else "" for error in errors]


@pytest.mark.parametrize("kind", EVENT_KINDS)
def test_event_with_a_field_missing_or_of_another_type_is_refused(league: Path, kind: str) -> None:
    with with_event(league, kind, content="{}"), closing(Database(str(league))) as database:
        for content, message in damaged(kind):
            with database.writing() as connection:
                connection.execute(event.update().values(content=content))
                with pytest.raises(DamagedRow) as refused:
                    events.events(connection, 1)
                assert f"{kind}) is damaged: {message}" in str(refused.value).replace("its content ", ""), (
                    content
                )
            last = content
        assert last == "[]"
    # Whatever of it a command looks at, it reads the log first.
    first, message = next(damaged(kind))
    with with_event(league, kind, content=first):
        for error in refusals():
            assert ("table event" in error, f"{kind})" in error, message in error) == (True, True, True), (
                error
            )


@pytest.mark.parametrize(
    ("column", "value"),
    [("number", "x"), ("version_id", "x"), ("fixture_id", b"x"), ("recorded_at", "x"), ("content", b"\xff")],
)
def test_damaged_column_is_named(league: Path, column: str, value: object) -> None:
    with with_event(league, "retired", **{"content": json.dumps(sound("retired")), column: value}):
        assert all("table event" in error for error in refusals())


def test_event_that_undoes_nothing_is_named(league: Path) -> None:
    with with_event(league, "undone", version_id=1, content=json.dumps({**sound("undone"), "undoes": 7})):
        standings, *_ = refusals()
    assert "does not fit the events before it" in standings
