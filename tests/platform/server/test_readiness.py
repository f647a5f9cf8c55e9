"""What is looked at before a server is started."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from botleague.cli.kit.command_tree import make_app
from botleague_sandbox import diagnose
from botleague_server.operating import serve_check
from botleague_storage import Database

Found = dict[str, tuple[bool, str]]


@pytest.fixture
def looked(
    tmp_path: Path, plugin_file: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, Found]]:
    """Looks in a folder whose database is there, and returns exit code and findings by name."""
    (tmp_path / "botleague.toml").write_text(f"database = 'league.db'\nplugins = ['{plugin_file}']\n")
    monkeypatch.chdir(tmp_path)
    Database(str(tmp_path / "league.db")).close()
    diagnosis = diagnose()  # which takes seconds
    monkeypatch.setattr(serve_check, "diagnose", lambda: diagnosis)

    def look(*options: str) -> tuple[int, Found]:
        done = CliRunner().invoke(make_app("serve"), ["serve", "--check", "--json", *options])
        rows: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
        return done.exit_code, {row["name"]: (row["ok"], row["found"]) for row in rows}

    return look


def test_unready_part_is_named_and_exits_with_two(
    looked: Callable[..., tuple[int, Found]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, found = looked()
    assert list(found) == ["configuration", "database", "sandbox", "clock", "disk"]
    assert code == (0 if all(ok for ok, _ in found.values()) else 2)
    assert all(found[name][0] for name in ("configuration", "database", "clock")), found
    assert "not set" in found["configuration"][1]

    code, found = looked("--db", "none.db")
    assert (code, found["database"][0]) == (2, False)
    assert "no database" in found["database"][1]
    code, found = looked("--db", "nowhere/league.db")
    assert (code, list(found)[-1], found["disk"][0]) == (2, "disk", False)
    assert f"{tmp_path / 'nowhere'}, the database folder, cannot be read: No such" in found["disk"][1]

    monkeypatch.setenv("BOTLEAGUE_SANDBOX", "weak")
    code, checks = looked()
    assert (code, checks["sandbox"][0]) == (2, False)

    monkeypatch.setenv("BOTLEAGUE_PUBLIC_URL", "ftp://x")
    code, checks = looked()
    assert (code, list(checks)) == (2, ["configuration"])
    monkeypatch.delenv("BOTLEAGUE_PUBLIC_URL")

    (tmp_path / "broken.py").write_text("import nothing_that_exists\n")
    (tmp_path / "botleague.toml").write_text("database = 'league.db'\nplugins = ['broken.py']\n")
    assert "nothing_that_exists" in looked()[1]["configuration"][1]

    monkeypatch.setattr(
        "os.access", lambda path, _: Path(path).name != "league.db"
    )  # root may write anything
    assert "league.db is not writable by this user" in looked()[1]["database"][1]

    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(total=10**9, free=10**6))
    assert not looked()[1]["disk"][0]


def test_a_clock_that_was_set_back_and_a_damaged_database_are_found(
    looked: Callable[..., tuple[int, Found]], tmp_path: Path
) -> None:
    database = Database(str(tmp_path / "league.db"))
    with database.writing() as connection:
        connection.exec_driver_sql("insert into variant values (1, 'guessing', 'guessing', 'x', '{}')")
        connection.exec_driver_sql("insert into league values (1, 'cup', 1, 0)")
        connection.exec_driver_sql(
            "insert into season (id, league_id, number, settings, started_at) values (1, 1, 1, '{}', ?)",
            (time.time() + 86_400,),
        )
    database.close()
    code, checks = looked()
    assert code == 2
    assert "the newest record in the database" in checks["clock"][1]
    assert "not the one that was stored" in checks["database"][1]
