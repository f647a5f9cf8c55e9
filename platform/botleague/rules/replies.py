"""Replies of seats as data: an unchecked move or a fault.

A bot that hangs, dies or sends garbage is an ordinary event of a match, so it is a value and not an
exception. Rules receive these values in :meth:`Rules.apply`, and report ``illegal`` faults themselves.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import msgspec

__all__ = ["FAULT_KINDS", "Fault", "FaultKind", "Move", "Reply"]

FaultKind = Literal["exception", "timeout", "illegal", "crash", "garbage", "rejected"]

FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)
"""Every kind of fault: ``exception`` the bot raised; ``timeout`` the deadline passed; ``illegal`` a
well-formed move that the rules refuse; ``crash`` the bot's process died; ``garbage`` bytes that are not one
well-formed answer; ``rejected`` the bot was never admitted (its source or its declaration)."""


class Move(msgspec.Struct, frozen=True):
    """An answer that arrived in time.

    Attributes:
        value: the answer, decoded to the variant's move type.
        cpu_ms: CPU milliseconds that the bot's process used for it. Rules must not read it: only
            the values reproduce a match.
        warning: error after the answer that counts (an anytime bot that raised after its last
            provisional move), else empty.
        fault: a fault recorded against the seat although the move counts: its process died, or was killed,
            after the answer. None for no fault.
        fuel: units of fuel that a WebAssembly bot used; None for other bots, and for a turn that another machine
            need not repeat.
    """

    # A struct, because every answer creates one, and creating a frozen dataclass takes several times as long.

    value: object
    cpu_ms: float = 0.0
    warning: str = ""
    fault: FaultKind | None = None
    fuel: int | None = None


class Fault(msgspec.Struct, frozen=True):
    """A failure of a seat in place of a legal move.

    Attributes:
        kind: see :data:`FAULT_KINDS`.
        detail: text for people; bounded, printable, free of paths, and the same on every machine.
        cpu_ms, fuel: as in :class:`Move`.
    """

    kind: FaultKind
    detail: str = ""
    cpu_ms: float = 0.0
    fuel: int | None = None


Reply: TypeAlias = Move | Fault
