"""The bot of ``system_calls.py``: makes system calls as it is told and judges each by the specification's table.

It runs in a sandbox without the language layer. SANDBOX.md, section 6, is the table; nothing here knows the filter.
"""

from __future__ import annotations

import ctypes
import os
import random
from typing import Any

NUMBERS = 600
FATAL = {
    56, 435, 57, 58, 59, 322, 101, 310, 311, 434, 438, 424, 62, 200, 129, 297, 41, 42, 272, 308, 165, 321, 298, 323,
    425, 250, 248, 249, 317, 135, 312, 303, 304,
}  # fmt: skip
# uretprobe and uprobe: newer kernels let them past every filter, and refuse whoever does not call from a probe's
# trampoline: by SIGILL, by ENXIO
PAST_FILTERS = {335, 336}
ALLOWED = {
    "read": 0, "write": 1, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "madvise": 28, "futex": 202,
    "sched_yield": 24, "clock_gettime": 228, "clock_nanosleep": 230, "getrandom": 318, "rt_sigprocmask": 14,
    "rt_sigreturn": 15, "sigaltstack": 131, "restart_syscall": 219, "tgkill": 234, "getpid": 39, "gettid": 186,
    "close": 3, "exit": 60, "exit_group": 231,
}  # fmt: skip
COMMON = [name for name in ALLOWED if name not in ("exit", "exit_group", "rt_sigreturn")]
REFUSED = [number for number in range(NUMBERS) if number not in {*FATAL, *ALLOWED.values(), *PAST_FILTERS}]
EPERM, EBADF, EACCES = 1, 9, 13
ME = os.getpid()
WORD = 2**64 - 1

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
scratch_bytes = ctypes.create_string_buffer(1 << 16)
scratch = (ctypes.addressof(scratch_bytes) + 4095) & ~4095
hour = (ctypes.c_long * 2)(3600, 0)
moment = (ctypes.c_long * 2)(0, 1)
places = {
    "scratch": scratch,
    "hour": ctypes.addressof(hour),
    "moment": ctypes.addressof(moment),
    "code": (ctypes.cast(libc.strlen, ctypes.c_void_p).value or 0) & ~4095,
    "stack": (ctypes.c_void_p.in_dll(libc, "__libc_stack_end").value or 0) & ~4095,
}
EMPTY = 0x1000_0000_0000  # nothing is mapped there
FREE = [0, scratch, scratch + 4096, EMPTY, EMPTY + 8, 1 << 47, 1 << 63, 2**64 - 4096]
ADDRESSES = [*FREE, 1, 4096, scratch + 1, 2**64 - 1, places["moment"]]
BITS = [
    0, 1, 2, 3, 4, 5, 7, 8, 16, 63, 64, 127, 128, 255, 256, 4095, 4096, 1 << 16, 1 << 20, 1 << 30, 1 << 31, 2**31 - 1,
    2**32 - 1, 1 << 32, 1 << 40, 1 << 62, 1 << 63, 2**64 - 1,
]  # fmt: skip


def call(number: int, *arguments: int) -> tuple[int, int]:
    """Return what a system call returned, and ``errno``."""
    ctypes.set_errno(0)
    got = libc.syscall(ctypes.c_long(number), *(ctypes.c_ulonglong(value & WORD) for value in arguments))
    return got, ctypes.get_errno()


def anything(chance: random.Random) -> int:
    kind = chance.random()
    if kind < 0.5:
        return chance.choice(BITS)
    if kind < 0.7:
        return chance.choice(ADDRESSES)
    return chance.getrandbits(chance.choice((4, 8, 16, 32, 33, 64)))


def low(value: int) -> int:
    return value & (2**32 - 1)


def expected(name: str, a: list[int]) -> int | None:
    """Return the error that the table has for a call, or None where the kernel decides."""
    conditions = {
        "read": (low(a[0]) == 3, EBADF),
        "write": (low(a[0]) == 4, EBADF),
        "mmap": (a[0] == 0 and a[2] == 3 and a[3] & 0xF == 2 and not a[3] & 0x4_0100, EACCES),
        "mprotect": (a[2] == 3, EACCES),
        "madvise": (low(a[2]) in (4, 8, 14, 15), EPERM),
        "futex": (low(a[1]) & ~0x100 in (128, 129, 137, 138), EPERM),
        "clock_gettime": (low(a[0]) <= 11, EPERM),
        "clock_nanosleep": (low(a[0]) <= 11, EPERM),
    }
    holds, error = conditions.get(name, (True, 0))
    return None if holds else error


def arguments_of(name: str, chance: random.Random) -> list[int]:
    """Return anything at all, but for what would end or block this process before its last call."""
    a = [anything(chance) for _ in range(6)]
    pick = chance.choice
    if name == "read":
        a[0], a[1] = pick([a[0], 3, 4, chance.randrange(64)]), pick(FREE)
        if low(a[0]) == 3:
            a[2] = 0
    elif name == "write":
        a[0] = pick([a[0], 3, 4, chance.randrange(64)])
        if low(a[0]) == 4:
            a[1], a[2] = pick([(a[1], 0), (EMPTY, 1), (0, 7), (1 << 63, 4096)])
    elif name == "mmap":
        a[0] = pick([one for one in FREE if one not in (scratch, scratch + 4096)] + [0] * 8)
        a[1] = pick([a[1], 4096, 1 << 20, 127 << 20, 200 << 20, 1 << 40])
        a[2] = pick([a[2], chance.randrange(8), 3, 3])
        kinds, more = (
            [0x1, 0x2, 0x3, 0x8, 0x22, 0x21, 0x28],
            [0, 0, 0x10, 0x100, 0x2000, 0x4000, 0x8000, 0x4_0000],
        )
        a[3] = pick([a[3], pick(kinds) | pick(more), 0x22])
        if a[3] & 0xA010:  # MAP_POPULATE, MAP_LOCKED, MAP_FIXED: takes the memory now, or takes any place
            a[1] = pick([0, 1, 4096, 1 << 16])
    elif name == "mprotect":
        a[0], a[1] = pick(FREE[1:]), pick([0, 1, 4096])
        a[2] = pick([a[2], chance.randrange(8), 3, 3])
    elif name == "munmap":
        a[0], a[1] = pick(FREE[3:]), pick([0, 4096, 1 << 30])
    elif name == "madvise":
        a[0], a[1] = pick(FREE[1:]), pick([0, 1, 4096])
        a[2] = pick([a[2], chance.randrange(128), 4, 8])
    elif name == "brk":
        a[0] = pick([0, 1 << 62, WORD])
    elif name == "futex":
        a[0] = pick([scratch, places["code"], EMPTY, 0, scratch + 1])
        a[1] = pick([a[1], chance.randrange(16) | pick([0, 0x80, 0x100, 0x180, 1 << 31])])
        a[2] = 0xBAD  # nobody waits for a value that is not there
    elif name in ("clock_gettime", "clock_nanosleep"):
        someone = pick([1, ME, ME + 1, chance.randrange(1 << 22)])
        a[0] = pick([a[0], chance.randrange(16), (~someone << 3) | chance.randrange(8)])
        if name == "clock_gettime":
            a[1] = pick([scratch, EMPTY, 0])
        else:
            own_cpu = low(a[0]) in (2, 3)  # does not pass while this process sleeps
            a[2], a[3] = pick([EMPTY if own_cpu else places["moment"], 0, EMPTY]), pick([0, EMPTY])
    elif name == "getrandom":
        a[0], a[1] = pick([scratch, EMPTY, 0]), pick([0, 1, 4096])
    elif name == "rt_sigprocmask":
        a[1], a[2] = pick([0, EMPTY, scratch]), pick([0, EMPTY, scratch + 8])
    elif name == "sigaltstack":
        a[0], a[1] = pick([0, EMPTY, 1 << 47]), pick([0, EMPTY, scratch])
    elif name == "tgkill":
        a[0], a[1], a[2] = (
            ME | (a[0] << 32),
            pick([ME, ME + 1, 1, 0, 2**32 - 1]),
            pick([0, 65, 2**31, 2**32 - 1]),
        )
    elif name == "close":
        a[0] = pick([5, 6, 63, 1024, 2**31, 2**32 - 1, 5 | (a[0] << 32)])
    return [value & WORD for value in a]


def move(order: dict[str, Any]) -> object:
    """Do as told.

    ``last`` makes one call; ``sweep`` makes the call of one number, which must be refused; ``arguments`` makes allowed
    ones, and some refused. The last two return calls that went wrong, and how many were refused.
    """
    if order["what"] == "last":
        name, *arguments = order["call"]
        return call(ALLOWED.get(name, name), *(places.get(one, one) for one in arguments))
    chance = random.Random(order["seed"])
    wrong: list[list[object]] = []
    refused = 0
    for _ in range(order["count"]):
        told: int | None = EPERM
        if order["what"] == "sweep" or chance.random() < 0.1:
            name = number = order["number"] if order["what"] == "sweep" else chance.choice(REFUSED)
            a = [anything(chance) for _ in range(6)]
        else:
            name = chance.choice(COMMON)
            number, a = ALLOWED[name], arguments_of(name, chance)
            told = expected(name, a)
        got, error = call(number, *a)
        shown = [name, *map(hex, a), got, error]
        if told is not None:
            refused += 1
            if (got, error) != (-1, told):
                wrong.append([*shown, f"expected {told}"])
        elif name == "mmap" and got != -1:
            call(ALLOWED["munmap"], got, a[1])
            if a[1] > order["memory"] and a[2] & 2:
                wrong.append([*shown, "more memory than the limit"])
        elif name == "futex" and a[0] == places["code"] and got > 0:
            wrong.append([*shown, "woke somebody"])
    return wrong[:20], refused
