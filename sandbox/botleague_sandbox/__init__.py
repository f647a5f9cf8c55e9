"""Runs untrusted Python programs, each in its own locked-down process, and asks them questions under deadlines.

Usable by anyone: it knows no games, matches or leagues. :class:`Program` is what to run, :class:`Sandbox` where,
and whatever a program does comes back as an :class:`Answer` or a :class:`Failure`::

    with Sandbox() as sandbox, sandbox.run(program, briefing) as bot:
        reply = bot.ask(observation, Deadline.cpu(150), list[int])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from botleague_sandbox.wire.fuel import units_in
from botleague_sandbox.wire.guest_engine import GuestEngine, guest_engine, missing_engine
from botleague_sandbox.wire.program import (
    MAX_FINDING,
    MAX_SOURCE_BYTES,
    Answer,
    Crashed,
    Deadline,
    Failure,
    FailureKind,
    Finding,
    FindingKind,
    Imports,
    Limits,
    Notes,
    Program,
    Rejected,
    Reply,
    SandboxError,
    Tier,
)
from botleague_sandbox.wire.protection_layers import ALL_LAYERS, Profile
from botleague_sandbox.wire.safe_text import clean_text
from botleague_sandbox.wire.sandbox_errors import HarnessFailure, MachineryFailure, SandboxUnavailable

if TYPE_CHECKING:
    from botleague_sandbox.host.bot_process import Usage
    from botleague_sandbox.host.isolation_check import Diagnosis, diagnose
    from botleague_sandbox.host.running_bot import Bot, ask_together, close_together
    from botleague_sandbox.host.sandbox import Request, Sandbox
    from botleague_sandbox.inside.harness_factory import make_harness
    from botleague_sandbox.inside.tracebacks import place_in

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
    "FindingKind",
    "GuestEngine",
    "HarnessFailure",
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
    "guest_engine",
    "make_harness",
    "missing_engine",
    "place_in",
    "units_in",
]

_HOMES = {
    "Bot": "host.running_bot",
    "Diagnosis": "host.isolation_check",
    "Request": "host.sandbox",
    "Sandbox": "host.sandbox",
    "Usage": "host.bot_process",
    "ask_together": "host.running_bot",
    "close_together": "host.running_bot",
    "diagnose": "host.isolation_check",
    "make_harness": "inside.harness_factory",
    "place_in": "inside.tracebacks",
}


if not TYPE_CHECKING:  # type checkers know the names above, and refuse others

    def __getattr__(name: str) -> Any:
        """Import what runs programs when it is first asked for: many know their kinds, and few run one."""
        if name in _HOMES:
            return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
