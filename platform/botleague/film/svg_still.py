"""Stills: a scene as SVG, with the same shapes as in the player, without scripts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from html import escape

import msgspec

from botleague.emblems import BOT_COLORS, emblem_group, match_emblems
from botleague.emblems import Emblem as BotEmblem
from botleague.film.film import Film
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

HAIRLINE = 0.0015
"""Width of an outline, in parts of the longer side."""

HIDDEN = frozenset({"debug"})
"""Layers that are hidden by default, as in the player."""

HALO = 0.22
"""Width of the rim around letters, in parts of their height."""

PAINT = frozenset({"fill", "stroke"})

FONT = "system-ui, sans-serif"

MONOSPACED_FONT = "ui-monospace, monospace"

_ELEMENTS = {Rect: "rect", Circle: "circle", Polygon: "polygon", Line: "polyline"}

_COLORED = re.compile(r'(fill|stroke)="(#\w+)"')


def svg(scene: Scene, width: float, names: Sequence[str] = (), hidden: Collection[str] = HIDDEN) -> str:
    """Return a scene as an SVG element for HTML or for a file of its own.

    Args:
        width: in pixels; the height is computed from it.
        names: names of the bots by seat, for texts that name a seat, and for emblems and colours.
        hidden: optional layers to leave out.
    """
    faces = _Faces.of(names)
    part = scene.focus or (0, 0, scene.width, scene.height)
    hairline = _number(max(part[2:]) * HAIRLINE)
    box = " ".join(map(_number, part))
    height = _number(width * part[3] / part[2])
    title = with_names("; ".join(scene.caption), names) or "a state of a match"
    return "".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{_number(width)}" height="{height}"',
            f' role="img" font-family="{FONT}" text-anchor="middle" stroke-width="{hairline}"',
            ' stroke-linejoin="round" fill="none">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{_number(scene.width)}" height="{_number(scene.height)}"',
            f' fill="{escape(scene.background)}"/>',
            *(
                part
                for shape in scene.shapes
                if shape.layer not in hidden
                for part in _drawn(shape, names, faces, scene.background)
            ),
            "</svg>",
        )
    )


def svg_file(film: Film, frame: int, width: float) -> str:
    """Return a frame as an SVG file, light or dark as the viewer's system; :func:`page_svg` for use inside a page.

    Raises:
        IndexError: no such frame.
    """
    scene = film.scene(frame)
    assert scene is not None  # the spectator's view has every frame
    picture = svg(scene, width, film.names)
    dark = _dark_colors(film)
    rules = "".join(
        f'[{name}="{color}"]{{{name}:{dark[color[:7]]}{color[7:]}}}'
        for name, color in sorted(set(_COLORED.findall(picture)))
        if color[:7] in dark
    )
    # A page's policy forbids styles inside it, but not in the files of its pictures.
    style = f"<style>@media(prefers-color-scheme:dark){{{rules}}}</style>" if rules else ""
    return picture.replace("</title>", f"</title>{style}", 1)


def dark_svg(film: Film, frame: int, width: float) -> str:
    """Return a frame as SVG in its dark colours, or as :func:`svg` does if its variant has none.

    Raises:
        IndexError: no such frame.
    """
    return _recolored(film, frame, width, lambda light, dark: dark)


def page_svg(film: Film, frame: int, width: float) -> str:
    """Return a frame as SVG inside a page, light or dark as the page is. It needs no style sheet.

    Raises:
        IndexError: no such frame.
    """
    return _recolored(film, frame, width, lambda light, dark: f"light-dark({light},{dark})")


def _recolored(film: Film, frame: int, width: float, paint: Callable[[str, str], str]) -> str:
    scene = film.scene(frame)
    assert scene is not None  # the spectator's view has every frame
    table = _dark_colors(film)

    def changed(attribute: re.Match[str]) -> str:
        name, color = attribute.groups()
        dark = table.get(color[:7])
        return f'{name}="{paint(color, dark + color[7:])}"' if dark else attribute[0]

    return _COLORED.sub(changed, svg(scene, width, film.names))


def _dark_colors(film: Film) -> dict[str, str]:
    """Return the dark colour of each light one; nothing for a variant without dark colours."""
    return film.dark and film.dark | {color.light: color.dark for color in BOT_COLORS}


class _Faces(msgspec.Struct, frozen=True):
    """Emblems of the bots by seat, and their colours by the colours of the seats in scenes."""

    emblems: Sequence[BotEmblem]
    colors: Mapping[str, str]

    @classmethod
    def of(cls, names: Sequence[str]) -> _Faces:
        emblems = match_emblems(names)
        colors = {
            seat_color(seat): BOT_COLORS[emblem.color].light
            for seat, emblem in reversed(list(enumerate(emblems)))
        }
        return cls(emblems, colors)

    def color(self, color: str) -> str:
        """Return a colour of a scene as it is shown; an opacity stays."""
        return self.colors.get(color[:7], color[:7]) + color[7:]


def _drawn(shape: Shape, names: Sequence[str], faces: _Faces, ground: str) -> Iterator[str]:
    if isinstance(shape, Emblem):
        yield _emblem(shape, faces, ground)
        return
    attributes = " ".join(
        f'{name}="{escape(faces.color(value) if name in PAINT else value)}"'
        for name, value in _attributes(shape)
        if value
    )
    inside = f"<title>{escape(with_names(shape.title, names))}</title>" if shape.title else ""
    match shape:
        case Text(text=text):
            text = with_names(text, names)
            if shape.width:
                text = shortened(text, shape.size, shape.width)
            if shape.monospaced:
                text = text.replace(" ", "\N{NO-BREAK SPACE}")  # other spaces at the ends are dropped
            yield f"<text {attributes}>{inside}{escape(text)}</text>"
        case _:
            name = _ELEMENTS[type(shape)]
            yield f"<{name} {attributes}" + (f">{inside}</{name}>" if inside else "/>")


def _emblem(shape: Emblem, faces: _Faces, ground: str) -> str:
    x, y, scale = (_number(v) for v in (shape.x - shape.size / 2, shape.y - shape.size / 2, shape.size / 32))
    color = faces.color(shape.fill or seat_color(shape.seat))
    if shape.seat >= len(faces.emblems):
        return f'<circle cx="{_number(shape.x)}" cy="{_number(shape.y)}" r="{_number(shape.size / 2)}" fill="{color}"/>'
    # Eyes on a piece in the bot's colour are the bot's colour, else the background's.
    eyes = faces.color(seat_color(shape.seat) if shape.fill else ground)
    return emblem_group(faces.emblems[shape.seat], f"translate({x} {y}) scale({scale})", color, eyes)


def _attributes(shape: Shape) -> Iterable[tuple[str, str]]:
    match shape:
        case Rect(x, y, width, height, fill, stroke):
            return (
                *_numbers(x=x, y=y, width=max(width, 0), height=max(height, 0)),
                ("rx", _number(shape.radius) if shape.radius else ""),
                ("fill", fill or ""),
                ("stroke", stroke or ""),
            )
        case Circle(x, y, radius, fill, stroke):
            return (*_numbers(cx=x, cy=y, r=max(radius, 0)), ("fill", fill or ""), ("stroke", stroke or ""))
        case Polygon(points, fill, stroke):
            return (("points", _points(points)), ("fill", fill or ""), ("stroke", stroke or ""))
        case Line(points, stroke, width):
            return (
                ("points", _points(points)),
                ("stroke", stroke),
                ("stroke-width", _number(width)),
                ("stroke-linecap", "round"),
            )
        case Emblem():
            raise AssertionError("emblems have a picture of their own")
        case Text(x, y, _, size, fill):
            # Without dominant-baseline, which some viewers lack: capitals have their middle at a third of the size.
            halo = (("stroke", shape.halo), ("stroke-width", _number(HALO * size)), ("paint-order", "stroke"))
            return (
                *_numbers(x=x, y=y + 0.35 * size),
                ("font-size", _number(size)),
                ("fill", fill),
                ("font-family", MONOSPACED_FONT if shape.monospaced else ""),
                *(halo if shape.halo else ()),
            )


def _numbers(**values: float) -> Iterator[tuple[str, str]]:
    return ((name, _number(value)) for name, value in values.items())


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _number(value: float) -> str:
    """Return a number for SVG, with at most four decimals."""
    return f"{round(value, 4):g}" if math.isfinite(value) else "0"
