"""Optional measurements of a match: time per function, and memory per turn.

A profile comes from the bot's process, so it is treated as untrusted: an invalid profile is
dropped, numbers are bounded and names are cleaned. The host reads memory from the kernel.
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
"""Factor of all time limits in a profiled match, because profiling slows every function call."""

MAX_NAME_LENGTH = 120

_LARGEST = 1e12


class Measures(msgspec.Struct, frozen=True):
    """Measurements of a match, each by seats.

    Attributes:
        profile: seats with time per function. Limits of such a match are :data:`STRETCH` times as long.
        memory: seats with peak memory after each turn.
    """

    profile: tuple[int, ...] = ()
    memory: tuple[int, ...] = ()


NOTHING = Measures()


class FunctionTime(msgspec.Struct, frozen=True):
    """Times of one function, with its file in the bot or its module of the game; a builtin has no file."""

    file: str
    line: int
    name: str
    calls: int
    own_ms: float
    all_ms: float


class SlowTurn(msgspec.Struct, frozen=True):
    """One of the slowest turns, numbered as in ``replay``, with its most expensive functions."""

    turn: int
    took_ms: float
    functions: list[FunctionTime]


class SeatProfile(msgspec.Struct, frozen=True):
    """Times of a seat, as reported by its bot's process.

    Attributes:
        turns: number of counted turns since the last start of the bot's process.
        took_ms: CPU milliseconds of these turns.
        functions: most own time first, limited by the process.
        slowest: slowest first.
    """

    turns: int
    took_ms: float
    functions: list[FunctionTime]
    slowest: list[SlowTurn]


def stretched(time: TimeControl) -> TimeControl:
    """Return a time control with :data:`STRETCH` times the time; the grace before the kill stays the same."""
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
    """Return the combined profile of several matches; its slowest turns are from any of them."""
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


def read_profile(content: bytes, turns: Sequence[int]) -> SeatProfile | None:
    """Return the profile in the message of a process, None if it is invalid.

    Args:
        content: the message of the process.
        turns: the turn numbers of the match in which the seat acted.
    """
    try:
        message = msgspec.msgpack.decode(content, type=_Told)
    except (msgspec.MsgspecError, ValueError, RecursionError, OverflowError):
        return None
    slowest = [
        SlowTurn(turns[one.number], _bounded(one.took_ms), [_cleaned(each) for each in one.functions])
        for one in message.slowest
        if one.number < len(turns)
    ]
    functions = [_cleaned(each) for each in message.functions]
    return SeatProfile(min(message.turns, len(turns)), _bounded(message.took_ms), functions, slowest)


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


def _cleaned(function: _Function) -> FunctionTime:
    file, name = (
        " ".join(clean_text(text[:MAX_NAME_LENGTH], MAX_NAME_LENGTH).split())
        for text in (function.file, function.name)
    )
    return FunctionTime(
        file, function.line, name, function.calls, _bounded(function.own_ms), _bounded(function.all_ms)
    )


def _bounded(ms: float) -> float:
    return max(0.0, min(ms, _LARGEST)) if math.isfinite(ms) else 0.0
