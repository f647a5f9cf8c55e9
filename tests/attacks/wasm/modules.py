"""Hostile modules, each with the verdict that the host may give.

Most are a piece of WebAssembly text inside a guest that otherwise answers every line with null; others are whole
modules, or bytes that a few lines of Python make. A module that reached anything outside of its process writes the
line ``"PWNED"``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...sandbox.wasm import guests
from ...sandbox.wasm.guests import FUNCTIONS, module

LOADING = "while loading"


@dataclass(frozen=True)
class Attack:
    """A hostile module.

    Attributes:
        data: the bytes of the submission.
        verdicts: what the host may report: ``rejected``, or the first verdict of a turn or of loading that is no
            ``move``, else ``move``.
        says: a regular expression for the host's text; empty for any.
        is_slow: it rests on clocks and not on privileges, so it is played in the first mode alone.
    """

    data: bytes
    verdicts: tuple[str, ...]
    says: str = ""
    is_slow: bool = False


_MORE = r"""
  (data (i32.const 144) "\"PWNED\"\n")
  (data (i32.const 192) "/etc/passwd")
  (func $pwned (call $say (i32.const 144) (i32.const 8)))
  (func $nothing)
"""


def guest(turn: str = "", *, first: str = "", parts: str = "", memory: str = "2") -> bytes:
    """Return a guest that answers every line with null, and imports every function of the host.

    Args are those of the sandbox's guests.
    """
    use = " ".join(name for name in FUNCTIONS if name not in ("read", "write"))
    return guests.guest(turn, first=first, parts=_MORE + parts, memory=memory, use=use)


def text(content: str, at: int = 512) -> str:
    """Return parts of a module with a text in its memory."""
    return f'(data (i32.const {at}) "{content}")'


SPIN = "(loop (br 0))"
RECURSION = "(func $deep (param i32) (call $deep (local.get 0)))"

TIMEOUTS = {
    "loop_empty": guest(SPIN),
    "loop_of_calls": guest("(loop (call $nothing) (br 0))"),
    "loop_by_branch_table": guest("(loop (br_table 0 0 0 0 (i32.const 2)))"),
    "loop_of_two": guest("(loop $a (loop $b (br_if $a (i32.load (i32.const 16))) (br $b)))"),
    "loop_by_indirect_calls": guest(
        "(loop (call_indirect (i32.const 0)) (br 0))", parts="(table 1 funcref) (elem (i32.const 0) $nothing)"
    ),
    "loop_of_float_divisions": guest(
        "(loop (f64.store (i32.const 64) (f64.div (f64.sqrt (f64.load (i32.const 64))) (f64.const 3))) (br 0))"
    ),
    "loop_of_vectors": guest(
        "(loop (v128.store (i32.const 64) (i8x16.popcnt (v128.load (i32.const 64)))) (br 0))"
    ),
    "loop_of_empty_writes": guest(
        "(loop (drop (call $write (i32.const 1) (i32.const 8) (i32.const 0) (i32.const 24))) (br 0))"
    ),
    "loop_of_failing_calls": guest(
        "(loop (drop (call $read (i32.const 99) (i32.const 0) (i32.const 1) (i32.const 24))) (br 0))"
    ),
    "loop_of_clocks": guest("(loop (drop (call $clock (i32.const 0) (i64.const 0) (i32.const 64))) (br 0))"),
    "loop_of_yields": guest("(loop (drop (call $yield)) (br 0))"),
    "loop_of_random_bytes": guest("(loop (drop (call $random (i32.const 65536) (i32.const 65536))) (br 0))"),
    "loop_of_arguments": guest("(loop (drop (call $args (i32.const 64) (i32.const 256))) (br 0))"),
    "loop_of_unknown_calls": guest("(loop (drop (call $renumber (i32.const 3) (i32.const 0))) (br 0))"),
    "sleep_for_years": guest(
        # A subscription to the clock, in nanoseconds from now.
        "(i64.store (i32.const 1048) (i64.const 0x7fffffffffffffff))"
        "(drop (call $poll (i32.const 1024) (i32.const 2048) (i32.const 1) (i32.const 64)))"
    ),
    "sleep_often": guest(
        "(i64.store (i32.const 1048) (i64.const 1000000))"
        "(loop (drop (call $poll (i32.const 1024) (i32.const 2048) (i32.const 1) (i32.const 64))) (br 0))"
    ),
    "loop_in_start_function": guest(parts=f"(func $begin {SPIN}) (start $begin)"),
    "loop_before_reading": guest(first=SPIN),
    "flood_of_errors": guest("(loop (call $put (i32.const 2) (i32.const 0) (i32.const 65536)) (br 0))"),
    "flood_of_drawings": guest(
        "(loop (call $say (i32.const 512) (i32.const 22)) (br 0))",
        parts=text('draw [\\"circle\\",1,1,1]\\0a'),
    ),
    "line_without_end": guest(
        "(loop (call $say (i32.const 512) (i32.const 3000)) (br 0))",
        parts="(func $x (memory.fill (i32.const 512) (i32.const 49) (i32.const 3500))) (start $x)",
    ),
}
"""Endless work: out of fuel, in a time that the fuel bounds."""

DEAR = {
    "loop_of_memory_growth": guest("(loop (drop (memory.grow (i32.const 0))) (br 0))"),
    "loop_of_function_references": guest(
        "(loop (drop (ref.func $nothing)) (br 0))", parts="(elem declare func $nothing)"
    ),
    "loop_of_fills": guest(
        "(drop (memory.grow (i32.const 2000)))"
        "(loop (memory.fill (i32.const 65536) (i32.const 1) (i32.const 0x7d00000)) (br 0))"
    ),
    "loop_of_copies": guest(
        "(drop (memory.grow (i32.const 2000)))"
        "(loop (memory.copy (i32.const 65536) (i32.const 65537) (i32.const 0x7d00000)) (br 0))"
    ),
    "loop_of_table_fills": guest(
        "(loop (table.fill 0 (i32.const 0) (ref.null func) (i32.const 20000)) (br 0))",
        parts="(table 20000 funcref)",
    ),
    "loop_of_table_growth": guest(
        "(loop (drop (table.grow 0 (ref.null func) (i32.const 1))) (br 0))", parts="(table 1 funcref)"
    ),
    "loop_of_data_segments": guest(
        "(loop (memory.init $d (i32.const 65536) (i32.const 0) (i32.const 60000)) (br 0))",
        parts=f'(data $d "{"x" * 60000}")',
    ),
}
"""Work that is cheap in fuel: it may also end by the backstop."""

TRAPS = {
    "trap_unreachable": guest("unreachable"),
    "trap_division": guest("(drop (i32.div_s (i32.const 1) (i32.load (i32.const 64))))"),
    "trap_overflow": guest("(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))"),
    "trap_conversion": guest("(drop (i32.trunc_f64_s (f64.const 1e300)))"),
    "trap_load_outside": guest("(drop (i32.load (i32.const 0x20000)))"),
    "trap_store_by_offset": guest("(i64.store offset=0xffffffff (i32.const 0x7fffffff) (i64.const 1))"),
    "trap_fill_outside": guest("(memory.fill (i32.const 0x1ffff) (i32.const 1) (i32.const 2))"),
    "trap_null_call": guest("(call_indirect (i32.const 0))", parts="(table 1 funcref)"),
    "trap_call_outside": guest("(call_indirect (i32.const 9))", parts="(table 1 funcref)"),
    "trap_call_of_another_type": guest(
        "(drop (call_indirect (result i32) (i32.const 0)))",
        parts="(table 1 funcref) (elem (i32.const 0) $nothing)",
    ),
    "trap_before_reading": guest(first="unreachable"),
    "trap_in_start_function": guest(parts="(func $begin unreachable) (start $begin)"),
    "trap_in_data_segment": guest(parts="(data (i32.const 0x1fff0) " + f'"{"x" * 64}")'),
    "trap_in_element_segment": guest(parts="(table 1 funcref) (elem (i32.const 4) $nothing)"),
    "recursion": guest("(call $deep (i32.const 1))", parts=RECURSION),
    "recursion_of_two": guest("(call $a)", parts="(func $a (call $b)) (func $b (call $a))"),
    "recursion_by_table": guest(
        "(call $a)",
        parts="(table 1 funcref) (elem (i32.const 0) $a) (func $a (call_indirect (i32.const 0)))",
    ),
    "recursion_with_large_frames": guest(
        "(call $wide)", parts=f"(func $wide (local {'i64 ' * 1000}) (call $wide))"
    ),
    "recursion_in_start_function": guest(
        parts=f"{RECURSION} (func $b (call $deep (i32.const 1))) (start $b)"
    ),
    "pointer_outside": guest(
        "(drop (call $write (i32.const 1) (i32.const -8) (i32.const 1) (i32.const 24)))"
    ),
    "pointer_that_wraps": guest("(call $say (i32.const -2) (i32.const 5))"),
    "pointer_to_read_outside": guest(
        "(i32.store (i32.const 0) (i32.const -8))"
        "(drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 20)))"
    ),
    "length_that_lies": guest("(call $say (i32.const 4096) (i32.const -1))"),
    "length_beyond_memory": guest("(call $say (i32.const 4096) (i32.const 0x20000))"),
    "result_pointer_outside": guest(
        "(drop (call $write (i32.const 1) (i32.const 8) (i32.const 0) (i32.const 0x20000)))"
    ),
    "random_bytes_outside": guest("(drop (call $random (i32.const 0x1fff0) (i32.const 0x100)))"),
    "clock_outside": guest("(drop (call $clock (i32.const 0) (i64.const 0) (i32.const 0x1fffc)))"),
    "buffers_at_the_end_of_memory": guest(
        "(drop (call $write (i32.const 1) (i32.const 0x1fffc) (i32.const 1) (i32.const 24)))"
    ),
}
"""Faults that the guest cannot survive, wherever they are."""

GARBAGE = {
    "half_a_letter": (guest("(call $say (i32.const 512) (i32.const 4))", parts=text('\\"\\c3\\"\\0a')), ""),
    "no_json": (guest("(call $say (i32.const 512) (i32.const 4))", parts=text("nul\\0a")), ""),
    "unfinished_line": (guest("(call $say (i32.const 128) (i32.const 4))"), "its last line has no end"),
    "closed_output": (guest("(drop (call $close (i32.const 1)))"), "closed its output"),
    "no_answer": (guest("(call $nothing)"), "read on without an answer"),
    "deep_json": (
        guest("(call $say (i32.const 512) (i32.const 2001))", parts=text("[" * 1000 + "]" * 1000 + "\\0a")),
        "",
    ),
    "huge_number": (
        guest("(call $say (i32.const 512) (i32.const 1001))", parts=text("9" * 1000 + "\\0a")),
        "",
    ),
    "infinite_number": (guest("(call $say (i32.const 512) (i32.const 6))", parts=text("1e999\\0a")), ""),
    "zero_bytes": (
        guest("(call $say (i32.const 512) (i32.const 5))", parts=text("\\00\\00\\00\\00\\0a")),
        "",
    ),
    "long_line": (
        guest("(call $say (i32.const 0x3000) (i32.const 0x1c000)) (call $say (i32.const 132) (i32.const 1))"),
        "too long",
    ),
}
"""Answers that are none, with a part of the host's text."""

MOVES = {
    "answer_then_trap": guest("(call $null) unreachable"),
    "answer_then_loop": guest(f"(call $null) {SPIN}"),
    "answer_then_exit": guest("(call $null) (call $exit (i32.const 1))"),
    "flood_of_answers": guest("(loop (call $null) (br 0))"),
    "memory_to_its_cap": guest(
        "(loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) (call $null)"
    ),
    "memory_filled": guest(
        "(drop (memory.grow (i32.const 2046)))"
        "(memory.fill (i32.const 0x7c00000) (i32.const 1) (i32.const 0x300000))"
        "(call $null)"
    ),
    "table_to_its_cap": guest(
        "(loop (br_if 0 (i32.ne (table.grow 0 (ref.null func) (i32.const 100)) (i32.const -1)))) (call $null)",
        parts="(table 1 funcref)",
    ),
    "buffers_that_overlap": guest(
        # Two buffers in the same place, over the list of buffers itself.
        "(i64.store (i32.const 1024) (i64.const 0x0000001000000400))"
        "(i64.store (i32.const 1032) (i64.const 0x0000001000000400))"
        "(drop (call $random (i32.const 1024) (i32.const 0)))"
        "(drop (call $write (i32.const 2) (i32.const 1024) (i32.const 2) (i32.const 1024)))"
        "(call $null)"
    ),
    "too_many_buffers": guest(
        "(drop (call $write (i32.const 2) (i32.const 0) (i32.const 0x1000) (i32.const 24))) (call $null)"
    ),
    "too_many_events": guest(
        "(drop (call $poll (i32.const 0) (i32.const 0) (i32.const 0x800) (i32.const 24))) (call $null)"
    ),
    "drawings_that_are_none": guest(
        "(call $say (i32.const 512) (i32.const 13)) (call $null)", parts=text("draw [[[1e9}\\0a")
    ),
    "descriptors_of_the_host": guest(
        # Whatever is open in this process: none of it is the guest's.
        "(i32.store (i32.const 1024) (i32.const 8192)) (i32.store (i32.const 1028) (i32.const 64))"
        "(i32.store (i32.const 64) (i32.const 3))"
        "(loop"
        "  (if (i32.eqz (call $read (i32.load (i32.const 64)) (i32.const 1024) (i32.const 1) (i32.const 24)))"
        "    (then (call $pwned) (return)))"
        "  (if (i32.eqz (call $write (i32.load (i32.const 64)) (i32.const 1024) (i32.const 1) (i32.const 24)))"
        "    (then (call $pwned) (return)))"
        "  (if (i32.eqz (call $stat (i32.load (i32.const 64)) (i32.const 2048))) (then (call $pwned) (return)))"
        "  (i32.store (i32.const 64) (i32.add (i32.load (i32.const 64)) (i32.const 1)))"
        "  (br_if 0 (i32.lt_u (i32.load (i32.const 64)) (i32.const 64))))"
        "(call $null)"
    ),
    "files_of_the_host": guest(
        "(i32.store (i32.const 64) (i32.const 0))"
        "(loop"
        "  (if (i32.eqz (call $prestat (i32.load (i32.const 64)) (i32.const 2048))) (then (call $pwned) (return)))"
        "  (if (i32.eqz (call $open (i32.load (i32.const 64)) (i32.const 0) (i32.const 192) (i32.const 11)"
        "      (i32.const 0) (i64.const -1) (i64.const -1) (i32.const 0) (i32.const 24)))"
        "    (then (call $pwned) (return)))"
        "  (if (i32.eqz (call $link (i32.const 192) (i32.const 11) (i32.load (i32.const 64)) (i32.const 192)"
        "      (i32.const 11))) (then (call $pwned) (return)))"
        "  (i32.store (i32.const 64) (i32.add (i32.load (i32.const 64)) (i32.const 1)))"
        "  (br_if 0 (i32.lt_u (i32.load (i32.const 64)) (i32.const 16))))"
        "(call $null)"
    ),
    "environment_of_the_host": guest(
        "(drop (call $environ (i32.const 1024) (i32.const 1028)))"
        "(if (i32.or (i32.load (i32.const 1024)) (i32.load (i32.const 1028))) (then (call $pwned) (return)))"
        "(call $null)"
    ),
    "sockets_and_signals": guest(
        "(if (i32.eqz (call $accept (i32.const 3) (i32.const 0) (i32.const 24))) (then (call $pwned) (return)))"
        "(if (i32.eqz (call $send (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 24)))"
        "  (then (call $pwned) (return)))"
        "(if (i32.eqz (call $raise (i32.const 9))) (then (call $pwned) (return)))"
        "(if (i32.eqz (call $renumber (i32.const 1) (i32.const 3))) (then (call $pwned) (return)))"
        "(call $null)"
    ),
}
"""What a guest may do, and what gives it nothing."""

ENDINGS = {
    "exit_without_answer": (guest("(call $exit (i32.const 3))"), ("exception",), "exit code 3"),
    "memory_too_large_at_first": (guest(memory="4000"), ("exception", "rejected"), ""),
    "table_too_large_at_first": (guest(parts="(table 1000000 funcref)"), ("exception", "rejected"), ""),
    "too_many_tables": (guest(parts="(table 1 funcref)" * 9), ("exception", "rejected"), ""),
}


def command(imports: str = "", parts: str = "", start: str = '(func (export "_start"))') -> str:
    """Return the fields of the least command."""
    return f'{imports} (memory (export "memory") 1) {parts} {start}'


WASI = "wasi_snapshot_preview1"
REFUSED = {
    "import_of_env": (
        command('(import "env" "system" (func (param i32) (result i32)))'),
        "imports env.system",
    ),
    "import_of_the_first_wasi": (command('(import "wasi_unstable" "fd_read" (func))'), "wasi_unstable"),
    "import_of_threads": (
        command('(import "wasi" "thread-spawn" (func (param i32) (result i32)))'),
        "thread-spawn",
    ),
    "import_of_no_such_function": (command(f'(import "{WASI}" "proc_exec" (func))'), "proc_exec"),
    "import_of_another_type": (command(f'(import "{WASI}" "fd_read" (func (param i64)))'), "another type"),
    "import_of_a_memory": (
        '(import "env" "memory" (memory 1)) (export "memory" (memory 0)) (func (export "_start"))',
        "imports a memory",
    ),
    "import_of_a_table": (command('(import "env" "t" (table 1 funcref))'), "imports a table"),
    "import_of_a_global": (command('(import "env" "g" (global i32))'), "imports a global"),
    "no_start": (command(start=""), "no function `_start`"),
    "start_with_parameters": (command(start='(func (export "_start") (param i32))'), "no parameters"),
    "start_is_a_memory": (
        '(memory (export "_start") 1) (export "memory" (memory 0))',
        "no function `_start`",
    ),
    "no_memory": ('(func (export "_start"))', "no memory"),
    "memory_is_a_function": ('(func (export "_start")) (export "memory" (func 0))', "no memory"),
    "two_memories": (command(parts="(memory 1)"), "several memories"),
    "shared_memory": ('(memory (export "memory") 1 1 shared) (func (export "_start"))', "threads"),
    "memory_of_64_bits": ('(memory (export "memory") i64 1) (func (export "_start"))', "memory64"),
    "tail_calls": (command(start='(func $s (export "_start") (return_call $s))'), "tail calls"),
    "exceptions": (command(parts="(tag $t)", start='(func (export "_start") (throw $t))'), "exceptions"),
    "garbage_collection": (command(parts="(type (struct (field i32)))"), "garbage collection"),
    "relaxed_vectors": (
        command(
            start='(func (export "_start") (drop (i8x16.relaxed_swizzle (v128.const i64x2 0 0) '
            "(v128.const i64x2 0 0))))"
        ),
        "relaxed SIMD",
    ),
}
"""Modules without a place here, with a part of the host's text."""

LEAST = module(command())
BYTES = {
    "empty_file": (b"", "does not begin like a module"),
    "text_in_place_of_a_module": (b'(module (memory (export "memory") 1) (func (export "_start")))', "text"),
    "text_with_a_comment": (b";; \0asm\n(module)", "text"),
    "another_executable": (b"\x7fELF" + bytes(100), "does not begin like a module"),
    "component": (b"\0asm\x0d\0\x01\0" + bytes(8), "component"),
    "another_version": (b"\0asm\2\0\0\0" + LEAST[8:], "unknown version"),
    "truncated": (LEAST[:-3], "damaged|not a valid module"),
    "header_alone": (LEAST[:8], "no function `_start`"),
    "section_of_a_lying_length": (LEAST[:8] + b"\1\xff\xff\xff\xff\x0f" + LEAST[10:], "damaged"),
    "endless_number": (LEAST[:8] + b"\1" + b"\x80" * 1000, "damaged"),
    "two_sections_of_a_kind": (LEAST + LEAST[8:], "two sections|damaged|not a valid module"),
    "count_that_lies": (
        LEAST[:8] + b"\1\6\xff\xff\xff\xff\x0f\x60" + LEAST[12:],
        "damaged|not a valid module",
    ),
    "too_large": (b"", "at most"),  # its data follow below
    "damaged_code": (LEAST[:-1] + b"\xff", "not a valid module|damaged"),
}


def leb(number: int) -> bytes:
    """Return an unsigned number in the format of modules."""
    out = bytearray()
    while True:
        out.append(number & 0x7F | (0x80 if number > 0x7F else 0))
        number >>= 7
        if not number:
            return bytes(out)


def module_of(body: bytes, functions: int = 1, data: bytes = b"") -> bytes:
    """Return a module whose functions all have the same body; ``_start`` is the first."""
    code = leb(len(body)) + body
    sections = [
        (1, b"\1\x60\0\0"),
        (3, leb(functions) + b"\0" * functions),
        (5, b"\1\0\1"),
        (7, b"\2\6memory\2\0\6_start\0\0"),
        (10, leb(functions) + code * functions),
        (11, b"\1\0\x41\0\x0b" + leb(len(data)) + data),
    ]
    return b"\0asm\1\0\0\0" + b"".join(
        bytes([number]) + leb(len(content)) + content for number, content in sections
    )


BOMBS = {
    "bomb_of_nested_blocks": module_of(b"\0" + b"\x02\x40" * 200_000 + b"\x0b" * 200_001),
    "bomb_of_calls": module_of(b"\0" + b"\x10\0" * 400_000 + b"\x0b"),
    "bomb_of_functions": module_of(b"\0\x10\0\x10\0\x0b", 100_000),
    "bomb_of_locals": module_of(b"\1" + leb(49_999) + b"\x7e\x0b", 400),
    "bomb_of_a_branch_table": module_of(
        b"\0\x02\x40\x41\0\x0e" + leb(600_000) + b"\0" * 600_001 + b"\x0b\x0b"
    ),
    "bomb_of_loops": module_of(b"\0" + b"\x03\x40\x0c\0\x0b" * 150_000 + b"\x0b"),
}
"""Modules that are dear to compile: refused, or compiled within the budget and then harmless or a fault."""


def attacks() -> Iterator[tuple[str, Attack]]:
    """Yield all attacks by name."""
    for name, data in TIMEOUTS.items():
        yield name, Attack(data, ("timeout",), r"no answer within|units of fuel", True)
    for name, data in DEAR.items():
        yield name, Attack(data, ("timeout",), "", True)
    for name, data in TRAPS.items():
        yield name, Attack(data, ("exception",), "trap|pointer|memory|segment|table")
    for name, (data, says) in GARBAGE.items():
        yield name, Attack(data, ("garbage",), says)
    for name, data in MOVES.items():
        yield name, Attack(data, ("move",), "", name in ("answer_then_loop", "flood_of_answers"))
    for name, (data, verdicts, says) in ENDINGS.items():
        yield name, Attack(data, verdicts, says)
    for name, (fields, says) in REFUSED.items():
        yield name, Attack(module(fields), ("rejected",), says)
    for name, (data, says) in BYTES.items():
        if name == "too_large":
            data = module_of(b"\0\x0b", data=bytes(5 << 20))
        yield name, Attack(data, ("rejected",), says)
    for name, data in BOMBS.items():
        yield name, Attack(data, ("rejected", "exception", "timeout"), "", True)
