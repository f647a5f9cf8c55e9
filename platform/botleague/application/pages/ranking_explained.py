"""Standings in words: ranking, differences between rows, and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from botleague.formats import TIE_BREAKS
from botleague.league import BatchRow, Standing
from botleague.listing import Column, Face, Number, Table, columns_of, table_of, title_of
from botleague.rules.formats import TieBreakName

if TYPE_CHECKING:
    from botleague.application.pages.race import RecentForm

MANY_SEATS: Mapping[str, Mapping[str, Any]] = {
    "wins": {"title": "first", "heading": "1st", "explains": "first alone"},
    "draws": {"title": "shared 1st", "heading": "=1st", "explains": "shared first place"},
    "losses": {"title": "behind", "heading": "later", "explains": "behind another bot"},
}
"""Columns of wins, draws and losses in matches with more than two seats."""


def is_solo(table: Sequence[Standing]) -> bool:
    """Return whether all matches have one seat: there are matches, but no wins, draws or losses."""
    return any(row.matches for row in table) and not any(row.wins + row.draws + row.losses for row in table)


def tie_breaks_of(table: Sequence[Standing]) -> list[TieBreakName]:
    """Return the tie-breaks in standings, in order."""
    return list(dict.fromkeys(name for row in table for name in row.tie_breaks))


def standings_table(
    rows: Sequence[Standing],
    seats: int,
    *,
    gained: Sequence[int | None] = (),
    since: str = "",
    form: Sequence[RecentForm] = (),
    face: Face = "terminal",
) -> Table[Standing]:
    """Return standings with the columns that their rows have.

    Args:
        seats: number of seats in a match.
        gained: for each row the places gained, None for a bot that had no place before.
        since: start of that comparison; "" without one.
        form: for each row its rating curve and newest results.
        face: interface; on a page, tie-breaks are next to the points.
    """
    own = columns_of(Standing)
    more: dict[str, Column | None] = {
        name: Number(
            TIE_BREAKS[name].title,
            "g",
            of_row=partial(_tie_break, name),
            importance=9,
            is_optional=True,
            before="strength" if face == "page" else "forfeits",
            heading=TIE_BREAKS[name].title,
            explains=TIE_BREAKS[name].explanation,
            filter="points",
        )
        for name in tie_breaks_of(rows)
        if name != "wins"  # which is a column already
    }
    if face == "page" and rows and rows[0].ranked_by != "online":
        # Next to the value that ranks, a telephone has no room for the rating.
        more["rating"] = msgspec.structs.replace(own["rating"], screen=4)
    if is_solo(rows):
        more |= dict.fromkeys(("wins", "draws", "losses"))
        if rows[0].ranked_by == "points":
            more["points"] = msgspec.structs.replace(own["points"], heading="Mean", filter="number")
            more["mean_score"] = msgspec.structs.replace(own["mean_score"], only="terminal")
    else:
        more["mean_score"] = None
        if seats > 2:
            for name, words in MANY_SEATS.items():
                more[name] = msgspec.structs.replace(own[name], **words)
    if since:
        places = {(row.bot, row.version): one for row, one in zip(rows, gained, strict=True)}
        more["gained"] = Number(
            "±",
            of_row=lambda row: places[row.bot, row.version],
            before="bot",
            only="page",
            explains=f"places gained since {since}",
            importance=1,
            filter="number",
        )
    if form:
        forms = {(row.bot, row.version): one for row, one in zip(rows, form, strict=True)}
        of_page = partial(Column, only="page", is_optional=True)
        more["curve"] = of_page(
            "since the start",
            of_row=lambda row: forms[row.bot, row.version].curve or None,
            importance=8,
            before="matches",
            explains="rating over the season",
        )
        more["results"] = of_page(
            "last five",
            of_row=lambda row: forms[row.bot, row.version].results or None,
            before="matches",
            explains="newest results, the newest last",
        )
        more["newest_match"] = of_page(
            "newest match",
            of_row=lambda row: forms[row.bot, row.version].summary or None,
            importance=1,
            heading="Newest",
            explains="newest match",
        )
    return table_of(Standing, rows, more)


def _tie_break(name: TieBreakName, row: Standing) -> float | None:
    return row.tie_breaks.get(name)


def what_ranks(table: Sequence[Standing]) -> str:
    """Return a sentence about the ranking and the ratings."""
    kind, system, shift = table[0].ranked_by, table[0].rating_system, table[0].shift
    about = f"{system}, with its change in this season"
    if shift:
        about += f", moved by {shift:+.1f} to the anchors"
    if kind == "online":
        return f"Ranked by rating: {about}."
    if kind == "batch":
        what = "strength, which is fitted to all matches at once"
        if table[0].as_of is not None:
            what += f", as of round {table[0].as_of}"
    elif any(row.place is not None for row in table):
        what = "place in the bracket, then points"
    elif is_solo(table):
        what = "points, which are the mean score less penalties"
    else:
        what = ", then ".join(["points", *(TIE_BREAKS[name].title for name in tie_breaks_of(table))])
    if kind == "points" and any(row.division for row in table):
        what = f"division, then {what}"
    beyond = ""
    if kind == "batch":
        beyond = spread_in_words(table[0].spread, is_informed=table[0].is_informed)
        beyond += lineage_of(table, table[0].tie)
    return f"Ranked by {what}. Rating: {about}.{beyond}"


def apart(rows: Sequence[Standing]) -> list[str]:
    """Return for every row its difference from the row above; "" for the first."""
    reasons = [""] if rows else []
    for above, row in pairwise(rows):
        names = f"{title_of(above)} and {title_of(row)}"
        if above.rank == row.rank:
            why = f"{names} share a place: no criterion separates them."
        elif row.ranked_by == "points" and row.division != above.division:
            why = f"{names} play in different divisions."
        elif row.place is not None or above.place is not None:
            why = f"{names} are separated by the bracket."
        elif row.decided_by is not None:
            why = (
                f"{names} are tied on points; {TIE_BREAKS[row.decided_by].title} decides, "
                f"{above.tie_breaks[row.decided_by]:g} to {row.tie_breaks[row.decided_by]:g}."
            )
        elif row.points is not None:
            why = f"{names} are separated by points."
        else:
            why = f"{names} are separated by {'strength' if row.ranked_by == 'batch' else 'rating'}."
        reasons.append(why)
    return reasons


def spread_in_words(spread: float | None, *, is_informed: bool) -> str:
    """Return a sentence about the spread of the field in batch standings, or ""."""
    if spread is not None:
        return f" Spread of the field estimated: {spread:.0f} Elo."
    return " Pairings used other knowledge: spread not estimated." if is_informed else ""


def lineage_of(table: Sequence[Standing | BatchRow], tie: float) -> str:
    """Return a sentence about versions in batch standings, or ""."""
    if all(row.predecessor is None for row in table):
        return ""
    if tie:
        return f" While the season runs, a version is tied to its previous version by {tie:g} drawn games."
    return " The standings are final: versions of a bot are not tied to each other."
