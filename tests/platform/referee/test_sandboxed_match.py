"""Matches of real bots in real sandboxes: whatever a bot does costs its own seat, and the reason is readable."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from botleague.errors import PluginError, UsageError
from botleague.plugins import PluginHost
from botleague.referee import BEFORE, MatchReport, Player, SandboxedPlayers, play, read_journal, read_record
from botleague.rules import MAX_TURNS, TimeControl, Variant
from botleague_sandbox import Failure, MachineryFailure, Sandbox

MakeBot = Callable[..., Player]
HONEST = "def move(observation):\n    return 5\n"


def replies_of(report: MatchReport, seat: int) -> list[tuple[str, str]]:
    record = read_record(report.record)
    return [
        (reply.fault, reply.detail)
        for turn in record.turns
        for place, reply in zip(turn.seats, turn.replies, strict=True)
        if place == seat
    ]


def test_the_same_seed_gives_the_same_record(guessing: Variant, sandbox: Sandbox, bot: MakeBot) -> None:
    lucky = bot("import random\ndef move(observation):\n    return random.randrange(10)\n")
    first, second, other = (play(guessing, seed, [lucky, lucky], sandbox).record for seed in (4, 4, 5))
    assert first == second
    assert first != other


@pytest.mark.parametrize(
    ("source", "fault", "detail"),
    [
        ("def move(observation):\n    raise ValueError('no idea')\n", "exception", "ValueError: no idea"),
        ("def move(observation):\n    while True:\n        pass\n", "timeout", ""),
        ("def move(observation):\n    return move(observation)\n", "exception", "RecursionError"),
        ("def move(observation):\n    return [0] * 10**9\n", "exception", "MemoryError"),
        ("def move(observation):\n    return 'text'\n", "garbage", ""),
        ("def move(observation):\n    return object()\n", "garbage", ""),
        ("def move(observation):\n    return 10\n", "illegal", "10 is not from 0 to 9"),
        ("def move(observation):\n    while True:\n        print('x' * 1000)\n", "timeout", ""),
    ],
    ids=[
        "raises",
        "loops",
        "recurses",
        "allocates",
        "answers-text",
        "answers-an-object",
        "illegal",
        "prints",
    ],
)
def test_a_faulty_bot_costs_its_own_seat(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot, source: str, fault: str, detail: str
) -> None:
    report = play(guessing, 1, [bot(HONEST), bot(source)], sandbox)
    assert report.outcome.places == (1, 2)
    assert report.seats[0].faults == {}
    assert report.seats[1].faults[fault] >= 1
    kinds = {kind for kind, _ in replies_of(report, 1)}
    assert fault in kinds
    assert any(detail in text for _, text in replies_of(report, 1))
    assert all(kind == "" for kind, _ in replies_of(report, 0))


@pytest.mark.parametrize(
    ("source", "detail"),
    [
        ("import os\ndef move(observation):\n    return 5\n", 'line 1: import of "os"'),
        ("def move(observation)\n    return 5\n", "line 1"),
        ("x = 1 / 0\n", "ZeroDivisionError"),
        ("while True:\n    pass\n", "while loading"),
        ("NAME = 'cheater'\ndef move(observation):\n    return 5\n", "may not be called cheater"),
    ],
    ids=["forbidden-import", "syntax", "raises-at-load", "loops-at-load", "not-admitted"],
)
def test_a_bot_that_does_not_come_up_forfeits_and_the_reason_is_recorded(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot, source: str, detail: str
) -> None:
    report = play(guessing, 1, [bot(source), bot(HONEST)], sandbox, decides=True)
    assert report.outcome.places == (2, 1)
    assert report.outcome.forfeits == (0,)
    assert detail in read_record(report.record).declarations[0].detail


def test_the_kernels_cpu_limit_is_beyond_the_time_control(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot
) -> None:
    time = TimeControl(5000.0, 6000.0, 7000.0, 8000.0, bank_ms=9000.0, increment_ms=100.0, grace_ms=400.0)
    day = 86_400_000.0
    limits = []
    for control in (time, TimeControl(day, increment_ms=day)):
        variant = replace(guessing, time=control)
        with SandboxedPlayers(sandbox, variant, [bot(HONEST), bot(HONEST)], 1) as players:
            players.declare()
            started = players._seats[0].bot
            assert started is not None
            limits_text = Path(f"/proc/{started.channel.process.pid}/limits").read_text()
        limits += re.findall(r"Max cpu time +(\d+) +(\d+)", limits_text)
    turns = MAX_TURNS * (5000 + 100 + 400) // 1000
    assert limits[0] == (str(turns + 30 + 10), str(turns + 30 + 11))
    # What would overflow in the kernel's nanoseconds ends at 31 years.
    assert limits[1] == ("1000000000", "1000000001")


def test_a_turn_that_a_pause_left_undecided_makes_a_match_void_unless_the_clocks_are_to_decide(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot
) -> None:
    undecided = Failure("timeout", "late", 6000.0, 6100.0, 6000.0, is_undecided=True)
    players = [bot(HONEST), bot(HONEST)]
    with pytest.raises(MachineryFailure, match="stalled"):
        SandboxedPlayers(sandbox, guessing, players, 1)._decided(undecided)
    assert SandboxedPlayers(sandbox, guessing, players, 1, decides=True)._decided(undecided) is undecided


def test_a_fault_in_the_briefing_is_the_first_reply(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot
) -> None:
    stumbling = bot("def prepare(brief):\n    raise KeyError('x')\n" + HONEST)
    report = play(guessing, 1, [stumbling, bot(HONEST)], sandbox)
    replies = replies_of(report, 0)
    assert replies[0][0] == "exception"
    assert "KeyError" in replies[0][1]
    assert [kind for kind, _ in replies[1:]] == [""] * 5


def test_output_of_a_bot_is_stored_with_the_match(guessing: Variant, sandbox: Sandbox, bot: MakeBot) -> None:
    chatty = bot(
        "def move(observation):\n    print('turn', observation['turn'], '\\x1b[31m')\n    return 1\n"
    )
    report = play(guessing, 1, [chatty, bot(HONEST)], sandbox)
    assert "turn 0" in report.seats[0].output
    assert "turn 5" in report.seats[0].output
    assert "\x1b" not in report.seats[0].output


def test_output_of_a_bot_is_stored_if_it_fails_to_load(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot
) -> None:
    report = play(guessing, 1, [bot("print('loading\x1b[31m')\n1 / 0\n"), bot(HONEST)], sandbox)
    assert [(note.turn, note.printed) for note in read_journal(report.seats[0].journal)] == [
        (BEFORE, "loading[31m\n")
    ]


def test_several_seats_play_at_the_same_time(plugins: PluginHost, sandbox: Sandbox, bot: MakeBot) -> None:
    report = play(plugins.variant("guessing-melee"), 2, [bot(HONEST)] * 4, sandbox)
    assert len(report.outcome.places) == 4
    assert report.turns == 3


@pytest.mark.parametrize("seats", [2, 3])
def test_harnesses_receive_the_number_of_seats(
    plugins: PluginHost, sandbox: Sandbox, bot: MakeBot, seats: int
) -> None:
    counting = bot("import table\ndef move(observation):\n    return table.SEATS\n")
    report = play(plugins.variant("guessing-melee"), 2, [counting] * seats, sandbox)
    replies = [reply for turn in read_record(report.record).turns for reply in turn.replies]
    assert {msgspec.msgpack.decode(reply.value) for reply in replies} == {seats}


def test_clock_of_a_turn_shows_the_bank_apart_from_the_limit(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot
) -> None:
    time = TimeControl(move_ms=5000, bank_ms=300, increment_ms=100)
    saving = bot("import table\ndef move(observation):\n    return round(table.bank_ms() / 100)\n")
    report = play(replace(guessing, time=time), 2, [saving, saving], sandbox)
    replies = [turn.replies[0].value for turn in read_record(report.record).turns]
    assert [msgspec.msgpack.decode(value) for value in replies] == [3, 4, 5, 6, 7, 8]


def test_a_wrong_number_of_bots_is_refused(guessing: Variant, sandbox: Sandbox, bot: MakeBot) -> None:
    with pytest.raises(UsageError, match="has 2 seats, so it needs as many bots, not 3"):
        play(guessing, 1, [bot(HONEST)] * 3, sandbox)


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("import absent\n", 1),
        ("def make(seat):\n    return {}[seat]\n", 2),
        ("class make:\n    def modules(self):\n        raise SystemExit\n", 3),
    ],
    ids=["import", "creation", "modules"],
)
def test_a_broken_harness_is_an_error_of_its_plugin_with_its_line(
    guessing: Variant,
    sandbox: Sandbox,
    bot: MakeBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    source: str,
    line: int,
) -> None:
    module = f"broken_harness_{line}"
    (tmp_path / f"{module}.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    variant = replace(guessing, harness=f"{module}:make")
    with pytest.raises(PluginError, match=rf"harness.*{module}(\.py)?, line {line}\)"):
        play(variant, 1, [bot(HONEST), bot(HONEST)], sandbox)
