"""Shared sandbox of all environments of this process: many environments need only one set of interpreters."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from botleague.application import Workspace
from botleague_sandbox import Sandbox


@dataclass(slots=True)
class _Shared:
    """A sandbox with the number of its users."""

    sandbox: Sandbox
    open: ExitStack
    users: int = 0


_lock = threading.Lock()
_shared: dict[tuple[int, str], _Shared] = {}
"""Sandboxes by process id and profile: a forked child must not use a sandbox of its parent."""


@contextmanager
def shared_sandbox(workspace: Workspace) -> Iterator[Sandbox]:
    """Yield the sandbox with the profile of the settings; the last user closes it."""
    key = os.getpid(), workspace.settings.sandbox
    with _lock:
        if key not in _shared:
            stack = ExitStack()
            _shared[key] = _Shared(stack.enter_context(workspace.open_sandbox(stays=False)), stack)
        shared = _shared[key]
        shared.users += 1
    try:
        yield shared.sandbox
    finally:
        with _lock:
            shared.users -= 1
            if not shared.users:
                _shared.pop(key).open.close()
