"""Data of a bot's page: versions, rating curve, results by opponent, newest matches."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from botleague.application.pages.match_pages import entered
from botleague.application.pages.match_rows import MatchLine, match_lines
from botleague.application.pages.page_header import SeasonHead, names_of, season_head
from botleague.league import Season, Standing
from botleague.league.season import Visible
from botleague.league.season_ratings import as_result, contests, starting_table
from botleague.league.tables import Part, read_standings
from botleague.ratings import replay
from botleague_storage import page_queries, whole_season
from botleague_storage.league_rows.bots import VersionRow

NEWEST = 30
POINTS = 400
"""Maximum number of points of a curve: its picture has no more pixels."""

MAX_MEETINGS = 20_000
"""Maximum number of a bot's meetings, the newest, that count towards its results by opponent."""

MAX_FOLDED = 20_000
"""Maximum number of matches for curves of the rating error, which need a fold of the whole season."""


class CurvePoint(msgspec.Struct, frozen=True):
    """A rating after a match: its ordinal number, the rating and its error, None if unknown."""

    ordinal: int
    rating: float
    error: float | None


class VersionCurve(msgspec.Struct, frozen=True):
    """The rating of one version over time; ``start`` is its first rating."""

    version: int
    start: float
    points: list[CurvePoint]


class VersionLine(msgspec.Struct, frozen=True):
    """A version of the bot; ``submitted_at`` in seconds since the epoch."""

    version: int
    digest: str
    submitted_at: float


class OpponentLine(msgspec.Struct, frozen=True):
    """Results against one opponent.

    Attributes:
        games: number of games; games of more than two seats count as fractions.
        scored: points of the bot.
        expected: points expected from the ratings before each game, None if the games were not rated.
    """

    opponent: str
    games: float
    scored: float
    expected: float | None


class BotPage(msgspec.Struct, frozen=True):
    """One bot in a season.

    Attributes:
        versions: its versions in the season, the oldest first.
        curves: one per version.
        curve_says: explanation of the curves.
        opponents: its opponents by name, from its newest meetings.
    """

    head: SeasonHead
    bot: str
    owner: str
    rows: list[Standing]
    versions: list[VersionLine]
    curves: list[VersionCurve]
    curve_says: str
    opponents: list[OpponentLine]
    newest: list[MatchLine]


class BotRows(msgspec.Struct, frozen=True):
    """Rows of several bots, read at once.

    Attributes:
        entered: ids of the bots' versions in the season, the oldest first, by name.
        versions: these versions by id.
        standings: rows of the standings by name.
        errors: error of the rating after a match, by version and ordinal number; empty if unknown.
    """

    entered: Mapping[str, Sequence[int]]
    versions: Mapping[int, VersionRow]
    standings: Mapping[str, Sequence[Standing]]
    errors: Mapping[tuple[int, int], float]


def read_bot_page(season: Season, view: Visible, now: float, name: str) -> BotPage:
    """Return the page of a bot in a season.

    Raises:
        NotFound: no such bot entered it.
    """
    return next(bot_pages(season, view, now, [name], read_bot_rows(season, view, [name])))


def read_bot_rows(
    season: Season, view: Visible, names: Sequence[str], standings: Iterable[Standing] | None = None
) -> BotRows:
    """Return the rows of several bots.

    Args:
        standings: of the whole season, if they were read.

    Raises:
        NotFound: one of the bots did not enter the season.
    """
    past = season.as_of(view.end)
    entries = page_queries.entered_versions(season.connection, season.id, season.league.game, names)
    ids = {name: list(entries[name].values()) if name in entries else entered(season, name) for name in names}
    version_ids = {version for of in ids.values() for version in of}
    if standings is None:
        with whole_season(season.connection, season.id):
            standings = read_standings(past, Part(only=frozenset(version_ids)))
    rows: dict[str, list[Standing]] = {}
    for row in standings:
        rows.setdefault(row.bot, []).append(row)
    return BotRows(ids, names_of(season, version_ids), rows, _errors(past, version_ids, view))


def bot_pages(
    season: Season, view: Visible, now: float, names: Sequence[str], bots: BotRows
) -> Iterator[BotPage]:
    """Yield the pages of several bots.

    Args:
        bots: rows of at least these bots.
    """
    head = season_head(season, view, now)
    for name in names:
        ids = bots.entered[name]
        versions = [bots.versions[one] for one in ids]
        listed, _ = page_queries.listed(season.connection, season.id, view.end, NEWEST, versions=ids)
        yield BotPage(
            head=head,
            bot=name,
            owner=versions[0].owner,
            rows=list(bots.standings.get(name, [])),
            versions=[VersionLine(one.number, one.digest, one.submitted_at) for one in versions],
            curves=[_curve(season, view, one.id, one.number, bots.errors) for one in versions],
            curve_says=curve_says(season, view, bots),
            opponents=_opponents(season, view, ids),
            newest=match_lines(season, listed),
        )


def _curve(
    season: Season, view: Visible, version: int, number: int, errors: Mapping[tuple[int, int], float]
) -> VersionCurve:
    points = page_queries.curve(season.connection, season.id, version, view.end, POINTS)
    start = points[0][1] if points else season.system.display(season.system.initial()).value
    return VersionCurve(
        number,
        start,
        [CurvePoint(ordinal, after, errors.get((version, ordinal))) for ordinal, _, after in points],
    )


def _errors(season: Season, versions: Collection[int], view: Visible) -> dict[tuple[int, int], float]:
    """Return the error of ratings after each match, by version and ordinal number, if the system has errors."""
    system = season.system
    if (
        view.versions is not None
        or view.end > MAX_FOLDED
        or system.display(system.initial()).deviation is None
    ):
        return {}
    members = {str(version) for version in versions}
    errors = {}
    table: Any = starting_table(season)
    lineage = {str(version): str(before) for version, before in season.predecessors.items()}
    for step in replay(system, map(as_result, contests(season)), table, lineage):
        for member in members & step.after.keys():
            deviation = system.display(step.after[member]).deviation
            if deviation is not None:
                errors[int(member), step.sequence] = deviation
    return errors


def curve_says(season: Season, view: Visible, bots: BotRows) -> str:
    """Return the explanation of the curves of bots."""
    text = f"The {season.settings.rating} rating after each rated match, in the order of the schedule."
    if bots.errors:
        return f"{text} The band is one standard error to each side."
    if season.system.display(season.system.initial()).deviation is None:
        return f"{text} This rating system estimates no standard errors."
    if view.versions is not None:
        return f"{text} Matches of other bots and the rating error are hidden at the moment."
    return f"{text} The season is too long to plot the rating error; the standings show the current one."


def _opponents(season: Season, view: Visible, versions: Sequence[int]) -> list[OpponentLine]:
    scale = season.system.scale
    met = page_queries.meetings(season.connection, season.id, versions, view.end, MAX_MEETINGS)
    named = names_of(season, {one.opponent_id for one in met})
    games: dict[str, float] = defaultdict(float)
    scored: dict[str, float] = defaultdict(float)
    expected: dict[str, float] = defaultdict(float)
    rated: dict[str, float] = defaultdict(float)
    for one in met:
        name, weight = named[one.opponent_id].bot, 1 / (one.seats - 1)
        games[name] += weight
        scored[name] += weight * (
            0.5 if one.place == one.opponent_place else float(one.place < one.opponent_place)
        )
        if one.before is not None and one.opponent_before is not None:
            gap = max(-30.0, min(30.0, (one.opponent_before - one.before) / scale))
            expected[name] += weight / (1 + math.pow(10.0, gap))
            rated[name] += weight
    return [
        OpponentLine(name, games[name], scored[name], expected[name] if rated[name] else None)
        for name in sorted(games, key=str.casefold)
    ]
