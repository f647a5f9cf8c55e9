"""One bot in a season: its versions, the curve of its rating, its results by opponent, its newest matches."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
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

NEWEST = 30
POINTS = 400
"""Points of a curve: more than its picture has pixels for would only be slower."""

MOST_MEETINGS = 20_000
MOST_FOLDED = 20_000
"""Matches of a season up to which the error of a rating is followed through its history: it takes the whole fold."""


class CurvePoint(msgspec.Struct, frozen=True):
    """A rating after a match: its ordinal number, the rating and its error, None where that is not known."""

    ordinal: int
    rating: float
    error: float | None


class VersionCurve(msgspec.Struct, frozen=True):
    """The rating of one version over time; ``start`` is where it entered."""

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
        games: how many; those of more than two seats weigh as shares.
        scored: points taken.
        expected: points that the ratings before each game let expect, None if the games were not rated.
    """

    opponent: str
    games: float
    scored: float
    expected: float | None


class BotPage(msgspec.Struct, frozen=True):
    """One bot in a season.

    Attributes:
        rows: its rows in the season's table.
        versions: those that play in the season, the oldest first.
        curves: one a version.
        curve_says: what the curve is made of.
        opponents: those it met, by name; of very many meetings the newest.
        newest: its newest matches.
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


def read_bot_page(season: Season, seen: Visible, now: float, name: str) -> BotPage:
    """Return what is known of a bot in a season.

    Raises:
        NotFound: no such bot entered it.
    """
    return next(bot_pages(season, seen, now, [name], is_whole=False))


def bot_pages(
    season: Season, seen: Visible, now: float, names: Sequence[str], *, is_whole: bool = True
) -> Iterator[BotPage]:
    """Yield the pages of several bots; the season's table and ratings are computed once.

    Args:
        is_whole: they are so many that the whole table is read for them.

    Raises:
        NotFound: one of them did not enter it.
    """
    shown = season.as_of(seen.end)
    ids = {name: entered(season, name) for name in names}
    head = season_head(season, seen, now)
    wanted = {version for of in ids.values() for version in of}
    errors = _errors(shown, wanted, seen)
    rows: dict[str, list[Standing]] = {}
    with whole_season(season.connection, season.id):
        for row in read_standings(shown, Part(only=None if is_whole else frozenset(wanted))):
            rows.setdefault(row.bot, []).append(row)
    for name in names:
        named = names_of(season, set(ids[name]))
        listed, _ = page_queries.listed(season.connection, season.id, seen.end, NEWEST, versions=ids[name])
        yield BotPage(
            head=head,
            bot=name,
            owner=named[ids[name][0]].owner,
            rows=rows.get(name, []),
            versions=[
                VersionLine(named[one].number, named[one].digest, named[one].submitted_at)
                for one in ids[name]
            ],
            curves=[_curve(season, seen, one, named[one].number, errors) for one in ids[name]],
            curve_says=_curve_says(season, errors, is_blind=seen.versions is not None),
            opponents=_opponents(season, seen, ids[name]),
            newest=match_lines(season, listed),
        )


def _curve(
    season: Season, seen: Visible, version: int, number: int, errors: dict[tuple[int, int], float]
) -> VersionCurve:
    found = page_queries.curve(season.connection, season.id, version, seen.end, POINTS)
    start = found[0][1] if found else season.system.display(season.system.initial()).value
    return VersionCurve(
        number,
        start,
        [CurvePoint(ordinal, after, errors.get((version, ordinal))) for ordinal, _, after in found],
    )


def _errors(season: Season, versions: Collection[int], seen: Visible) -> dict[tuple[int, int], float]:
    """Return the error of ratings after each match, by version and ordinal number, if the system knows errors."""
    system = season.system
    if (
        seen.versions is not None
        or seen.end > MOST_FOLDED
        or system.display(system.initial()).deviation is None
    ):
        return {}
    wanted = {str(version) for version in versions}
    found = {}
    table: Any = starting_table(season)
    lineage = {str(version): str(before) for version, before in season.predecessors.items()}
    for step in replay(system, map(as_result, contests(season)), table, lineage):
        for member in wanted & step.after.keys():
            deviation = system.display(step.after[member]).deviation
            if deviation is not None:
                found[int(member), step.sequence] = deviation
    return found


def _curve_says(season: Season, errors: dict[tuple[int, int], float], *, is_blind: bool) -> str:
    what = f"The {season.settings.rating} rating after each rated match, in the order in which matches were planned."
    if errors:
        return f"{what} The band is one standard error to each side."
    if season.system.display(season.system.initial()).deviation is None:
        return f"{what} This rating system knows no errors."
    if is_blind:
        return f"{what} Matches of others are not shown now, and neither is the rating's error."
    return f"{what} The season is too long to follow the rating's error through it; the table has the present one."


def _opponents(season: Season, seen: Visible, versions: list[int]) -> list[OpponentLine]:
    scale = season.system.scale
    met = page_queries.meetings(season.connection, season.id, versions, seen.end, MOST_MEETINGS)
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
