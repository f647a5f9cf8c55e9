"""Lockdown of a newly forked bot process, before the first byte of a bot reaches it.

The order matters: descriptors before limits, ids before capabilities, ``no_new_privs`` before Landlock and seccomp, and
seccomp last because nothing else is possible after it. The bounding set has gone before, in the zygote: the right to
drop it goes with the user id 0. SANDBOX.md, section 5.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

from botleague_sandbox.locks import syscalls
from botleague_sandbox.locks.landlock import enter_landlock, landlock_ruleset
from botleague_sandbox.locks.seccomp import filter_program
from botleague_sandbox.wire.program import Limits, Tier
from botleague_sandbox.wire.protection_layers import Layer, Recipe, memory_bytes

READ_FD, WRITE_FD = 3, 4
SIGKILL = int(signal.SIGKILL)
_, _most_fds = resource.getrlimit(resource.RLIMIT_NOFILE)
HIGHEST_FD = 1 << 20 if _most_fds == resource.RLIM_INFINITY else _most_fds

# Above every range that distributions hand out to users and containers (/etc/subuid); pids stay below 2^22.
FIRST_BOT_UID, PIDS = 0x7000_0000, 1 << 22
STACK_BYTES = 8 << 20
SMALLEST_MAP = 4096  # a user namespace with fewer ids has none to spare


class LayerMissing(Exception):
    """A layer that the profile requires could not be entered."""

    def __init__(self, layer: str, reason: object) -> None:
        super().__init__(f"{layer}: {reason}")
        self.layer = layer


def keep_only_pipes(question_fd: int, reply_fd: int, null_fd: int) -> None:
    """Put ``/dev/null`` on 0, 1 and 2, the pipe ends on 3 and 4, and close everything else.

    The three must be above these places: see :func:`above_places`.
    """
    os.dup2(null_fd, 0)
    os.dup2(null_fd, 1)
    os.dup2(null_fd, 2)
    os.dup2(question_fd, READ_FD)
    os.dup2(reply_fd, WRITE_FD)
    os.closerange(WRITE_FD + 1, HIGHEST_FD)


def above_places(fd: int) -> int:
    """Return a copy of the descriptor whose number collides with no descriptor of a bot."""
    return fcntl.fcntl(fd, fcntl.F_DUPFD, WRITE_FD + 1)


class Locks:
    """Locks of a process, prepared before it is forked.

    What is left for it to do should touch little memory: it copies each page that it is the first to write to.

    Args:
        recipe: which layers to enter and which must not be missing.
        limits, tier: what the process may use.
    """

    def __init__(self, recipe: Recipe, limits: Limits, tier: Tier) -> None:
        ceilings = _ceilings(limits, tier)
        ruleset = landlock_ruleset()
        program = filter_program(syscalls.MACHINE, has_read_only=tier == "wasm")

        def give_up_rights(parent: int, uid: int) -> None:
            syscalls.capset_nothing()
            syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
            syscalls.prctl(syscalls.PR_SET_PDEATHSIG, SIGKILL)
            syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
            if os.getppid() != parent:
                os._exit(0)  # the zygote died before the kernel would end this process with it

        def set_limits(parent: int, uid: int) -> None:
            for which, pair in ceilings:
                resource.setrlimit(which, pair)

        steps: tuple[tuple[Layer, Callable[[int, int], None]], ...] = (
            ("limits", set_limits),
            ("uid", _take_uid),
            ("rights", give_up_rights),
            ("landlock", lambda parent, uid: enter_landlock(ruleset)),
            ("seccomp", lambda parent, uid: syscalls.set_seccomp_filter(program(os.getpid()))),
        )
        self._steps = tuple(
            (layer, enter, recipe.requires(layer)) for layer, enter in steps if recipe.wants(layer)
        )

    def enter(self, parent: int, uid: int) -> list[Layer]:
        """Enter every layer of this process's own and return the active ones.

        Args:
            parent: process id of the zygote; when it dies the bot must die too.
            uid: user id of its own, 0 when it keeps the host's.

        Raises:
            LayerMissing: a required layer could not be entered.
        """
        os.setpgid(0, 0)
        active: list[Layer] = []
        for layer, enter, is_required in self._steps:
            try:
                enter(parent, uid)
            except (OSError, ValueError) as error:
                if is_required:
                    raise LayerMissing(layer, error) from error
            else:
                active.append(layer)
        return active


def spare_uids() -> range:
    """Return the user ids that bots may take when the host is root, one per process; empty when it is not.

    Read while ``/proc`` can still be opened.
    """
    if os.geteuid() != 0:
        return range(0)
    with open("/proc/self/uid_map") as file:
        mapped = [(int(start), int(count)) for start, _, count in (line.split() for line in file)]
    if any(start <= FIRST_BOT_UID and start + count >= FIRST_BOT_UID + PIDS for start, count in mapped):
        return range(FIRST_BOT_UID, FIRST_BOT_UID + PIDS)
    # A container with a small map: the upper half of the widest range, far from its real users.
    start, count = max(mapped, key=lambda entry: entry[1])
    return range(start + count // 2, start + count) if count >= SMALLEST_MAP else range(0)


def uid_of_its_own(uids: range, proc_fd: int) -> int:
    """Return the one of ``uids`` that no other bot of the machine has now, 0 without any.

    Args:
        uids: as :func:`spare_uids` returns them.
        proc_fd: the ``/proc`` of the host, which knows this process by an id that is unique on the machine; its own
            PID namespace counts from 1, as those of other zygotes do.
    """
    return uids[int(os.readlink("self", dir_fd=proc_fd)) % len(uids)] if uids else 0


def grow_stack() -> None:
    """Let the stack of this process and its children have its final size; limits then let it grow no further.

    Only the limit on the address space counts a stack, and that on its size holds for each mapping alone: a program
    that splits the mapping, by taking the right to write from a page, could have every piece grow again.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_STACK)
    size = STACK_BYTES if hard == resource.RLIM_INFINITY else min(STACK_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_STACK, (size, hard))
    ctypes.memset(stack_end() - size // resource.getpagesize() * resource.getpagesize(), 0, 1)


def stack_end() -> int:
    """Return the address above the stack of this process."""
    maps = Path("/proc/self/maps").read_text().splitlines()
    stack = next(line for line in maps if line.endswith("[stack]"))
    return int(stack.partition(" ")[0].partition("-")[2], 16)


def _ceilings(limits: Limits, tier: Tier) -> list[tuple[int, tuple[int, int]]]:
    """Return the soft and hard limits of a process that is forked from this one, by their number."""
    exact = {
        resource.RLIMIT_AS: limits.address_space_bytes,
        resource.RLIMIT_DATA: memory_bytes(limits, tier),
        resource.RLIMIT_STACK: 0,  # it has all it gets: see grow_stack
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_SIGPENDING: 0,  # counted for all processes of a user: one could tell another by it
    }
    pairs = {which: (limit, limit) for which, limit in exact.items()}
    # At the first the kernel sends SIGXCPU, whose name says what happened; at the second SIGKILL.
    pairs[resource.RLIMIT_CPU] = (limits.match_cpu_s, limits.match_cpu_s + 1)
    ceilings = []
    for which, limit in pairs.items():
        _, ceiling = resource.getrlimit(which)
        soft, hard = (one if ceiling == resource.RLIM_INFINITY else min(one, ceiling) for one in limit)
        ceilings.append((which, (soft, hard)))
    return ceilings


def _take_uid(parent: int, uid: int) -> None:
    if not uid:
        raise PermissionError("only root can give each bot a user id of its own")
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
