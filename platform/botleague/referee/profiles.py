"""Where the time of a seat goes: what is measured beyond a match's usual figures, where somebody asks for it.

A profile comes out of the bot's process, so it is read like everything that a stranger says: what is no profile is
none, numbers are bounded and names are cleaned. Memory is read by the host from the kernel.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated

import msgspec
from msgspec import Meta

from botleague.rules import TimeControl
from botleague_sandbox import clean_text
from botleague_sandbox.inside import turn_profile

STRETCH = 4
"""How many times longer limits are in a profiled match, in which every call of a function takes longer."""

LONGEST_NAME = 120

_LARGEST = 1e12


class Measures(msgspec.Struct, frozen=True):
    """What is to be measured in a match, each by seats.

    Attributes:
        profile: where time goes, by function. Limits are :data:`STRETCH` times as long in such a match.
        memory: the peak after each turn.
    """

    profile: tuple[int, ...] = ()
    memory: tuple[int, ...] = ()


NOTHING = Measures()


class FunctionTime(msgspec.Struct, frozen=True):
    """One function: in which file of the bot or module of the game, and what it took; a builtin has no file."""

    file: str
    line: int
    name: str
    calls: int
    own_ms: float
    all_ms: float


class SlowTurn(msgspec.Struct, frozen=True):
    """One of the slowest turns, as ``replay`` numbers it, with the functions that took most of it."""

    turn: int
    took_ms: float
    functions: list[FunctionTime]


class SeatProfile(msgspec.Struct, frozen=True):
    """Where a seat's time went, by its bot's own account.

    Attributes:
        turns: how many were counted, since the bot's process was last started.
        took_ms: CPU milliseconds in these.
        functions: most own time first, at most as many as a process tells.
        slowest: slowest first.
    """

    turns: int
    took_ms: float
    functions: list[FunctionTime]
    slowest: list[SlowTurn]


def stretched(time: TimeControl) -> TimeControl:
    """Return a time control with :data:`STRETCH` times the time; between interrupt and kill there is no more."""
    first = time.first_move_ms
    return replace(
        time,
        move_ms=time.move_ms * STRETCH,
        first_move_ms=None if first is None else first * STRETCH,
        load_ms=time.load_ms * STRETCH,
        brief_ms=time.brief_ms * STRETCH,
        bank_ms=time.bank_ms * STRETCH,
        increment_ms=time.increment_ms * STRETCH,
    )


def together(profiles: Iterable[SeatProfile]) -> SeatProfile:
    """Return the profile of several matches; turns of all are among the slowest."""
    functions: dict[tuple[str, int, str], FunctionTime] = {}
    slowest: list[SlowTurn] = []
    turns, took_ms = 0, 0.0
    for one in profiles:
        turns, took_ms = turns + one.turns, took_ms + one.took_ms
        slowest += one.slowest
        for new in one.functions:
            place = (new.file, new.line, new.name)
            old = functions.get(place, FunctionTime(*place, 0, 0.0, 0.0))
            functions[place] = FunctionTime(
                *place, old.calls + new.calls, old.own_ms + new.own_ms, old.all_ms + new.all_ms
            )
    by_time = sorted(functions.values(), key=lambda one: -one.own_ms)
    slowest.sort(key=lambda one: -one.took_ms)
    return SeatProfile(turns, took_ms, by_time[: turn_profile.FUNCTIONS], slowest[: turn_profile.SLOWEST])


def read_profile(content: bytes, asked: Sequence[int]) -> SeatProfile | None:
    """Return the profile that a process tells, None for what is none.

    Args:
        content: as the process sent it.
        asked: the turns of the match in which it was asked.
    """
    try:
        told = msgspec.msgpack.decode(content, type=_Told)
    except (msgspec.MsgspecError, ValueError, RecursionError, OverflowError):
        return None
    slowest = [
        SlowTurn(asked[one.number], _bounded(one.took_ms), [_cleaned(each) for each in one.functions])
        for one in told.slowest
        if one.number < len(asked)
    ]
    functions = [_cleaned(each) for each in told.functions]
    return SeatProfile(min(told.turns, len(asked)), _bounded(told.took_ms), functions, slowest)


_Count = Annotated[int, Meta(ge=0, lt=2**53)]


class _Function(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    file: str
    line: _Count
    name: str
    calls: _Count
    own_ms: float
    all_ms: float


class _Slow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    number: _Count
    took_ms: float
    functions: Annotated[list[_Function], Meta(max_length=turn_profile.SLOWEST_FUNCTIONS)]


class _Told(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    turns: _Count
    took_ms: float
    functions: Annotated[list[_Function], Meta(max_length=turn_profile.FUNCTIONS)]
    slowest: Annotated[list[_Slow], Meta(max_length=turn_profile.SLOWEST)]


def _cleaned(told: _Function) -> FunctionTime:
    file, name = (
        " ".join(clean_text(text[:LONGEST_NAME], LONGEST_NAME).split()) for text in (told.file, told.name)
    )
    return FunctionTime(file, told.line, name, told.calls, _bounded(told.own_ms), _bounded(told.all_ms))


def _bounded(ms: float) -> float:
    return max(0.0, min(ms, _LARGEST)) if math.isfinite(ms) else 0.0
