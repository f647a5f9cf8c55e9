"""Runs untrusted Python programs, each in its own locked-down process, and asks them questions under deadlines.

Usable by anyone: it knows no games, matches or leagues. :class:`Program` is what to run, :class:`Sandbox` where,
and whatever a program does comes back as an :class:`Answer` or a :class:`Failure`::

    with Sandbox() as sandbox, sandbox.run(program, briefing) as bot:
        reply = bot.ask(observation, Deadline.cpu(150), list[int])
"""

from __future__ import annotations

from botleague_sandbox import drawing, profiling
from botleague_sandbox.bot import Bot, Notes, ask_together, close_together
from botleague_sandbox.confined import Refused, confined
from botleague_sandbox.doctor import Diagnosis, diagnose
from botleague_sandbox.errors import MachineryFailure, SandboxUnavailable
from botleague_sandbox.layers import ALL_LAYERS, Profile
from botleague_sandbox.process import Usage
from botleague_sandbox.program import (
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
from botleague_sandbox.sandbox import Request, Sandbox
from botleague_sandbox.text import clean_text

__all__ = [
    "ALL_LAYERS",
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
    "Refused",
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
    "confined",
    "diagnose",
    "drawing",
    "profiling",
]
