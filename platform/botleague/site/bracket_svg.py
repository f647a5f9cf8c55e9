"""A bracket as SVG: a column per round, a box per series, a line from each to the next series of its winner.

A bracket has the sides of each series, but not where they come from. In every knockout, a round with half as many
series takes two neighbours each, and a round with as many takes one: lines are computed from that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from botleague.application.pages import Encounter
from botleague.site.svg_text import element, n, t

BOX_WIDTH, ROW, GAP_X, GAP_Y = 164.0, 23.0, 28.0, 16.0
SCORE_WIDTH = 30.0
HEADING = 26.0
MAX_NAME_LENGTH = 24


def tree_svg(encounters: Sequence[Encounter], title: str, href: Callable[[str], str | None]) -> str:
    """Return the picture.

    Args:
        href: returns the address of a match, None if it has no page.
    """
    # Without series that are not played: two byes, or a decider that is not needed.
    needed = [
        series
        for series in encounters
        if (any(series.sides) or None in series.sides) and (series.played or series.winner)
    ]
    parts: list[str] = [element("title", t(title))]
    top, width = 0.0, 0.0
    for heading, side in _sides(needed):
        drawn, height, right = _side(heading, side, top, href)
        parts += drawn
        top += height
        width = max(width, right)
    return element(
        "svg",
        "".join(parts),
        viewBox=f"0 0 {n(width)} {n(top)}",
        width=n(width),
        height=n(top),
        class_="tree",
        role="group",
        aria_label=title,
    )


def _sides(encounters: Sequence[Encounter]) -> list[tuple[str, list[list[Encounter]]]]:
    """Return the parts of a bracket, each with its columns: winners' and losers' side, finals, other series."""
    named = {"upper": "Winners’ side", "lower": "Losers’ side"}
    parts: dict[str, dict[int, list[Encounter]]] = {}
    has_sides = any(series.label.startswith("lower ") for series in encounters)
    for series in encounters:
        word = series.label.split(" ")[0]
        if has_sides:
            heading = named.get(word, "Final")
        else:
            heading = "For third place" if series.label == "match for third place" else ""
        parts.setdefault(heading, {}).setdefault(series.round, []).append(series)
    order = ("", "Winners’ side", "Losers’ side", "Final", "For third place")
    return [(heading, list(parts[heading].values())) for heading in order if heading in parts]


def _side(
    heading: str, columns: list[list[Encounter]], top: float, href: Callable[[str], str | None]
) -> tuple[list[str], float, float]:
    """Return a part of the bracket, its height, and its right edge."""
    parts = []
    if heading:
        parts.append(element("text", heading, x="0", y=n(top + 16), class_="heading"))
        top += HEADING
    slot = 2 * ROW + GAP_Y
    most = max(len(column) for column in columns)
    height = most * slot
    centres: list[float] = []
    for number, column in enumerate(columns):
        left = number * (BOX_WIDTH + GAP_X)
        before, centres = (
            centres,
            [top + HEADING + height * (index + 0.5) / len(column) for index in range(len(column))],
        )
        name, _, numbered = column[0].label.partition(",")
        # "semi-final 1", "semi-final 2": the column's heading is their common part.
        if not numbered and len(column) > 1 and name[-1:].isdigit():
            name = name.rsplit(" ", 1)[0]
        parts.append(element("text", t(name, 30), x=n(left), y=n(top + 14), class_="tick"))
        for index, at in enumerate(before):
            to = centres[min(len(centres) - 1, index * len(centres) // len(before))]
            middle = left - GAP_X / 2
            parts.append(
                element("path", d=f"M{n(left - GAP_X)} {n(at)}H{n(middle)}V{n(to)}H{n(left)}", class_="join")
            )
        for series, at in zip(column, centres, strict=True):
            parts.append(_box(series, left, at, href))
    return parts, HEADING + height + (HEADING if heading else 0.0), len(columns) * (BOX_WIDTH + GAP_X) - GAP_X


def _box(series: Encounter, left: float, middle: float, href: Callable[[str], str | None]) -> str:
    top = middle - ROW
    parts = [
        element("title", t(_words(series))),
        element("rect", x=n(left), y=n(top), width=n(BOX_WIDTH), height=n(2 * ROW), rx="3", class_="box"),
        element("line", x1=n(left), x2=n(left + BOX_WIDTH), y1=n(middle), y2=n(middle), class_="grid"),
    ]
    for row, side in enumerate(series.sides[:2]):
        text = "open" if side is None else "bye" if side == "" else side
        kind = (
            "won"
            if side and side == series.winner
            else "open"
            if not side
            else "lost"
            if series.winner
            else "name"
        )
        baseline = 15.5
        # Inside a picture of its own, which cuts wider text.
        name = element("text", t(text, MAX_NAME_LENGTH), x="8", y=n(baseline), class_=kind)
        parts.append(
            element(
                "svg",
                name,
                x=n(left),
                y=n(top + row * ROW),
                width=n(BOX_WIDTH - SCORE_WIDTH),
                height=n(ROW),
            )
        )
        if any(series.score) and row < len(series.score):
            parts.append(
                element(
                    "text",
                    f"{series.score[row]:g}",
                    x=n(left + BOX_WIDTH - 8),
                    y=n(top + row * ROW + baseline),
                    class_=kind,
                    text_anchor="end",
                )
            )
    address = href(series.matches[-1]) if series.matches else None
    content = "".join(parts)
    return element("a", content, href=address) if address is not None else element("g", content)


def _words(series: Encounter) -> str:
    sides = " v ".join("open" if side is None else side or "bye" for side in series.sides)
    score = f" {series.score[0]:g}:{series.score[1]:g}" if any(series.score) else ""
    winner = f", {series.winner} advances" if series.winner else ""
    return f"{series.label}: {sides}{score}{winner}{' ' + series.reason if series.reason else ''}"
