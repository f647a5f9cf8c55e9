"""Test matches of an author: against bundled bots, against the submitted version, and after each change."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from botleague.application import Workspace
from botleague.application.authoring import try_loop
from botleague.application.authoring.bot_toml import BotFile, read_bot_file
from botleague.application.authoring.starter_files.scaffolding import new_bot
from botleague.application.authoring.try_loop import open_try_loop
from botleague.errors import UsageError
from botleague.plugins import PluginHost

SMALL = "isolation-5x5"

RAISES = """
from sample_players import DataPlayer


class CustomPlayer(DataPlayer):
    def get_action(self, state):
        if state.ply_count >= 8:
            raise ValueError("lost at", state.ply_count)
        self.queue.put(state.actions()[0])
"""


@pytest.fixture
def bot(folder: Path) -> Path:
    """A new bot, as it was made."""
    plugins = PluginHost.load()
    new_bot(folder / "ann", plugins.variant(SMALL), plugins)
    return folder / "ann" / "my_custom_player.py"


def test_a_new_bot_is_tried_at_once_and_nothing_is_stored(
    botleague: Callable[..., Any], folder: Path, bot: Path
) -> None:
    before = sorted(os.walk(folder))
    report = json.loads(botleague("try", "ann", "--matches", "6", "--seed", "4", "--profile", "--json").out)
    assert sorted(os.walk(folder)) == before
    assert (report["bot"], report["variant"], report["seed"], report["played"]) == ("ann", SMALL, 4, 6)
    assert [row["matches"] for row in report["rows"]] == [2, 2, 2]
    assert ("my_custom_player.py", "CustomPlayer.get_action") in {
        (one["file"], one["name"]) for one in report["profile"]["functions"]
    }
    for row in report["rows"]:
        assert row["won"] + row["drawn"] + row["lost"] == 2
        assert 0 < row["median_ms"] <= row["worst_ms"]
        assert row["memory_mib"] > 5
        assert row["faults"] == {}


def test_weaker_version_is_reported_with_a_match(
    botleague: Callable[..., Any], folder: Path, bot: Path
) -> None:
    botleague("submit", "./ann", "--variant", SMALL)
    bot.write_text(RAISES)
    stored = hashlib.sha256((folder / "league.db").read_bytes()).digest()
    said = botleague("try", "ann", "--against", "ann@1", "--matches", "40", "--seed", "2").out
    assert max(map(len, said.splitlines()[:3])) <= 80
    assert "Time limit per turn: 150 ms of CPU time." in said
    assert "More than luck: ann@1 is stronger than ann: ann has a lead of -" in said
    assert re.search(r"ann@1: \d+ exception; the first in turn", said)
    few = botleague("try", "ann", "--against", "ann@1", "--matches", "12", "--seed", "2").out
    assert "Too few to tell: ann got 0 of 6 points in 6 sets, and it takes 20." in few
    assert "Use --matches 40 for 20 sets against ann@1." in few
    (again,) = [line.strip() for line in said.splitlines() if line.strip().startswith("botleague play")]
    assert "raised an exception before it put an action: ValueError" in botleague(*shlex.split(again)[1:]).out
    # Without --against the last version is found, and gets half of all matches.
    report = json.loads(botleague("try", "ann", "--matches", "8", "--json").out)
    assert [(row["against"], row["is_earlier"], row["matches"]) for row in report["rows"]] == [
        ("ann@1", True, 4),
        ("random", False, 2),
        ("greedy", False, 2),
    ]
    assert "minimax" in report["unmet"]
    assert report["matches_for_all"] == 2 * (20 + len(report["unmet"]) + 2)
    assert hashlib.sha256((folder / "league.db").read_bytes()).digest() == stored


REFUSED = {
    "try lone.py": 'The variant of lone.py is unknown. Use --variant NAME, or write variant = "NAME" to a file',
    "try nobody -v isolation": "'nobody' is not a path, not a bot in the database",
    "try ./lone.py -v isolatoin": "Did you mean 'isolation'",
    "try ./lone.py -v isolation --against greedyy": "Did you mean 'greedy'",
    "try ./lone.py -v isolation --matches 0": "must be 1 to 100000, not 0.",
    "try ./lone.py -v isolation --matches 1000000000000": "must be 1 to 100000, not 1000000000000.",
    "try hostile.py -v isolation-5x5": 'import of "os" is not available to bots',
}


def test_invalid_test_match_is_refused(try_all: Callable[..., Mapping[str, tuple[int, str]]]) -> None:
    files = {"lone.py": RAISES, "hostile.py": f"import os\n{RAISES}"}
    results = try_all([command.split() for command in REFUSED], files)
    for command, text in REFUSED.items():
        code, errors = results[command]
        assert code == 2, command
        assert text in errors


def test_settings_of_a_bot_are_checked(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text("variant = 'isolation'\nentry = ':Fast'\n")
    assert read_bot_file(tmp_path / "lone.py") == BotFile("isolation", ":Fast")
    for text in ("variants = 'isolation'", "variant = 3", "variant", "variant = " + "[" * 5000):
        (tmp_path / "bot.toml").write_text(text)
        with pytest.raises(UsageError, match=r'bot.toml: .*It may contain variant = "NAME"'):
            read_bot_file(tmp_path)
    (tmp_path / "bot.toml").write_text(f"variant = '{'x' * 10_000}'")
    with pytest.raises(UsageError, match="more than 10 kB"):
        read_bot_file(tmp_path)
    (tmp_path / "bot.toml").unlink()
    os.mkfifo(tmp_path / "bot.toml")
    with pytest.raises(UsageError, match="is not a file"):
        read_bot_file(tmp_path)


@pytest.fixture
def start(
    folder: Path, environment: Mapping[str, str], command: list[str]
) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a command, its errors among its output; it is killed after the test."""
    with ExitStack() as stack:

        def begin(*arguments: str) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [*command, *arguments],
                cwd=folder,
                env={**environment, "PYTHONUNBUFFERED": "1"},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        yield begin


def read_until(process: subprocess.Popen[str], text: str) -> str:
    assert process.stdout is not None
    text_so_far = ""
    for line in process.stdout:
        text_so_far += line
        if text in line:
            return text_so_far
    raise AssertionError(text_so_far)


def test_changed_file_is_played_again_until_ctrl_c(
    start: Callable[..., subprocess.Popen[str]], folder: Path, bot: Path
) -> None:
    words = ("try", "ann", "--against", "random", "--matches", "2", "--watch-files")
    process = start(*words)
    assert "exception" not in read_until(process, "Waiting for changes")
    # Some matches end before the turn in which the other tests want it to raise.
    raises = RAISES.replace(">= 8", ">= 0")
    for text, message in ((raises, "exception"), ("import os\n", "is not accepted")):
        (folder / "new.py").write_text(text)
        os.replace(folder / "new.py", bot)
        assert message in (output := read_until(process, "Waiting for changes")), output
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130


def test_ctrl_c_reports_finished_matches(start: Callable[..., subprocess.Popen[str]], bot: Path) -> None:
    process = start("try", "ann", "--matches", "4000")
    read_until(process, "opponents.")
    process.send_signal(signal.SIGINT)
    assert "of 4000 matches." in read_until(process, "Stopped after")
    assert process.wait() == 130


def test_stopped_test_reports_its_finished_matches(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    practice = open_try_loop(Workspace(jobs=1), str(bot.parent), None, ["random"], 100, seed=1)
    is_over = iter([False, False, False, True])
    with monkeypatch.context() as patched:
        patched.setattr(try_loop, "WAIT_S", 60)  # until a match is there, each time
        practice.play(lambda progress: None, lambda: next(is_over))
    report = practice.report()
    assert 3 <= report.played < report.planned == 100  # short matches come in by the handful
    (row,) = report.rows
    assert (row.matches, row.sets) == (report.played, report.played // 2)


def test_anytime_bot_that_uses_its_time_is_not_warned(botleague: Callable[..., Any], folder: Path) -> None:
    (folder / "anytime.py").write_text(
        "from sample_players import DataPlayer\n\n\nclass CustomPlayer(DataPlayer):\n"
        "    def get_action(self, state):\n        while True:\n            self.queue.put(state.actions()[0])\n"
    )
    calm = r"time limit reached in \d+ turns, without a penalty: the last action before it counts"
    bot = ("anytime.py", "--variant", "isolation-blitz")
    botleague("play", "isolation-blitz", "./anytime.py", "random", "--seed", "5", "--record", "game.blr")
    for command, bots in (
        (("check", *bot), 2),
        (("try", *bot, "--against", "random", "--matches", "2"), 1),
        (("replay", "game.blr"), 1),
    ):
        out = " ".join(botleague(*command).out.split())
        assert len(re.findall(calm, out)) == bots, out
        assert "timeout" not in out
