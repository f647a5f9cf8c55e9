"""What a person may ask for: all that is stored of them, and that it goes; and what stays true of a season then."""

from __future__ import annotations

import json
import re
import shutil
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from typer.testing import CliRunner

from botleague.application import Workspace
from botleague.cli.kit.command_tree import make_app
from botleague.errors import BotleagueError
from botleague_server.accounts.account_service import DAY_S
from botleague_storage import (
    Database,
    StorageError,
    accounts,
    announcements,
    bots,
    credentials,
    events,
    extensions,
    leagues,
    login_addresses,
    organiser_notes,
    personal_data,
    server_notes,
    uploads,
)
from botleague_storage.people_rows.login_addresses import AddressRow
from botleague_storage.schema.schema import metadata

Run = Callable[..., Any]

SOURCE = """
# by-the-author-herself-{0}
def move(observation):
    print("thoughts-of-the-author")
    return {0}
"""
MARK = b"by-the-author-herself"
OF_NOBODY = frozenset(
    # what a season is, who played in which match whatever their names, and what was set aside of it
    {
        "league",
        "season",
        "variant",
        "fixture",
        "result",
        "record",
        "void",
        "replaced",
        "chain",
        "upload_limit",
        "announcement",
        "server_note",
        "runner",
        "likeness",
    }
)


def called(*arguments: str) -> Any:
    """Run a command in this process and return what it printed as objects, or what it refused."""
    done = CliRunner().invoke(make_app(arguments[0]), [*arguments, "--json"])
    if isinstance(done.exception, BotleagueError | StorageError):
        return str(done.exception)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, plugin_file: Path) -> Path:
    """A league that is over and one that goes on, with bots of anneliese, of a team with bruno, and of bruno."""
    folder, now = tmp_path_factory.mktemp("project"), time.time()
    (folder / "botleague.toml").write_text(f"database = 'league.db'\nplugins = ['{plugin_file}']\njobs = 1\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for number, name, owner in (
            (5, "guesser", "Anneliese"),
            (6, "shared", "gold"),
            (7, "other", "bruno"),
        ):
            (folder / f"{name}.py").write_text(SOURCE.format(number))
            called("submit", f"{name}.py", "--variant", "guessing", "--owner", owner)
        called("run", "guessing", "guesser", "shared", "other", "--league", "cup")
        called(
            "run", "guessing", "guesser", "other", "--league", "open", "--format", "ladder", "--batches", "1"
        )
        called("account", "new", "anneliese", "--email", "private@example.org")
        called("account", "new", "bruno", "--organiser")
        called("team", "new", "gold", "anneliese", "bruno")
        called("organise", "transfer", "other", "anneliese", "--reason", "Anneliese's, says ANNELIESE.")
        called("organise", "transfer", "other", "bruno")
        called("invite", "new", "--team", "gold")
        called("account", "grant", "Anneliese", "helper", "--league", "cup", "--reason", "anneliese has time")
    database = Database(str(folder / "league.db"))
    with database.writing() as connection:
        account, league = accounts.find(connection, "anneliese"), leagues.find(connection, "cup")
        credentials.add_session(connection, account.id, "5" * 64, "her browser", now, now + DAY_S)
        login_addresses.store(connection, account.id, "9" * 64, AddressRow(1, 0.0, now), now)
        credentials.add_token(connection, account.id, "7" * 64, "laptop", ("submit",), now, now + DAY_S)
        file = [("anneliese.py", SOURCE.format(8).encode())]
        uploads.add(connection, league.id, account.id, "anneliese", "", "", file, now)
        checked = uploads.add(connection, league.id, account.id, "anneliese", "", "", file, now)
        organiser_notes.set_likeness(connection, 1, now, '["anneliese"]')
        announcements.add(connection, league.id, "Anneliese won.", now)
        extensions.extend(connection, 1, "Anneliese", now)
        uploads.finish(connection, checked, "refused", {"problems": ["line 2: by-the-author-herself"]})
    database.close()
    return folder


@pytest.fixture
def project(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, to work in."""
    folder = Path(shutil.copytree(made, tmp_path / "project"))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def run() -> Run:
    """Runs a command."""
    return called


def test_an_archive_holds_all_that_is_stored_of_somebody(run: Run, project: Path) -> None:
    run("account", "export", "ANNELIESE", "of-her.zip")
    with zipfile.ZipFile(project / "of-her.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    rows = {
        Path(name).stem: [json.loads(line) for line in content.splitlines()]
        for name, content in files.items()
        if name.startswith("tables/")
    }
    assert rows["account"][0]["email"] == "private@example.org"
    assert [row["agent"] for row in rows["session"]] == ["her browser"]
    assert [row["digest"] for row in rows["login_address"]] == ["9" * 64]
    assert [row["name"] for row in rows["bot"]] == ["guesser", "shared"]
    assert {(row["league"], row["season"]) for row in rows["seat"]} == {("cup", 1), ("open", 1)}
    assert min(row["match"] for row in rows["seat"] if row["league"] == "open") == 1, "by its number there"
    assert not any("fixture_id" in row for lines in rows.values() for row in lines)
    assert [row["kind"] for row in rows["event"]] == ["transferred"] * 4, "of others' bots, which name her"
    assert [row["state"] for row in rows["upload"]] == ["waiting", "refused"]
    assert [row["kind"] for row in rows["decision"]] == ["grant"]
    assert SOURCE.format(5).encode() in files.values()
    assert files["uploads/1/file-1"] == SOURCE.format(8).encode()
    assert b"thoughts-of-the-author" in next(
        one for name, one in files.items() if name.startswith("journals/")
    )
    everything = b"".join(files.values())
    assert not any(secret in everything for secret in (b"5" * 64, b"7" * 64, b"password")), (
        "no hashes of secrets"
    )
    assert SOURCE.format(7).encode() not in files.values(), "that of somebody else"
    assert "no account called 'nobody'" in run("account", "export", "nobody", "x.zip")
    assert "the folder no/such does not exist" in run("account", "export", "bruno", "no/such/folder.zip")
    (project / "there.zip").write_text("of somebody else")
    assert "there.zip already exists" in run("account", "export", "bruno", "there.zip")
    assert (project / "there.zip").read_text() == "of somebody else"
    # A table that is added has to be a person's, or named as nobody's.
    tables = {
        table.name
        for table in metadata.sorted_tables
        if list(personal_data._of(table, personal_data.Whose(1, ("anneliese",), (1,), (1,))))
    }
    assert tables == set(metadata.tables) - OF_NOBODY


def test_an_erased_person_is_nowhere_in_the_file_and_every_number_stays(run: Run, project: Path) -> None:
    before = {league: run("standings", league) for league in ("cup", "open")}
    proved = {league: run("verify", league)[0] for league in before}
    checked = platformdirs.user_cache_path("botleague") / "checked"
    checked.mkdir(0o700, parents=True, exist_ok=True)
    films = platformdirs.user_cache_path("botleague") / "films"
    films.mkdir(parents=True, exist_ok=True)
    assert run("account", "erase", "anneliese").startswith("This cannot be undone")
    (gone,) = run("account", "erase", "anneliese", "--yes")
    assert (gone["sources"], gone["uploads"], gone["team_that_stays"], gone["is_out_of_file"]) == (
        1,
        2,
        "gold",
        True,
    )
    assert gone["journals"] > 0
    assert not checked.exists()
    assert not films.exists()
    for file in project.glob("league.db*"):
        content = file.read_bytes()
        assert not re.search(rb"anneliese|private@|her browser|laptop", content, re.IGNORECASE), file
        assert MARK not in content or file.suffix == ".db"
    database = Database(str(project / "league.db"))
    with database.reading() as connection:
        sources = {version.bot for version, _ in bots.with_sources(connection, [2, 3])}
        assert sources == {"shared", "other"}
        (cup,) = [
            event for _, league, event in events.everywhere(connection, ["transferred"]) if league == "cup"
        ][:1]
        assert cup.content["owner"] == gone["alias"]
        assert cup.content["reason"] == f"{gone['alias']}'s, says {gone['alias']}."
    database.close()
    (grant,) = [entry for entry in run("organise", "log", "cup") if entry["event"] == "grant"]
    assert (grant["about"], grant["reason"], grant["command"], grant["changed"]) == (
        gone["alias"],
        f"{gone['alias']} has time",
        f"botleague account grant {gone['alias']} helper --league cup --reason '{gone['alias']} has time'",
        {"role": ["author", "helper"]},
    )
    for league, rows in before.items():
        after = run("standings", league)
        assert [(row["bot"], row["rating"], row["matches"]) for row in after] == [
            (row["bot"], row["rating"], row["matches"]) for row in rows
        ]
    (verified,) = run("verify", "cup")
    assert (verified["problems"], verified["erased"]) == ([], ["guesser"])
    assert verified["fingerprint"] == proved["cup"]["fingerprint"], (
        "not even a league that is over has changed"
    )
    (verified,) = run("verify", "open")
    assert (verified["problems"], verified["erased"]) == ([], ["guesser"])
    assert run("db", "check")[0]["problems"] == []


def test_a_server_of_another_user_deletes_its_caches_once(
    run: Run, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("account", "erase", "anneliese", "--yes")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    workspace = Workspace()
    caches = [workspace.films / "a.film", workspace.checked_programs / "b"]

    def fill() -> None:
        for file in caches:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"x")

    fill()
    workspace.forget_erased("")
    assert all(file.exists() for file in caches), "nobody was ever erased"
    with workspace.database() as database, database.reading() as connection:
        erased = server_notes.find(connection, "erased-at")
    assert erased
    workspace.forget_erased(erased)
    assert not any(file.exists() for file in caches)
    fill()
    workspace.forget_erased(erased)
    assert all(file.exists() for file in caches), "what was computed since is nobody's who was erased"


def test_erasure_leaves_names_that_begin_like_the_erased_one(run: Run, project: Path) -> None:
    run("account", "new", "anneliese.b")
    run("organise", "transfer", "other", "anneliese.b", "--reason", "For anneliese.b, not anneliese.")
    run("organise", "transfer", "other", "bruno")
    run("organise", "announce", "cup", "anneliese lost, anneliese.b won.")
    (gone,) = run("account", "erase", "anneliese", "--yes")
    log = [entry for entry in run("organise", "log", "cup") if "anneliese.b" in str(entry)]
    assert [entry["event"] for entry in log] == ["transferred", "transferred", "announce"]
    assert {entry.get("reason", "") for entry in log} == {"", f"For anneliese.b, not {gone['alias']}."}
    assert "anneliese" not in re.sub(r"anneliese\.b", "", str(log))
    assert run("organise", "announcements", "cup")[0]["text"] == f"{gone['alias']} lost, anneliese.b won."


def test_an_erased_bot_plays_no_more_and_says_so_everywhere(run: Run, project: Path) -> None:
    run("organise", "retire", "cup", "guesser")  # by the organiser, long before
    run("account", "erase", "anneliese", "--yes")
    message = "The source of guesser was erased with its author's account"
    for command in (
        "play guessing guesser lucky",
        "organise reinstate cup guesser",
        "organise reinstate open guesser",
        "organise undo cup 3",
        "organise void open 1 --rerun --reason x",
        "compare guesser lucky --variant guessing",
        "check guesser --variant guessing",
        "season new cup guesser other",
    ):
        replies = run(*command.split())
        assert message in str(replies), (command, replies)
    for command in (
        "replay 1",
        "export cup --only results",
        "fairness cup",
        "history guesser",
        "bots",
        "publish cup --out site",
        "run guessing --league open --batches 2",
        "try other.py --variant guessing --matches 2 --against lucky",
        "season new cup",
        "account list",
        "account export erased-1 rest.zip",
    ):
        replies = run(*command.split())
        assert isinstance(replies, list), (command, replies)
    assert "erased-1" in (project / "site" / "leagues" / "cup" / "index.html").read_text()
    assert "no account called 'anneliese'" in run("account", "erase", "anneliese", "--yes")
    assert "last organiser" in run("account", "erase", "bruno", "--yes")


def test_an_owner_without_an_account_can_be_erased_and_who_is_alone_takes_the_team_along(
    run: Run, project: Path
) -> None:
    run("account", "erase", "anneliese", "--yes")
    run("account", "new", "olga", "--organiser")
    (gone,) = run("account", "erase", "Bruno", "--yes")
    assert (gone["sources"], gone["team_that_stays"]) == (2, None), "his own, and that of the team"
    assert [row["team"] for row in run("team", "list")] == ["erased-1", "erased-2", "olga"]
    (project / "late.py").write_text(SOURCE.format(9))
    run("submit", "late.py", "--variant", "guessing", "--owner", "carla")
    (gone,) = run("account", "erase", "carla", "--yes")
    assert (gone["alias"], gone["sources"], gone["bots_named_so"]) == ("erased-3", 1, [])
    assert MARK not in (project / "league.db").read_bytes()
