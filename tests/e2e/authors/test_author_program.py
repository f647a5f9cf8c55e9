"""An author that is a program: it has a shell, ``llms.txt``, briefs and errors as data, and nothing else."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from botleague.people import Passwords
from botleague_server.accounts.account_service import Person, make_account
from botleague_storage import Database, accounts, leagues, uploads
from botleague_storage.people_rows.uploads import Limits

VARIANT = "isolation-5x5"
PASSWORD = "four plain words here"

FIRST_DRAFT = """\
import os
from sample_players import DataPlayer


class CustomPlayer(DataPlayer):
    def get_action(self, state):
        if state.ply_count >= 6:
            raise ValueError("no plan after turn six")
        best = -1
        for action in state.actions():
            after = state.result(action)
            ways = len(after.liberties(after.locs[self.player_id]))
            print("ways", ways)
            if eval("ways > best"):
                best = ways
                self.queue.put(action)
"""
"""A bot with two refused lines, and one that fails in the middle of a match."""

REPAIRS = {
    ("bot-import", 1): "",
    ("bot-name", 14): "            if ways > best:",
    ("bot-exception", 8): "            pass",
}
"""What this author writes instead, by code and line."""


@pytest.fixture
def home(folder: Path) -> Mapping[str, str]:
    """The environment of a shell."""
    scripts = str(Path(sys.executable).parent)
    variables = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
    return {**variables, "PATH": f"{scripts}:{os.environ['PATH']}", "HOME": str(folder), "NO_COLOR": "1"}


@pytest.fixture
def site(folder: Path, home: Mapping[str, str], run_all: Callable[..., list[Any]]) -> Iterator[str]:
    """The address of a server that plays the league cup, in which ann may submit."""
    place = folder / "server"
    place.mkdir()
    (place / "botleague.toml").write_text("database = 'league.db'\njobs = 1\n")
    words = ["run", VARIANT, "greedy", "random", "--league", "cup", "--format", "ladder", "--rounds", "1"]
    ((code, _, errors),) = run_all([words], place, home)
    assert code == 0, errors
    with (
        closing(Database(str(place / "league.db"), create=False)) as database,
        database.writing() as connection,
    ):
        account = make_account(connection, Person("ann"), 0.0, role="author", league="cup")
        accounts.set_password(connection, account.id, Passwords().stored(PASSWORD))
        uploads.set_limits(connection, leagues.find(connection, "cup").id, Limits(matches=2))
    command = ["botleague", "serve", "--open", "--play", "--port", "0"]
    with subprocess.Popen(command, cwd=place, env=home, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[1]
        server.send_signal(signal.SIGINT)


def read(address: str) -> str:
    with urllib.request.urlopen(address, timeout=60) as answer:
        text: str = answer.read().decode()
        return text


def test_program_writes_repairs_tests_and_submits_a_bot(
    site: str, folder: Path, home: Mapping[str, str]
) -> None:
    def shell(line: str, code: int = 0, typed: str = "") -> Any:
        """Run a command, and return the last line of its output as an object."""
        done = subprocess.run(
            line, shell=True, cwd=folder, env=home, input=typed, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout.splitlines()[-1]) if "--json" in line else done.stdout

    contents = read(f"{site}llms.txt")
    brief = read(site + re.findall(r"\]\((variants/\S+?/brief\.md)\)", contents)[0])
    assert "class CustomPlayer(DataPlayer)" in brief
    name = re.findall(r"botleague new bot NAME --variant VARIANT", contents)[0]
    shell(name.replace("NAME", "ann").replace("VARIANT", VARIANT))
    assert "botleague check . --variant isolation-5x5 --json" in (folder / "ann" / "AGENTS.md").read_text()

    source = folder / "ann" / "my_custom_player.py"
    source.write_text(FIRST_DRAFT)

    def repair(code: str, file: str, line: int) -> None:
        lines = (folder / "ann" / file).read_text().splitlines()
        lines[line - 1] = REPAIRS[code, line]
        (folder / "ann" / file).write_text("\n".join(lines) + "\n")

    refusal = shell("cd ann && botleague check . --variant isolation-5x5 --quick --json", code=2)
    assert refusal["error"]["code"] == "bot-refused"
    for finding in refusal["findings"]:
        repair(finding["code"], finding["file"], finding["line"])
    assert shell("cd ann && botleague check . --variant isolation-5x5 --quick --json")["problems"] == []

    test_set = "cd ann && botleague try . --matches 4 --against greedy --seed 5 --save tried --json"
    report = shell(test_set)
    worst = max(report["matches"], key=lambda match: (len(match["faults"]), match["place"]))
    log = [json.loads(line) for line in (folder / "ann" / worst["log"]).read_text().splitlines()]
    (fault,) = (turn for turn in log if turn["fault"])
    assert "no plan after turn six" in fault["detail"]
    assert "ways" in log[0]["printed"]
    assert (fault["file"], fault["line"]) == tuple(worst["faults"][0][key] for key in ("file", "line"))
    repair(f"bot-{fault['fault']}", fault["file"], fault["line"])
    report = shell(test_set)
    assert (report["played"], report["rows"][0]["faults"]) == (4, {})
    assert not any(match["faults"] for match in report["matches"])

    shell(f"botleague login {site}", typed=f"ann\n{PASSWORD}\n")
    verdict = shell(f"botleague submit ann --variant {VARIANT} --server --json")
    assert (verdict["outcome"], verdict["bot"], verdict["version"]) == ("accepted", "ann", 1)

    practice = shell("botleague practice ann greedy --matches 2 --json")
    assert (practice["played"], practice["failed"], practice["faults"]) == (2, 0, {})
    assert [match["seat"] for match in practice["matches"]] == [0, 1]
    # In one of 150 matches on this board, the opening leaves the bot without a move.
    longer = max(practice["matches"], key=lambda match: int(match["turns"]))
    assert "ways" in longer["lines"][0]["printed"]
    refusal = shell("botleague practice ann greedy --matches 2 --json", code=2)
    assert (refusal["error"]["code"], "2 unrated matches" in refusal["error"]["message"]) == ("limit", True)
