"""What a plugin's command gets: matches of real sandboxes, with every state, fault and output."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from botleague.cli.context import Context
from botleague.cli.plugin_commands import CommandReferee
from botleague.errors import UsageError
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
        yield CommandReferee(Context(), rooms)
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
    with pytest.raises(UsageError, match="no bot in the database"):
        referee(guessing, ["five", "nobody"])
