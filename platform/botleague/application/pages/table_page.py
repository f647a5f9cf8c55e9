"""The table of a season, with what moved since, the newest results and the terms."""

from __future__ import annotations

import msgspec

from botleague.application.pages.match_rows import MatchLine, match_lines
from botleague.application.pages.page_header import SeasonHead, season_head
from botleague.application.pages.ranking_explained import apart, what_ranks
from botleague.application.pages.terms_in_words import Term, describe_terms
from botleague.league import Season, Standing
from botleague.league.season import Visible, fingerprint, why_unproved
from botleague.league.tables import Part, read_standings
from botleague_storage import events, matches, page_queries, ratings, whole_season

ROWS = 100
"""Rows of a table on one page."""

NEWEST = 10
DAY_S = 86_400.0

MOST_KEPT = 50
"""Tables of before that are kept."""

MOST_COUNTED_BEFORE = 8_000
"""Matches from which the former places of a table by points or strength are computed for a page: more take seconds."""


class TablePage(msgspec.Struct, frozen=True):
    """A page of a table.

    Attributes:
        head: of its season.
        rows: as the command `standings` prints them.
        gained: for each row the places that it gained since, None for who stood nowhere then.
        since: since when: "round 3" or "24 hours"; "" where there is nothing to compare with.
        apart: for each row what sets it apart from the row above.
        ranked_by: what the table ranks by, in words.
        first, total: of which row it is the first, counted from 1, and of how many.
        newest: results.
        terms: of the season.
        fingerprint: of everything that was decided, None as of an earlier match, or for a season that has none.
        unproved: why the season has no fingerprint, in a sentence; "" where it has one.
    """

    head: SeasonHead
    rows: list[Standing]
    gained: list[int | None]
    since: str
    apart: list[str]
    ranked_by: str
    first: int
    total: int
    newest: list[MatchLine]
    terms: list[Term]
    fingerprint: str | None
    unproved: str = ""


def read_table_page(
    season: Season, seen: Visible, now: float, first: int = 1, limit: int | None = ROWS
) -> TablePage:
    """Return a page of a season's table.

    Args:
        seen: what exists for the viewer.
        now: seconds since the epoch.
        first: the row to begin with, counted from 1.
        limit: rows on a page; None for all.
    """
    shown = season.as_of(seen.end)
    head = season_head(season, seen, now)
    # With the row above the first, which says what sets the two apart.
    above = min(1, first - 1)
    with whole_season(season.connection, season.id):
        found = read_standings(shown, Part(first - 1 - above, None if limit is None else limit + above))
    reasons, rows = apart(found)[above:], found[above:]
    since, places = _places_before(season, seen, head, now)
    listed, _ = page_queries.listed(season.connection, season.id, seen.end, NEWEST)
    is_whole = ratings.coverage(season.connection, season.id)[0] == seen.end
    known = fingerprint(season) if is_whole else None
    return TablePage(
        head=head,
        rows=rows,
        gained=[places[row.bot] - row.rank if row.bot in places else None for row in rows],
        since=since,
        apart=reasons,
        ranked_by=what_ranks(found) if found else "",
        first=first,
        total=head.bots,
        newest=match_lines(season, listed),
        terms=describe_terms(season),
        fingerprint=None if known is None else str(known),
        unproved=why_unproved(season) if known is None else "",
    )


def _places_before(season: Season, seen: Visible, head: SeasonHead, now: float) -> tuple[str, dict[str, int]]:
    """Return since when places are compared, and who stood where then."""
    connection = season.connection
    number = matches.round_of(connection, season.id, seen.end - 1)
    start = matches.round_start(connection, season.id, number)
    since = f"round {number - 1}"
    if season.format.is_endless or start == 0:
        start = page_queries.recorded_since(connection, season.id, seen.end, now - DAY_S)
        since = "24 hours ago"
    if not 0 < start < seen.end:
        return "", {}
    if head.table != "online":
        if start > MOST_COUNTED_BEFORE:
            return "", {}
        return since, _ranked_before(season, start)
    playing = season.as_of(start).roster.members
    values = page_queries.last_values(connection, season.id, start)
    named = season.names
    order = sorted(
        ((one, value) for one, value in values.items() if one in playing), key=lambda item: -item[1]
    )
    places: dict[str, int] = {}
    rank, last = 0, None
    for place, (version, value) in enumerate(order, start=1):
        rank = rank if value == last else place
        last = value
        places[named[version].bot] = rank
    return since, places


def _ranked_before(season: Season, start: int) -> dict[str, int]:
    """Return who stood where as of a match, in a table that has to be computed; kept until something is decided."""
    decided = len(events.events(season.connection, season.id))
    key = (season.connection.engine.url, season.id, start, decided)
    if key not in _RANKED:
        if len(_RANKED) >= MOST_KEPT:
            _RANKED.clear()
        with whole_season(season.connection, season.id):
            _RANKED[key] = {row.bot: row.rank for row in read_standings(season.as_of(start))}
    return _RANKED[key]


_RANKED: dict[tuple[object, ...], dict[str, int]] = {}
"""Places of before: every page of a table that is looked at needs the same ones."""
