"""Scenes in the terminal: every character cell is two pixels, an upper and a lower half block."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

import msgspec
from rich.console import Group
from rich.style import Style
from rich.text import Text as RichText

from botleague.cli.printing.consoles import on_ground
from botleague.emblems import BOT_COLORS, GLYPHS, match_emblems
from botleague.rules import (
    Circle,
    Emblem,
    Line,
    Polygon,
    Rect,
    Scene,
    Shape,
    Text,
    seat_color,
    shortened,
    with_names,
)
from botleague.rules.scene import LETTER_WIDTH, LINE_HEIGHT
from botleague_sandbox import clean_text

Pixels = list[list[str]]

MAX_CAPTION_BYTES = 10_000
"""Bytes of one line of a caption, which bots can influence."""

MIN_DISC_PIXELS = 4.0
"""Pixels of the diameter from which on an emblem has a disc below its character."""

MIN_STROKED_PIXELS = 4
"""Pixels of the shorter side of a filled rectangle with an edge; smaller ones would be all edge."""


def draw(
    scene: Scene, columns: int, rows: int, layers: Iterable[str] = (), names: Sequence[str] = ()
) -> Group:
    """Return a scene as text, as large as fits; a scene of monospaced text as it is, cut at the edges.

    Args:
        columns, rows: of the terminal's space.
        layers: names of the optional layers to show.
        names: names of the bots by seat, for texts that name a seat, and for emblems and colours; scenes have light
            grounds.
    """
    # Equal names are followed by the seat, see :func:`botleague.names.distinct`.
    emblems = match_emblems(name.removesuffix(f" ({seat})") for seat, name in enumerate(names))
    colors = {
        seat_color(seat): BOT_COLORS[emblem.color].light for seat, emblem in reversed([*enumerate(emblems)])
    }
    glyphs = [emblem.glyph for emblem in emblems]
    visible = {"", *layers}
    left, top, wide, high = scene.focus or (0, 0, scene.width, scene.height)
    scale = _text_scale(scene) or min(columns / wide, 2 * rows / high)
    first_column, first_row = round(left * scale), round(top * scale / 2) * 2
    width = first_column + max(1, min(columns, round(wide * scale)))
    height = first_row + max(2, min(2 * rows, math.ceil(high * scale / 2) * 2))
    pixels: Pixels = [[scene.background] * width for _ in range(height)]
    letters: dict[tuple[int, int], tuple[str, str]] = {}
    for shape in scene.shapes:
        if shape.layer in visible:
            _paint(_named(_with_colors(shape, colors), scale, names), pixels, letters, scale, glyphs)
    # A line of the terminal has two rows of pixels, so a part may begin or end in the middle of a line.
    for row in range(first_row, height):
        if not top <= (row + 0.5) / scale < top + high:
            pixels[row] = [scene.background] * width
    lines = [
        _line(pixels[row], pixels[row + 1], letters, row // 2, first_column)
        for row in range(first_row, height, 2)
    ]
    named = [f"{glyph} {name}" for glyph, name in zip(glyphs, names, strict=True)]
    caption = [RichText(clean_text(with_names(text, named), MAX_CAPTION_BYTES)) for text in scene.caption]
    for text in caption:
        for name, emblem in zip(named, emblems, strict=True):
            color = BOT_COLORS[emblem.color]
            text.highlight_words([name], on_ground(color.dark, color.light))
    return Group(*lines, *caption)


def _text_scale(scene: Scene) -> float | None:
    """Return the pixels per scene unit at which a letter is a character; None for more than monospaced text."""
    sizes = [shape.size for shape in scene.shapes if isinstance(shape, Text) and shape.monospaced]
    return 2 / (LINE_HEIGHT * min(sizes)) if sizes and len(sizes) == len(scene.shapes) else None


def _with_colors(shape: Shape, colors: Mapping[str, str]) -> Shape:
    """Return a shape with the colours of the bots in place of those of their seats."""
    if isinstance(shape, Emblem) and not shape.fill:
        shape = msgspec.structs.replace(shape, fill=seat_color(shape.seat))
    own = {
        field: colors[color[:7]] + color[7:]
        for field in ("fill", "stroke")
        if (color := getattr(shape, field, None)) and color[:7] in colors
    }
    return msgspec.structs.replace(shape, **own) if own else shape


def _named(shape: Shape, scale: float, names: Sequence[str]) -> Shape:
    """Return a text of limited width with the names of bots, cut to the columns that it may have."""
    if not isinstance(shape, Text) or not shape.width:
        return shape
    return msgspec.structs.replace(
        shape, text=shortened(with_names(shape.text, names), 1 / (LETTER_WIDTH * scale), shape.width)
    )


def _line(
    upper: list[str], lower: list[str], letters: dict[tuple[int, int], tuple[str, str]], row: int, first: int
) -> RichText:
    line = RichText(no_wrap=True, end="")
    for column, (top, bottom) in enumerate(zip(upper[first:], lower[first:], strict=True), first):
        letter = letters.get((row, column))
        if letter is not None:
            line.append(letter[0], Style(color=letter[1], bgcolor=top, bold=True))
        else:
            line.append("▀", Style(color=top, bgcolor=bottom))
    line.append("\n")
    return line


def _paint(
    shape: Shape,
    pixels: Pixels,
    letters: dict[tuple[int, int], tuple[str, str]],
    scale: float,
    glyphs: Sequence[str] = (),
) -> None:
    match shape:
        case Rect(x, y, width, height, fill, stroke):
            corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
            if fill:
                _fill(
                    pixels,
                    scale,
                    (x, y, x + width, y + height),
                    lambda px, py: x <= px < x + width and y <= py < y + height,
                    fill,
                )
            if stroke and (not fill or min(width, height) * scale >= MIN_STROKED_PIXELS):
                _stroke(pixels, scale, (*corners, corners[0]), stroke)
        case Circle(x, y, radius, fill, stroke):
            reach = max(radius, 0.5 / scale)
            color = fill or stroke
            if color:
                _fill(
                    pixels,
                    scale,
                    (x - reach, y - reach, x + reach, y + reach),
                    lambda px, py: (px - x) ** 2 + (py - y) ** 2 <= reach * reach,
                    color,
                )
        case Polygon(points, fill, stroke):
            xs, ys = [point[0] for point in points], [point[1] for point in points]
            if fill:
                box = (min(xs), min(ys), max(xs), max(ys))
                _fill(pixels, scale, box, lambda px, py: _inside(points, px, py), fill)
            elif stroke:
                _stroke(pixels, scale, (*points, points[0]), stroke)
        case Line(points, stroke):
            _stroke(pixels, scale, points, stroke)
        case Emblem(x, y, size, seat, fill):
            row, column = int(y * scale), int(x * scale)
            below = (
                pixels[min(row, len(pixels) - 1)][min(column, len(pixels[0]) - 1)]
                if row >= 0 <= column
                else ""
            )
            is_disc = size * scale >= MIN_DISC_PIXELS or not below
            if is_disc:
                _paint(Circle(x, y, size / 2, fill), pixels, letters, scale)
            letter = glyphs[seat] if seat < len(glyphs) else GLYPHS[0]
            _paint(
                Text(x, y, letter, fill=below if is_disc and below else fill or below), pixels, letters, scale
            )
        case Text(x, y, text, size, fill):
            row = int(y * scale) // 2
            text = "".join(filter(str.isprintable, text))
            # Monospaced letters stay in their columns, with gaps where there is room.
            step = max(1, int(size * LETTER_WIDTH * scale + 1e-6)) if shape.monospaced else 1
            first = round(x * scale - step * len(text) / 2 + (step - 1) / 2)
            for offset, letter in enumerate(text):
                column = first + offset * step
                if 0 <= row < len(pixels) // 2 and 0 <= column < len(pixels[0]):
                    letters[row, column] = (letter, fill[:7])


def _fill(
    pixels: Pixels,
    scale: float,
    box: tuple[float, float, float, float],
    covers: Callable[[float, float], bool],
    color: str,
) -> None:
    """Colour every pixel of ``box`` whose centre is covered."""
    left, top, right, bottom = box
    for row in range(max(0, int(top * scale)), min(len(pixels), math.ceil(bottom * scale))):
        for column in range(max(0, int(left * scale)), min(len(pixels[0]), math.ceil(right * scale))):
            if covers((column + 0.5) / scale, (row + 0.5) / scale):
                pixels[row][column] = _over(color, pixels[row][column])


def _over(color: str, below: str) -> str:
    """Return a colour, which may have an opacity, on top of another."""
    if len(color) == 7:
        return color
    opacity = int(color[7:], 16) / 255
    parts = (
        round(int(color[at : at + 2], 16) * opacity + int(below[at : at + 2], 16) * (1 - opacity))
        for at in (1, 3, 5)
    )
    return "#" + "".join(f"{part:02x}" for part in parts)


def _stroke(pixels: Pixels, scale: float, points: Iterable[tuple[float, float]], color: str) -> None:
    corners = list(points)
    for (x, y), (to_x, to_y) in pairwise(corners):
        steps = max(1, math.ceil(2 * max(abs(to_x - x), abs(to_y - y)) * scale))
        for step in range(steps + 1):
            column = int((x + (to_x - x) * step / steps) * scale)
            row = int((y + (to_y - y) * step / steps) * scale)
            # A line along the right or lower edge lies just outside the last pixel.
            column, row = column - (column == len(pixels[0])), row - (row == len(pixels))
            if 0 <= row < len(pixels) and 0 <= column < len(pixels[0]):
                pixels[row][column] = _over(color, pixels[row][column])


def _inside(points: tuple[tuple[float, float], ...], x: float, y: float) -> bool:
    """Return whether a point is inside a polygon: the number of edges to its right is odd."""
    inside = False
    for (ax, ay), (bx, by) in zip(points, (*points[1:], points[0]), strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return inside
