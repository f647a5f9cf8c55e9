"""Hardware: the seven numbers that a bot chooses for itself, their limits and their price.

The harness reads them off the bot and declares them; the host checks what was declared. A declared value is a
number, or a text with the reason for its absence ("is missing").

Source: rules/pybots.md, sections 2, 3 and 9.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from botleague_pybots.options import Options

Declared = bool | int | float | str
"""One attribute as the harness found it."""

_TEXT = 60
_LARGEST = 2**53


class Hardware(NamedTuple):
    """The checked hardware of one bot. ``size`` is the radius in units of the arena, ``maxspeed`` and
    ``shotspeed`` are units a step, ``scanradius`` is the half width of the scan in tens of degrees."""

    size: float
    armour: float
    maxdamage: float
    maxspeed: float
    shotpower: float
    shotspeed: float
    scanradius: float


class Declaration(NamedTuple):
    """Declaration of a bot before the match: its name, then the fields of :class:`Hardware`."""

    name: str
    size: Declared
    armour: Declared
    maxdamage: Declared
    maxspeed: Declared
    shotpower: Declared
    shotspeed: Declared
    scanradius: Declared


@dataclass(frozen=True, slots=True)
class Limit:
    """The range of one attribute (both ends allowed), the value that is free, and the price of a point."""

    least: int
    most: int
    free_at: int
    price: int


LIMITS: Mapping[str, Limit] = {
    "size": Limit(5, 15, free_at=15, price=1),
    "armour": Limit(0, 3, free_at=0, price=6),
    "maxdamage": Limit(10, 15, free_at=10, price=1),
    "maxspeed": Limit(1, 5, free_at=1, price=2),
    "shotpower": Limit(1, 5, free_at=1, price=4),
    "shotspeed": Limit(3, 10, free_at=3, price=2),
    "scanradius": Limit(1, 9, free_at=1, price=1),
}


class HardwareRefused(ValueError):
    """The hardware breaks a limit. The message names each attribute and its limit."""


def read(bot: object) -> tuple[Declared, ...]:
    """Return the seven attributes of a bot as plain data, in the order of :class:`Hardware`.

    Runs in the sandbox, on the bot's own instance.
    """
    return tuple(_declared(bot, name) for name in LIMITS)


def cost(hardware: Sequence[float]) -> float:
    """Return the price of the hardware in points."""
    return sum(
        limit.price * abs(value - limit.free_at)
        for value, limit in zip(hardware, LIMITS.values(), strict=True)
    )


def check(declared: Sequence[Declared], options: Options) -> Hardware:
    """Return declared hardware as numbers.

    Raises:
        HardwareRefused: an attribute is missing, no number or out of its range, or all are too dear together.
    """
    whole = options.integer_hardware
    faults = [
        f"{name} {fault}"
        for (name, limit), value in zip(LIMITS.items(), declared, strict=True)
        if (fault := _fault(value, limit, whole=whole))
    ]
    if faults:
        raise HardwareRefused("hardware refused: " + "; ".join(faults))
    hardware = Hardware(*(value if isinstance(value, float) else int(value) for value in declared))
    if cost(hardware) > options.max_bot_cost:
        parts = ", ".join(
            f"{name} {value:g} costs {limit.price * abs(value - limit.free_at):g}"
            for (name, limit), value in zip(LIMITS.items(), hardware, strict=True)
            if value != limit.free_at
        )
        raise HardwareRefused(
            f"hardware refused: it costs {cost(hardware):g} points, at most {options.max_bot_cost:g} are allowed"
            f" ({parts})"
        )
    return hardware


def _fault(value: Declared, limit: Limit, *, whole: bool) -> str:
    allowed = f"allowed is {'an integer' if whole else 'a number'} from {limit.least} to {limit.most}"
    if isinstance(value, str):
        return f"{_printable(value)}, {allowed}"
    if (whole and type(value) is not int) or not limit.least <= value <= limit.most:
        return f"is {value!r}, {allowed}"
    return ""


def _declared(bot: object, name: str) -> Declared:
    try:
        value = getattr(bot, name)
    except AttributeError:
        return "is missing"
    if isinstance(value, bool):
        return bool(value)
    if isinstance(value, int):
        return int.__int__(value) if abs(value) <= _LARGEST else "is an integer far too large"
    if isinstance(value, float):
        number = float.__float__(value)
        return number if math.isfinite(number) else f"is {number}"
    return f"is of type {type(value).__name__}"[:_TEXT]


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text[:_TEXT])
