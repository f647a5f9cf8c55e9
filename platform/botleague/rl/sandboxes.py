"""The sandbox of this process, which all its environments share: a dozen of them need no dozen of interpreters."""

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
    """A sandbox with the number of those who use it."""

    sandbox: Sandbox
    open: ExitStack
    users: int = 0


_lock = threading.Lock()
_shared: dict[tuple[int, str], _Shared] = {}
"""By process, since a fork must not use what its parent opened, and profile."""


@contextmanager
def shared_sandbox(workspace: Workspace) -> Iterator[Sandbox]:
    """Give the sandbox in the profile that the settings say; who leaves it last closes it."""
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
