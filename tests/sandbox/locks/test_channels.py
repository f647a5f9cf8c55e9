"""Two bots of one match that have left the language layer: nothing passes between them but through moves and timing.

One bot sends a bit in every way that can be thought of while it knows the other's process ids; what the other can find
out afterwards must be the same for both bits. Some channels need both at work at the same time. The bots are tried
under all layers, and under the system call filter alone, with one user id and in one PID namespace.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from botleague_sandbox import Answer, Bot, Deadline, Failure, Program, Sandbox, ask_together
from botleague_sandbox.testing.sandbox_conformance import HARNESS
from botleague_sandbox.wire.protection_layers import Recipe

pytestmark = pytest.mark.skipif(
    os.uname().machine != "x86_64", reason="the calls are made by the numbers of x86-64"
)
DEADLINE = Deadline(cpu_ms=5000, wall_ms=20_000)

PRELUDE = """
import ctypes, os, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = libc.mmap.restype = ctypes.c_long
def call(number, *arguments):
    ctypes.set_errno(0)
    words = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    got = libc.syscall(ctypes.c_long(number), *words)
    return [got, ctypes.get_errno()]
page = ctypes.cast(libc.strlen, ctypes.c_void_p).value & ~4095
data = ctypes.c_void_p.in_dll(libc, "stdout").value  # a writable page of libc, the same address in both
own = ctypes.create_string_buffer(1 << 14)
aligned = (ctypes.addressof(own) + 4095) & ~4095
TIMEOUT = (ctypes.c_long * 2)(0, 200_000_000)
def tried(action):
    try: return repr(action())
    except OSError as error: return f"error {error.errno}"
    except Exception as error: return type(error).__name__
"""

# name -> what the sender does with ``bit`` (0 or 1) and ``other`` (the receiver's ids), and what the receiver finds
ONE_AFTER_THE_OTHER: dict[str, tuple[str, str]] = {
    "a page of libc": (
        "if bit: libc.mprotect(ctypes.c_void_p(page), 4096, 3); tried(lambda: ctypes.memset(data, bit, 1))",
        "return ctypes.string_at(data, 1)[0] == bit_of_nobody, ctypes.string_at(page, 64).hex()",
    ),
    "dropping pages that both have cached": (
        "for advice in set(range(110)) - {4, 8}: call(28, page, 4096, advice) if bit else None",
        "return call(27, page, 4096, ctypes.byref(own)), [call(28, page, 4096, one) for one in (3, 20, 21, 22, 23)]",
    ),
    "merged pages": (
        "ctypes.memset(aligned, 7 + bit, 4096); call(28, aligned, 4096, 12)",
        "ctypes.memset(aligned, 8, 4096); return call(28, aligned, 4096, 12), call(157, 67, 1)",
    ),
    "clocks of other processes": (
        "end = time.monotonic() + 0.02 * bit\n    while time.monotonic() < end: pass",
        "return [tried(lambda: time.clock_gettime((~pid << 3) | kind)) for pid in around for kind in (0, 1, 2, 4, 6)]",
    ),
    "sleeping on another's clock": (
        "pass",
        "return [call(230, (~pid << 3) | 2, 1, ctypes.byref((ctypes.c_long * 2)(0, 1)), None) for pid in around]",
    ),
    "pending signals, counted for each user": (
        "libc.sigprocmask(0, ctypes.byref((ctypes.c_ulong * 16)(*[2**64 - 1] * 16)), None)\n"
        "    while bit and call(234, os.getpid(), os.getpid(), 50)[0] == 0: pass",
        "libc.sigprocmask(0, ctypes.byref((ctypes.c_ulong * 16)(*[2**64 - 1] * 16)), None)\n"
        "    return call(234, os.getpid(), os.getpid(), 51)",
    ),
    "signals to a thread id of the other": (
        "for pid in other: call(234, os.getpid(), pid, 10)",
        "return call(127, ctypes.byref(own), 8)",
    ),
    "priorities and schedules": (
        "for pid in (0, *other):\n"
        "        call(141, 0, pid, 5 * bit); call(144, pid, 3 * bit, ctypes.byref(own)); call(251, 1, pid, bit << 14)",
        "numbers = (140, 145, 143, 252, 121, 124, 204, 148)\n"
        "    return [call(number, 0, pid, 0) for number in numbers for pid in (0, *around)]",
    ),
    "limits": (
        "for pid in (0, *other): call(302, pid, 7, ctypes.byref((ctypes.c_ulong * 2)(8 + bit, 8 + bit)), None)",
        "return [call(302, 0, limit, None, ctypes.byref(own)) for limit in range(16)], call(97, 7, ctypes.byref(own))",
    ),
    "memory": (
        "hoard.append(bytearray((200 << 20) * bit))",
        "hoard.append(bytearray(200 << 20)); return call(99, ctypes.byref(own)), call(98, 0, ctypes.byref(own))",
    ),
    "descriptors": (
        "for fd in range(64): tried(lambda: os.write(fd, b'x') if bit and fd != 4 else None)",
        "return [tried(lambda: os.read(fd, 1)) for fd in range(64) if fd != 3]",
    ),
    "what three descriptors share": (
        "for fd in (0, 1, 2): call(8, fd, 5 * bit, 0); call(72, fd, 4, 0o2000 * bit); call(73, fd, 2 * bit)",
        "return [call(8, fd, 0, 1) + call(72, fd, 3, 0) + call(73, fd, 6) for fd in (0, 1, 2)]",
    ),
    "shared memory and queues": (
        "call(29, 4711, 4096, 0o1666) if bit else None; call(68, 4711, 0o1666); call(64, 4711, 1, 0o1666)\n"
        "    libc.mmap(None, ctypes.c_size_t(4096), 3, 0x21, -1, ctypes.c_long(0))",
        "return call(29, 4711, 4096, 0), call(68, 4711, 0), call(64, 4711, 1, 0), call(240, b'x', 0, 0, None)",
    ),
    "files and locks": (
        "[tried(lambda: open(name, 'w')) for name in ('/tmp/x', '/dev/shm/x', 'x', '/proc/self/comm') if bit]",
        "return [tried(lambda: os.listdir(name)) for name in ('/', '/tmp', '/proc', '/dev/shm', '/proc/self/fd')]",
    ),
    "ids and sessions": (
        "call(109, 0, 0) if bit else None; call(112); call(157, 15, b'told'[: 3 + bit])",
        "ids = [call(number, pid) for number in (121, 124) for pid in (0, *around)]\n"
        "    return ids, call(157, 16, ctypes.byref(own)), call(110)",
    ),
    "the zygote's processes": (
        "tried(os.fork) if bit else None",
        "return os.getpid() == started_as, tried(os.getppid) == tried(os.getppid), call(61, -1, None, 1, None)",
    ),
    "a death": (
        "os._exit(0) if bit else None",
        "return os.getpid() == started_as, call(61, -1, None, 1, None)",
    ),
    "kernel logs, keys and namespaces": (
        "call(103, 8, None, bit)",
        "return call(103, 10, None, 0), call(63, ctypes.byref(own)), call(272, 0), call(153)",
    ),
}

AT_THE_SAME_TIME: dict[str, tuple[str, str]] = {
    "a shared futex on a page of libc": (
        "for _ in range(20_000 * bit): call(202, page + 64, 1, 10, None, None, 0)",
        "return call(202, page + 64, 0, ctypes.c_int.from_address(page + 64).value, ctypes.byref(TIMEOUT), None, 0)",
    ),
    "a private futex at the same address": (
        "for _ in range(20_000 * bit): call(202, page + 64, 129, 10, None, None, 0)",
        "return call(202, page + 64, 128, ctypes.c_int.from_address(page + 64).value, ctypes.byref(TIMEOUT), None, 0)",
    ),
    "a futex in memory that both got from the zygote": (
        "for turn in range(20_000 * bit): call(202, data & ~7, 1 | 128 * (turn & 1), 10, None, None, 0)",
        "return call(202, data & ~7, 128, ctypes.c_int.from_address(data & ~7).value, ctypes.byref(TIMEOUT), None, 0)",
    ),
    "an interrupt that is the other's": (
        "[call(234, pid, pid, 10) for pid in other if bit]",
        "time.sleep(0.1)\n    return 'nothing interrupted it'",
    ),
    "reaping": ("[call(62, pid, 9) for pid in other if bit]", "time.sleep(0.1)\n    return 'alive'"),
}

CHANNELS = ONE_AFTER_THE_OTHER | AT_THE_SAME_TIME


def program(channel: str, sends: str, finds: str) -> Program:
    source = f"""{PRELUDE}
hoard, bit_of_nobody, started_as = [], 255, os.getpid()
def send(bit, other):
    {sends}
def find(around):
    {finds}
def move(order):
    if "bit" in order: return [str(send(order["bit"], order["other"]))]
    return [repr(find(order["around"]))]
"""
    return Program(channel, {"bot.py": source.encode()}, "bot.py", HARNESS)


@pytest.fixture(scope="module", params=["all layers", "seccomp alone"])
def lawless(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    without = ["namespaces", "landlock", "uid"] if request.param == "seccomp alone" else []
    with Sandbox() as sandbox:
        sandbox._recipe = Recipe(without=frozenset(without), language="unrestricted")
        yield sandbox


def pair(sandbox: Sandbox, one: Program) -> tuple[Bot, Bot, dict[str, object], dict[str, object]]:
    """Start two bots; return them, and what each is told of the other's and its own process."""
    sender, receiver = (sandbox.run(one) for _ in range(2))
    other = [receiver.channel.process.pid, receiver.channel.process._inner_pid]
    around = [sender.channel.process.pid, sender.channel.process._inner_pid, os.getpid(), 1]
    return sender, receiver, {"other": other}, {"around": around}


def result_of(reply: object) -> str:
    """Return what the receiver found: its answer, or that the kernel ended it for asking."""
    if isinstance(reply, Answer):
        return str(reply.value)
    assert isinstance(reply, Failure)
    assert reply.kind == "exception" or "SIGSYS" in reply.detail, reply
    return reply.detail


def finds(sandbox: Sandbox, channel: str, bits: tuple[int, ...] = (0, 1, 1, 0)) -> list[str]:
    """Send some bits, each between bots of their own, and return what was found."""
    meanwhile = channel in AT_THE_SAME_TIME
    received = []
    for bit in bits:
        sender, receiver, telling, asking = pair(sandbox, program(channel, *CHANNELS[channel]))
        with sender, receiver:
            if meanwhile:
                questions = [(sender, {"bit": bit, **telling}), (receiver, asking)]
                reply = ask_together([(bot, question, DEADLINE, list[str]) for bot, question in questions])[1]
            else:
                sender.ask({"bit": bit, **telling}, DEADLINE)
                reply = receiver.ask(asking, DEADLINE, list[str])
            received.append(result_of(reply))
    return received


@pytest.mark.parametrize("channel", CHANNELS)
def test_bots_cannot_observe_each_other(channel: str, lawless: Sandbox) -> None:
    assert len(set(received := finds(lawless, channel))) == 1, received


@pytest.mark.parametrize(
    "channel",
    [
        "clocks of other processes",
        "a shared futex on a page of libc",
        "pending signals, counted for each user",
        "what three descriptors share",
        "priorities and schedules",
    ],
)
def test_without_the_locks_these_do_find_it_out(channel: str) -> None:
    # So that the test above could fail.
    with Sandbox(profile="none") as sandbox:
        sandbox._recipe = Recipe("none", language="unrestricted")
        # On a busy machine, two that must run at the same time may miss each other.
        assert any(len(set(finds(sandbox, channel, (0, 1)))) == 2 for _ in range(10))
