"""Accounts, teams and invites on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from botleague.application import Workspace
from botleague.cli.kit.command_tree import make_app
from botleague.errors import BotleagueError
from botleague_storage import Database, StorageError, bots

Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command in this process and returns what it printed as objects, or what it refused."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOTLEAGUE_DB", str(tmp_path / "league.db"))
    monkeypatch.delenv("BOTLEAGUE_PUBLIC_URL", raising=False)

    def called(text: str) -> Any:
        words = text.split()
        done = CliRunner().invoke(make_app(words[0]), [*words, "--json"])
        if isinstance(done.exception, BotleagueError | StorageError):
            return str(done.exception)
        assert done.exit_code == 0, done.output
        return [json.loads(line) for line in done.stdout.splitlines()]

    return called


def test_new_account_has_a_link_that_is_not_stored(run: Run, tmp_path: Path) -> None:
    (made,) = run("account new ann --organiser --email ann@example.org")
    assert made["url"] == f"http://127.0.0.1:8300/welcome/{made['code']}/"
    assert made["code"].encode() not in (tmp_path / "league.db").read_bytes()
    (tmp_path / "botleague.toml").write_text("public_url = 'https://league.example.org/'\n")
    (again,) = run("account link ANN")
    assert again["url"].startswith("https://league.example.org/welcome/")
    (row,) = run("account list")
    assert row["roles"] == [{"league": None, "role": "organiser"}]
    assert (row["has_password"], row["email"]) == (False, "ann@example.org")
    run("account grant ann author")
    assert run("account list")[0]["roles"] == [{"league": None, "role": "author"}]


def test_refusal_states_its_reason_and_creates_no_database(run: Run, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text("name\nann\n")
    (tmp_path / "twice.csv").write_text("handle\nann\nAnn\n")
    for command, message in {
        "account new ../ann": "cannot be a handle",
        "account new botleague": "bundled bots",
        "account new ann --league cup": "no database",
        "account new ann --role king": "Unknown role",
        "team new .gold": "cannot be a handle",
        "invite new --team gold": "no database",
        "invite sheet": "--count",
        "invite sheet odd.csv": "must name the column handle",
        "invite sheet twice.csv": "line 3: 'Ann' is listed twice",
        "invite sheet none.csv": "cannot be read",
        "invite sheet --count 3 --prefix -": "cannot be a handle",
    }.items():
        assert message in run(command), command
    assert not (tmp_path / "league.db").exists()
    for address in ("ftp://x", "https://ann:secret@cup.example", "https://cup.example:99999", "https://[::1"):
        (tmp_path / "botleague.toml").write_text(f"public_url = '{address}'\n")
        assert "public_url must be an address" in run("invite new"), address
    (tmp_path / "botleague.toml").write_text("public_url = 'https://läague.example:81/'\n")
    assert Workspace().settings.public_url == "https://xn--lague-gra.example:81"


def test_a_class_is_enrolled_from_a_roster_again_and_again(run: Run, tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text(
        "\ufeffHandle;Team;Name\nbob;gold;Bob Ü\ncleo;gold;\ndan;;\n", "utf-8"
    )
    run("account new dan --role helper")
    first = run("invite sheet class.csv --out sheet.txt")
    assert [(one["handle"], one["team"], one["is_new"]) for one in first] == [
        ("bob", "gold", True),
        ("cleo", "gold", True),
        ("dan", "dan", False),
    ]
    second = run("invite sheet class.csv --out sheet.txt")
    assert not {one["code"] for one in first} & {one["code"] for one in second}
    assert run("account list")[2]["roles"] == [{"league": None, "role": "helper"}], "nobody loses by it"
    assert [team["members"] for team in run("team list")] == [["dan"], ["bob", "cleo"]]
    assert len(run("invite sheet --count 12 --prefix s")) == 12
    assert run("account list")[-1]["handle"] == "s-12"


def test_people_change_teams_and_bots_stay(run: Run, tmp_path: Path) -> None:
    for handle in ("ann", "bob"):
        run(f"account new {handle}")
    assert "is taken" in run("team new Ann")
    assert "is the handle of an account" in run("team join bob ann")
    run("team new gold ann bob")
    database = Database(str(tmp_path / "league.db"))
    with database.writing() as connection:
        bots.submit(connection, "chess", "b", "gold", bots.Source({"b.py": b""}, "b.py"))
    database.close()
    run("team leave ann")
    assert [(team["team"], team["members"], team["bots"]) for team in run("team list")] == [
        ("ann", ["ann"], 0),
        ("bob", [], 0),
        ("gold", ["bob"], 1),
    ]


def test_invite_is_counted_and_revoked(run: Run) -> None:
    (made,) = run("invite new --count 30 --days 2 --role helper")
    assert made["url"].endswith(f"/join/{made['code']}/")
    (row,) = run("invite list")
    assert (row["uses"], row["uses_left"], row["role"], row["league"]) == (30, 30, "helper", None)
    assert round((row["expires_at"] - row["created_at"]) / 86_400) == 2
    run("invite revoke 1")
    assert run("invite list")[0]["uses_left"] == 0
    assert "no invite 7" in run("invite revoke 7")
    run("invite open --count 5")
    (opened,) = run("invite open --count 20 --days 2")
    assert opened["url"].endswith("/register/")
    rows = {row["id"]: (row["is_public"], row["uses_left"]) for row in run("invite list")}
    assert rows == {1: (False, 0), 2: (True, 0), 3: (True, 20)}, "opened again, the new numbers hold"
    run("invite revoke 3")
    assert run("invite list")[2]["uses_left"] == 0
