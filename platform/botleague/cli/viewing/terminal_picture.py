"""Scenes in the terminal: every character cell is two pixels, an upper and a lower half block."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import pairwise

from rich.console import Group
from rich.style import Style
from rich.text import Text as RichText

from botleague.rules import Circle, Line, Polygon, Rect, Scene, Shape, Text
from botleague_sandbox import clean_text

Pixels = list[list[str]]

MAX_CAPTION_BYTES = 10_000
"""Bytes of one line of a caption, which bots can influence."""

MIN_STROKED_PIXELS = 4
"""Pixels of the shorter side of a filled rectangle with an edge; smaller ones would be all edge."""


def draw(scene: Scene, columns: int, rows: int, layers: Iterable[str] = ()) -> Group:
    """Return a scene as text, as large as fits.

    Args:
        columns, rows: of the terminal's space.
        layers: names of the optional layers to show.
    """
    visible = {"", *layers}
    scale = min(columns / scene.width, 2 * rows / scene.height)
    width = max(1, round(scene.width * scale))
    height = max(2, math.ceil(scene.height * scale / 2) * 2)
    pixels: Pixels = [[scene.background] * width for _ in range(height)]
    letters: dict[tuple[int, int], tuple[str, str]] = {}
    for shape in scene.shapes:
        if shape.layer in visible:
            _paint(shape, pixels, letters, scale)
    lines = [_line(pixels[row], pixels[row + 1], letters, row // 2) for row in range(0, height, 2)]
    return Group(*lines, *(RichText(clean_text(text, MAX_CAPTION_BYTES)) for text in scene.caption))


def _line(
    upper: list[str], lower: list[str], letters: dict[tuple[int, int], tuple[str, str]], row: int
) -> RichText:
    line = RichText(no_wrap=True, end="")
    for column, (top, bottom) in enumerate(zip(upper, lower, strict=True)):
        letter = letters.get((row, column))
        if letter is not None:
            line.append(letter[0], Style(color=letter[1], bgcolor=top, bold=True))
        else:
            line.append("▀", Style(color=top, bgcolor=bottom))
    line.append("\n")
    return line


def _paint(
    shape: Shape, pixels: Pixels, letters: dict[tuple[int, int], tuple[str, str]], scale: float
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
        case Text(x, y, text, _, fill):
            row = int(y * scale) // 2
            text = "".join(filter(str.isprintable, text))
            first = round(x * scale - len(text) / 2)
            for offset, letter in enumerate(text):
                if 0 <= row < len(pixels) // 2 and 0 <= first + offset < len(pixels[0]):
                    letters[row, first + offset] = (letter, fill)


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
                pixels[row][column] = color


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
                pixels[row][column] = color


def _inside(points: tuple[tuple[float, float], ...], x: float, y: float) -> bool:
    """Return whether a point is inside a polygon: the number of edges to its right is odd."""
    inside = False
    for (ax, ay), (bx, by) in zip(points, (*points[1:], points[0]), strict=True):
        if (ay > y) != (by > y) and x < (bx - ax) * (y - ay) / (by - ay) + ax:
            inside = not inside
    return inside
