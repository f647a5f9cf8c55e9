"""Link cards: a finished match as one picture, which other sites show next to a link to it.

The picture is made as SVG. :func:`card_png` needs the package ``resvg-py``, the extra ``cards``; it draws without
scripts and network, and with the fonts of this machine.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from html import escape
from importlib.util import find_spec

from botleague.emblems import BOT_COLORS, Emblem, emblem_group
from botleague.errors import UsageError, counted
from botleague.film.film import Film, FilmSeat
from botleague.film.svg_still import FONT, dark_svg

WIDTH, HEIGHT = 1200, 630
"""Pixels. Source: https://ogp.me and the documentation of Twitter cards, "summary_large_image"."""

MAX_BYTES = 60_000
"""Maximum size of a card; a larger one is drawn with half as many pixels each way."""

MARGIN = 52
MAX_BOARD = (700, 562)
MAX_ROWS = 5
"""Bots of a larger match that a card lists, by place."""

GROUND, INK, SOFT, GOLD = "#0e1116", "#eef1f5", "#9ba6b4", "#f0c04f"

INVALID = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot contain. Source: https://www.w3.org/TR/xml/#charsets"""

FONTS = "Inter, 'Noto Sans', 'Liberation Sans', 'DejaVu Sans', Arial, sans-serif"

WIDTHS = dict.fromkeys(" iIjl.,:;|!'", 0.4) | dict.fromkeys("mwMW@%", 1.1)
"""Widths of letters of unusual width in parts of the size; no font of this machine is measured."""


def can_make_cards() -> bool:
    """Return whether the extra ``cards`` is installed."""
    return find_spec("resvg_py") is not None


def card_png(film: Film, label: str) -> bytes:
    """Return the card of a finished match as PNG.

    Args:
        label: where it was played, such as ``cup · final``.

    Raises:
        UsageError: this machine has no fonts, or the last frame cannot be drawn.
    """
    from resvg_py import svg_to_bytes

    letters = (_framed(9, 9, _text(letter, 0, 9, 9, (9,), INK)) for letter in "M ")
    if len({svg_to_bytes(letter) for letter in letters}) == 1:
        raise UsageError("Link cards need a font on this machine. Install one, for example DejaVu Sans.")
    picture = card_svg(film, label)
    try:
        card: bytes = svg_to_bytes(picture)
        return card if len(card) <= MAX_BYTES else bytes(svg_to_bytes(picture, zoom=0.5))
    except ValueError as error:
        raise UsageError(f"The link card cannot be drawn: {error}") from error


def card_svg(film: Film, label: str) -> str:
    """Return the card of a finished match as SVG; ``label`` as for :func:`card_png`."""
    scene = film.scene(-1)
    assert scene is not None  # the spectator's view has every frame
    width = min(MAX_BOARD[0], MAX_BOARD[1] * scene.width / scene.height)
    height = width * scene.height / scene.width
    left, room = WIDTH - MARGIN - width, WIDTH - 2 * MARGIN - width - 36
    seats = sorted(film.seats, key=lambda seat: seat.place)
    board = dark_svg(film, -1, width).replace(FONT, FONTS)
    about = f"{film.variant}, {counted(film.frames - 1, 'turn')}"
    return _framed(
        WIDTH,
        HEIGHT,
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{GROUND}"/>',
        f'<g transform="translate({left} {(HEIGHT - height) / 2})">{board}</g>',
        _text(label, MARGIN, 76, room, (26, 22), SOFT),
        *(_two(seats, room) if len(seats) == 2 else _listed(seats, room)),
        _text("botleague", MARGIN, 540, room, (26,), INK, 700),
        _text(about, MARGIN, 576, room, (24, 20), SOFT),
    )


def _framed(width: int, height: int, *parts: str) -> str:
    size = f'width="{width}" height="{height}"'
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONTS}">{"".join(parts)}</svg>'
    return INVALID.sub("", picture)


def _two(seats: Sequence[FilmSeat], room: float) -> list[str]:
    winner, loser = seats
    ink = INK if loser.place == 1 else SOFT
    return [
        _emblem(winner, MARGIN, 122, 84),
        _text(winner.name, MARGIN + 104, 182, room - 104, (54, 44, 36, 28), INK, 700),
        _text(f"{winner.score:g} – {loser.score:g}", MARGIN, 318, room, (92, 72, 56, 40), INK, 700),
        _emblem(loser, MARGIN, 372, 72),
        _text(loser.name, MARGIN + 104, 422, room - 104, (44, 36, 28), ink, 600),
    ]


def _listed(seats: Sequence[FilmSeat], room: float) -> list[str]:
    parts = []
    for number, seat in enumerate(seats[:MAX_ROWS]):
        y, score = 112 + 68 * number, f"{seat.score:g}"
        color = GOLD if seat.place == 1 else SOFT
        parts += [
            _text(str(seat.place), MARGIN, y + 36, 36, (26,), color, 700),
            _emblem(seat, MARGIN + 40, y, 48),
            _text(seat.name, MARGIN + 104, y + 36, room - 116 - _width(score, 30), (34, 28, 24), INK, 700),
            _text(score, MARGIN + room, y + 36, room, (30,), INK, 700, "end"),
        ]
    if len(seats) > MAX_ROWS:
        parts.append(_text(f"and {len(seats) - MAX_ROWS} more", MARGIN + 104, 474, room, (24,), SOFT))
    return parts


def _emblem(seat: FilmSeat, x: float, y: float, size: float) -> str:
    place = f"translate({x} {y}) scale({size / 32})"
    return emblem_group(Emblem(*seat.emblem, seat.hue), place, BOT_COLORS[seat.hue].dark, GROUND)


def _text(
    text: str,
    x: float,
    y: float,
    room: float,
    sizes: Sequence[int],
    color: str,
    weight: int = 400,
    anchor: str = "start",
) -> str:
    """Return a line of text in the largest size that fits into ``room``, cut if none does."""
    size = next((size for size in sizes if _width(text, size) <= room), sizes[-1])
    if _width(text, size) > room:
        while text and _width(f"{text}…", size) > room:
            text = text[:-1]
        text = f"{text.rstrip()}…"
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" fill="{color}">'
        f"{escape(text)}</text>"
    )


def _width(text: str, size: float) -> float:
    """Return the approximate width of a text, rather too wide than too narrow."""
    return size * sum(
        0.0
        if unicodedata.combining(character)
        else 1.0
        if unicodedata.east_asian_width(character) in "WF"
        else WIDTHS.get(character, 0.8 if character.isupper() else 0.68)
        for character in text
    )
