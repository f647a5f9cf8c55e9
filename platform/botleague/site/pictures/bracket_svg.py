"""A bracket as SVG: a column per round, a box per series, and the ways of the bots between them.

A bracket has the sides of each series, but not where they come from. The way of a bot follows from the series it was
in: solid in its colour where it won, dotted where it dropped to the losers' side. Lines to open sides are computed from
the numbers of series: in every knockout, a round with half as many series takes two neighbours each.

Parts with a result have the number of the result, in playing order, as ``data-at``: the stage uncovers them by that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from botleague.application.pages import Encounter
from botleague.emblems import Emblem, emblem_of, emblem_svg
from botleague.formats import THIRD_PLACE, score_text, victory
from botleague.site.pictures.svg_text import element, fit, n, t
from botleague.site.text_filters import points

BOX_WIDTH, ROW, GAP_X, GAP_Y = 204.0, 26.0, 32.0, 22.0
HEADING = 26.0
MARGIN = 20.0
"""Space at the left, for ways to the first column."""

LANE = 4.0
"""Distance of two dotted lines."""

MAX_LINES = 4
"""Maximum number of dotted lines from one round to another: more look like a hatched area."""

NAME_WIDTH = 15
"""Width of a name and its seed number, in small letters."""

REASON_WIDTH = 34
"""Width of texts in small letters."""


class _Way(NamedTuple):
    """Way of a bot from one series to its next one.

    Attributes:
        before, after: indices of the series.
        side: its side in the latter.
    """

    bot: str
    before: int
    after: int
    side: int
    is_won: bool


class _Place(msgspec.Struct, frozen=True):
    """Place of a box: its left edge and its vertical middle."""

    left: float
    middle: float

    def row(self, side: int) -> float:
        """Return the vertical middle of a side."""
        return self.middle + (side - 0.5) * ROW


def tree_svg(
    encounters: Sequence[Encounter], title: str, href: Callable[[str], str | None], seeds: Mapping[str, int]
) -> str:
    """Return the picture.

    Args:
        href: returns the address of a match, None if it has no page.
        seeds: seed numbers by name.
    """
    needed = [one for one in encounters if one.is_needed]
    ways = list(_ways(needed))
    order = _orders(needed, ways)
    sides = _sides(needed)
    drops = _readable_drops(needed, ways)
    places, headings, width, height, band = _layout(needed, sides, len(drops))
    parts = [element("title", t(title)), *headings]
    parts += _open_ways(needed, sides, places)
    parts += [_way(way, places, order[way.before]) for way in ways if way.is_won]
    parts += [_drop(way, needed, places, order[way.before], band, number) for number, way in enumerate(drops)]
    at = {(way.after, way.side): order[way.before] for way in ways}
    final = final_of(encounters)
    for index, series in enumerate(needed):
        parts.append(
            _box(
                series,
                places[index],
                href,
                seeds,
                order[index],
                [at.get((index, side), 0) for side in (0, 1)],
                is_final=series is final,
            )
        )
    return element(
        "svg",
        "".join(parts),
        viewBox=f"0 0 {n(width)} {n(height)}",
        width=n(width),
        height=n(height),
        class_="tree",
        role="group",
        aria_label=title,
    )


def final_of(encounters: Sequence[Encounter]) -> Encounter | None:
    """Return the series that decides a bracket."""
    return next((one for one in reversed(encounters) if one.is_needed and one.label != THIRD_PLACE), None)


def _ways(needed: Sequence[Encounter]) -> Iterator[_Way]:
    """Yield the ways of all bots between their series."""
    latest: dict[str, int] = {}
    for index, series in enumerate(needed):
        for side, bot in enumerate(series.sides[:2]):
            if bot and bot in latest:
                yield _Way(bot, latest[bot], index, side, needed[latest[bot]].winner == bot)
            if bot:
                latest[bot] = index


def _readable_drops(needed: Sequence[Encounter], ways: Sequence[_Way]) -> list[_Way]:
    """Return the ways of losers, without those of two rounds between which too many lines would run."""
    drops = [way for way in ways if not way.is_won]
    lines = Counter((needed[way.before].round, needed[way.after].round) for way in drops)
    return [way for way in drops if lines[needed[way.before].round, needed[way.after].round] <= MAX_LINES]


def _orders(needed: Sequence[Encounter], ways: Sequence[_Way]) -> list[int]:
    """Return for each series the number of the result that decides it, in playing order; 0 for an open one.

    A bye is decided with the series from which its bot comes.
    """
    before = {(way.after, way.side): way.before for way in ways}
    order = [0] * len(needed)
    number = 0
    for index in sorted(range(len(needed)), key=lambda one: (needed[one].round, one)):
        series = needed[index]
        if "" in series.sides:
            order[index] = max(
                (order[before[index, side]] for side in (0, 1) if (index, side) in before), default=0
            )
        elif series.winner:
            number += 1
            order[index] = number
    return order


def _sides(encounters: Sequence[Encounter]) -> dict[str, list[list[int]]]:
    """Return the parts of a bracket, each with its columns of series: winners' and losers' side, finals, others."""
    named = {"upper": "Winners’ side", "lower": "Losers’ side"}
    parts: dict[str, dict[int, list[int]]] = {}
    has_sides = any(series.label.startswith("lower ") for series in encounters)
    for index, series in enumerate(encounters):
        word = series.label.split(" ")[0]
        third = "For third place" if series.label == THIRD_PLACE else ""
        heading = named.get(word, "Final") if has_sides else third
        parts.setdefault(heading, {}).setdefault(series.round, []).append(index)
    return {heading: list(columns.values()) for heading, columns in parts.items()}


def _layout(
    needed: Sequence[Encounter], sides: Mapping[str, list[list[int]]], drops: int
) -> tuple[dict[int, _Place], list[str], float, float, float]:
    """Return the places of the boxes, the headings, width and height, and the top of the band of dotted lines."""
    places: dict[int, _Place] = {}
    headings: list[str] = []
    top, right, band = 0.0, MARGIN, 0.0
    slot = 2 * ROW + GAP_Y
    for part in ("", "Winners’ side", "Losers’ side"):
        columns = sides.get(part, [])
        if not columns:
            continue
        if part == "Losers’ side":
            band, top = top + 8, top + 16 + LANE * drops
        if part:
            headings.append(element("text", part, x=n(MARGIN), y=n(top + 16), class_="heading"))
            top += HEADING
        height = slot * max(map(len, columns))
        for number, column in enumerate(columns):
            left = MARGIN + number * (BOX_WIDTH + GAP_X)
            headings.append(_heading(needed, column, left, top + 14))
            for index, one in enumerate(column):
                places[one] = _Place(left, top + HEADING + height * (index + 0.5) / len(column))
        right = max(right, MARGIN + len(columns) * (BOX_WIDTH + GAP_X))
        top += HEADING + height
    ends = [
        places[sides[part][-1][-1]].middle for part in ("Winners’ side", "Losers’ side") if sides.get(part)
    ]
    for column in sides.get("Final", []):
        middle = sum(ends) / max(1, len(ends))
        places[column[0]] = _Place(right, middle)
        headings.append(_heading(needed, column, right, middle - ROW - 10))
        right += BOX_WIDTH + GAP_X
    for column in sides.get("For third place", []):
        left = right - BOX_WIDTH - GAP_X
        middle = max(place.middle for place in places.values() if place.left == left) + slot + HEADING
        places[column[0]] = _Place(left, middle)
        headings.append(_heading(needed, column, left, middle - ROW - 10))
        top = max(top, middle + ROW + GAP_Y)
    return places, headings, right - GAP_X + 4, top + 8, band


def _heading(needed: Sequence[Encounter], column: Sequence[int], left: float, y: float) -> str:
    name, _, numbered = needed[column[0]].label.partition(",")
    # "semi-final 1", "semi-final 2": the column's heading is their common part.
    if not numbered and len(column) > 1 and name[-1:].isdigit():
        name = name.rsplit(" ", 1)[0]
    return element("text", t(name, 30), x=n(left), y=n(y), class_="tick")


def _open_ways(
    needed: Sequence[Encounter], sides: Mapping[str, list[list[int]]], places: Mapping[int, _Place]
) -> Iterator[str]:
    """Yield grey lines from series without a winner to the next ones."""
    finals = sides.get("Final", [[]])[0]
    for part, columns in sides.items():
        after = [*columns[1:], finals if part in ("Winners’ side", "Losers’ side") else []]
        for column, following in zip(columns, after, strict=True):
            for index, one in enumerate(column):
                if following and needed[one].winner is None:
                    target = places[following[min(len(following) - 1, index * len(following) // len(column))]]
                    yield _line(places[one], target.left, target.middle, class_="join")


def _line(start: _Place, left: float, y: float, **attributes: Any) -> str:
    """Return a line from the right of a box to the left of another one."""
    path = f"M{n(start.left + BOX_WIDTH)} {n(start.middle)}H{n(left - GAP_X / 2)}V{n(y)}H{n(left)}"
    return element("path", d=path, **attributes)


def _way(way: _Way, places: Mapping[int, _Place], order: int) -> str:
    target = places[way.after]
    return _line(
        places[way.before],
        target.left,
        target.row(way.side),
        class_=f"join way {_color(way.bot)}",
        data_at=order,
    )


def _drop(
    way: _Way, needed: Sequence[Encounter], places: Mapping[int, _Place], order: int, band: float, number: int
) -> str:
    """Return the dotted line of a loser, from its row through the gaps between columns and the band.

    Args:
        band: top of the band.
        number: number of the line: lines that run side by side have their own lanes.
    """
    start, target = places[way.before], places[way.after]
    side = list(needed[way.before].sides).index(way.bot)
    lane = LANE * (number % MAX_LINES)
    out, into = start.left + BOX_WIDTH + 3 + lane, target.left - 3 - lane
    path = f"M{n(start.left + BOX_WIDTH)} {n(start.row(side))}H{n(out)}"
    # Not through boxes: only to the next column does it go without the band.
    if not start.left < target.left <= start.left + BOX_WIDTH + GAP_X or target.middle == start.middle:
        path += f"V{n(band + LANE * number)}H{n(into)}"
    path += f"V{n(target.row(way.side))}H{n(target.left)}"
    return element("path", d=path, class_=f"join drop {_color(way.bot)}", data_at=order)


def _box(
    series: Encounter,
    place: _Place,
    href: Callable[[str], str | None],
    seeds: Mapping[str, int],
    order: int,
    side_orders: Sequence[int],
    *,
    is_final: bool,
) -> str:
    left, top = place.left, place.middle - ROW
    parts = [
        element("title", t(series_text(series, is_final=is_final))),
        element("rect", x=n(left), y=n(top), width=n(BOX_WIDTH), height=n(2 * ROW), rx="6", class_="box"),
        element("path", d=f"M{n(left)} {n(place.middle)}h{n(BOX_WIDTH)}", class_="grid"),
    ]
    for row, side in enumerate(series.sides[:2]):
        parts += _row(series, row, side, left, top + row * ROW, seeds, side_orders[row])
    if series.reason:
        score = "–".join(map(points, series.score)) + ", " if any(series.score) else ""
        parts.append(
            element(
                "text",
                fit(f"{score}{series.reason}", REASON_WIDTH),
                x=n(left + 4),
                y=n(top + 2 * ROW + 14),
                class_="tick result",
            )
        )
    address = href(series.matches[-1]) if series.matches else None
    kind = "series final" if is_final else "series"
    attributes: dict[str, Any] = {
        "class_": kind,
        **({"data_at": order} if order and "" not in series.sides else {}),
    }
    if address is None:
        return element("g", "".join(parts), **attributes)
    return element("a", "".join(parts), href=address, **attributes)


def _row(
    series: Encounter,
    row: int,
    side: str | None,
    left: float,
    top: float,
    seeds: Mapping[str, int],
    order: int,
) -> Iterator[str]:
    """Yield the drawing of a side: its name, which appears with a result, and its score."""
    is_winner = bool(side) and side == series.winner
    kind = "open" if not side else "won" if is_winner else "lost" if series.winner else "name"
    base = n(top + 17.5)
    if side:
        bar = f"M{n(left + 1.5)} {n(top + 4)}v{n(ROW - 8)}"
        inner = element("path", d=bar, class_=f"bar result {_color(side)}") if is_winner else ""
        inner += element(
            "g", emblem_svg(_emblem(side), size=18), transform=f"translate({n(left + 10)} {n(top + 4)})"
        )
        seed = str(seeds.get(side, ""))
        inner += element("text", fit(side, NAME_WIDTH - len(seed)), x=n(left + 36), y=base)
        if seed:
            inner += element(
                "text", seed, x=n(left + BOX_WIDTH - 40), y=base, class_="tick", text_anchor="end"
            )
    else:
        inner = element("text", "open" if side is None else "bye", x=n(left + 36), y=base)
    attributes: dict[str, Any] = {"data_at": order} if order else {}
    yield element("g", inner, class_=kind, **attributes)
    if any(series.score) and row < len(series.score):
        yield element(
            "text",
            points(series.score[row]),
            x=n(left + BOX_WIDTH - 10),
            y=base,
            class_=f"{kind} score result",
            text_anchor="end",
        )


def _emblem(side: str) -> Emblem:
    return emblem_of(side.split("@")[0])


def _color(side: str) -> str:
    return f"c{_emblem(side).color}"


def series_text(series: Encounter, *, is_final: bool = False) -> str:
    """Return a series in words: its sides, score and winner, and why it wins or advances.

    Args:
        is_final: the series decides the bracket.
    """
    sides = " v ".join("open" if side is None else side or "bye" for side in series.sides)
    score = f" {score_text(series.score, series.games)}" if any(series.score) else ""
    winner = f", {series.winner} {victory(series.label, is_final=is_final)}" if series.winner else ""
    return f"{series.label}: {sides}{score}{winner}{' ' + series.reason if series.reason else ''}"
