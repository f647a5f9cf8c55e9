"""What a plugin's command gets: matches of real sandboxes, with every state, fault and output."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import typer

import botleague_isolation
from botleague.application import Workspace
from botleague.cli.kit.plugin_mount import CommandReferee, mount_plugin_commands
from botleague.errors import PluginError, Stopped, UsageError
from botleague.referee import read_record
from botleague.rules import Variant


@pytest.fixture
def referee(tmp_path: Path, plugin_file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CommandReferee]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "botleague.toml").write_text(f"database = 'none.db'\nplugins = ['{plugin_file}']\n")
    (tmp_path / "forbidden.py").write_text("import os\ndef move(observation):\n    return 1\n")
    (tmp_path / "raising.py").write_text("def move(observation):\n    print('lost')\n    raise ValueError\n")
    everywhere = os.sched_getaffinity(0)
    with ExitStack() as rooms:
        yield CommandReferee(Workspace(), rooms)
    os.sched_setaffinity(0, everywhere)


def test_a_command_sees_states_faults_and_outputs_of_its_matches(
    referee: CommandReferee, guessing: Variant
) -> None:
    states: list[Any] = []

    def look(state: Any) -> bool:
        states.append(state)
        return False

    played = referee(guessing, ["raising.py", "forbidden.py"], seed=4, watch=look)
    assert played.outcome is not None
    assert played.state == states[-1]
    record = read_record(played.record)
    assert (record.seed, record.outcome) == (4, played.outcome)
    assert "lost" in played.output[0]
    kinds = [(seat, fault.kind) for seat, fault in played.faults]
    assert kinds.count((1, "rejected")) == 1, "who did not come up is told of once, not every turn"
    assert kinds.count((0, "exception")) == len(record.turns)

    stopped = referee(guessing, ["five", "five"], seed=4, watch=lambda state: True)
    assert (stopped.outcome, stopped.record, stopped.seed) == (None, b"", 4)
    with pytest.raises(UsageError, match="not a bot in the database"):
        referee(guessing, ["five", "nobody"])


COMMANDS = """
from botleague.rules import hookimpl

@hookimpl
def botleague_commands():
    def refuse(): raise ValueError("this is refused")
    def fail(): raise RuntimeError("broken")
    def strange(value: 'Nowhere'): "Its annotation says nothing."
    def read(): open("nowhere.txt")
    def tell(): raise BrokenPipeError
    def stop(): raise KeyboardInterrupt
    offered = [("refuse", refuse), ("fail", fail), ("read", read), ("tell", tell), ("stop", stop)]
    return [*offered, ("strange", strange)]
"""


def test_exception_of_a_command_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    (tmp_path / "botleague.toml").write_text("plugins = ['rude_commands.py']\n")
    (tmp_path / "rude_commands.py").write_text(COMMANDS)
    app = typer.Typer()
    mount_plugin_commands(app, "rude_commands")
    assert "The command 'strange' was left out" in caplog.text
    with pytest.raises(UsageError, match="this is refused"):
        app(["rude_commands", "refuse"], standalone_mode=False)
    with pytest.raises(UsageError, match=r"nowhere\.txt: No such file or directory\."):
        app(["rude_commands", "read"], standalone_mode=False)
    with pytest.raises(PluginError, match="The command 'fail' of a plugin failed: RuntimeError: broken"):
        app(["rude_commands", "fail"], standalone_mode=False)
    with pytest.raises(BrokenPipeError):  # a reader that has had enough is no error
        app(["rude_commands", "tell"], standalone_mode=False)
    with pytest.raises(Stopped, match=r"^Stopped\.$"):
        app(["rude_commands", "stop"], standalone_mode=False)


def test_help_does_not_wait_for_the_database_library() -> None:
    script = (
        "import sys; from botleague.cli import main; sys.argv = ['botleague', '--help']\n"
        "try:\n    main()\nfinally:\n    sys.stderr.write(' '.join(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "Usage: botleague" in done.stdout
    assert not {"sqlalchemy", "botleague_storage", "botleague_sandbox"} & set(done.stderr.split())


def test_a_match_waits_only_for_what_it_needs(tmp_path: Path) -> None:
    bot = botleague_isolation.botleague_bots()[0]
    (tmp_path / "rover.py").write_bytes(Path(bot.path).read_bytes())
    script = (
        "import sys; from botleague.cli import main\n"
        "sys.argv = ['botleague', 'play', 'isolation-queen-3x2', 'rover.py', 'random', '--seed', '1']\n"
        "try:\n    main()\nfinally:\n    print(*sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    *lines, modules = done.stdout.splitlines()
    assert "rover" in lines[1]
    # Typer reads what was typed with pydantic; other games have rules of their own; a film is for --html.
    unneeded = {
        "pydantic",
        "sqlalchemy",
        "botleague.film",
        "botleague_pelita.rules",
        "botleague_pybots.rules",
    }
    assert not unneeded & set(modules.split())
