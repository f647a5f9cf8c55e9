"""With --json, each refusal is one object with a code, a place and findings, and nothing else is on standard output."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ..conftest import make_project

FIVE = "def move(observation):\n    return 5\n"
SOURCES = {
    "five.py": FIVE,
    "other.py": "def move(observation):\n    return 4 + len(observation) * 0\n",
    "language.py": "import socket\nx = eval('5')\n\nasync def move(observation):\n    return 5\n",
    "syntax.py": "def move(observation:\n    return 5\n",
    "exception.py": "\ndef move(observation):\n    return 1 // 0\n",
    "timeout.py": "def move(observation):\n    while True: pass\n",
    "garbage.py": "def move(observation):\n    return 'five'\n",
    "rejected.py": "NAME = 'cheater'\ndef move(observation):\n    return 5\n",
    "text.txt": "no bot",
}

COMMANDS = {
    "arguments": ("play",),
    "usage": ("play", "guessing", "five", "five", "--seed", "-1"),
    "unknown-variant": ("check", "five.py", "-v", "guesing"),
    "unknown-bot": ("play", "guessing", "fife", "five"),
    "not-a-bot": ("check", "none.py", "-v", "guessing"),
    "not-found": ("standings", "cap"),
    "record": ("replay", "text.txt"),
    "login": ("uploads", "--league", "cup"),
    "database": ("standings", "--db", "text.txt"),
    "database-version": ("standings", "--db", "newer.db"),
    "database-damaged": ("db", "check", "--db", "damaged.db"),
}
"""A refused command for each code, in a project with a finished league."""

FINDINGS = {
    "bot-import": ("language.py", 1),
    "bot-language": ("language.py", 4),
    "bot-name": ("language.py", 2),
    "bot-syntax": ("syntax.py", 1),
    "bot-exception": ("exception.py", 3),
    "bot-timeout": ("timeout.py", None),
    "bot-garbage": ("garbage.py", None),
    "bot-rejected": ("rejected.py", None),
}
"""A refused bot for each code of a finding, and the line of that finding."""

CHANGES = {"newer.db": "update alembic_version set version_num = '9999'", "damaged.db": "delete from seat"}
"""How two copies of the database are changed."""

Refusals = Mapping[tuple[str, ...], tuple[int, str, str]]


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory, run_all: Callable[..., list[Any]]) -> Refusals:
    """Exit code, output and errors of each command, with --json."""
    folder = make_project(tmp_path_factory.mktemp("project"))
    for name, text in SOURCES.items():
        (folder / name).write_text(text)
    environment = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "NO_COLOR": "1"}
    first = [
        ["run", "guessing", "five", "lucky", "--league", "cup", "--rounds", "1"],
        ["submit", "ann=five.py", "-v", "guessing", "--owner", "ann"],
    ]
    assert [code for code, _, _ in run_all(first, folder, environment)] == [0, 0]
    for name, change in CHANGES.items():
        shutil.copy(folder / "league.db", folder / name)
        with closing(sqlite3.connect(folder / name)) as database, database:
            database.execute(change)
    checks = {name: ("check", name, "-v", "guessing") for name, _ in FINDINGS.values()}
    taken = ("submit", "ann=other.py", "-v", "guessing", "--owner", "eve")
    commands = [*COMMANDS.values(), *checks.values(), taken]
    results = run_all([[*command, "--json"] for command in commands], folder, environment)
    by_bot: dict[tuple[str, ...], tuple[str, ...]] = {command: (name,) for name, command in checks.items()}
    return {
        by_bot.get(command, command): tuple(done) for command, done in zip(commands, results, strict=True)
    }


@pytest.mark.parametrize("code", COMMANDS)
def test_refusal_is_one_object_with_a_code(refusals: Refusals, code: str) -> None:
    exit_code, out, err = refusals[COMMANDS[code]]
    refusal = json.loads(out)
    assert (exit_code, refusal["error"]["code"]) == (2, code)
    assert list(refusal) == ["error", "findings"]
    assert list(refusal["error"]) == ["code", "message", "file", "line", "column", "advice"]
    assert refusal["error"]["message"].split()[0] in err


@pytest.mark.parametrize("code", FINDINGS)
def test_refused_bot_has_findings_with_places(refusals: Refusals, code: str) -> None:
    name, line = FINDINGS[code]
    exit_code, out, _ = refusals[name,]
    refusal = json.loads(out)
    error, findings = refusal["error"], refusal["findings"]
    assert (exit_code, error["code"]) == (2, "bot-refused")
    assert (code, line and name, line) in {(one["code"], one["file"], one["line"]) for one in findings}
    assert [error[key] for key in ("file", "line", "column")] == [
        findings[0][key] for key in ("file", "line", "column")
    ]


def test_name_of_another_owner_is_a_finding(refusals: Refusals) -> None:
    _, out, _ = refusals["submit", "ann=other.py", "-v", "guessing", "--owner", "eve"]
    refusal = json.loads(out)
    assert refusal["error"]["code"] == "bot-refused"
    assert [one["code"] for one in refusal["findings"]] == ["name-taken"]


def test_damaged_rows_are_findings(refusals: Refusals) -> None:
    findings = json.loads(refusals[COMMANDS["database-damaged"]][1])["findings"]
    assert len(findings) > 1
    assert {one["code"] for one in findings} == {"database-damaged"}


def test_interrupted_command_prints_an_error(
    command: list[str], folder: Path, environment: Mapping[str, str]
) -> None:
    (folder / "five.py").write_text(FIVE)
    words = ["try", "five.py", "-v", "guessing", "--matches", "4000", "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*command, *words], cwd=folder, env=environment, **pipes) as process:  # type: ignore[call-overload]
        assert process.stderr is not None
        assert "seed" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    report, refusal = map(json.loads, out.splitlines())
    assert process.returncode == 130
    assert report["played"] < report["planned"] == 4000
    assert refusal["error"]["code"] == "interrupted"
    assert refusal["error"]["message"] in err
