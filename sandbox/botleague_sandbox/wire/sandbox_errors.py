"""Errors on our side of the sandbox. None of them is ever a bot's fault: the match is void."""

from __future__ import annotations

from typing import ClassVar

from botleague_sandbox.wire.program import SandboxError


class MachineryFailure(SandboxError):
    """Our own processes failed: a match that was being played is void and can be played again."""


class HarnessFailure(MachineryFailure):
    """The code of a variant that surrounds each bot failed; the text has its file and line."""

    code: ClassVar[str] = "plugin"


class SandboxUnavailable(MachineryFailure):
    """A layer of protection that the profile requires cannot be had on this machine; no bot was started.

    ``reason`` is what the system said.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
