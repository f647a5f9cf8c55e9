"""Landlock with an empty rule set: no file, no TCP port, no signal and no abstract socket outside the process.

The rule set handles every right that the kernel knows and allows none. Needs no privilege, only
``no_new_privs``. SANDBOX.md, sections 2 and 5; landlock(7).
"""

from __future__ import annotations

import os
import struct

from botleague_sandbox.locks import syscalls

# highest right of the file system by ABI: 13 rights at first, then REFER, TRUNCATE, IOCTL_DEV
FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
NETWORK_ABI, SCOPE_ABI = 4, 6
BIND_AND_CONNECT_TCP = 0b11
ABSTRACT_SOCKETS_AND_SIGNALS = 0b11


def ruleset_attributes(abi: int) -> bytes:
    """Return ``struct landlock_ruleset_attr`` for a kernel's ABI, cut to the length that kernel knows."""
    files = FILE_RIGHTS[min(abi, 5)]
    if abi >= SCOPE_ABI:
        return struct.pack("<QQQ", files, BIND_AND_CONNECT_TCP, ABSTRACT_SOCKETS_AND_SIGNALS)
    if abi >= NETWORK_ABI:
        return struct.pack("<QQ", files, BIND_AND_CONNECT_TCP)
    return struct.pack("<Q", files)


def landlock_ruleset() -> bytes:
    """Return the attributes of the rule set for this kernel, empty where it has no Landlock."""
    abi = syscalls.landlock_abi()
    return ruleset_attributes(abi) if abi else b""


def enter_landlock(attributes: bytes) -> None:
    """Give up all files, TCP and signals to outside, for good.

    Args:
        attributes: of :func:`landlock_ruleset`.

    Raises:
        OSError: the kernel has no Landlock, or it is switched off.
    """
    if not attributes:
        raise OSError("the kernel offers no Landlock (it needs Linux 5.13 and `landlock` in the lsm= list)")
    ruleset = syscalls.landlock_create_ruleset(attributes)
    try:
        syscalls.landlock_restrict_self(ruleset)
    finally:
        os.close(ruleset)
