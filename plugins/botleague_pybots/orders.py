"""Conversion of the result of a bot's ``act`` to orders: plain, bounded data that the engine can apply.

An answer is applied strictly in order, and what was applied before a failure stays in force. So the harness
evaluates it in that order in the sandbox, where iterators may be endless and numbers may have a million
digits, and sends how far it came: a value that was not reached is None, and ``failure`` has the reason.

Directions in orders are already reduced to [0, 360] degrees and everything is clamped to the bot's hardware.
The engine trusts none of it and clamps again, which changes nothing for honest orders.

Source: rules/pybots.md, sections 5 and 9.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec

from botleague_pybots.hardware import Declared, Hardware
from botleague_pybots.options import MESSAGE_SHOTS, Options

SLOWEST_SHOT = 0.1
"""Units a step; slower shots are raised to this."""

FAILURE_TEXT = 120

Number: TypeAlias = int | float
ShotOrder: TypeAlias = tuple[Number, Number, Number]
"""Direction in degrees, speed in units a step, power."""


class Orders(NamedTuple):
    """Orders of one bot in one step.

    Attributes:
        direction: degrees, None if the answer failed there.
        speed: units a step, None if the answer failed there or before.
        scan: degrees, None if the answer failed there or before.
        shots: those created before the answer ended or failed.
        failure: why the rest of the answer could not be applied, empty if all of it could.
        hardware: only in the setup turn of a round that reads hardware again.
    """

    direction: Number | None
    speed: Number | None
    scan: Number | None
    shots: Annotated[tuple[ShotOrder, ...], msgspec.Meta(max_length=MESSAGE_SHOTS)] = ()
    failure: Annotated[str, msgspec.Meta(max_length=FAILURE_TEXT)] = ""
    hardware: Annotated[tuple[Declared, ...], msgspec.Meta(max_length=len(Hardware._fields))] | None = None


def clamp(value: Number, least: Number, most: Number) -> Number:
    """Return ``value`` within a range; what is not a number stays what it is, unlike with min and max."""
    if value < least:
        return least
    if value > most:
        return most
    return value


class _Failed(Exception):
    """A value cannot be applied."""


def read_answer(answer: Any, hardware: Hardware, options: Options) -> Orders:
    """Return the orders in an answer of ``act``, which may be any value at all."""
    direction: Number | None = None
    speed: Number | None = None
    scan: Number | None = None
    shots: list[ShotOrder] = []
    place = "answer"
    try:
        first, second, third, fourth = answer
        place = "direction"
        direction = _number(first, options) % 360
        place = "speed"
        speed = clamp(_number(second, options), 0, hardware.maxspeed)
        place = "scan direction"
        scan = _number(third, options) % 360
        place = "shots"
        for shot in _shots(fourth, hardware, options):
            shots.append(shot)  # noqa: PERF402  # what came before a failure counts
    except _Failed as failed:
        return Orders(direction, speed, scan, tuple(shots), f"{place}: {failed}"[:FAILURE_TEXT])
    except Exception as error:
        return Orders(direction, speed, scan, tuple(shots), f"{place}: {_reason(error)}"[:FAILURE_TEXT])
    return Orders(direction, speed, scan, tuple(shots))


def _shots(answer: Iterable[Any], hardware: Hardware, options: Options) -> Iterator[ShotOrder]:
    """Yield the shots of an answer as they are created."""
    total: Number = 0
    for created, shot in enumerate(answer, 1):
        power = _number(shot[2], options)
        if power != power:
            # Upstream's whole program ends when such a shot hits, whatever the option says.
            raise _Failed("a power that is not a number")
        if power < 0 and options.negative_power == "zero":
            power = 0
        if total + power > hardware.shotpower:
            power = hardware.shotpower - total
            if options.over_budget == "raise_on_tuple":
                shot[2] = power
        yield (
            _number(shot[0], options) % 360,
            clamp(_number(shot[1], options), SLOWEST_SHOT, hardware.shotspeed),
            clamp(power, 0, hardware.shotpower),
        )
        total += power
        if total >= hardware.shotpower or created >= options.shots_per_step:
            return


def _number(value: object, options: Options) -> Number:
    """Return a bot's number as an exact int or float, whatever subclass it came as."""
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        number = float.__float__(value)
        if options.nonfinite == "error" and not math.isfinite(number):
            raise _Failed(f"{number} is not a finite number")
        return number
    raise _Failed(f"{type(value).__name__[:40]} is not a number")


def _reason(error: Exception) -> str:
    try:
        text = str(error)
    except Exception:
        text = ""
    name = type(error).__name__
    return "".join(letter if letter.isprintable() else "?" for letter in f"{name}: {text}" if text) or name
