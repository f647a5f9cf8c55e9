"""Reading commands need no right to write: an archived league in a read-only folder or file system."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

READING = (
    *("standings cup --json", "standings cup --wide", "standings cup --points", "standings cup --batch"),
    *(
        "standings cup --cross-table",
        "leagues --json",
        "bots --json",
        "history five --json",
        "replay 1 --json",
    ),
    *("export cup --jsonl --only results", "verify cup --json", "fairness cup", "season list cup --json"),
    *("organise log cup --json", "db check", "db backup {elsewhere}/copy.db"),
)
OWNER = re.compile(r'"owner":"[^"]*"')
WRITING = (
    "run guessing --league cup --rounds 9",
    "organise retire cup five",
    "ratings rebuild",
    "season new cup",
)


def test_reading_commands_read_a_read_only_archive(
    folder: Path,
    environment: Mapping[str, str],
    run_all: Callable[..., list[Any]],
    tmp_path_factory: pytest.TempPathFactory,
    as_a_guest: Callable[[], None],
    with_read_only: Callable[[Path], Callable[[], None]],
) -> None:
    elsewhere, archive = tmp_path_factory.mktemp("elsewhere"), folder / "archive"
    archive.mkdir()
    commands = [command.format(elsewhere=elsewhere).split() for command in (*READING, *WRITING)]
    begun = ["run", "guessing", "five", "lucky", "--league", "cup", "--rounds", "1", "--seed", "1"]
    assert run_all([begun], folder, environment)[0][0] == 0
    outputs = [out for _, out, _ in run_all(commands[: len(READING) - 2], folder, environment)]
    with closing(sqlite3.connect(folder / "league.db")) as connection:
        connection.execute("update bot set owner = 'late'")  # what only the log knows
        connection.commit()
        for end in ("", "-wal"):
            shutil.copyfile(folder / f"league.db{end}", archive / f"league.db{end}")
            (archive / f"league.db{end}").chmod(0o444)
    archive.chmod(0o555)
    before = {path.name: path.read_bytes() for path in archive.iterdir()}

    for without_rights in (as_a_guest, with_read_only(archive)):
        shutil.rmtree(elsewhere)
        elsewhere.mkdir()
        guest = {**environment, "BOTLEAGUE_DB": str(archive / "league.db"), "TMPDIR": str(elsewhere)}
        results = run_all(commands, folder, guest, without_rights)
        by_command = dict(zip((*READING, *WRITING), results, strict=True))
        for command, text in zip(READING, outputs, strict=False):
            code, out, errors = by_command[command]
            assert (code, OWNER.sub("", out)) == (0, OWNER.sub("", text)), (command, errors)
            assert "is read from a copy, as of 20" in errors, command
        assert '"late"' in by_command["bots --json"][1]
        assert by_command["db check"][0] == 0
        assert [path.name for path in elsewhere.iterdir()] == ["copy.db"], "copies are removed"
        for command in WRITING:
            code, _, errors = by_command[command]
            assert (code, "read-only" in errors or "you may write there" in errors) == (2, True), (
                command,
                errors,
            )
    archive.chmod(0o755)
    assert before == {path.name: path.read_bytes() for path in archive.iterdir()}


def test_private_database_of_another_user_is_refused_with_the_reason(
    folder: Path,
    environment: Mapping[str, str],
    run_all: Callable[..., list[Any]],
    as_a_guest: Callable[[], None],
) -> None:
    begun = ["run", "guessing", "five", "lucky", "--league", "cup", "--rounds", "1"]
    assert run_all([begun], folder, environment)[0][0] == 0
    (folder / "league.db").chmod(0)
    ((code, _, errors),) = run_all([["standings", "cup"]], folder, environment, as_a_guest)
    assert code == 2
    assert "may not be read by this user. Ask its owner" in " ".join(errors.split())
