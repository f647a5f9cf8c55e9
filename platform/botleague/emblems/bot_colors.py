"""Colours of bots: ten that stay readable as text on dark and light grounds, and their choice in a match.

Sources: CIELAB with CIE 15:2004; people without red or green cones with Viénot, Brettel and Mollon, "Digital video
colourmaps for checking the legibility of displays by dichromats" (1999); without blue cones with Machado, Oliveira and
Fernandes, "A physiologically-based model for simulation of color vision deficiency" (2009).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cache

import msgspec

MIN_DISTANCE = 30.0
"""Minimum distance of two seats' colours in a match, in units of CIELAB."""

TRITAN_FACTOR = 2.0
"""Factor of distances as tritanopes see them: one person in 10,000 is one, one in 50 lacks red or green cones."""


class BotColor(msgspec.Struct, frozen=True):
    """A colour of bots, as ``#rrggbb`` for dark and for light grounds."""

    name: str
    dark: str
    light: str


BOT_COLORS: tuple[BotColor, ...] = (
    BotColor("blue", "#6aa5ff", "#2563c9"),
    BotColor("vermilion", "#ff8160", "#c8401f"),
    BotColor("green", "#45c98a", "#14804a"),
    BotColor("amber", "#e6ad3c", "#946300"),
    BotColor("violet", "#b48bff", "#7a46c2"),
    BotColor("pink", "#ff86bd", "#bf2f7d"),
    BotColor("cyan", "#3cc4d6", "#0b7a8a"),
    BotColor("lime", "#a8d14b", "#507300"),
    BotColor("indigo", "#989dff", "#4145b0"),
    BotColor("crimson", "#f2708a", "#a81f3c"),
)


def match_colors(own: Sequence[int]) -> list[int]:
    """Return the colours of a match's seats: of two seats with similar colours the later one gets another.

    It gets the colour farthest from those of all seats before it. With more seats than colours some are alike.

    Args:
        own: colours of the bots by seat.
    """
    colors: list[int] = []
    for color in own:
        if any(distance(color, before) < MIN_DISTANCE for before in colors):
            # All colours are equally far once each is taken: then the own one stays.
            color = max(
                (color, *range(len(BOT_COLORS))),
                key=lambda other: min(distance(other, before) for before in colors),
            )
        colors.append(color)
    return colors


@cache
def distance(one: int, other: int) -> float:
    """Return the least distance of two bot colours on either ground, as seen with and without one kind of cones."""
    grounds = (
        (BOT_COLORS[one].dark, BOT_COLORS[other].dark),
        (BOT_COLORS[one].light, BOT_COLORS[other].light),
    )
    views = ((_linear, 1.0), (_without_red, 1.0), (_without_green, 1.0), (_without_blue, TRITAN_FACTOR))
    return min(
        factor * math.dist(_lab(as_light(first)), _lab(as_light(second)))
        for (first, second), (as_light, factor) in itertools.product(grounds, views)
    )


def _linear(color: str) -> tuple[float, float, float]:
    red, green, blue = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return _light(red), _light(green), _light(blue)


def _light(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _without_red(color: str) -> tuple[float, float, float]:
    red, green, blue = _linear(color)
    mixed = 0.11238 * red + 0.88762 * green
    return mixed, mixed, 0.00401 * (red - green) + blue


def _without_green(color: str) -> tuple[float, float, float]:
    red, green, blue = _linear(color)
    mixed = 0.29275 * red + 0.70725 * green
    return mixed, mixed, 0.02234 * (green - red) + blue


def _without_blue(color: str) -> tuple[float, float, float]:
    red, green, blue = _linear(color)
    return (
        max(0.0, 1.255528 * red - 0.076749 * green - 0.178779 * blue),
        max(0.0, -0.078411 * red + 0.930809 * green + 0.147602 * blue),
        max(0.0, 0.004733 * red + 0.691367 * green + 0.303900 * blue),
    )


def _lab(color: tuple[float, float, float]) -> tuple[float, float, float]:
    red, green, blue = color
    x = _root((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047)
    y = _root(0.2126729 * red + 0.7151522 * green + 0.0721750 * blue)
    z = _root((0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _root(value: float) -> float:
    return float(max(value, 0.0) ** (1 / 3)) if value > (6 / 29) ** 3 else value / 3 / (6 / 29) ** 2 + 4 / 29
