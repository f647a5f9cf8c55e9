"""Data of the reveal of a frozen season: from its public standings to the final ones, place by place from the last.

At step ``k`` the last ``k`` places are final. The other bots are above them, in their order at the freeze. In a larger
season only the best places are revealed.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from botleague.application.pages.page_header import SeasonHead, season_head
from botleague.application.pages.table_page import carried_on, gained, places_in
from botleague.league import Season, Standing
from botleague.league.season import CALENDAR_EVENTS, Visible, frozen_in
from botleague.league.tables import Part, read_standings
from botleague_storage import page_queries, whole_season

PLACES = 100
"""Maximum number of places that are revealed one by one."""

MAX_CACHED = 20
"""Maximum number of former standings in the cache."""


class RevealRow(msgspec.Struct, frozen=True):
    """A row of the standings.

    Attributes:
        place: place at this step; 1 is best.
        value: value that the standings rank by: points, strength or rating.
        gained: places gained since the freeze, for a revealed place; None for a bot that had no place.
        is_final: revealed; ``is_new`` by this step.
        status: why it no longer plays, "" if it plays.
    """

    place: int
    bot: str
    version: int
    owner: str
    value: float
    matches: int
    gained: int | None
    is_final: bool
    is_new: bool
    status: str


class RevealPage(msgspec.Struct, frozen=True):
    """A step of a reveal.

    Attributes:
        step, steps: number of the step, from 0 for the standings at the freeze, and number of steps.
        rows: standings, the best first; empty while the viewer may not see the final ones.
        matches: number of matches since the freeze.
    """

    head: SeasonHead
    step: int
    steps: int
    rows: list[RevealRow]
    matches: int


def read_reveal_page(season: Season, view: Visible, now: float, step: int = 0) -> RevealPage:
    """Return a step of a season's reveal.

    Args:
        view: the part of the season that the viewer may see; no rows if the end is hidden.
        step: beyond the last step the last one.
    """
    head = season_head(season, view, now)
    if view.is_frozen:
        return RevealPage(head, 0, 0, [], 0)
    noted = frozen_in(season.said(CALENDAR_EVENTS), season.calendar)
    start = view.end if noted is None else min(noted.ordinal, view.end)
    with whole_season(season.connection, season.id):
        after = read_standings(season.as_of(view.end), Part(limit=PLACES))
        before = after if start == view.end else _at_the_freeze(season, start, after)
    step = min(step, len(after))
    revealed_rows = after[len(after) - step :]
    places = carried_on(season, places_in(before))
    revealed = carried_on(season, places_in(revealed_rows))
    waiting = [row for row in before if (row.bot, row.version) not in revealed]
    waiting += [row for row in after[: len(after) - step] if (row.bot, row.version) not in places]
    rows = [_row(place, row) for place, row in enumerate(waiting, start=1)]
    for number, row in enumerate(revealed_rows):
        rows.append(_row(row.rank, row, gained=gained(places, row), is_final=True, is_new=number == 0))
    return RevealPage(head, step, len(after), rows, view.end - start)


def _at_the_freeze(season: Season, start: int, final: Sequence[Standing]) -> list[Standing]:
    """Return the standings as of a match, with the rows of some bots.

    Cached for the steps of a reveal, but never beyond a decision, or a new name or owner: persons may be erased.
    """
    bots = tuple((row.bot, row.version, row.owner) for row in final)
    key = season.connection.engine.url, season.id, start, season.last_event(), bots
    if key not in _FORMER:
        if len(_FORMER) >= MAX_CACHED:
            _FORMER.clear()
        entered = page_queries.entered_versions(
            season.connection, season.id, season.league.game, [bot for bot, _, _ in bots]
        )
        same = frozenset(version for versions in entered.values() for version in versions.values())
        _FORMER[key] = read_standings(season.as_of(start), Part(only=same))
    return _FORMER[key]


_FORMER: dict[tuple[object, ...], list[Standing]] = {}
"""Standings at freezes: they are computed from all matches before."""


def _row(
    place: int, row: Standing, *, gained: int | None = None, is_final: bool = False, is_new: bool = False
) -> RevealRow:
    value = {"points": row.points, "batch": row.strength, "online": row.rating}[row.ranked_by]
    return RevealRow(
        place,
        row.bot,
        row.version,
        row.owner,
        value or 0.0,
        row.matches,
        gained,
        is_final,
        is_new,
        row.status,
    )
