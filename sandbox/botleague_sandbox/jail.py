"""Namespaces and an empty root, entered once by the zygote; the bots it forks are born inside.

As root directly; as an ordinary user in a new user namespace that maps this user alone. Many containers refuse
both: the layer is then missing and the others must hold. SANDBOX.md, sections 2 (L7) and 5.
"""

from __future__ import annotations

import os
from pathlib import Path

from botleague_sandbox import kernel

__all__ = ["enter_jail"]

ALL_BUT_USER = (
    kernel.CLONE_NEWNS
    | kernel.CLONE_NEWNET
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUTS
    | kernel.CLONE_NEWCGROUP
)
SAFE = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
MOUNT_POINTS = ("/tmp", "/mnt", "/var", "/usr")  # any directory will do: it is covered, then left behind


def enter_jail() -> None:
    """Move this single-threaded process into namespaces of its own with an empty, read-only root.

    Raises:
        OSError: the system does not allow it. Nothing is half done in a way that harms: the process may then
            live in some new namespaces, but sees the old root.
    """
    if os.geteuid() == 0:
        try:
            kernel.unshare(ALL_BUT_USER)
        except PermissionError:  # root without CAP_SYS_ADMIN, as in most containers
            _enter_user_namespace()
    else:
        _enter_user_namespace()
    _empty_root()


def _enter_user_namespace() -> None:
    uid, gid = os.geteuid(), os.getegid()
    kernel.unshare(kernel.CLONE_NEWUSER | ALL_BUT_USER)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def _empty_root() -> None:
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    point = next(path for path in MOUNT_POINTS if Path(path).is_dir())
    kernel.mount("tmpfs", point, "tmpfs", SAFE, "size=4k,nr_inodes=2,mode=555")
    os.chdir(point)
    kernel.pivot_root(".", ".")
    kernel.umount_lazily(".")
    os.chdir("/")
    kernel.mount(None, "/", None, kernel.MS_REMOUNT | kernel.MS_RDONLY | SAFE)
