"""Numbers, times and names as text in pages."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from datetime import UTC, datetime

from markupsafe import Markup, escape

from botleague.application.pages import MatchLine
from botleague.listing import counts


def rating(value: float | None) -> str:
    """Return a rating: a whole number."""
    return "–" if value is None else f"{value:.0f}"


def signed(value: float | None, digits: int = 0) -> str:
    """Return a change with its sign, a true minus, and no sign before zero."""
    if value is None:
        return "–"
    text = f"{abs(value):.{digits}f}"
    if not float(text):
        return text
    return ("+" if value > 0 else "−") + text


def direction(value: float | None) -> str:
    """Return the direction of a visible change: "up", "down" or ""."""
    return "" if value is None or abs(value) < 0.5 else "up" if value > 0 else "down"


def points(value: float | None) -> str:
    """Return points: halves as ½, else at most two decimals."""
    if value is None:
        return "–"
    sign, size = ("−" if value < 0 else ""), abs(value)
    if size % 1 == 0.5:
        return f"{sign}{int(size) or ''}½"
    return sign + f"{size:.2f}".rstrip("0").rstrip(".")


def number(value: float | None) -> str:
    """Return a count with thin spaces between thousands, or a game's own number with four digits."""
    if value is None:
        return "–"
    if float(value).is_integer():
        return f"{int(value):,}".replace(",", "\u202f")
    return f"{value:.4g}"


def counted(value: int, one: str, many: str = "") -> str:
    """Return a number of things: "1 bot", "2 bots", "2 matches"."""
    return f"{number(value)} {one if value == 1 else many or one + 's'}"


def duration(ms: float | None) -> str:
    """Return a time in a readable unit."""
    if ms is None:
        return "–"
    seconds = ms / 1000
    if seconds < 1:
        return f"{ms:.0f} ms"
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes:02} min"
    return f"{hours // 24} days {hours % 24} h"


def turn_time(ms: float) -> str:
    """Return the time of a turn, which may be a fraction of a millisecond."""
    return f"{ms:.2f} ms" if ms < 10 else duration(ms)


def about(seconds: float) -> str:
    """Return an estimate of a time, with few digits."""
    for size, unit in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= 1.5 * size:
            return f"about {round(seconds / size)} {unit}s"
    return f"about {max(10, round(seconds, -1)):.0f} seconds"


def when(seconds: float | None) -> str:
    """Return a moment for people, in UTC."""
    return "–" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%-d %b %Y, %H:%M")


def iso(seconds: float | None) -> str:
    """Return a moment for programs."""
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def ordinal(value: int) -> str:
    """Return a place: "1st", "2nd"."""
    ending = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"


def result(line: MatchLine) -> str:
    """Return a finished match in a few words: "ann 0–1 bob", or "ann beat bob, cy and 2 more"."""
    if len(line.seats) == 1:
        return f"{line.seats[0].bot}: {number(line.seats[0].score)}"
    if len(line.seats) == 2:
        left, right = line.seats
        return f"{left.bot} {number(left.score)}–{number(right.score)} {right.bot}"
    first, *others = sorted(line.seats, key=lambda seat: seat.place)
    verb = "drew with" if others[0].place == 1 else "beat"
    names = ", ".join(seat.bot for seat in others[:2])
    return f"{first.bot} {verb} {names}" + (f" and {len(others) - 2} more" if len(others) > 2 else "")


def code(text: str) -> Markup:
    """Return a message as HTML, with the commands between its backticks as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    tags = (Markup("<code>{}</code>") if at % 2 else Markup("{}") for at in range(len(parts)))
    return Markup("").join(tag.format(part) for tag, part in zip(tags, parts, strict=True))


_FUNCTIONS: tuple[Callable[..., str], ...] = (
    *(rating, signed, direction, points, number, counted, duration, about, when, iso, ordinal),
    *(turn_time, result, code),
)

FILTERS: dict[str, Callable[..., str]] = {
    "faults": counts,
    "shell": shlex.quote,
    **{function.__name__: function for function in _FUNCTIONS},
}
"""Filters of the templates."""
