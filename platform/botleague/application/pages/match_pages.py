"""Data of the match pages: a season's list, paged by key; its queue; one match."""

from __future__ import annotations

import json

import msgspec

from botleague.application.pages.match_rows import MatchLine, PlannedLine, match_lines, planned_lines
from botleague.application.pages.page_header import SeasonHead, names_of, season_head
from botleague.errors import UsageError, did_you_mean
from botleague.league import Season
from botleague.league.season import Visible
from botleague.listing import title_of
from botleague.rules import FAULT_KINDS
from botleague_storage import NotFound, fixtures, page_queries, results
from botleague_storage import matches as stored
from botleague_storage.league_rows.fixtures import Match

LINES = 50
"""Number of matches on one page of a list."""


MAX_SERIES_READ = 5_000
"""Maximum number of matches of a knockout whose match pages show whole series; larger ones show mirrored sets."""


class MatchesPage(msgspec.Struct, frozen=True):
    """A portion of a season's matches, newest first.

    Attributes:
        bot, opponent, fault, round: filters of the list; None for no filter.
        before: the list starts below this ordinal number; None for the newest match.
        older: the ``before`` of the next portion, None if nothing follows.
    """

    head: SeasonHead
    matches: list[MatchLine]
    bot: str | None
    opponent: str | None
    fault: str | None
    round: int | None
    before: int | None
    older: int | None


class QueuePage(msgspec.Struct, frozen=True):
    """Matches in progress and planned, in order; ``later`` is the start of the next portion, None without one."""

    head: SeasonHead
    matches: list[PlannedLine]
    later: int | None


class Series(msgspec.Struct, frozen=True):
    """The matches of two bots that belong together.

    Attributes:
        is_knockout: it decides who advances; otherwise it is a mirrored set.
        bots: names of both bots, with the number of every version but the first.
        points: points of each bot, without void matches; a draw counts half.
        matches: finished matches in playing order.
        left: number of matches that are planned, and neither finished nor cancelled.
    """

    is_knockout: bool
    bots: list[str]
    points: list[float]
    matches: list[MatchLine]
    left: int


class MatchPage(msgspec.Struct, frozen=True):
    """One match.

    Attributes:
        match: None until it is finished.
        planned: its data before that, None for a finished match.
        earlier, later: numbers of the previous and next match in its season, None at the ends.
        again: the command that plays it again, "" until it is finished.
        series: the matches of its knockout pairing or mirrored set, None for a match that stands alone.
        is_cancelled: it will not be played.
    """

    head: SeasonHead
    match: MatchLine | None
    planned: PlannedLine | None
    is_live: bool
    layers: list[str]
    earlier: str | None
    later: str | None
    again: str
    series: Series | None = None
    is_cancelled: bool = False


def matches_page(
    season: Season,
    view: Visible,
    now: float,
    *,
    bot: str | None = None,
    opponent: str | None = None,
    fault: str | None = None,
    round: int | None = None,
    before: int | None = None,
    limit: int = LINES,
) -> MatchesPage:
    """Return a portion of a season's matches, the newest first.

    Args:
        bot, opponent: names; only matches with both.
        fault: only matches with a fault of this kind, of ``bot`` if one is named.
        before: only matches with lower ordinal numbers.

    Raises:
        UsageError: no such bot, or no such kind of fault.
    """
    if fault is not None and fault not in FAULT_KINDS:
        raise UsageError(
            f"Unknown fault {fault!r}.{did_you_mean(fault, FAULT_KINDS)} Choose one of {', '.join(FAULT_KINDS)}."
        )
    if opponent is not None and bot is None:
        bot, opponent = opponent, None
    listed, older = page_queries.listed(
        season.connection,
        season.id,
        view.end if before is None else min(before, view.end),
        limit,
        versions=None if bot is None else entered(season, bot),
        opponents=None if opponent is None else entered(season, opponent),
        fault=fault,
        round=round,
    )
    return MatchesPage(
        season_head(season, view, now),
        match_lines(season, listed),
        bot,
        opponent,
        fault,
        round,
        before,
        older or None,
    )


def queue_page(season: Season, view: Visible, now: float, first: int = 0) -> QueuePage:
    """Return the matches in progress and planned, from an ordinal number on."""
    head = season_head(season, view, now)
    planned, later = page_queries.queue(season.connection, season.id, LINES, first)
    left = head.planned - head.done
    each = head.remaining_s / left if head.remaining_s is not None and left else None
    return QueuePage(head, planned_lines(season, planned, head.done, each), later)


def match_page(season: Season, view: Visible, now: float, number: int) -> MatchPage:
    """Return one match.

    Args:
        number: of the match in its season, from 1.

    Raises:
        NotFound: the season has no such match, or it does not exist for the viewer.
    """
    connection = season.connection
    match = stored.at(connection, season.id, number - 1)
    if match is None:
        hides = view.is_frozen or view.versions is not None
        hint = " Matches that are hidden now appear at the reveal." if hides else ""
        raise NotFound(f"No match {number} in {season.title!r}.{hint}")
    head = season_head(season, view, now)
    near = fixtures.ids(connection, season.id, [match.ordinal - 1, match.ordinal + 1])
    earlier, later = (
        season.match_number(ordinal) if ordinal in near else None
        for ordinal in (match.ordinal - 1, match.ordinal + 1)
    )
    if not match.places or match.ordinal >= view.end:
        planned, _ = page_queries.queue(connection, season.id, 1, match.ordinal)
        if not planned or planned[0].fixture_id != match.fixture_id:
            # Finished, but hidden from this viewer.
            planned = [
                page_queries.PlannedMatch(
                    match.fixture_id, match.ordinal, match.round, match.label, False, match.versions
                )
            ]
        (line,) = planned_lines(season, planned, head.done, None)
        is_live = view.is_live and not match.is_done
        series = _series(season, view, match, head.planned)
        is_cancelled = match.is_done and not match.places
        return MatchPage(head, None, line, is_live, [], earlier, later, "", series, is_cancelled)
    (line_,) = match_lines(season, page_queries.described(connection, season.id, [match.fixture_id]))
    layers = json.loads(results.layers(connection, match.fixture_id) or "[]")
    bots = " ".join(map(title_of, line_.seats))
    again = f"botleague play {head.variant} {bots} --seed {line_.seed}"
    series = _series(season, view, match, head.planned)
    return MatchPage(head, line_, None, False, layers, earlier, later, again, series)


def _series(season: Season, view: Visible, match: Match, planned: int) -> Series | None:
    """Return the series of a match of two bots, None for a single match; newer versions of a bot continue it."""
    if len(match.versions) != 2:
        return None
    connection = season.connection
    is_knockout = season.format.has_bracket

    def sides(one: Match) -> list[int]:
        return [season.roster.member(version).version for version in one.versions]

    pair = sides(match)
    candidates = (
        stored.of_round(connection, season.id, match.round, planned)
        if is_knockout and planned <= MAX_SERIES_READ
        else stored.of_group(connection, season.id, match.group)
    )
    near = [one for one in candidates if set(sides(one)) == set(pair)]
    if len(near) < 2:
        return None
    finished = [one for one in near if one.places and one.ordinal < view.end]
    points = [0.0, 0.0]
    for one in finished:
        # By version, because two versions of a bot can meet.
        places = dict(zip(sides(one), one.places, strict=True))
        for side, (own, other) in enumerate((pair, pair[::-1])) if not one.is_void else ():
            points[side] += (places[own] < places[other]) + (places[own] == places[other]) / 2
    described = page_queries.described(connection, season.id, [one.fixture_id for one in finished])
    names = names_of(season, set(match.versions))
    bots = [names[version].title for version in match.versions]
    left = sum(bool(one.places) or not one.is_done for one in near) - len(finished)
    return Series(is_knockout, bots, points, match_lines(season, described)[::-1], left)


def entered(season: Season, bot: str) -> list[int]:
    """Return the versions of a bot in a season.

    Raises:
        NotFound: no such bot in the season.
    """
    versions = page_queries.entered(season.connection, season.id, season.league.game, bot)
    if not versions:
        raise NotFound(f"No bot {bot!r} plays in {season.title!r}.")
    return versions
