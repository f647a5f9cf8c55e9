"""Checks of a picture for the conformance kit: shapes inside it, finite numbers, names in place of seat numbers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from botleague.rules.scene import Circle, Emblem, Line, Polygon, Rect, Scene, Shape, Text, bounds

__all__ = ["name_problem", "scene_problems"]

SHAPES = (Rect, Circle, Polygon, Line, Text, Emblem)
_COLOR = re.compile(r"#[0-9a-f]{6}([0-9a-f]{2})?")
_SEAT = re.compile(r"(?<!\{)\bseat [0-9]")
_SLACK = 1e-6
"""Scene units by which rounding may move a shape over the edge."""

_NOT_FINITE = re.compile(rb"\xcb[\x7f\xff][\xf0-\xff]")
"""The first bytes of numbers that are not finite, in MessagePack; parts of other values can be the same."""


def scene_problems(what: str, scene: object, seats: int) -> Iterator[str]:
    """Yield what is wrong with a picture; the problems after the first may follow from it, or raise.

    Args:
        what: name of the picture in messages, for example "scene".
        scene: what the rules returned.
        seats: number of seats of the match.
    """
    if not isinstance(scene, Scene):
        yield f"{what} returned {scene!r}"
        return
    for shape in scene.shapes:
        if not isinstance(shape, SHAPES):
            yield f"{shape!r} in the {what} is not a shape"
    if _NOT_FINITE.search(msgspec.msgpack.encode(scene)) and not _is_finite(scene):
        yield f"a number in the {what} is not finite"
    for shape in scene.shapes:
        yield from _shape_problems(what, scene, shape)
    left, top, width, height = scene.focus or (0, 0, scene.width, scene.height)
    if not (
        min(left, top) >= 0 < min(width, height)
        and left + width <= scene.width + _SLACK
        and top + height <= scene.height + _SLACK
    ):
        yield f"the focus {scene.focus} is not inside the {what}, which is {scene.width:g} x {scene.height:g}"
    keys = [shape.key for shape in scene.shapes if shape.key]
    if len(keys) != len(set(keys)):
        yield f"keys occur twice in the {what}: {_repeated(keys)}"
    if len(scene.scores) not in (0, seats):
        yield f"the {what} has {len(scene.scores)} scores for {seats} seats"
    for event in scene.events:
        if event.seat is not None and event.seat not in range(seats):
            yield f"the {what} has an event of an unknown seat: {event}"
        if not (event.text and event.weight > 0):
            yield f"the {what} has an empty event: {event}"
    for text in (*scene.caption, *(event.text for event in scene.events)):
        yield from name_problem(what, text)


def name_problem(what: str, text: str) -> Iterator[str]:
    """Yield the problem of a text with the number of a seat where viewers expect the name of a bot."""
    if _SEAT.search(text):
        yield f"the {what} {text!r} names a seat by its number: write seat_name(seat) in place of the bot's name"


def _is_finite(scene: Scene) -> bool:
    try:
        json.dumps(msgspec.to_builtins(scene), allow_nan=False)
    except ValueError:
        return False
    return True


def _shape_problems(what: str, scene: Scene, shape: Shape) -> Iterator[str]:
    if isinstance(shape, Polygon | Line) and not shape.points:
        yield f"{shape} has no points"
    if not all(map(_COLOR.fullmatch, _colors(shape))):
        yield f"the colour of {shape} is not like #3d7edb"
    left, top, right, bottom = bounds(shape)
    if not (
        left >= -_SLACK
        and top >= -_SLACK
        and right <= scene.width + _SLACK
        and bottom <= scene.height + _SLACK
    ):
        yield f"outside the {what}, which is {scene.width:g} x {scene.height:g}: {shape}"
    yield from name_problem(what, shape.title)
    if isinstance(shape, Text) and shape.width <= 0 and "{seat " in shape.text:
        yield f"{shape} in the {what} contains a bot's name of unknown width: give the text a width"


def _colors(shape: Shape) -> tuple[str, ...]:
    match shape:
        case Line(stroke=color):
            return (color,)
        case Text(fill=fill, halo=stroke):
            return (fill, stroke) if stroke else (fill,)
        case Emblem(fill=color):
            return (color,) if color else ()
        case (
            Rect(fill=fill, stroke=stroke)
            | Circle(fill=fill, stroke=stroke)
            | Polygon(fill=fill, stroke=stroke)
        ):
            return tuple(color for color in (fill, stroke) if color is not None)


def _repeated(keys: Sequence[str]) -> list[str]:
    return sorted(key for key, number in Counter(keys).items() if number > 1)
