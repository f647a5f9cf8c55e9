"""A bracket as a tree for wide terminals: a column per round, two lines per series, and the way of each winner.

A bracket has the sides of each series, but not where they come from. In every knockout, a round with half as many
series takes two neighbours each, and a round with as many takes one: lines follow from that.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from botleague.application.pages import DivisionBracket, Encounter
from botleague.cli.printing.consoles import bot_color, emblem, on_ground
from botleague.cli.printing.text_widths import shortened
from botleague.cli.printing.untrusted_text import one_line
from botleague.formats import THIRD_PLACE

MIN_COLUMNS = 100
"""Columns of a terminal from which on there is a tree."""

MIN_NAME = 8
"""Characters of a shortened name; with less space for names there is no tree."""

SERIES_LINES = 3
"""Lines of a series: its sides, and the reason why its winner advances."""

GAP = 5
"""Characters between two rounds, for the lines."""

PARTS = {"": "", "upper": "WINNERS", "lower": "LOSERS", "final": "FINAL", "third": "THIRD PLACE"}


def bracket_tree(bracket: DivisionBracket, columns: int) -> list[Text] | None:
    """Return a bracket in lines of at most a number of columns; None if names would be too short."""
    needed = [series for series in bracket.encounters if series.is_needed]
    parts = _parts(needed)
    rounds = max(map(len, parts.values()))
    scores = max((len(_score(series, side)) for series in needed for side in (0, 1)), default=0)
    longest = max((cell_len(_name(side)) for series in needed for side in series.sides), default=0)
    # The emblem, blanks around the name, and the star of the champion.
    room = (columns - 2 - GAP * (rounds - 1)) // rounds - 3 - scores
    if room < min(longest, MIN_NAME):
        return None
    widest = max([longest, *(cell_len(one_line(series.reason)) - 1 - scores for series in needed)])
    width = min(widest, room) + 3 + scores
    lines: list[Text] = []
    for part, columns_of_part in parts.items():
        lines += [Text()] if lines and lines[-1].plain else []
        lines += [Text(PARTS[part], "bold")] if PARTS[part] else []
        lines += _drawn(columns_of_part, width, scores, bracket.champion if part in ("", "final") else None)
    lines += [Text()] if lines[-1].plain else []
    places = sorted((place, name) for name, place in bracket.places.items() if place <= 3)
    return lines + [Text(f"{place}. ").append_text(_bot(name)) for place, name in places]


def _parts(series: Sequence[Encounter]) -> dict[str, list[list[Encounter]]]:
    """Return the parts of a bracket, each with its rounds."""
    is_double = any(one.label.startswith("lower ") for one in series)
    parts: dict[str, dict[int, list[Encounter]]] = {}
    for one in series:
        word = one.label.split(" ")[0]
        part = word if word in ("upper", "lower") else "final" if is_double else ""
        part = "third" if one.label == THIRD_PLACE else part
        parts.setdefault(part, {}).setdefault(one.round, []).append(one)
    return {part: [*parts[part].values()] for part in PARTS if part in parts}


def _drawn(
    rounds: Sequence[Sequence[Encounter]], width: int, scores: int, champion: str | None
) -> list[Text]:
    height = SERIES_LINES * max(map(len, rounds))
    sheet = _Sheet(height + 1)
    tops: list[int] = []
    for number, column in enumerate(rounds):
        left = number * (width + GAP)
        before, tops = tops, [int(height * (place + 0.5) / len(column)) for place in range(len(column))]
        sheet.write(0, left, Text(_heading(column), "dim"))
        for place, top in enumerate(before):
            series = rounds[number - 1][place]
            target = place * len(column) // len(before)
            entrance = place - target * len(before) // len(column)
            if series.winner and series.winner in column[target].sides:
                entrance = column[target].sides.index(series.winner)
            leaves = series.sides.index(series.winner) if series.winner in series.sides else 0
            style = bot_color(_bare(series.winner)) if series.winner else "dim"
            sheet.connect(top + leaves, tops[target] + min(1, entrance), left - GAP + 1, style)
        for series, top in zip(column, tops, strict=True):
            for side in (0, 1):
                sheet.write(top + side, left, _side(series, side, width, scores))
            if series.reason:
                sheet.write(top + 2, left + 2, shortened(Text(one_line(series.reason), "dim"), width - 2))
    if champion is not None and rounds[-1][-1].winner == champion:
        side = rounds[-1][-1].sides.index(champion)
        sheet.write(
            tops[-1] + side, len(rounds) * (width + GAP) - GAP + 1, Text("★", on_ground("#f0c04f", "#8a5d00"))
        )
    return sheet.lines


def _heading(column: Sequence[Encounter]) -> str:
    """Return the common part of "upper semi-final 1" and "upper semi-final 2": "semi-final"."""
    name, _, numbered = column[0].label.removeprefix("upper ").removeprefix("lower ").partition(",")
    return name.rstrip(" 0123456789") if not numbered and len(column) > 1 else name


def _side(series: Encounter, side: int, width: int, scores: int) -> Text:
    name = series.sides[side]
    is_lost = series.winner is not None and name != series.winner
    text = shortened(_bot(name) if name else Text(f"  {_name(name)}"), width - scores - 1)
    text.stylize("dim" if is_lost or not name else "bold" if name == series.winner else "", 2)
    text.append(" " * (width - scores - text.cell_len))
    return text.append(_score(series, side).rjust(scores), "dim" if is_lost else "")


def _bot(title: str) -> Text:
    return emblem(_bare(title)).append(f" {one_line(title)}")


def _bare(title: str) -> str:
    """Return the name of a bot without its version."""
    return title.partition("@")[0]


def _name(side: str | None) -> str:
    return "open" if side is None else one_line(side) or "bye"


def _score(series: Encounter, side: int) -> str:
    return f"{series.score[side]:g}".replace("0.5", "½").replace(".5", "½") if any(series.score) else ""


class _Sheet:
    """Lines of text in which places are chosen freely."""

    def __init__(self, height: int) -> None:
        self.lines = [Text() for _ in range(height)]

    def write(self, line: int, column: int, text: Text) -> None:
        """Write a text right of everything in its line."""
        row = self.lines[line]
        row.append(" " * (column - row.cell_len)).append_text(text)

    def connect(self, start: int, end: int, column: int, style: str) -> None:
        """Draw a way of three characters per line between two lines."""
        if start == end:
            self.write(start, column, Text("───", style))
            return
        first, last = ("─┐", "└─") if start < end else ("─┘", "┌─")
        self.write(start, column, Text(first, style))
        self.write(end, column + 1, Text(last, style))
        for line in range(min(start, end) + 1, max(start, end)):
            self.write(line, column + 1, Text("│", style))
