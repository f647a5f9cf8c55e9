"""The allow-list of system calls as a BPF program: the layer that must never be missing.

Everything outside the list answers EPERM, so that Python code sees an ordinary error; calls that no bot needs
kill the process, an unmistakable verdict. The program is built before a process is forked; only its own id
(for ``tgkill``) is put in later. SANDBOX.md, section 6.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Table:
    """System call numbers of one machine.

    Attributes:
        architecture: ``AUDIT_ARCH_*``; a call by any other convention kills.
        free: allowed whatever the arguments.
        checked: allowed under the condition of :func:`_conditions` for the name.
        fatal: kill the process.
    """

    architecture: int
    free: dict[str, int]
    checked: dict[str, int]
    fatal: dict[str, int]


X32_BIT = 0x4000_0000

TABLES: dict[str, Table] = {
    "x86_64": Table(
        architecture=0xC000_003E,
        free={
            "munmap": 11, "brk": 12, "sched_yield": 24, "getrandom": 318,
            "rt_sigprocmask": 14, "rt_sigreturn": 15, "sigaltstack": 131, "restart_syscall": 219,
            "getpid": 39, "gettid": 186, "close": 3, "exit": 60, "exit_group": 231,
        },
        checked={
            "read": 0, "write": 1, "mmap": 9, "mprotect": 10, "madvise": 28, "tgkill": 234, "futex": 202,
            "clock_gettime": 228, "clock_nanosleep": 230,
        },
        fatal={
            "clone": 56, "clone3": 435, "fork": 57, "vfork": 58, "execve": 59, "execveat": 322, "ptrace": 101,
            "process_vm_readv": 310, "process_vm_writev": 311,
            "pidfd_open": 434, "pidfd_getfd": 438, "pidfd_send_signal": 424,
            "kill": 62, "tkill": 200, "rt_sigqueueinfo": 129, "rt_tgsigqueueinfo": 297,
            "socket": 41, "connect": 42, "unshare": 272, "setns": 308, "mount": 165,
            "bpf": 321, "perf_event_open": 298, "userfaultfd": 323, "io_uring_setup": 425,
            "keyctl": 250, "add_key": 248, "request_key": 249, "seccomp": 317, "personality": 135,
            "kcmp": 312, "name_to_handle_at": 303, "open_by_handle_at": 304,
        },
    ),
    "aarch64": Table(
        architecture=0xC000_00B7,
        free={
            "munmap": 215, "brk": 214, "sched_yield": 124, "getrandom": 278,
            "rt_sigprocmask": 135, "rt_sigreturn": 139, "sigaltstack": 132, "restart_syscall": 128,
            "getpid": 172, "gettid": 178, "close": 57, "exit": 93, "exit_group": 94,
        },
        checked={
            "read": 63, "write": 64, "mmap": 222, "mprotect": 226, "madvise": 233, "tgkill": 131, "futex": 98,
            "clock_gettime": 113, "clock_nanosleep": 115,
        },
        fatal={
            "clone": 220, "clone3": 435, "execve": 221, "execveat": 281, "ptrace": 117,
            "process_vm_readv": 270, "process_vm_writev": 271,
            "pidfd_open": 434, "pidfd_getfd": 438, "pidfd_send_signal": 424,
            "kill": 129, "tkill": 130, "rt_sigqueueinfo": 138, "rt_tgsigqueueinfo": 240,
            "socket": 198, "connect": 203, "unshare": 97, "setns": 268, "mount": 40,
            "bpf": 280, "perf_event_open": 241, "userfaultfd": 282, "io_uring_setup": 425,
            "keyctl": 219, "add_key": 217, "request_key": 218, "seccomp": 277, "personality": 92,
            "kcmp": 272, "name_to_handle_at": 264, "open_by_handle_at": 265,
        },
    ),
}  # fmt: skip

# linux/filter.h, linux/seccomp.h
LOAD_WORD, AND, RETURN = 0x20, 0x54, 0x06
JUMP_EQUAL, JUMP_GREATER, JUMP_GREATER_EQUAL, JUMP_ANY_BIT = 0x15, 0x25, 0x35, 0x45
ALLOW, KILL_PROCESS, ERRNO = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
EPERM, EBADF, EACCES = 1, 9, 13
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16  # offsets in struct seccomp_data
# RLIMIT_DATA counts private memory that is no stack, and only while it is writable: nothing else can be mapped, and
# writable memory stays so. What begins unwritable the kernel does not count later either, once the address space is
# full. Huge pages come from a pool of the whole machine.
READ_WRITE, READ_ONLY = 3, 1
MAP_TYPE, MAP_PRIVATE = 0xF, 0x2
UNCOUNTED_MEMORY = 0x100 | 0x4_0000  # MAP_GROWSDOWN, MAP_HUGETLB
# Other advice merges pages with those of other processes, or has pages dropped that other processes share.
OWN_ADVICE = (4, 8, 14, 15)  # MADV_DONTNEED, MADV_FREE, MADV_HUGEPAGE, MADV_NOHUGEPAGE
# Beyond are the CPU clocks of any process by its id, which as unsigned numbers are the largest.
LAST_CLOCK = 11  # CLOCK_TAI
# Waiting and waking are all that locks need; priority inheritance and requeueing reach into other tasks. A futex that
# is not private is one for every process that maps the same page of a file, as all bots do those of libc.
FUTEX_PRIVATE_FLAG, FUTEX_CLOCK_REALTIME = 0x80, 0x100
FUTEX_OPERATIONS = (0, 1, 9, 10)  # FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET
READ_FD, WRITE_FD = 3, 4

_OWN_PID = 0x5A5A_5A5A  # replaced by the process id; no other word of the program has this value


def filter_program(machine: str, *, has_read_only: bool = False) -> Callable[[int], bytes]:
    """Return a function that makes the BPF program for a process id; everything else is built here.

    Args:
        machine: ``"x86_64"`` or ``"aarch64"``.
        has_read_only: answer a request for read-only memory with success, and do nothing. The engine of the tier
            ``wasm`` sends it when it loads a module. The memory stays writable, and counted.
    """
    parts = _build(TABLES[machine], has_read_only).split(struct.pack("<I", _OWN_PID))
    return lambda pid: pid.to_bytes(4, "little").join(parts)


Instruction: TypeAlias = tuple[int, int, int, int]
"""Code, how many instructions to skip when it is true and when it is false, and the operand."""


def _argument(index: int) -> Instruction:
    return (LOAD_WORD, 0, 0, ARGUMENTS_AT + 8 * index)  # low word: descriptors, flags and ids fit in it


def _exactly(index: int, value: int, otherwise: int) -> list[Instruction]:
    """Continue only when all 64 bits of an argument are those of a value of 32."""
    high = (LOAD_WORD, 0, 0, ARGUMENTS_AT + 8 * index + 4)
    return [_argument(index), *_refuse_unless([value], otherwise), high, *_refuse_unless([0], otherwise)]


def _refuse_unless(accepted: Sequence[int], otherwise: int) -> list[Instruction]:
    """Continue only when the accumulator has one of the values."""
    count = len(accepted)
    jumps = [(JUMP_EQUAL, count - index, 0, value) for index, value in enumerate(accepted)]
    return [*jumps, (RETURN, 0, 0, otherwise)]


def _nothing_for(index: int, value: int) -> list[Instruction]:
    """Answer success without doing anything when all 64 bits of an argument are those of a value of 32."""
    high = (LOAD_WORD, 0, 0, ARGUMENTS_AT + 8 * index + 4)
    return [
        _argument(index),
        (JUMP_EQUAL, 0, 3, value),
        high,
        (JUMP_EQUAL, 0, 1, 0),
        (RETURN, 0, 0, ERRNO),
    ]


def _conditions() -> dict[str, list[Instruction]]:
    """Return what is looked at before a checked call is allowed, by its name."""
    read_write = _exactly(2, READ_WRITE, ERRNO | EACCES)
    common_clock = [_argument(0), (JUMP_GREATER, 0, 1, LAST_CLOCK), (RETURN, 0, 0, ERRNO | EPERM)]
    return {
        "read": [_argument(0), *_refuse_unless([READ_FD], ERRNO | EBADF)],
        "write": [_argument(0), *_refuse_unless([WRITE_FD], ERRNO | EBADF)],
        "tgkill": [_argument(0), *_refuse_unless([_OWN_PID], KILL_PROCESS)],
        "mprotect": read_write,
        "mmap": [
            # No address: each page in a far place needs two of page tables, which no limit counts.
            *_exactly(0, 0, ERRNO | EACCES),
            *read_write,
            _argument(3),
            (JUMP_ANY_BIT, 0, 1, UNCOUNTED_MEMORY),
            (RETURN, 0, 0, ERRNO | EACCES),
            (AND, 0, 0, MAP_TYPE),
            *_refuse_unless([MAP_PRIVATE], ERRNO | EACCES),
        ],
        "madvise": [_argument(2), *_refuse_unless(OWN_ADVICE, ERRNO | EPERM)],
        "clock_gettime": common_clock,
        "clock_nanosleep": common_clock,
        "futex": [
            _argument(1),
            (AND, 0, 0, 0xFFFF_FFFF & ~FUTEX_CLOCK_REALTIME),
            *_refuse_unless([FUTEX_PRIVATE_FLAG | number for number in FUTEX_OPERATIONS], ERRNO | EPERM),
        ],
    }


def _build(table: Table, has_read_only: bool = False) -> bytes:
    conditions = _conditions()
    if has_read_only:
        conditions["mprotect"] = [*_nothing_for(2, READ_ONLY), *conditions["mprotect"]]
    program: list[Instruction] = [
        (LOAD_WORD, 0, 0, ARCHITECTURE_AT),
        (JUMP_EQUAL, 1, 0, table.architecture),
        (RETURN, 0, 0, KILL_PROCESS),
        (LOAD_WORD, 0, 0, NUMBER_AT),
        (JUMP_GREATER_EQUAL, 0, 1, X32_BIT),
        (RETURN, 0, 0, KILL_PROCESS),
    ]
    for name, number in table.checked.items():
        condition = [*conditions[name], (RETURN, 0, 0, ALLOW)]
        program += [(JUMP_EQUAL, 0, len(condition), number), *condition]
    for number in table.free.values():
        program += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW)]
    for number in table.fatal.values():
        program += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, KILL_PROCESS)]
    program.append((RETURN, 0, 0, ERRNO | EPERM))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)
