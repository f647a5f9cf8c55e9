"""Locks of the tier ``wasm``: compile bombs, stored modules, rights of memory, threads, native code of a guest."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import msgspec
import pytest

from botleague_sandbox import Bot, Deadline, Program, Rejected, Sandbox
from botleague_sandbox.host.program_cache import CODE_BYTES, SECRET_NAME
from botleague_sandbox.host.zygote_pool import ProcessSpec, Zygote
from botleague_sandbox.locks.seccomp import ALLOW, TABLES, filter_program

from ..locks.test_lockdown import run_filter
from .guests import LOAD, TURN, StartGuest, answered, briefing, failed, guest, program

DONE_WITHOUT_DOING = 0x0005_0000
"""The filter's answer: no error, and nothing was done."""


def leb(number: int) -> bytes:
    out = bytearray()
    while True:
        out.append(number & 0x7F | (0x80 if number > 0x7F else 0))
        number >>= 7
        if not number:
            return bytes(out)


def module_of(body: bytes, functions: int = 1) -> bytes:
    """Return a module whose functions all have the same body; ``_start`` is the first."""
    code = leb(len(body) + 1) + b"\0" + body
    sections = {
        1: b"\1\x60\0\0",
        3: leb(functions) + b"\0" * functions,
        5: b"\1\0\1",
        7: b"\2\6memory\2\0\6_start\0\0",
        10: leb(functions) + code * functions,
    }
    return b"\0asm\1\0\0\0" + b"".join(
        bytes([number]) + leb(len(content)) + content for number, content in sections.items()
    )


@pytest.mark.parametrize(
    "bomb",
    [
        pytest.param(module_of(b"\x03\x40" * 300_000 + b"\x0b" * 300_001), id="nested loops"),
        pytest.param(module_of(b"\x10\0" * 400_000 + b"\x0b"), id="calls"),
    ],
)
def test_compile_bomb_is_refused_and_ends_alone(sandbox: Sandbox, bomb: bytes) -> None:
    with pytest.raises(Rejected) as refused:
        sandbox.run(program(bomb), briefing(), load=LOAD)
    (finding,) = refused.value.findings
    assert "compiling it takes more than 1024 MiB or 30 s" in finding.message
    with sandbox.run(program(guest()), briefing(), load=LOAD) as bot:
        assert answered(bot.ask(None, TURN)).value is None


def test_module_is_compiled_once_and_again_if_its_file_was_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[ProcessSpec] = []
    start = Zygote.start

    def counted(zygote: Zygote, spec: ProcessSpec) -> object:
        started.append(spec)
        return start(zygote, spec)

    monkeypatch.setattr(Zygote, "start", counted)

    def processes(data: bytes, **parts: object) -> int:
        started.clear()
        with Sandbox(stored=tmp_path / "kept") as sandbox:
            tested = program(data)
            # Neither the name nor the source next to a module changes what is compiled.
            tested = Program(**{**_parts(tested), **parts})  # type: ignore[arg-type]
            with sandbox.run(tested, briefing(), load=LOAD) as bot:
                assert answered(bot.ask(None, TURN)).value is None
        return len(started)

    assert [processes(guest()) for _ in range(2)] == [2, 1]
    files = {"bot.wasm": guest(), "bot.c": b"int main() {}"}
    assert processes(guest(), name="other", files=files) == 1
    assert processes(guest(parts="(func)")) == 2
    for path in (tmp_path / "kept").iterdir():
        if path.name != SECRET_NAME:
            stored = path.read_bytes()
            place = CODE_BYTES + (len(stored) - CODE_BYTES) // 2
            path.write_bytes(stored[:place] + bytes([stored[place] ^ 1]) + stored[place + 1 :])
    assert [processes(guest()) for _ in range(2)] == [2, 1]


def _parts(tested: Program) -> dict[str, object]:
    return {
        name: getattr(tested, name) for name in ("name", "files", "entry", "harness", "tier", "random_seed")
    }


@pytest.mark.parametrize("machine", sorted(TABLES))
def test_filter_differs_only_in_memory_to_be_read(machine: str) -> None:
    table = TABLES[machine]
    usual, tier = filter_program(machine)(4711), filter_program(machine, has_read_only=True)(4711)
    mprotect = table.checked["mprotect"]
    protections = (*range(8), 1 | 8, 3 | 8, 1 | 1 << 32, 3 | 1 << 32, 1 | 1 << 63)
    for protection in protections:
        expected = run_filter(usual, table.architecture, mprotect, (0, 4096, protection))
        if protection == 1:
            expected = DONE_WITHOUT_DOING
        assert run_filter(tier, table.architecture, mprotect, (0, 4096, protection)) == expected
    assert run_filter(tier, table.architecture, mprotect, (0, 4096, 3)) == ALLOW
    arguments = (4711, 0, 3, 0x22, 0, 0)
    for number in range(600):
        if number != mprotect:
            results = {run_filter(one, table.architecture, number, arguments) for one in (usual, tier)}
            assert len(results) == 1


def test_process_has_one_thread_and_only_the_signal_handler_of_all_bots(start: StartGuest) -> None:
    bot = start(guest())
    answered(bot.ask(None, TURN))
    status = bot.channel.process.status()
    assert status["Threads"] == "1"
    from botleague_sandbox.testing.sandbox_conformance import HARNESS

    usual = Program("usual", {"bot.py": b"def move(o): return 1"}, "bot.py", HARNESS)
    with Sandbox() as sandbox, sandbox.run(usual) as other:
        assert status["SigCgt"] == other.channel.process.status()["SigCgt"]
        assert int(status["VmData"].split()[0]) < 256 << 10


def test_no_page_is_writable_and_executable_once_sealed() -> None:
    # In a process of its own: one that was sealed can make no callbacks, and must end without libraries' last deeds.
    source = """
        import os
        from botleague_sandbox.guest.engine import executable_and_writable
        from botleague_sandbox.zygote.guest_preloading import preload_engine
        engine = preload_engine()
        before = len(executable_and_writable())
        engine.rehearse()
        print(before, len(executable_and_writable()), len(os.listdir("/proc/self/task")), flush=True)
        os._exit(0)
        """
    done = subprocess.run([sys.executable, "-c", dedent(source)], capture_output=True, text=True, check=True)
    before, after, threads = map(int, done.stdout.split())
    assert after == 0
    assert threads == 1
    assert before <= 1  # none where the kernel or libffi makes callbacks without such a page


ESCAPED = """
import ctypes, mmap, os, socket
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

class Escaped:
    '''Native code in place of the guest: it does what a question says, in the process of the bot.'''
    memory = "match"
    def __init__(self, seat, config, variant): self.done = None
    def start(self): return {}
    def declared(self, answer): return None
    def brief(self, brief): return None
    def turn(self, observation, is_fresh):
        names = dict(globals(), agent=self)
        exec(observation, names)
        self.done = names.get("result")
        return None
    def answer(self, answer): return self.done
"""


@pytest.fixture
def escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bot]:
    (tmp_path / "escaped_adapter.py").write_text(ESCAPED)
    monkeypatch.syspath_prepend(tmp_path)
    tested = Program("escaped", {"bot.wasm": guest()}, "bot.wasm", "escaped_adapter:Escaped", "wasm", 1)
    with Sandbox() as sandbox, sandbox.run(tested, briefing(), load=LOAD) as bot:
        yield bot


@pytest.mark.parametrize(
    "deed",
    [
        "open('/etc/passwd')",
        "open('/proc/self/maps')",
        "os.listdir('/')",
        "os.write(2, b'x')",
        "os.read(0, 1)",
        "os.dup(3)",
    ],
)
def test_native_code_meets_the_same_locks(escaped: Bot, deed: str) -> None:
    code = f"try:\n    {deed}\n    result = 'PWNED'\nexcept OSError as error:\n    result = error.errno"
    assert answered(escaped.ask(code, Deadline.fuel(500))).value in (1, 9, 13)


@pytest.mark.parametrize(
    "deed", ["socket.socket()", "os.fork()", "os.kill(1, 9)", "os.execv('/bin/sh', ['sh'])"]
)
def test_native_code_is_killed_for_calls_that_no_bot_needs(escaped: Bot, deed: str) -> None:
    failed(escaped.ask(f"{deed}; result = 'PWNED'", Deadline.fuel(500)), "crash", "SIGSYS")


def test_native_code_gets_no_executable_memory_and_no_uncounted_memory(escaped: Bot) -> None:
    code = """
def tried(protection, flags=0x22):
    return libc.mmap(None, 4096, protection, flags, -1, 0) != ctypes.c_void_p(-1).value
page = libc.mmap(None, 4096, 3, 0x22, -1, 0)
executable = [libc.mprotect(page, 4096, protection) == 0 for protection in (4, 5, 7, 0)]
readable = libc.mprotect(page, 4096, 1)
ctypes.memset(page, 1, 1)  # told that it is read-only: it stays as it was, and counted
held = 0
while libc.mmap(None, 16 << 20, 3, 0x22, -1, 0) != ctypes.c_void_p(-1).value:
    held += 16
result = [[tried(7), tried(5), tried(1), tried(0)], executable, readable, held]
"""
    value = answered(escaped.ask(code, Deadline.fuel(500))).value
    mapped, executable, readable, held = msgspec.convert(value, tuple[list[bool], list[bool], int, int])
    assert not any(mapped)
    assert not any(executable)
    assert readable == 0
    assert 0 < held < 256


def test_fuel_beyond_the_limit_is_no_claim_a_host_accepts(escaped: Bot) -> None:
    code = """
from botleague_sandbox.guest.guest_agent import GuestAgent
honest = GuestAgent._finish
GuestAgent._finish = lambda agent, kind, value, used=0: honest(agent, kind, value, 1 << 40)
"""
    failed(escaped.ask(code, Deadline.fuel(500)), "garbage", "claims fuel that it did not have")
