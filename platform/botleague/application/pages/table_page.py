"""Data of the standings page: rows, changes, newest results, league settings."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from botleague.application.pages.match_rows import MatchLine, match_lines
from botleague.application.pages.page_header import SeasonHead, is_champion, season_head
from botleague.application.pages.race import Race, RecentForm, race_and_form
from botleague.application.pages.ranking_explained import apart, what_ranks
from botleague.application.pages.terms_in_words import Term, describe_terms
from botleague.league import Season, Standing
from botleague.league.season import Visible, fingerprint, why_unproved
from botleague.league.tables import Part, each_standing, read_standings
from botleague_storage import bots, matches, page_queries, ratings, whole_season

ROWS = 100
"""Number of rows on one page."""

RACING = 10
"""Number of bots in a race."""

NEWEST = 10
DAY_S = 86_400.0

MAX_CACHED = 20
"""Maximum number of former standings in each cache."""

STEP_S = 600.0
"""Seconds for which places of a day ago stay the same: they are those of all bots."""

MAX_COUNTED_BEFORE = 8_000
"""Maximum number of matches from which former places by points or strength are computed: more take seconds."""

Places: TypeAlias = Mapping[tuple[str, int], int]
"""Ranks by name of the bot and number of the version: two versions of a bot may play side by side."""


class TablePage(msgspec.Struct, frozen=True):
    """A page of standings.

    Attributes:
        rows: rows, as the command `standings` prints them.
        champions: those in first place of a season that is over; of a bracket, who won the final.
        gained: for each row the places gained since then, None for a bot that had no place.
        since: start of that comparison: "round 3" or "24 hours ago"; "" without one.
        apart: for each row its difference from the row above.
        ranked_by: a sentence about the ranking.
        race: course of the season for the rows, or for the best ten if there are more pages; None on later pages.
        form: rating curve and newest results of each row.
        first, total: number of the first row, from 1, and number of all rows.
        fingerprint: fingerprint of the whole season, None for the state of an earlier match, or if it has none.
        unproved: why the season has no fingerprint, in a sentence; "" if it has one.
    """

    head: SeasonHead
    rows: list[Standing]
    gained: list[int | None]
    since: str
    apart: list[str]
    ranked_by: str
    race: Race | None
    form: list[RecentForm]
    first: int
    total: int
    newest: list[MatchLine]
    terms: list[Term]
    fingerprint: str | None
    unproved: str = ""
    champions: list[str] = []


def read_table_page(
    season: Season, view: Visible, now: float, first: int = 1, limit: int | None = ROWS
) -> TablePage:
    """Return a page of a season's standings.

    Args:
        first: number of the first row, from 1.
        limit: number of rows; None for all.
    """
    head = season_head(season, view, now)
    past = season.as_of(view.end)
    # With the row above the first, which explains their difference.
    above = min(1, first - 1)
    with whole_season(season.connection, season.id):
        standings = read_standings(past, Part(first - 1 - above, None if limit is None else limit + above))
    reasons, rows = apart(standings)[above:], standings[above:]
    race, form = race_and_form(season, view, rows)
    if race is not None and head.bots > ROWS:
        race = msgspec.structs.replace(race, values=race.values[:RACING]) if first == 1 else None
    since, former = _places_before(season, view, head, now, rows)
    places = carried_on(season, former)
    listed, _ = page_queries.listed(season.connection, season.id, view.end, NEWEST)
    is_whole = ratings.coverage(season.connection, season.id)[0] == view.end
    proof = fingerprint(season) if is_whole else None
    return TablePage(
        head=head,
        rows=rows,
        gained=[gained(places, row) for row in rows],
        since=since,
        apart=reasons,
        ranked_by=what_ranks(standings) if standings else "",
        race=race,
        form=form,
        first=first,
        total=head.bots,
        newest=match_lines(season, listed),
        terms=describe_terms(season),
        fingerprint=None if proof is None else str(proof),
        unproved=why_unproved(season) if proof is None else "",
        champions=[row.bot for row in rows if first == 1 and is_champion(season, head, row)],
    )


def each_row(season: Season, view: Visible) -> Iterator[Standing]:
    """Yield all rows of a season's standings, without what pages add to them."""
    with whole_season(season.connection, season.id):
        yield from each_standing(season.as_of(view.end))


def _places_before(
    season: Season, view: Visible, head: SeasonHead, now: float, rows: Sequence[Standing]
) -> tuple[str, Places]:
    """Return the start of the comparison of places, and the places at that time, at least of some rows."""
    connection = season.connection
    number = matches.round_of(connection, season.id, view.end - 1)
    start = matches.round_start(connection, season.id, number)
    since = f"round {number - 1}"
    if season.format.is_endless or start == 0:
        moment = (now - DAY_S) // STEP_S * STEP_S
        start = page_queries.recorded_since(connection, season.id, view.end, moment)
        since = "24 hours ago"
    if not 0 < start < view.end:
        return "", {}
    if head.table == "online":
        return since, _rated_before(season, start, rows)
    if start > MAX_COUNTED_BEFORE:
        return "", {}
    return since, _ranked_before(season, start)


def _ranked_before(season: Season, start: int) -> Places:
    """Return computed places as of a match, cached until the next decision."""
    key = _moment(season, start)
    if key not in _RANKED:
        if len(_RANKED) >= MAX_CACHED:
            _RANKED.clear()
        with whole_season(season.connection, season.id):
            _RANKED[key] = places_in(read_standings(season.as_of(start)))
    return _RANKED[key]


_RANKED: dict[tuple[object, ...], Places] = {}
"""Former places: every page of standings needs the same ones."""


def _rated_before(season: Season, start: int, rows: Sequence[Standing]) -> Places:
    """Return the places by online rating as of a match, of all versions of the bots of some rows."""
    connection, key, names = season.connection, _moment(season, start), list({row.bot for row in rows})
    then = season.as_of(start).roster
    gone = {*then.replaced, *then.coming}
    entered = {
        version: (name, number)
        for name, versions in page_queries.entered_versions(
            connection, season.id, season.league.game, names
        ).items()
        for number, version in versions.items()
        if version not in gone
    }
    with whole_season(connection, season.id):
        if key not in _VALUES:
            if len(_VALUES) >= MAX_CACHED:
                _VALUES.clear()
            values = page_queries.last_values(connection, season.id, start)
            _VALUES[key] = array("d", sorted(value for one, value in values.items() if one not in gone))
        own = page_queries.values_at(connection, season.id, list(entered), [start])
    everybody = _VALUES[key]
    return {
        entered[version]: 1 + len(everybody) - bisect_right(everybody, value)
        for (version, _), value in own.items()
    }


_VALUES: dict[tuple[object, ...], array[float]] = {}
"""Former ratings of all bots of a season, the lowest first: every page of standings needs the same ones."""


def _moment(season: Season, start: int) -> tuple[object, ...]:
    """Return a key for a season as of a match, until the next decision."""
    return season.connection.engine.url, season.id, start, season.last_event()


def places_in(rows: Iterable[Standing]) -> Places:
    """Return the ranks in standings."""
    return {(row.bot, row.version): row.rank for row in rows}


def carried_on(season: Season, places: Places) -> Places:
    """Return former places with those of replaced versions also under the bot's other versions.

    Args:
        season: as it is now.
    """
    if not places:
        return places
    now = dict(places)
    changed = {bot.entered: bot for bot in map(season.roster.member, season.roster.replaced)}
    names = bots.versions(season.connection, [one for bot in changed.values() for one in bot.lineage])
    for bot in changed.values():
        line = [names[one] for one in bot.lineage]
        had = [places[one.bot, one.number] for one in line if (one.bot, one.number) in places]
        for one in line if had else ():
            now.setdefault((one.bot, one.number), had[-1])
    return now


def gained(places: Places, row: Standing) -> int | None:
    """Return how many places a bot has gained, None if it had no place."""
    place = places.get((row.bot, row.version))
    return None if place is None else place - row.rank
