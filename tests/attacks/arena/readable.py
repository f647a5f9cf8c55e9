"""Become an ordinary user who can still read this interpreter and checkout, wherever root keeps them.

Tests that run as root prove with it what an unprivileged host can do. In a mount namespace of this process alone,
directories that others may not enter are covered by empty ones, and what is needed below is put back.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from botleague_sandbox import kernel

NOBODY = 65534
MS_BIND = 4096


def become_nobody(*needed: Path) -> None:
    """Give up root for good; ``needed`` paths, the interpreter and its import path stay readable."""
    paths = {Path(sys.base_prefix), Path(sys.prefix), *(Path(entry) for entry in sys.path if entry), *needed}
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    closed: dict[Path, list[Path]] = {}
    for path in sorted(path.resolve() for path in paths if path.exists()):
        for ancestor in reversed(path.parents):
            if not ancestor.stat().st_mode & 0o001:
                closed.setdefault(ancestor, []).append(path)
                break
    for ancestor, inside in closed.items():
        keep = Path(tempfile.mkdtemp())
        for number, path in enumerate(inside):
            _bind(path, keep / str(number))
        kernel.mount("tmpfs", str(ancestor), "tmpfs", 0, "mode=755")
        for number, path in enumerate(inside):
            if not path.exists():
                _bind(keep / str(number), path)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    # A process that changed its ids is not dumpable, and nobody but root may then write its id maps.
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)
    os.environ["HOME"] = "/"


def _bind(source: Path, target: Path) -> None:
    if source.is_dir():
        target.mkdir(parents=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    kernel.mount(str(source), str(target), None, MS_BIND | kernel.MS_REC)
