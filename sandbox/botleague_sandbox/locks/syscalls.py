"""The Linux calls that Python does not offer, by ctypes: one thin function each, errors as ``OSError``.

Numbers and structures come from the kernel's headers (``asm/unistd.h``, ``linux/landlock.h``, ``linux/capability.h``,
``linux/prctl.h``); both machines that we support share the numbers that are not in :data:`NUMBERS`.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

MACHINE = os.uname().machine

# what differs between the machines: pivot_root, capset
NUMBERS: dict[str, dict[str, int]] = {
    "x86_64": {"pivot_root": 155, "capset": 126},
    "aarch64": {"pivot_root": 41, "capset": 91},
}
CAPSET = NUMBERS.get(MACHINE, {}).get("capset", -1)
LANDLOCK_CREATE_RULESET, LANDLOCK_RESTRICT_SELF = 444, 446
LANDLOCK_CREATE_RULESET_VERSION = 1

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 36, 38, 47, 4
SECCOMP_MODE_FILTER = 2
# struct __user_cap_header_struct, of version 3 and for this process; two of struct __user_cap_data_struct. Bytes, since
# an array of ctypes is a new type at its first use, which a bot's process would have to make.
CAPABILITY_HEADER, NO_CAPABILITIES = struct.pack("=Ii", 0x20080522, 0), bytes(24)
LAST_CAPABILITY = 63  # more than any kernel has: EINVAL ends the loop

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS = 0x0002_0000, 0x0200_0000, 0x0400_0000
CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_REC, MS_PRIVATE = 0x4000, 1 << 18
MNT_DETACH = 2

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4


class FilterProgram(ctypes.Structure):
    """``struct sock_fprog``: a BPF program by its length in instructions and its address.

    Defined before any process is locked down, because Python 3.14 imports a module of ctypes to lay it out.
    """

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def supported() -> bool:
    """Return whether this is a Linux machine that the tables of this package know."""
    return sys.platform == "linux" and MACHINE in NUMBERS


def _call(number: int, *arguments: object) -> int:
    result = int(_libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def _checked(result: int) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def prctl(option: int, value: int = 0, third: int = 0) -> None:
    """Do ``prctl(option, value, third, 0, 0)``."""
    _checked(_libc.prctl(option, value, third, 0, 0))


def unshare(flags: int) -> None:
    """Move this process into new namespaces."""
    _checked(_libc.unshare(ctypes.c_int(flags)))


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """Mount, or change the flags of a mount."""
    encoded = [None if text is None else text.encode() for text in (source, target, kind, data)]
    _checked(_libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3]))


def umount_lazily(target: str) -> None:
    """Detach a mount, even one in use."""
    _checked(_libc.umount2(target.encode(), MNT_DETACH))


def pivot_root(new: str, old: str) -> None:
    """Make ``new`` the root and put the present root at ``old``."""
    _call(NUMBERS[MACHINE]["pivot_root"], new.encode(), old.encode())


def drop_bounding_set() -> None:
    """Drop every capability of the bounding set, while the right to do so (CAP_SETPCAP) is still held.

    Without that right nothing happens: then ``no_new_privs`` alone keeps files from giving capabilities.
    """
    for capability in range(LAST_CAPABILITY + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            return


def capset_nothing() -> None:
    """Give up all effective, permitted, inheritable and ambient capabilities."""
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    _call(CAPSET, CAPABILITY_HEADER, NO_CAPABILITIES)


def landlock_abi() -> int:
    """Return the Landlock ABI version of the kernel, 0 when Landlock is absent or switched off."""
    try:
        version = ctypes.c_uint32(LANDLOCK_CREATE_RULESET_VERSION)
        return _call(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), version)
    except OSError:
        return 0


def landlock_create_ruleset(attributes: bytes) -> int:
    """Return the descriptor of a rule set that handles what ``attributes`` (the C structure) lists."""
    return _call(
        LANDLOCK_CREATE_RULESET,
        ctypes.c_char_p(attributes),
        ctypes.c_size_t(len(attributes)),
        ctypes.c_uint32(0),
    )


def landlock_restrict_self(ruleset: int) -> None:
    """Put this process under a rule set for good."""
    _call(LANDLOCK_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))


def set_seccomp_filter(program: bytes) -> None:
    """Install a BPF program (8 bytes an instruction); ``no_new_privs`` must be set."""
    described = FilterProgram(len(program) // 8, program)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(described))
