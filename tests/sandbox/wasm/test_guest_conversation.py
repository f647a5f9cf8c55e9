"""The lines of a guest, its memory between turns, its clock and its chance. SANDBOX.md, section 13 and 11."""

from __future__ import annotations

import json
import random

import msgspec
import pytest

from botleague_sandbox import Answer, Bot, Crashed, Deadline, Reply, Sandbox
from botleague_sandbox.guest.guest_output import GuestOutput
from botleague_sandbox.inside import botdraw, turn_profile

from .guests import LOAD, TURN, StartGuest, answered, briefing, guest, program

ECHO = "(call $put (i32.const 2) (i32.const 4096) (i32.sub (i32.load (i32.const 16)) (i32.const 4096)))"
# Reads every line and prints it; answers with null.
PRINTING = f"(loop (call $line) {ECHO} (call $null) (br 0))"
# Counts in its memory, and answers with a digit.
COUNTING = (
    "(i32.store8 (i32.const 512) (i32.add (i32.load8_u (i32.const 512)) (i32.const 1)))"
    " (call $say (i32.const 512) (i32.const 2))"
)
DIGITS = r'(data (i32.const 512) "0\0a")'
# Answers with a text of 16 hexadecimal letters: the bytes from 768 on, of which it shows the low halves.
SHOW = (
    "(local.set $i (i32.const 0)) (loop (i32.store8 (i32.add (i32.const 513) (local.get $i)) (i32.add (i32.const 97)"
    " (i32.and (i32.load8_u (i32.add (i32.const 768) (local.get $i))) (i32.const 15))))"
    " (local.set $i (i32.add (local.get $i) (i32.const 1))) (br_if 0 (i32.lt_u (local.get $i) (i32.const 16))))"
    " (call $say (i32.const 512) (i32.const 19))"
)
SHOWN = f'(data (i32.const 512) "\\22" ) (data (i32.const 529) "\\22\\0a") (func $show (local $i i32) {SHOW})'


def lines_of(bot: Bot) -> list[dict[str, object]]:
    return [json.loads(line) for line in bot.output.splitlines()]


def test_guest_reads_its_three_kinds_of_lines(start: StartGuest) -> None:
    bot = start(guest(first=PRINTING))
    answered(
        bot.brief({"seed": 2**60, "bytes": b"\0\xff", "nested": [{"large": -(2**55)}]}, Deadline.fuel(100))
    )
    answered(bot.ask([1.5, None], TURN))
    answered(bot.ask("x" * 5000, Deadline.fuel(49.5)))
    config = {"memory": "match"}
    assert lines_of(bot) == [
        {"type": "start", "protocol": 1, "variant": "tests", "seat": 0, "config": config, "limit_ms": 200},
        {
            "type": "brief",
            "limit_ms": 100,
            "data": {"seed": str(2**60), "bytes": "AP8=", "nested": [{"large": str(-(2**55))}]},
        },
        {"type": "turn", "n": 1, "limit_ms": 50, "data": {"told": [1.5, None], "fresh": True}},
        {"type": "turn", "n": 2, "limit_ms": 49.5, "data": {"told": "x" * 5000, "fresh": False}},
    ]


def test_memory_of_a_match_lives_on(start: StartGuest) -> None:
    bot = start(guest(COUNTING, parts=DIGITS))
    assert [answered(bot.ask(None, TURN)).value for _ in range(3)] == [1, 2, 3]


def test_memory_of_a_turn_does_not_and_first_lines_come_again(start: StartGuest) -> None:
    bot = start(guest(COUNTING, parts=DIGITS), "turn")
    answered(bot.brief("brief", TURN))
    assert [answered(bot.ask(None, TURN)).value for _ in range(3)] == [1, 1, 1]
    printing = start(guest(first=PRINTING), "turn")
    answered(printing.brief("brief", TURN))
    for _ in range(2):
        answered(printing.ask(None, TURN))
    kinds = [line["type"] for line in lines_of(printing)]
    assert kinds == ["start", "brief", "turn", "start", "brief", "turn"]


def test_fresh_instance_after_a_fault_gets_all_lines_again(start: StartGuest) -> None:
    bot = start(
        guest(
            first=f"(loop (call $line) {ECHO} (call $null) (br_if 0 (i32.eqz (call $fails))) unreachable)",
            parts="(func $fails (result i32) (i32.eq (i32.load16_u (i32.const 4105)) (i32.const 0x7574)))",
        )
    )
    answered(bot.brief("brief", TURN))
    for _ in range(2):
        assert "unreachable" in answered(bot.ask(None, TURN)).warning
    lines = lines_of(bot)
    assert [line["type"] for line in lines] == ["start", "brief", "turn", "start", "brief", "turn"]
    assert [line["n"] for line in lines if line["type"] == "turn"] == [1, 2]
    assert [line["data"]["fresh"] for line in lines if line["type"] == "turn"] == [True, True]  # type: ignore[index]


def test_declaration_is_the_answer_to_the_first_line(start: StartGuest) -> None:
    text = '{"name":"tester"}\n'
    data = guest(
        first=f"(call $line) (call $say (i32.const 512) (i32.const {len(text)}))",
        parts='(data (i32.const 512) "{}")'.format("".join(f"\\{byte:02x}" for byte in text.encode())),
    )
    assert start(data).declaration(dict[str, str]) == {"name": "tester"}
    with pytest.raises(Crashed):
        start(data).declaration(int)


def test_drawings_reach_the_notes(start: StartGuest) -> None:
    text = 'draw ["circle",1,2,0.5]\ndraw ["tag","here"]\ndraw ["nothing"]\ndraw {\nnull\n'
    hexadecimal = "".join(f"\\{byte:02x}" for byte in text.encode())
    parts = f'(data (i32.const 512) "{hexadecimal}")'
    bot = start(guest(f"(call $say (i32.const 512) (i32.const {len(text)}))", parts=parts))
    assert answered(bot.ask(None, TURN)).value is None
    notes = bot.take_notes()
    assert notes is not None
    assert msgspec.msgpack.decode(notes.drawn) == [
        [botdraw.CIRCLE, 1, 2, 0.5, None, None],
        [botdraw.TAG, "here"],
    ]


def test_clock_shows_fuel(start: StartGuest) -> None:
    turn = "(drop (call $clock (i32.const 1) (i64.const 0) (i32.const 768))) (call $show)"
    data = guest(turn, parts=SHOWN, use="clock")
    letters = [answered(start(data).ask(None, TURN)).value for _ in range(3)]
    assert letters[0] == letters[1] == letters[2] != "a" * 16


def test_random_numbers_come_from_the_seed(start: StartGuest) -> None:
    data = guest(
        "(drop (call $random (i32.const 768) (i32.const 16))) (call $show)", parts=SHOWN, use="random"
    )
    first, second, other = (answered(start(data, seed=seed).ask(None, TURN)).value for seed in (1, 1, 2))
    assert first == second != other
    turns = start(data, "turn")
    assert len({answered(turns.ask(None, TURN)).value for _ in range(4)}) == 4


def test_fuel_and_answers_repeat_time_outs_included(start: StartGuest) -> None:
    # Does work of its own choice in each turn, too much in some.
    turn = (
        "(drop (call $random (i32.const 768) (i32.const 2)))"
        " (local.set $i (i32.mul (i32.load16_u (i32.const 768)) (i32.const 64)))"
        " (loop (local.set $i (i32.sub (local.get $i) (i32.const 1))) (br_if 0 (local.get $i))) (call $null)"
    )
    data = guest("(call $work)", parts=f"(func $work (local $i i32) {turn})", use="random")

    def told(reply: Reply) -> tuple[str, int | None]:
        return (reply.warning if isinstance(reply, Answer) else reply.kind, reply.fuel)

    limit = Deadline.fuel(20)
    runs = [
        [told(bot.ask(None, limit)) for _ in range(20)] for bot in (start(data, "turn") for _ in range(3))
    ]
    assert runs[0] == runs[1] == runs[2]
    assert {kind for kind, _ in runs[0]} == {"", "timeout"}


def test_backstop_kills_code_that_is_cheap_in_fuel(start: StartGuest) -> None:
    bot = start(guest("(loop (drop (memory.grow (i32.const 0))) (br 0))"))
    reply = bot.ask(None, Deadline.fuel(20))
    assert not isinstance(reply, Answer)
    assert (reply.kind, reply.fuel) == ("timeout", None)
    assert "of CPU time; killed" in reply.detail
    assert not bot.is_alive


def test_profile_has_fuel_by_turn(sandbox: Sandbox) -> None:
    from botleague_sandbox import Request

    request = Request(program(guest()), briefing(), LOAD, profiled=True)
    (bot,) = sandbox.run_together([request])
    assert isinstance(bot, Bot)
    with bot:
        used = [answered(bot.ask(None, TURN)).fuel for _ in range(8)]
        turns, total_ms, functions, slowest = msgspec.msgpack.decode(bot.profile(Deadline.cpu(1000)))
    assert turns == 8
    assert total_ms == pytest.approx(sum(fuel or 0 for fuel in used) / 500_000, abs=0.01)
    assert functions[0][2] == "WebAssembly module, in fuel"
    assert len(slowest) == turn_profile.SLOWEST


def test_output_in_any_pieces_is_the_same() -> None:
    rng = random.Random(1)
    for _ in range(300):
        lines = [rng.choice([b"", b" ", b"1", b"[2]", b"x" * 30, b"draw [1]", b"draw"]) for _ in range(6)]
        text = b"\n".join(lines)
        whole, pieces = GuestOutput(20, {}), GuestOutput(20, {})
        whole.take(text)
        at = 0
        while at < len(text):
            length = rng.randint(0, 9)
            pieces.take(text[at : at + length])
            at += length
        counting = [line for line in lines[:-1] if line.strip() and not line.startswith(b"draw ")]
        for output in (whole, pieces):
            assert output.too_long == bool(counting and len(counting[-1]) > 20)
            assert output.line == (None if not counting else b"" if output.too_long else counting[-1])
            assert output.has_rest == bool(lines[-1])
