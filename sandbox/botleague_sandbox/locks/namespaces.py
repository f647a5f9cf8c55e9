"""Namespaces and an empty root, which a zygote lives in; the bots it forks are born inside.

As root directly; as an ordinary user in a new user namespace that maps this user alone. Many containers refuse
both: the layer is then missing and the others must hold. SANDBOX.md, sections 2 (L7) and 5.
"""

from __future__ import annotations

import os
from pathlib import Path

from botleague_sandbox.locks import syscalls

ALL_BUT_USER = (
    syscalls.CLONE_NEWPID
    | syscalls.CLONE_NEWNS
    | syscalls.CLONE_NEWNET
    | syscalls.CLONE_NEWIPC
    | syscalls.CLONE_NEWUTS
    | syscalls.CLONE_NEWCGROUP
)
SAFE = syscalls.MS_NOSUID | syscalls.MS_NODEV | syscalls.MS_NOEXEC
MOUNT_POINTS = ("/tmp", "/mnt", "/var", "/usr")  # any directory will do: it is covered, then left behind


def enter_namespaces() -> None:
    """Move this single-threaded process into namespaces of its own, and what it forks next into a PID namespace.

    The first process forked afterwards is pid 1 there, and the only one this process can fork: the kernel kills the
    whole namespace with it.

    Raises:
        OSError: the system does not allow it. The process may then live in some of the namespaces and must end.
    """
    if os.geteuid() == 0:
        try:
            syscalls.unshare(ALL_BUT_USER)
        except PermissionError:  # root without CAP_SYS_ADMIN, as in most containers
            _enter_user_namespace()
    else:
        _enter_user_namespace()
    syscalls.mount("none", "/", None, syscalls.MS_REC | syscalls.MS_PRIVATE)


def empty_root() -> None:
    """Leave the file system for an empty, read-only one.

    Raises:
        OSError: the system does not allow it; the old root stays.
    """
    point = next(path for path in MOUNT_POINTS if Path(path).is_dir())
    syscalls.mount("tmpfs", point, "tmpfs", SAFE, "size=4k,nr_inodes=2,mode=555")
    os.chdir(point)
    syscalls.pivot_root(".", ".")
    syscalls.umount_lazily(".")
    os.chdir("/")
    syscalls.mount(None, "/", None, syscalls.MS_REMOUNT | syscalls.MS_RDONLY | SAFE)


def _enter_user_namespace() -> None:
    uid, gid = os.geteuid(), os.getegid()
    syscalls.unshare(syscalls.CLONE_NEWUSER | ALL_BUT_USER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
