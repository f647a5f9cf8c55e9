"""What a guest may do wrong: each has its fault, and the next question is answered. SANDBOX.md, section 13."""

from __future__ import annotations

from pathlib import Path

import pytest

from botleague_sandbox import ALL_LAYERS, Crashed, Deadline, Program, Rejected, Sandbox

from .guests import LOAD, TURN, UNITS, StartGuest, answered, briefing, failed, guest, module, program

TEXT = '(data (i32.const 512) "{}")'
SPIN = "(loop (br 0))"
NO_ANSWER = f"no answer within 50 ms ({UNITS:,} units of fuel)"


def say(text: str, repeated: int = 1) -> dict[str, str]:
    """Return the parts of a guest that writes ``text`` in a turn."""
    data = text.encode()
    escaped = "".join(f"\\{byte:02x}" for byte in data)
    return {
        "turn": f"(call $say (i32.const 512) (i32.const {len(data)}))" * repeated,
        "parts": TEXT.format(escaped),
    }


DRAWING = say('draw ["circle",1,2,3]\n')

FAULTS: dict[str, tuple[dict[str, str], str, str]] = {
    "endless loop": ({"turn": SPIN}, "timeout", NO_ANSWER),
    "endless recursion without depth": (
        {"turn": "(loop (call $f) (br 0))", "parts": "(func $f)"},
        "timeout",
        NO_ANSWER,
    ),
    "flood of host calls": (
        {
            "turn": "(loop (drop (call $clock (i32.const 0) (i64.const 0) (i32.const 32))) (br 0))",
            "use": "clock",
        },
        "timeout",
        NO_ANSWER,
    ),
    "flood of failing host calls": (
        {"turn": "(loop (drop (call $close (i32.const 9))) (br 0))", "use": "close"},
        "timeout",
        NO_ANSWER,
    ),
    "flood of empty writes": (
        {"turn": "(loop (call $say (i32.const 0) (i32.const 0)) (br 0))"},
        "timeout",
        NO_ANSWER,
    ),
    "flood of output": (
        {"turn": "(loop (call $put (i32.const 2) (i32.const 0) (i32.const 131072)) (br 0))"},
        "timeout",
        NO_ANSWER,
    ),
    "endless line": (
        {"turn": "(loop (call $say (i32.const 8192) (i32.const 9999)) (br 0))"},
        "timeout",
        NO_ANSWER,
    ),
    "flood of drawings": (
        {
            "turn": f"(loop {DRAWING['turn']} (br 0))",
            "parts": DRAWING["parts"],
        },
        "timeout",
        NO_ANSWER,
    ),
    "sleep": (
        {
            "turn": "(i64.store (i32.const 536) (i64.const 60000000000)) "
            "(drop (call $poll (i32.const 512) (i32.const 600) (i32.const 1) (i32.const 32)))",
            "use": "poll",
        },
        "timeout",
        NO_ANSWER,
    ),
    "unreachable": ({"turn": "unreachable"}, "exception", "trap: unreachable code executed"),
    "division by zero": (
        {"turn": "(drop (i32.div_u (i32.const 1) (i32.const 0)))"},
        "exception",
        "trap: integer division by zero",
    ),
    "overflow": (
        {"turn": "(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))"},
        "exception",
        "trap: integer overflow",
    ),
    "conversion": (
        {"turn": "(drop (i32.trunc_f32_s (f32.const nan)))"},
        "exception",
        "trap: invalid conversion",
    ),
    "outside of the memory": (
        {"turn": "(drop (i32.load (i32.const -4)))"},
        "exception",
        "trap: access outside of the memory",
    ),
    "outside of a table": (
        {"turn": "(call_indirect (i32.const 99))", "parts": "(table 1 funcref)"},
        "exception",
        "trap: access outside of a table",
    ),
    "call to null": (
        {"turn": "(call_indirect (i32.const 0))", "parts": "(table 1 funcref)"},
        "exception",
        "trap: indirect call to null",
    ),
    "recursion": (
        {"turn": "(call $deep)", "parts": "(func $deep (call $deep))"},
        "exception",
        "trap: call stack exhausted\n  in deep\n  in deep\n  in deep\n  in deep\n  in deep",
    ),
    "pointer beyond the memory": (
        {"turn": "(call $say (i32.const 0x7fffffff) (i32.const 4))"},
        "exception",
        "a pointer outside of the memory",
    ),
    "length that wraps": (
        {"turn": "(call $say (i32.const 512) (i32.const -1))"},
        "exception",
        "a pointer outside",
    ),
    "buffers that end at 2^32": (
        {"turn": "(drop (call $write (i32.const 1) (i32.const -8) (i32.const 1) (i32.const 32)))"},
        "exception",
        "a pointer outside of the memory",
    ),
    "result outside": (
        {"turn": "(drop (call $write (i32.const 1) (i32.const 8) (i32.const 1) (i32.const -1)))"},
        "exception",
        "a pointer outside of the memory",
    ),
    "exit": ({"turn": "(call $exit (i32.const 3))", "use": "exit"}, "exception", "exit code 3"),
    "return": ({"turn": "return"}, "exception", "the bot ended itself: its main function returned"),
    "reads on": ({"turn": "nop"}, "garbage", "read on without an answer"),
    "line without an end": (say("1"), "garbage", "read on without an answer (its last line has no end)"),
    "closed output": (
        {"turn": "(drop (call $close (i32.const 1))) (call $null)", "use": "close"},
        "garbage",
        "closed its output without an answer",
    ),
    "drawing alone": (DRAWING, "garbage", "read on without an answer"),
    "no JSON": (say("hello\n"), "garbage", "the line 'hello' is no JSON"),
    "two values": (say("1 2\n"), "garbage", "is no JSON"),
    "NaN": (say("NaN\n"), "garbage", "is no JSON"),
    "too large a number": (say("[9007199254740993]\n"), "garbage", "an integer beyond 2^53 at $[0]"),
    "too deep": (say('{"a":[[[[[[[[1]]]]]]]]}\n'), "garbage", "nested deeper than 8 levels at $.a[0]"),
    "far too deep": (say("[" * 5000 + "\n"), "garbage", "the line"),
    "no move": (say('"refused"\n'), "garbage", "$: no such move"),
    "half UTF-8": (
        {
            "turn": "(call $say (i32.const 512) (i32.const 3))",
            "parts": '(data (i32.const 512) "\\22\\c3\\0a")',
        },
        "garbage",
        "is no JSON",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_of_a_turn_and_next_question_starts_again(start: StartGuest, name: str) -> None:
    parts, kind, detail = FAULTS[name]
    bot = start(guest(**parts))
    failure = failed(bot.ask(None, TURN), kind, detail)
    assert failure.fuel is not None
    assert 0 < failure.fuel <= UNITS
    assert (failure.fuel == UNITS) == (kind == "timeout")
    assert failure.used_ms == failure.fuel / 500_000
    assert bot.is_alive
    second, third = (failed(bot.ask(None, TURN), kind, detail).fuel for _ in range(2))
    assert second == third
    assert bot.layers == ALL_LAYERS or bot.layers  # as on this machine


def test_long_line_is_garbage_and_later_line_counts(start: StartGuest) -> None:
    long = "(call $say (i32.const 8192) (i32.const 70000))"
    end = "(call $say (i32.const 512) (i32.const 1))"
    parts = '(data (i32.const 512) "\\0a")'
    failed(
        start(guest(long + end, parts=parts)).ask(None, TURN), "garbage", "the line of the answer is too long"
    )
    assert answered(start(guest(f"{long} {end} (call $null)", parts=parts)).ask(None, TURN)).value is None


@pytest.mark.parametrize(
    ("after", "kind"),
    [(SPIN, "timeout"), ("unreachable", "exception"), ("(drop (i32.load (i32.const -4)))", "exception")],
)
def test_line_before_end_counts_with_warning(start: StartGuest, after: str, kind: str) -> None:
    bot = start(guest(f"(call $null) {after}"))
    reply = answered(bot.ask(None, TURN))
    assert reply.value is None
    assert reply.warning.startswith(f"{kind}: ")
    assert reply.fault is None
    assert answered(bot.ask(None, TURN)).warning == reply.warning


def test_exit_after_answer_is_no_fault(start: StartGuest) -> None:
    bot = start(guest("(call $null) (call $exit (i32.const 0))", use="exit"))
    for _ in range(3):
        assert answered(bot.ask(None, TURN)).warning == ""


def test_ninth_fresh_instance_is_a_crash(start: StartGuest) -> None:
    bot = start(guest("unreachable"))
    for _ in range(9):
        failed(bot.ask(None, TURN), "exception", "trap: unreachable")
    failed(bot.ask(None, TURN), "crash", "ended 8 times in one match")
    assert not bot.is_alive


@pytest.mark.parametrize(
    ("parts", "kind", "detail"),
    [
        ({"first": SPIN}, "timeout", "no answer within 200 ms (100,000,000 units of fuel)"),
        ({"first": "unreachable"}, "exception", "trap: unreachable"),
        ({"first": "(call $exit (i32.const 5))", "use": "exit"}, "exception", "exit code 5"),
        ({"parts": f"(func $begin {SPIN}) (start $begin)"}, "timeout", "no answer within 200 ms"),
        ({"parts": "(func $begin unreachable) (start $begin)"}, "exception", "trap: unreachable"),
        (
            {"parts": "(func $begin (call $exit (i32.const 4))) (start $begin)", "use": "exit"},
            "exception",
            "code 4",
        ),
        ({"memory": "2049"}, "exception", "memory"),
        ({"parts": "(table 30000 funcref)"}, "exception", "table"),
        ({"parts": "(table 1 funcref)" * 9}, "exception", "table"),
        ({"memory": "65536"}, "exception", "memory"),
    ],
)
def test_fault_while_loading(start: StartGuest, parts: dict[str, str], kind: str, detail: str) -> None:
    with pytest.raises(Crashed) as crashed:
        start(guest(**parts))
    failed(crashed.value.failure, kind, detail)


def test_start_function_may_read_and_answer(start: StartGuest) -> None:
    bot = start(guest(parts="(func $begin (call $line) (call $null)) (start $begin)"))
    assert answered(bot.ask(None, TURN)).value is None


def test_growth_beyond_a_cap_is_refused_to_the_guest(start: StartGuest) -> None:
    grown = "(if (i32.ne (memory.grow (i32.const 2047)) (i32.const -1)) (then unreachable))"
    tables = (
        "(if (i32.ne (table.grow 0 (ref.null func) (i32.const 20001)) (i32.const -1)) (then unreachable))"
    )
    bot = start(guest(f"{grown} {tables} (call $null)", parts="(table 1 funcref)"))
    assert answered(bot.ask(None, TURN)).warning == ""


def test_whole_memory_can_be_written(start: StartGuest) -> None:
    write = "(if (i32.eq (memory.grow (i32.const 2046)) (i32.const -1)) (then unreachable))"
    fill = "(memory.fill (i32.const 0x10000) (i32.const 1) (i32.const 0x7ff0000))"
    for memory in ("match", "turn"):
        bot = start(guest(f"{write} {fill} (call $null)"), memory)
        for _ in range(2 if memory == "turn" else 1):
            assert answered(bot.ask(None, Deadline.fuel(1000))).warning == ""


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (b"(module)", "it is text"),
        (b"", "it does not begin like a module"),
        (b"\0asm\x0d\0\x01\0", "it is a component"),
        (guest()[:-3], "it is damaged"),
        (module('(func (export "_start"))'), "exports no memory called `memory`"),
        (module('(memory (export "memory") 1)'), "exports no function `_start`"),
        (module('(memory (export "memory") 1) (func (export "_start") (param i32))'), "no parameters"),
        (module('(memory (export "memory") 1) (func (export "_initialize"))'), "library"),
        (module('(import "env" "f" (func)) (memory (export "memory") 1)'), "it imports env.f"),
        (module('(import "wasi_snapshot_preview1" "fd_read" (func))'), "with another type"),
        (module('(import "wasi_snapshot_preview1" "m" (memory 1))'), "it imports a memory"),
        (module('(memory (export "memory") 1 2 shared) (func (export "_start"))'), "it uses threads"),
        (module('(memory (export "memory") i64 1) (func (export "_start"))'), "it uses memory64"),
        (module('(memory 1) (memory (export "memory") 1) (func (export "_start"))'), "several memories"),
        (guest(parts="(func $f return_call $f)"), "it uses tail calls"),
        (guest(parts="(tag $e) (func (throw $e))"), "it uses exceptions"),
        (guest(parts="(type (struct))"), "it uses garbage collection"),
        (guest(parts="(func (drop (i32.atomic.load (i32.const 0))))"), "it uses threads"),
        (
            guest(
                parts="(func (drop (i8x16.relaxed_swizzle (v128.const i64x2 0 0) (v128.const i64x2 0 0))))"
            ),
            "it uses relaxed SIMD",
        ),
        (guest(parts='(data (i32.const 0) "' + "x" * (4 << 20) + '")', memory="100"), "at most 4,194,304"),
    ],
)
def test_module_that_cannot_play_is_refused(sandbox: Sandbox, data: bytes, detail: str) -> None:
    with pytest.raises(Rejected) as refused:
        sandbox.run(program(data), briefing(), load=LOAD)
    (finding,) = refused.value.findings
    assert finding.file == "bot.wasm"
    assert finding.kind == "module"
    assert detail in finding.message
    assert sandbox.check(program(guest()), briefing(), load=LOAD) == ()


def test_custom_sections_do_not_count(start: StartGuest) -> None:
    comment = b"\x01x" + bytes(5 << 20)
    length = len(comment)
    section = bytes([0, *(length >> shift & 0x7F | 0x80 for shift in (0, 7, 14)), length >> 21]) + comment
    bot = start(guest()[:8] + section + guest()[8:])
    assert answered(bot.ask(None, TURN)).value is None


FAILING = """
from botleague_sandbox.testing.plain_adapter import PlainAdapter

class Failing(PlainAdapter):
    def turn(self, observation, is_fresh):
        if observation == "raise":
            raise KeyError(observation)
        return observation
"""


def test_failure_of_the_adapter_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "failing_adapter.py").write_text(FAILING)
    monkeypatch.syspath_prepend(tmp_path)
    tested = Program("tested", {"bot.wasm": guest()}, "bot.wasm", "failing_adapter:Failing", "wasm", 1)
    with Sandbox() as own, own.run(tested, briefing(), load=LOAD) as bot:
        failed(bot.ask("raise", TURN), "exception", "the adapter of the game failed: KeyError: 'raise'")
        assert answered(bot.ask("other", TURN)).value is None
