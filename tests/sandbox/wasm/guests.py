"""Short modules for the tests of WebAssembly programs, as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from wasmtime import wat2wasm

from botleague_sandbox import Answer, Bot, Deadline, Failure, Program, Reply
from botleague_sandbox.testing.plain_adapter import ADAPTER

LOAD = Deadline.fuel(200)
TURN = Deadline.fuel(50)
UNITS = 25_000_000
"""Fuel of a turn."""

FUNCTIONS = {
    "read": ("fd_read", "(param i32 i32 i32 i32) (result i32)"),
    "write": ("fd_write", "(param i32 i32 i32 i32) (result i32)"),
    "exit": ("proc_exit", "(param i32)"),
    "clock": ("clock_time_get", "(param i32 i64 i32) (result i32)"),
    "random": ("random_get", "(param i32 i32) (result i32)"),
    "poll": ("poll_oneoff", "(param i32 i32 i32 i32) (result i32)"),
    "yield": ("sched_yield", "(result i32)"),
    "close": ("fd_close", "(param i32) (result i32)"),
    "stat": ("fd_fdstat_get", "(param i32 i32) (result i32)"),
    "prestat": ("fd_prestat_get", "(param i32 i32) (result i32)"),
    "environ": ("environ_sizes_get", "(param i32 i32) (result i32)"),
    "args": ("args_get", "(param i32 i32) (result i32)"),
    "seek": ("fd_seek", "(param i32 i64 i32 i32) (result i32)"),
    "renumber": ("fd_renumber", "(param i32 i32) (result i32)"),
    "open": ("path_open", "(param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)"),
    "link": ("path_symlink", "(param i32 i32 i32 i32 i32) (result i32)"),
    "accept": ("sock_accept", "(param i32 i32 i32) (result i32)"),
    "send": ("sock_send", "(param i32 i32 i32 i32 i32) (result i32)"),
    "raise": ("proc_raise", "(param i32) (result i32)"),
}
"""Name and type of each function of the host, by the name that guests give it."""

_LINES = r"""
  (data (i32.const 0) "\00\10\00\00\00\00\01\00")
  (data (i32.const 128) "null\n")
  (func $line  ;; reads a line to 4096; its end is in 16
    (local $at i32)
    (local.set $at (i32.const 4096))
    (loop $more
      (i32.store (i32.const 0) (local.get $at))
      (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 20)))
      (local.set $at (i32.add (local.get $at) (i32.load (i32.const 20))))
      (br_if $more (i32.ne (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 10))))
    (i32.store (i32.const 16) (local.get $at)))
  (func $put (param $fd i32) (param $at i32) (param $length i32)
    (i32.store (i32.const 8) (local.get $at))
    (i32.store (i32.const 12) (local.get $length))
    (drop (call $write (local.get $fd) (i32.const 8) (i32.const 1) (i32.const 24))))
  (func $say (param $at i32) (param $length i32)
    (call $put (i32.const 1) (local.get $at) (local.get $length)))
  (func $null (call $say (i32.const 128) (i32.const 5)))
"""


def guest(
    turn: str = "",
    *,
    first: str = "",
    parts: str = "",
    memory: str = "2",
    use: str = "",
    declares: str = "null",
) -> bytes:
    """Return a module that answers every line with null, and does something else.

    Args:
        turn: instead, when it has read a line of a turn.
        first: before it reads anything.
        parts: more of the module.
        memory: its limits.
        declares: its answer to the lines before the first turn, JSON.
        use: host functions beyond ``read`` and ``write``, by the names of :data:`FUNCTIONS`.
    """
    imports = "".join(
        f'(import "wasi_snapshot_preview1" "{FUNCTIONS[name][0]}" (func ${name} {FUNCTIONS[name][1]}))'
        for name in ["read", "write", *use.split()]
    )
    # Of the lines only that of a turn has a t as its tenth letter and a u as its eleventh.
    is_turn = "(i32.eq (i32.load16_u (i32.const 4105)) (i32.const 0x7574))"
    other = f"(call $say (i32.const 160) (i32.const {len(declares) + 1}))"
    loop = f"(call $line) (if {is_turn} (then {turn or '(call $null)'}) (else {other})) (br 0)"
    declaration = "".join(f"\\{byte:02x}" for byte in declares.encode() + b"\n")
    return module(
        f'{imports} (memory (export "memory") {memory}) {_LINES} {parts} (data (i32.const 160) "{declaration}") '
        f'(func (export "_start") {first} (loop {loop}))'
    )


def module(text: str) -> bytes:
    """Return a module from its text."""
    return bytes(wat2wasm(f"(module {text})"))


def program(data: bytes, *, seed: int | None = 7, **parts: Any) -> Program:
    return Program("tested", {"bot.wasm": data}, "bot.wasm", ADAPTER, "wasm", seed, **parts)


def briefing(memory: Literal["match", "turn"] = "match") -> Mapping[str, object]:
    return {"seat": 0, "config": {"memory": memory}, "variant": "tests"}


StartGuest = Callable[..., Bot]


def failed(reply: Reply, kind: str, detail: str) -> Failure:
    """Return a failure after comparing its kind, and part of its text."""
    assert isinstance(reply, Failure), reply
    assert reply.kind == kind, reply
    assert detail in reply.detail, reply
    return reply


def answered(reply: Reply) -> Answer:
    assert isinstance(reply, Answer), reply
    return reply
