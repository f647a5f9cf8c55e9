"""Matches of WebAssembly bots: fuel is their time, records name their engine, and both repeat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from botleague.errors import UsageError
from botleague.local import LocalBot, rehearse
from botleague.referee import Player, Record, play, read_journal, read_record, reexecute
from botleague.referee.record import StoredReply, TurnRecord
from botleague.rules import Outcome, TimeControl, Variant
from botleague_sandbox import Sandbox, guest_engine
from botleague_sandbox.wire import guest_engine as engine_module

from ...sandbox.wasm.guests import guest

MakeBot = Callable[..., Player]
FIVE = "(call $say (i32.const 512) (i32.const 2))"
DATA = r'(data (i32.const 512) "5\0a")'
# Works for a random time, a little too long in some turns, and answers.
WORKING = (
    "(drop (call $random (i32.const 768) (i32.const 2)))"
    " (local.set $i (i32.mul (i32.load16_u (i32.const 768)) (i32.const 64)))"
    f" (loop (local.set $i (i32.sub (local.get $i) (i32.const 1))) (br_if 0 (local.get $i))) {FIVE}"
)


def wasm(turn: str, *, parts: str = DATA, use: str = "") -> Player:
    data = guest(turn, parts=parts, use=use, declares='"guest"')
    return Player("guest", "1" * 64, {"bot.wasm": data}, "bot.wasm")


def five() -> Player:
    return wasm(FIVE)


def working() -> Player:
    return wasm("(call $work)", parts=f"{DATA} (func $work (local $i i32) {WORKING})", use="random")


def using(ms: float) -> Player:
    """Return a bot that uses a little more than ``ms`` milliseconds of fuel a turn."""
    count = int(ms * 500_000 / 6)  # units of each round of the loop
    work = f"(local.set $i (i32.const {count})) (loop (local.set $i (i32.sub (local.get $i) (i32.const 1)))"
    parts = f"{DATA} (func $work (local $i i32) {work} (br_if 0 (local.get $i))))"
    return wasm(f"(call $work) {FIVE}", parts=parts)


def fuels(record: Record, seat: int) -> list[int | None]:
    return [turn.replies[turn.seats.index(seat)].fuel for turn in record.turns if seat in turn.seats]


def test_guest_meets_python_bot_and_record_has_engine_and_fuel(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot
) -> None:
    python = bot("def move(observation):\n    return 5\n")
    report = play(guessing, 3, [five(), python], sandbox)
    record = read_record(report.record)
    assert [seat.faults for seat in report.seats] == [{}, {}]
    assert (record.format, record.engine) == (3, guest_engine())
    assert all(fuel and fuel > 10_000 for fuel in fuels(record, 0))
    assert set(fuels(record, 1)) == {None}
    notes = [note for note in read_journal(report.seats[0].journal) if note.turn >= 0]
    assert [note.cpu_ms for note in notes] == [
        pytest.approx((fuel or 0) / 500_000, abs=0.01) for fuel in fuels(record, 0)
    ]
    usual = read_record(play(guessing, 3, [python, python], sandbox).record)
    assert (usual.format, usual.engine) == (1, None)
    assert b"engine" not in usual.encode()
    assert b"fuel" not in usual.encode()


def test_same_seed_gives_same_record_time_outs_included(guessing: Variant, sandbox: Sandbox) -> None:
    variant = replace(guessing, time=replace(guessing.time, move_ms=20))
    first, second = (play(variant, 1, [working(), working()], sandbox) for _ in range(2))
    assert first.record == second.record
    faults = [seat.faults for seat in first.seats]
    assert any(fault.get("timeout") for fault in faults)


def test_bank_takes_fuel(guessing: Variant, sandbox: Sandbox) -> None:
    # About 12 ms a turn of 10 ms: the bank of 5 ms lasts for two turns.
    variant = replace(guessing, time=TimeControl(move_ms=10, bank_ms=5))
    record = read_record(play(variant, 1, [using(12), five()], sandbox).record)
    used = fuels(record, 0)
    assert all(fuel and 6_000_000 <= fuel < 6_250_000 for fuel in used[:2])
    replies = [turn.replies[0] for turn in record.turns]
    assert [reply.fault for reply in replies[:3]] == ["", "", "timeout"]
    left = round((10 + 5 - sum((fuel or 0) / 500_000 - 10 for fuel in used[:2])) * 500_000)
    assert used[2] == left
    assert f"({left:,} units of fuel)" in replies[2].detail


def test_reexecution_repeats_a_record(guessing: Variant, sandbox: Sandbox, bot: MakeBot) -> None:
    python = bot("import time\ndef move(observation):\n    return int(time.time()) % 10\n")
    variant = replace(guessing, time=replace(guessing.time, move_ms=20))
    for players in ([working(), using(30)], [working(), python]):
        record = read_record(play(variant, 1, players, sandbox).record)
        done = reexecute(record, variant, players, sandbox)
        assert (done.difference, done.taken) == ("", 0)
        guests = sum(player.is_wasm for player in players)
        assert done.answers == guests * (len(record.turns) + 1)


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        (lambda reply: msgspec.structs.replace(reply, fuel=reply.fuel + 1), "turn 2, seat 0: it used"),
        (lambda reply: msgspec.structs.replace(reply, value=msgspec.Raw(b"\x06")), "it gives another answer"),
        (
            lambda reply: StoredReply(fault="timeout", detail="late", fuel=reply.fuel),
            "an answer, not timeout: late",
        ),
    ],
    ids=["fuel", "answer", "fault"],
)
def test_reexecution_finds_a_changed_record(
    guessing: Variant, sandbox: Sandbox, changed: Callable[[StoredReply], StoredReply], difference: str
) -> None:
    players = [five(), five()]
    record = read_record(play(guessing, 3, players, sandbox).record)
    turns = list(record.turns)
    first, *others = turns[2].replies
    turns[2] = TurnRecord(turns[2].seats, (changed(first), *others))
    forged = msgspec.structs.replace(record, turns=tuple(turns))
    assert difference in reexecute(forged, guessing, players, sandbox).difference


def test_reexecution_takes_a_backstop_kill_as_recorded(guessing: Variant, sandbox: Sandbox) -> None:
    spin = wasm("(loop (drop (memory.grow (i32.const 0))) (br 0))")
    variant = replace(guessing, time=replace(guessing.time, move_ms=10))
    players = [spin, five()]
    record = read_record(play(variant, 1, players, sandbox).record)
    assert fuels(record, 0)[0] is None
    assert "killed" in record.turns[0].replies[0].detail
    done = reexecute(record, variant, players, sandbox)
    assert done.difference == ""
    assert done.taken == sum(fuel is None for fuel in fuels(record, 0))


def test_recorded_turn_runs_again_from_a_module(
    guessing: Variant, sandbox: Sandbox, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talking = wasm(f"(call $put (i32.const 2) (i32.const 512) (i32.const 2)) {FIVE}")
    record = read_record(play(guessing, 3, [talking, five()], sandbox).record)
    path = tmp_path / "bot.wasm"
    path.write_bytes(talking.files["bot.wasm"])
    rehearsal = rehearse(record, guessing, 0, path, 2)
    assert rehearsal.differs_at is None
    assert rehearsal.turn == 2
    assert rehearsal.reply.fuel == rehearsal.recorded.fuel is not None
    assert capsys.readouterr().err == "5\n"
    with pytest.raises(UsageError, match="--debug is for Python bots"):
        rehearse(record, guessing, 0, path, 2, lambda bot, observation: bot.ask(observation))
    with pytest.raises(UsageError, match="runs in a sandbox only"):
        LocalBot(path, guessing, 0, 2, 3)


def test_missing_engine_has_advice_and_python_bots_need_none(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "_version", lambda: "")
    python = bot("def move(observation):\n    return 5\n")
    assert isinstance(play(guessing, 3, [python, python], sandbox).outcome, Outcome)
    with pytest.raises(UsageError, match=r"guest is a WebAssembly bot.*pip install 'botleague\[wasm\]'"):
        play(guessing, 3, [five(), python], sandbox)
