"""What a spectator in the terminal sees beside the picture."""

from __future__ import annotations

from random import Random

import pytest

from botleague.cli.viewing.match_watching import Watcher
from botleague.referee import Event, Started, Turn
from botleague.rules import Fault, Move, Variant


def cpu_times(capsys: pytest.CaptureFixture[str], guessing: Variant, events: list[Event]) -> str:
    with Watcher(guessing, ["ann", "bob"], 60, ()) as watcher:
        for event in events:
            watcher.note(event)
    return capsys.readouterr().out


def test_the_times_of_the_bots_add_up_while_a_match_is_played_and_a_replay_shows_none(
    capsys: pytest.CaptureFixture[str], guessing: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes a pipe for a terminal then
    state = guessing.rules.start([None, None], Random(1))
    started = Started(state, (None, None))
    played: list[Event] = [
        started,
        Turn(0, {0: Move(5, cpu_ms=1200.0), 1: Fault("timeout", "", cpu_ms=30.0)}, state),
        Turn(1, {0: Move(5, cpu_ms=50.0)}, state),
    ]
    assert "CPU time ann 1.25 s, bob 0.03 s" in cpu_times(capsys, guessing, played)
    assert "CPU time" not in cpu_times(capsys, guessing, [started, Turn(0, {0: Move(5), 1: Move(7)}, state)])
