"""Errors on our side of the sandbox. None of them is ever a bot's fault: the match is void."""

from __future__ import annotations

from botleague_sandbox.wire.program import SandboxError


class MachineryFailure(SandboxError):
    """Our own processes failed: a match that was being played is void and can be played again."""


class SandboxUnavailable(MachineryFailure):
    """A layer of protection that the profile requires cannot be had on this machine; no bot was started.

    ``reason`` is what the system said.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
