"""What is measured of a seat beside its match: where its time goes, and in which turns its memory grows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec
import pytest

from botleague.cli.viewing.profile_text import memory_line, peaks_of
from botleague.referee import FunctionTime, Measures, Player, SeatProfile, play, read_journal
from botleague.referee.journals.profiles import (
    MAX_NAME_LENGTH,
    STRETCH,
    SlowTurn,
    read_profile,
    stretched,
    together,
)
from botleague.rules import TimeControl, Variant
from botleague_sandbox import Sandbox

MakeBot = Callable[..., Player]
HONEST = "def move(observation):\n    return 5\n"
BUSY = """
kept = []
def work(o):
    total = 0
    for i in range(30_000):
        total += i
    return total
def move(observation):
    kept.append(b"x" * 4_000_000 * (len(kept) == 1))
    work(observation)
    return 5
"""


def test_a_measured_match_has_the_record_of_any_other(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot
) -> None:
    players = [bot(BUSY), bot(BUSY)]
    plain = play(guessing, 7, players, sandbox)
    measured = play(guessing, 7, players, sandbox, measures=Measures(profile=(0,), memory=(1,)))
    assert measured.record == plain.record
    profile, none = (seat.profile for seat in measured.seats)
    assert none is None
    assert profile is not None
    (work,) = (one for one in profile.functions if one.name == "work")
    assert (work.file, work.line, work.calls) == ("bot.py", 3, profile.turns)
    assert {slow.turn for slow in profile.slowest} <= set(range(measured.turns))
    assert not peaks_of(measured.seats[0].journal)
    (_, first), *later = peaks_of(measured.seats[1].journal)
    assert max(kib for _, kib in later) - first > 3_000
    assert "MiB of memory at its first move; grew to" in memory_line("b", measured.seats[1].journal)
    assert plain.seats[0].journal
    assert not peaks_of(plain.seats[0].journal)


def test_limits_are_longer_while_functions_are_counted(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot
) -> None:
    loops = bot("def move(o):\n    while True:\n        pass\n")
    report = play(guessing, 1, [loops, bot(HONEST)], sandbox, measures=Measures(profile=(0,)))
    assert report.seats[0].faults["timeout"]
    first = next(note for note in read_journal(report.seats[0].journal) if note.turn == 0)
    assert first.cpu_ms >= STRETCH * guessing.time.move_ms
    control = TimeControl(
        move_ms=1, first_move_ms=2, load_ms=3, brief_ms=4, bank_ms=5, increment_ms=6, grace_ms=7
    )
    longer = stretched(control)
    assert (longer.move_ms, longer.first_move_ms, longer.load_ms) == (STRETCH, 2 * STRETCH, 3 * STRETCH)
    assert (longer.brief_ms, longer.bank_ms, longer.increment_ms, longer.grace_ms) == (
        4 * STRETCH,
        5 * STRETCH,
        6 * STRETCH,
        7,
    )


def test_a_bot_that_died_has_no_profile(guessing: Variant, sandbox: Sandbox, bot: MakeBot) -> None:
    hanging = bot("def move(o):\n    return sum(range(10**12))\n")  # one call that no interrupt ends
    quick = replace(guessing, time=replace(guessing.time, move_ms=20.0, grace_ms=0.0))
    report = play(quick, 1, [hanging, bot(HONEST)], sandbox, measures=Measures(profile=(0, 1)))
    assert report.seats[0].profile is None
    assert report.seats[1].profile is not None


HOSTILE = (
    b"",
    b"\xc1",
    b"\x91" * 2000,
    msgspec.msgpack.encode([1, 2.0, [["f", 1, "n", 1, 1.0, 1.0]] * 41, []]),
    msgspec.msgpack.encode([-1, 2.0, [], []]),
    msgspec.msgpack.encode([1, 2.0, [["f", 1, "n", 2**60, 1.0, 1.0]], []]),
    msgspec.msgpack.encode([1, 2.0, [], [], "more"]),
    msgspec.msgpack.encode([1, 2.0, [], [[0, 1.0, [["f", 1, "n", 1, 1.0, 1.0]] * 6]]]),
)


@pytest.mark.parametrize("content", HOSTILE)
def test_invalid_profile_is_none(content: bytes) -> None:
    assert read_profile(content, [0]) is None


def test_report_of_a_process_is_bounded_and_cleaned() -> None:
    function = ["\x1b[31m<b>", 3, "n" * 10_000 + "\n", 1, float("inf"), -5.0]
    content = msgspec.msgpack.encode(
        [10**9, float("nan"), [function], [[7, 1.0, []], [1, 1e300, [function]]]]
    )
    profile = read_profile(content, [4, 6])
    assert profile is not None
    assert (profile.turns, profile.took_ms) == (2, 0.0)
    (told,) = profile.functions
    assert "\x1b" not in told.file
    assert len(told.name) <= MAX_NAME_LENGTH
    assert (told.own_ms, told.all_ms) == (0.0, 0.0)
    assert [(slow.turn, slow.took_ms) for slow in profile.slowest] == [
        (6, 1e12)
    ]  # it was never asked a seventh time


def test_profiles_of_several_matches_are_added_up() -> None:
    one = SeatProfile(2, 5.0, [FunctionTime("a.py", 1, "f", 2, 4.0, 5.0)], [SlowTurn(1, 4.0, [])])
    other = SeatProfile(1, 3.0, [FunctionTime("a.py", 1, "f", 1, 2.0, 3.0)], [SlowTurn(9, 3.0, [])])
    assert together([one, other]) == SeatProfile(
        3, 8.0, [FunctionTime("a.py", 1, "f", 3, 6.0, 8.0)], [SlowTurn(1, 4.0, []), SlowTurn(9, 3.0, [])]
    )
