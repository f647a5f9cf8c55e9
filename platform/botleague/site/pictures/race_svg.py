"""Race of the best bots as SVG, and the rating curve in a row of the standings.

A race has three pictures of one height: scale, lines and names. Only the lines are stretched to the width of the page,
so that texts stay readable on a phone. The page's script cuts the lines at a round and moves the names there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from botleague.application.pages import Race
from botleague.emblems import emblem_of, emblem_svg
from botleague.site.pictures.rating_curve_svg import MIN_RANGE, nice_step
from botleague.site.pictures.svg_text import element, fit, n, t
from botleague.site.text_filters import points as points_text
from botleague.site.text_filters import rating

WIDTH, HEIGHT = 1000.0, 300.0
"""Size of the lines in units: the height is in pixels."""

MARGIN = 14.0
NAME_HEIGHT = 25.0
"""Minimum distance of two names in pixels; the script has it too."""

NAME_WIDTH = 13
"""Width of a name in small letters."""

LINES = 5
"""Approximate number of horizontal lines."""

SPARK_WIDTH, SPARK_HEIGHT = 96.0, 24.0


class RacePictures(NamedTuple):
    """Scale, lines and names of a race."""

    scale: str
    lines: str
    names: str


def race_svg(race: Race, bots: Sequence[str], href: Callable[[str], str | None]) -> RacePictures:
    """Return the pictures of a race as of its last step.

    Args:
        bots: names of the bots that are drawn, the first ones of the race.
        href: returns the address of a bot, None if it has no page.
    """
    courses = race.values[: len(bots)]
    values = [value for course in courses for value in course if value is not None]
    low, high = min(values), max(values)
    least = MIN_RANGE if race.measure == "rating" else 2.0
    spare = max(0.0, least - (high - low)) / 2
    low, high = low - spare, high + spare

    def y(value: float) -> float:
        return MARGIN + (HEIGHT - 2 * MARGIN) * (high - value) / (high - low)

    step = nice_step((high - low) / LINES)
    ticks = [tick * step for tick in range(math.ceil(low / step), math.floor(high / step) + 1)]
    scale = [element("text", f"{tick:g}", x="100%", y=n(y(tick) + 4), class_="tick") for tick in ticks]
    grid = [element("path", d=f"M0 {n(y(tick))}H{n(WIDTH)}", class_="grid") for tick in ticks]
    lines, dots, names = [], [], []
    levels = [y(course[-1]) if course[-1] is not None else HEIGHT for course in courses]
    colors = [emblem_of(bot).color for bot in bots]
    # The best last, above the others; of two bots of one colour the worse has dashes.
    for place, bot, course, level, name_level in reversed(
        list(zip(range(len(bots)), bots, courses, levels, spread_out(levels), strict=True))
    ):
        alike = colors[:place].count(colors[place])
        color = f"c{colors[place]}" + f" alike{min(alike, 2)}" * (alike > 0)
        points = [
            (WIDTH * number / (len(course) - 1), y(value))
            for number, value in enumerate(course)
            if value is not None
        ]
        path = " ".join(f"{n(x)},{n(level)}" for x, level in points)
        lines.append(element("polyline", points=path, class_=f"line {color}"))
        dots.append(element("path", d=f"M{n(WIDTH)} {n(level)}h0", class_=f"dot {color}"))
        names.append(
            _name(
                bot,
                color,
                level,
                name_level,
                (rating if race.measure == "rating" else points_text)(course[-1]),
                href(bot),
            )
        )
    clip = element("clipPath", element("rect", width=n(WIDTH), height=n(HEIGHT)), id="race-cut")
    mark = element("path", d=f"M{n(WIDTH)} 0V{n(HEIGHT)}", class_="mark")
    course_lines = element("g", "".join(lines), clip_path="url(#race-cut)")
    return RacePictures(
        element("svg", "".join(scale), class_="scale", height=n(HEIGHT), aria_hidden="true"),
        element(
            "svg",
            "".join([clip, *grid, course_lines, mark, *dots]),
            class_="lines",
            viewBox=f"0 0 {n(WIDTH)} {n(HEIGHT)}",
            height=n(HEIGHT),
            preserveAspectRatio="none",
            aria_hidden="true",
        ),
        element("svg", "".join(names), class_="names", height=n(HEIGHT), role="group", aria_label="Bots"),
    )


def race_data(race: Race) -> str:
    """Return a race for the page's script as JSON: steps, and of each bot hundredths of points or whole ratings.

    The first value of a bot is followed by differences, because these compress better; null has no value.
    """
    unit = 1 if race.measure == "rating" else 100
    courses = []
    for values in race.values:
        before, course = 0, list[int | None]()
        for value in values:
            number = None if value is None else round(unit * value)
            course.append(None if number is None else number - before)
            before = before if number is None else number
        courses.append(course)
    data = {"unit": race.unit, "per": unit, "steps": race.steps, "values": courses}
    return json.dumps(data, separators=(",", ":"))


def spread_out(levels: Sequence[float]) -> list[float]:
    """Return vertical positions of names near these levels, but at least :data:`NAME_HEIGHT` apart."""
    order = sorted(range(len(levels)), key=levels.__getitem__)
    positions = list(levels)
    least = MARGIN
    for index in order:
        positions[index] = max(least, positions[index])
        least = positions[index] + NAME_HEIGHT
    most = HEIGHT - MARGIN
    for index in reversed(order):
        positions[index] = min(most, positions[index])
        most = positions[index] - NAME_HEIGHT
    return positions


def spark_svg(curve: Sequence[int], bot: str) -> str:
    """Return the rating curve of a bot for a row of the standings; "" for less than two points."""
    if len(curve) < 2:
        return ""
    spare = max(0.0, MIN_RANGE - (max(curve) - min(curve))) / 2
    low, high = min(curve) - spare, max(curve) + spare
    points = [
        (
            (SPARK_WIDTH - 6) * number / (len(curve) - 1) + 3,
            (SPARK_HEIGHT - 6) * (high - value) / (high - low) + 3,
        )
        for number, value in enumerate(curve)
    ]
    path = " ".join(f"{x:.0f},{level:.0f}" for x, level in points)
    x, level = points[-1]
    line = element("polyline", points=path) + element("path", d=f"M{x:.0f} {level:.0f}h0")
    return f'<svg class="spark c{emblem_of(bot).color}" aria-hidden="true">{line}</svg>'


def _name(bot: str, color: str, level: float, position: float, value: str, address: str | None) -> str:
    text = element("text", fit(bot, NAME_WIDTH), y="16", class_="name")
    parts = [
        element("g", emblem_svg(emblem_of(bot), size=20), transform="translate(20 -10)"),
        element("svg", text, x="46", y="-12", width="54%", height="24"),
        element("text", value, x="100%", y="4", class_="value"),
    ]
    content = element("title", t(bot))
    content += element("path", d=f"M2 {n(level)}L16 {n(position)}", class_=f"lead {color}")
    content += element("g", "".join(parts), transform=f"translate(0 {n(position)})", class_="at")
    return element("g", content) if address is None else element("a", content, href=address)
