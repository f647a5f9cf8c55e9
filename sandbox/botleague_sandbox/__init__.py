"""Runs untrusted Python programs, each in its own locked-down process, and asks them questions under deadlines.

Usable by anyone: it knows no games, matches or leagues. :class:`Program` is what to run, :class:`Sandbox` where,
and whatever a program does comes back as an :class:`Answer` or a :class:`Failure`::

    with Sandbox() as sandbox, sandbox.run(program, briefing) as bot:
        reply = bot.ask(observation, Deadline.cpu(150), list[int])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from botleague_sandbox.errors import MachineryFailure, SandboxUnavailable
from botleague_sandbox.layers import ALL_LAYERS, Profile
from botleague_sandbox.program import (
    MAX_FINDING,
    MAX_SOURCE_BYTES,
    Answer,
    Crashed,
    Deadline,
    Failure,
    FailureKind,
    Finding,
    Imports,
    Limits,
    Program,
    Rejected,
    Reply,
    SandboxError,
    Tier,
)
from botleague_sandbox.text import clean_text

if TYPE_CHECKING:
    from botleague_sandbox import drawing, profiling
    from botleague_sandbox.bot import Bot, Notes, ask_together, close_together
    from botleague_sandbox.doctor import Diagnosis, diagnose
    from botleague_sandbox.process import Usage
    from botleague_sandbox.sandbox import Request, Sandbox

__all__ = [
    "ALL_LAYERS",
    "MAX_FINDING",
    "MAX_SOURCE_BYTES",
    "Answer",
    "Bot",
    "Crashed",
    "Deadline",
    "Diagnosis",
    "Failure",
    "FailureKind",
    "Finding",
    "Imports",
    "Limits",
    "MachineryFailure",
    "Notes",
    "Profile",
    "Program",
    "Rejected",
    "Reply",
    "Request",
    "Sandbox",
    "SandboxError",
    "SandboxUnavailable",
    "Tier",
    "Usage",
    "ask_together",
    "clean_text",
    "close_together",
    "diagnose",
    "drawing",
    "profiling",
]

_HOMES = {
    "Bot": "bot",
    "Diagnosis": "doctor",
    "Notes": "bot",
    "Request": "sandbox",
    "Sandbox": "sandbox",
    "Usage": "process",
    "ask_together": "bot",
    "close_together": "bot",
    "diagnose": "doctor",
}


def __getattr__(name: str) -> Any:
    """Import what runs programs when it is first asked for: many know their kinds, and few run one."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
