"""The locks around a bot's process: each alone, what the kernel says of them, and refusing to start without."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from botleague_sandbox import (
    Answer,
    Bot,
    Deadline,
    Failure,
    Limits,
    Program,
    Sandbox,
    SandboxUnavailable,
)
from botleague_sandbox.locks.landlock import ruleset_attributes
from botleague_sandbox.locks.seccomp import ALLOW, KILL_PROCESS, TABLES, filter_program
from botleague_sandbox.testing.sandbox_conformance import HARNESS
from botleague_sandbox.wire.protection_layers import Recipe

from ...conftest import PATIENCE_S

MakeProgram = Callable[..., Program]
Start = Callable[..., Bot]
DEADLINE = Deadline(cpu_ms=3000, wall_ms=10_000)
EPERM, EBADF, EACCES = 0x0005_0001, 0x0005_0009, 0x0005_000D


# --- the filter, run by a small machine of our own -----------------------------------------------------------


def run_filter(program: bytes, architecture: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """Return what a BPF program answers to a system call; linux/filter.h and linux/seccomp.h say how."""
    data = struct.pack("<IIQ6Q", number, architecture, 0, *(*arguments, *(0,) * (6 - len(arguments))))
    instructions = list(struct.iter_unpack("<HBBI", program))
    accumulator = at = 0
    while True:
        code, if_true, if_false, value = instructions[at]
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif code == 0x54:
            accumulator &= value
        elif code == 0x06:
            return int(value)
        else:
            holds = {
                0x15: accumulator == value,
                0x25: accumulator > value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[code]
            at += if_true if holds else if_false


@pytest.mark.parametrize("machine", sorted(TABLES))
def test_the_filter_allows_what_its_table_says_and_nothing_else(machine: str) -> None:
    table = TABLES[machine]
    program = filter_program(machine)(4711)

    def ask(number: int, *arguments: int) -> int:
        return run_filter(program, table.architecture, number, arguments)

    checked = table.checked
    read, write, mmap, mprotect, tgkill, futex, madvise = (
        checked[name] for name in ["read", "write", "mmap", "mprotect", "tgkill", "futex", "madvise"]
    )
    assert {ask(number) for number in table.free.values()} == {ALLOW}
    assert {ask(number) for number in table.fatal.values()} == {KILL_PROCESS}
    assert [ask(read, fd) for fd in (0, 3, 4)] == [EBADF, ALLOW, EBADF]
    assert [ask(write, fd) for fd in (1, 3, 4)] == [EBADF, EBADF, ALLOW]
    # readable and writable and nothing else, in all 64 bits: one more, PROT_GROWSDOWN, of the upper half
    protections = (*range(8), 3 | 8, 3 | 1 << 24, 3 | 1 << 32, 3 | 1 << 63)
    for call in (mmap, mprotect):
        verdicts = {protection: ask(call, 0, 4096, protection, 0x22) for protection in protections}
        assert verdicts == dict.fromkeys(protections, EACCES) | {3: ALLOW}
    assert {ask(mmap, place, 4096, 3, 0x22) for place in (4096, 1 << 32, 1 << 40, 1 << 63)} == {EACCES}
    assert ask(mprotect, 1 << 40, 4096, 3) == ALLOW
    # private; shared, shared and validated, droppable, growing like a stack, of huge pages
    flags = (0x22, 0x21, 0x23, 0x28, 0x122, 0x4_0022)
    assert [ask(mmap, 0, 4096, 3, flag) for flag in flags] == [ALLOW] + [EACCES] * 5
    private = {number | flag for number in (0, 1, 9, 10) for flag in (0x80, 0x180)}
    assert {operation for operation in range(1 << 12) if ask(futex, 0, operation) == ALLOW} == private
    assert {ask(futex, 0, operation) for operation in (0, 0x100, 0x86, 0x1000_0080)} == {EPERM}
    assert [advice for advice in range(128) if ask(madvise, 0, 4096, advice) == ALLOW] == [4, 8, 14, 15]
    for call in (checked["clock_gettime"], checked["clock_nanosleep"]):
        assert [clock for clock in range(64) if ask(call, clock) == ALLOW] == list(range(12))
        # the clocks of process 1 and of this one, as the kernel gets them: sign-extended or not
        others = {
            (~pid << 3 | kind) & mask
            for pid in (1, 4711)
            for kind in range(8)
            for mask in (2**32 - 1, 2**64 - 1)
        }
        assert {ask(call, clock) for clock in others} == {EPERM}
    assert [ask(tgkill, pid) for pid in (4711, 1, 4712)] == [ALLOW, KILL_PROCESS, KILL_PROCESS]
    numbers = {*table.free.values(), *table.checked.values(), *table.fatal.values()}
    assert {ask(number) for number in range(600) if number not in numbers} == {EPERM}
    assert len(table.free) + len(table.checked) == 22


def test_other_conventions_of_calling_the_kernel_kill() -> None:
    x86, arm = TABLES["x86_64"], TABLES["aarch64"]
    program = filter_program("x86_64")(1)
    assert run_filter(program, arm.architecture, x86.free["getpid"]) == KILL_PROCESS
    assert run_filter(program, 0x4000_0003, x86.free["getpid"]) == KILL_PROCESS  # 32-bit x86
    assert run_filter(program, x86.architecture, 0x4000_0000 | x86.free["getpid"]) == KILL_PROCESS  # x32


@pytest.mark.parametrize(
    ("machine", "header", "pattern"),
    [
        ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", r"#define __NR_(\w+) (\d+)"),
        ("aarch64", "/usr/include/asm-generic/unistd.h", r"#define __NR(?:3264)?_(\w+) (\d+)"),
    ],
)
def test_the_numbers_are_those_of_the_kernel_headers(machine: str, header: str, pattern: str) -> None:
    table = TABLES[machine]
    ours = {**table.free, **table.checked, **table.fatal}
    # Without headers on this machine there is the table that we verified against them: no name may be missing.
    theirs = dict(re.findall(pattern, Path(header).read_text())) if Path(header).exists() else {}
    assert {name: int(theirs.get(name, number)) for name, number in ours.items()} == ours
    assert set(TABLES["x86_64"].fatal) - set(ours) <= {"fork", "vfork"}


@pytest.mark.parametrize(
    ("abi", "length", "rights"), [(1, 8, 13), (2, 8, 14), (3, 8, 15), (4, 16, 15), (5, 16, 16)]
)
def test_landlock_handles_every_right_of_an_older_kernel(abi: int, length: int, rights: int) -> None:
    attributes = ruleset_attributes(abi)
    assert len(attributes) == length
    assert struct.unpack_from("<Q", attributes)[0] == (1 << rights) - 1


def test_landlock_handles_network_signals_and_sockets_on_a_newer_kernel() -> None:
    assert ruleset_attributes(6) == ruleset_attributes(99) == struct.pack("<QQQ", 0xFFFF, 3, 3)


# --- what the kernel says ------------------------------------------------------------------------------------


def test_the_kernel_confirms_the_layers_of_a_bot(start: Start) -> None:
    bot = start("def move(o): return 1")
    status = bot.channel.process.status()
    assert {"language", "process", "limits", "rights", "seccomp", "landlock", "protocol"} <= set(bot.layers)
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"
    assert {status[name] for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")} == {"0" * 16}
    if os.getuid() == 0 or "namespaces" in bot.layers:
        assert status["CapBnd"] == "0" * 16
    assert ("uid" in bot.layers) == (os.getuid() == 0)
    assert (str(os.getuid()) in status["Uid"].split()) == (os.getuid() != 0)
    limits = Path(f"/proc/{bot.channel.process.pid}/limits").read_text()
    assert re.search(r"Max address space +1073741824 +1073741824", limits)
    assert re.search(r"Max data size +268435456 +268435456", limits)
    assert re.search(r"Max stack size +0 +0", limits)  # it has grown to its 8 MiB already
    assert re.search(r"Max pending signals +0 +0", limits)
    assert re.search(r"Max processes +0 +0", limits)
    assert re.search(r"Max core file size +0 +0", limits)
    assert re.search(r"Max open files +16 +16", limits)


def test_bots_of_one_match_have_different_user_ids_when_the_host_is_root(start: Start) -> None:
    bots = [start("def move(o): return 1") for _ in range(2)]
    uids = [bot.channel.process.status()["Uid"] for bot in bots]
    assert (uids[0] != uids[1]) == (os.getuid() == 0)


def test_every_zygotes_bots_are_processes_of_a_namespace_of_their_own(
    sandbox: Sandbox, program: MakeProgram
) -> None:
    source = "import {}\ndef move(o): return 1"
    libraries = {"strict": "math", "scientific": "numpy"}
    started = [sandbox.run(program(source.format(name), tier=tier)) for tier, name in libraries.items()]
    for bot in started:
        status = bot.channel.process.status()
        outer, inner = map(int, status["NSpid"].split())
        assert outer == bot.channel.process.pid == int(status["Pid"])
        assert inner == bot.channel.process._inner_pid > 1
        zygote = Path(f"/proc/{status['PPid']}/status").read_text()
        assert re.search(r"^NSpid:\t\d+\t1$", zygote, re.MULTILINE)
    uids = [bot.channel.process.status()["Uid"] for bot in started]
    assert (uids[0] != uids[1]) == (os.getuid() == 0)  # inner ids repeat in every zygote
    for bot in started:
        bot.close()


def test_nothing_of_the_host_is_in_a_bots_process(unrestricted: Sandbox, program: MakeProgram) -> None:
    os.environ["ARENA_CANARY"] = "ARENA-SECRET-1"
    source = """
        import os, sys, gc
        import multiprocess
        def move(canary):  # not written here: the names in a source are among the interpreter's own strings
            fds = []
            for fd in range(64):
                try: os.close(fd) if fd > 4 else None
                except OSError: continue
                if fd > 4: fds.append(fd)
            gc.unfreeze()
            strings = [one for one in gc.get_objects() if isinstance(one, dict) and canary in one]
            return [dict(os.environ), fds, len(strings), multiprocess.current_process().authkey.hex(), sys.argv[1:]]
        """
    with unrestricted.run(program(source)) as bot:
        reply = bot.ask("ARENA_CANARY", DEADLINE)
    assert isinstance(reply, Answer)
    assert reply.value == [{}, [], 0, "", []]


LOOK_FOR_PATHS = """
    import ctypes, gc, sys
    def move(needles):
        gc.unfreeze()
        found, seen, mine = [], set(), id(needles)
        waiting = [*gc.get_objects(), *vars(sys).values()]
        while waiting:
            one = waiting.pop()
            if id(one) in seen or id(one) == mine: continue
            seen.add(id(one))
            if isinstance(one, (str, bytes)):
                text = one if isinstance(one, str) else one.decode("latin-1")
                if any(needle in text for needle in needles) and text not in needles: found.append(text[:200])
            else: waiting += gc.get_referents(one)
        assert len(seen) > 10_000
        arguments = ctypes.c_char_p.in_dll(ctypes.CDLL(None), "program_invocation_name").value
        return found + ([] if arguments == b"botleague zygote" else [arguments])
"""


@pytest.mark.parametrize("tier", ["strict", "scientific"])
def test_a_bots_memory_does_not_tell_the_hosts_directories(
    tier: str, unrestricted: Sandbox, program: MakeProgram
) -> None:
    needles = [os.path.abspath(entry) for entry in sys.path if os.path.isdir(entry)]
    needles += [sys.executable, os.getcwd(), str(Path(sys.prefix) / "bin")]
    with unrestricted.run(program(LOOK_FOR_PATHS, tier=tier)) as bot:
        reply = bot.ask(needles, DEADLINE)
    assert isinstance(reply, Answer), reply
    assert reply.value == []


def test_a_bots_python_compiles_nothing_to_machine_code(unrestricted: Sandbox, program: MakeProgram) -> None:
    # Some builds from Python 3.13 on would, and fail in the middle of a bot for want of executable memory.
    source = "import sys\ndef move(o): return hasattr(sys, '_jit') and sys._jit.is_enabled()"
    with unrestricted.run(program(source)) as bot:
        reply = bot.ask(0, DEADLINE)
    assert isinstance(reply, Answer)
    assert reply.value is False


def test_the_limits_of_one_bot_can_be_its_own(sandbox: Sandbox, program: MakeProgram) -> None:
    hungry = program("def move(o): return len([0] * (o << 17))")  # o MiB
    for mib, memory in ((64, 256), (64, 32)):
        with sandbox.run(hungry, limits=Limits(memory_bytes=memory << 20)) as bot:
            reply = bot.ask(mib, DEADLINE)
        assert isinstance(reply, Answer) == (memory > mib)


def test_the_cpu_time_of_a_match_ends_with_the_kernels_own_limit(
    sandbox: Sandbox, program: MakeProgram
) -> None:
    spinning = program("def move(o):\n    while True: pass")
    with sandbox.run(spinning, limits=Limits(match_cpu_s=1)) as bot:
        reply = bot.ask(0, Deadline.wall(20_000))
    assert isinstance(reply, Failure)
    assert reply.kind == "crash"
    assert "used all CPU time" in reply.detail


# --- each layer alone ----------------------------------------------------------------------------------------

PROBES = {
    "read": "open('/etc/passwd').read()",
    "list": "os.listdir('/')",
    "write": "open('/dev/shm/botleague-probe', 'w').close()",
    "connect": "socket.socket(socket.AF_INET).connect(('127.0.0.1', 9))",
    "abstract socket": "socket.socket(socket.AF_UNIX).bind('\\0botleague-probe')",
    "fork": "os.fork() or os._exit(0)",
    "signal": "os.kill(os.getppid(), 0)",
    "executable memory": "map_executable()",
    "memory that no limit counts": "map_uncounted()",
    "see processes by their clocks": "crowd(lambda pid: time.clock_gettime(~pid << 3 | 2))",
    "see processes by signals": "crowd(lambda pid: os.kill(pid, 0))",
    "raise limits": "resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))",
    "become root": "os.setuid(0)",
}

# what holds when seccomp, Landlock, namespaces or the limits are all that is left beside "rights"
HOLDS = {
    "seccomp": set(PROBES),
    "landlock": {"read", "list", "write", "raise limits", "become root"},
    "namespaces": {
        "read",
        "write",
        "see processes by their clocks",
        "see processes by signals",
        "raise limits",
        "become root",
    },
    "limits": {"raise limits", "become root"},
}


@pytest.mark.parametrize("layer", HOLDS)
def test_a_layer_that_is_left_alone_holds_what_it_must(layer: str, program: MakeProgram) -> None:
    others = {"seccomp", "landlock", "namespaces"} - {layer}
    source = f"""
        import os, socket, ctypes, resource, time
        def crowd(look):
            # The bot of the probe before may still be on its way out: only what stays is seen.
            for _ in range(10):
                if count(look) <= 2: raise OSError("this process and its zygote")
                time.sleep(0.1)
        def count(look):
            seen = 0
            for pid in range(1, {os.getpid() + 1000}):
                try: look(pid)
                except ProcessLookupError: continue
                except OSError as error:
                    # EINVAL: no process, no clock. The filter's EPERM says nothing of a process, the kernel's does.
                    if error.errno == 22 or {layer == "seccomp"}: continue
                seen += 1
            return seen
        def map_executable():
            libc = ctypes.CDLL(None)
            libc.mmap.restype = ctypes.c_long
            if libc.mmap(None, ctypes.c_size_t(4096), 5, 0x22, -1, ctypes.c_long(0)) == -1: raise OSError
        def map_uncounted():
            libc = ctypes.CDLL(None)
            libc.mmap.restype = ctypes.c_long
            if all(
                libc.mmap(None, ctypes.c_size_t(400 << 20), protection, flags, -1, ctypes.c_long(0)) == -1
                for protection, flags in ((3, 0x21), (3, 0x122), (1, 0x22), (0, 0x22))
            ): raise OSError
        PROBES = {PROBES!r}
        def move(probe):
            try: exec(PROBES[probe])
            except ConnectionRefusedError: return "reached"
            except (OSError, ValueError): return "held"
            return "reached"
        """
    with Sandbox() as sandbox:
        sandbox._recipe = Recipe(without=frozenset(others), language="unrestricted")
        if layer == "namespaces" and "namespaces" not in _layers(sandbox, program):
            pytest.fail(
                "this machine has no namespaces to test; run the tests where `botleague doctor` finds them"
            )
        held = set()
        for probe in HOLDS[layer]:
            with sandbox.run(program(source)) as bot:
                reply = bot.ask(probe, DEADLINE, str)
                died = isinstance(reply, Failure) and "SIGSYS" in reply.detail
                if died or (isinstance(reply, Answer) and reply.value == "held"):
                    held.add(probe)
        assert held == HOLDS[layer]


def _layers(sandbox: Sandbox, program: MakeProgram) -> tuple[str, ...]:
    with sandbox.run(program("def move(o): return 1")) as bot:
        return bot.layers


# --- fail closed ---------------------------------------------------------------------------------------------

DENY_AND_RUN = """
import ctypes, struct, sys
sys.path[:0] = {path!r}
from botleague_sandbox.locks import syscalls
syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
denied = {denied!r}
program = [(0x20, 0, 0, 0)]
for number in denied:
    program += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050001)]
program.append((0x06, 0, 0, 0x7fff0000))
syscalls.set_seccomp_filter(b"".join(struct.pack("<HBBI", *one) for one in program))
from botleague_sandbox import *
from botleague_sandbox.testing.sandbox_conformance import HARNESS
try:
    with Sandbox(profile={profile!r}) as sandbox:
        bot = sandbox.run(Program("x", {{"bot.py": b"def move(o): return o"}}, "bot.py", HARNESS))
        print("layers", *bot.layers)
        print(bot.ask(5, Deadline.cpu(1000), int).value)
except SandboxError as error:
    print(type(error).__name__, error)
"""


def with_denied_calls(denied: list[int], profile: str) -> str:
    """Return what a host prints on a machine whose kernel refuses some system calls."""
    source = DENY_AND_RUN.format(denied=denied, profile=profile, path=sys.path)
    host = [sys.executable, "-c", dedent(source)]
    return subprocess.run(host, capture_output=True, text=True, timeout=PATIENCE_S, check=True).stdout


LANDLOCK = [444, 445, 446]
MOUNTING = {"x86_64": [272, 165, 155], "aarch64": [97, 40, 41]}[os.uname().machine]


def test_without_landlock_a_strong_sandbox_refuses_to_start_and_says_what_to_do() -> None:
    printed = with_denied_calls(LANDLOCK, "strong")
    assert printed.startswith("SandboxUnavailable")
    for word in ("landlock", "doctor", "weak"):
        assert word in printed


def test_without_landlock_a_weak_sandbox_runs_and_says_so() -> None:
    layers, answer = with_denied_calls(LANDLOCK, "weak").splitlines()
    assert "landlock" not in layers.split()
    assert "seccomp" in layers.split()
    assert answer == "5"


# all of them, or only one: some systems let a process enter a namespace and refuse what comes next
@pytest.mark.parametrize("denied", [MOUNTING, *([number] for number in MOUNTING)], ids=str)
def test_other_layers_hold_without_namespaces(denied: list[int]) -> None:
    layers, answer = with_denied_calls(denied, "strong").splitlines()
    assert "namespaces" not in layers.split()
    assert {"seccomp", "landlock", "rights", "limits"} <= set(layers.split())
    assert ("uid" in layers.split()) == (os.getuid() == 0)
    assert answer == "5"


def test_without_seccomp_a_strong_sandbox_refuses_to_start(program: MakeProgram) -> None:
    # A kernel without seccomp cannot be had by a filter, since filters are seccomp: here the process skips the layer.
    with Sandbox() as sandbox:
        sandbox._recipe = Recipe(without=frozenset({"seccomp"}))
        sandbox.preload("strict", HARNESS)
        (zygote,) = sandbox._zygotes.values()
        sandbox._recipe = Recipe()
        sandbox._zygotes[Recipe(), "strict", HARNESS] = zygote
        with pytest.raises(SandboxUnavailable, match="seccomp"):
            sandbox.run(program("def move(o): return 1"))


def test_a_trusted_bot_runs_without_any_lock_and_that_is_recorded(program: MakeProgram) -> None:
    with Sandbox(profile="none") as sandbox, sandbox.run(program("def move(o): return 1")) as bot:
        assert bot.layers == ("language", "process", "protocol")


def test_an_unknown_machine_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botleague_sandbox.locks.syscalls.MACHINE", "riscv64")
    with pytest.raises(SandboxUnavailable, match="riscv64"):
        Sandbox()
