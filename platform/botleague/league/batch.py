"""The batch table of a season: one strength per version from all its matches at once, with honest errors.

A row is a bot's: that of its newest version of which a match counts.
The unit of evidence is the group: mirrored matches of one seed depend on each other. The errors come from how much
groups vary in this very table. In a game without chance a group that repeats an earlier one move for move is no further
evidence, neither of strengths nor of errors.
If the season has an anchor, all ratings are shifted so that it has its fixed value.

Source: RATINGS, section 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import msgspec

from botleague.league.online_ratings import online_ratings
from botleague.league.rating_cache import as_result, contests
from botleague.league.season import Season
from botleague.ratings import (
    PRIOR,
    Anchor,
    BatchTable,
    Result,
    Strength,
    Tie,
    Unit,
    evidence,
    fit,
    newcomer,
    strengths,
)
from botleague_storage import fixtures, ratings, results

__all__ = [
    "BatchReport",
    "BatchRow",
    "Fitted",
    "Played",
    "batch_report",
    "fitted",
    "repeated_groups",
    "season_results",
    "season_strengths",
]

TIE = 4.0
"""Says that a version differs from the one before by about 174 Elo; source: RATINGS, section 7.1."""

Game: TypeAlias = tuple[str | int, ...]
"""A digest of all that was said in a match, "" where it is not known, and the versions by seat."""


class BatchRow(msgspec.Struct, frozen=True):
    """One bot of the batch table.

    Attributes:
        rank: 1 is best.
        bot, version, owner: who; the newest of the bot's versions of which a match counts.
        rating: in Elo points.
        error: standard error, 0 for the anchor.
        low, high: the 95 % interval.
        superiority: the likelihood that it is stronger than the bot in the next row; None for the last, and for all if
            there are more than 2,000 bots.
        games: weight of its games.
        status: "" or why it is out.
        predecessor: the number of the version that it carries on, None for a newcomer.
        online, change: the online rating beside it, and how far it is from where the bot started in the season.
    """

    rank: int
    bot: str
    version: int
    owner: str
    rating: float
    error: float
    low: float
    high: float
    superiority: float | None
    games: int
    status: str
    online: float
    change: float | None
    predecessor: int | None


class BatchReport(msgspec.Struct, frozen=True):
    """A whole batch table.

    Attributes:
        rows: best first.
        groups: bots that can be compared by results alone: within a group everybody took points from everybody,
            directly or through others. With several, differences between groups rest on the prior.
        prior: virtual drawn games of each bot.
        anchor: the bot whose rating is fixed, "" for a mean of 1500.
        log_likelihood: of the results.
        dispersion: how much groups of matches vary, compared with tosses of coins.
        tie: virtual drawn games between consecutive versions of a bot, while the season runs; then 0.
        repeats: how many groups repeat an earlier one move for move, and tell nothing new.
    """

    rows: list[BatchRow]
    groups: list[list[str]]
    prior: float
    anchor: str
    log_likelihood: float
    dispersion: float
    tie: float
    repeats: int


class Played(NamedTuple):
    """What a season's batch rating rests on.

    Attributes:
        results: those that count, in order.
        groups: of each match, by its name in ``results``.
        repeats: groups that repeat an earlier one move for move.
    """

    results: list[Result]
    groups: dict[str, int]
    repeats: set[int]

    def evidence(self) -> dict[Unit, int]:
        """Return what the results tell, a repeated group once."""
        new = (result for result in self.results if self.groups[result.match] not in self.repeats)
        return evidence(new, lambda result: self.groups[result.match])


def season_results(season: Season) -> Played:
    """Return what was played in a season."""
    digests = results.game_digests(season.connection, season.id)
    found: list[Result] = []
    groups: dict[str, int] = {}
    games: list[tuple[int, Game]] = []
    for contest in contests(season):
        result, group = as_result(contest), contest[-1].group
        found.append(result)
        groups[result.match] = group
        games += [(group, (digests.get(match.fixture_id, ""), *match.versions)) for match in contest]
    return Played(found, groups, repeated_groups(games))


def repeated_groups(games: Iterable[tuple[int, Game]]) -> set[int]:
    """Return the groups of which every game was played in an earlier group, in the same order.

    Args:
        games: with their groups, in order.
    """
    members: dict[int, list[Game]] = {}
    for group, game in games:
        members.setdefault(group, []).append(game)
    seen: set[tuple[Game, ...]] = set()
    repeats = set()
    for group, played in members.items():
        key = tuple(played)
        if all(digest for digest, *_ in key):
            if key in seen:
                repeats.add(group)
            seen.add(key)
    return repeats


@dataclass(frozen=True, slots=True)
class Fitted:
    """The batch rating of a season, by version.

    Attributes:
        table: of which bots are the texts of version ids.
        ratings: of each version, in Elo points, anchored as the season says.
        errors: of each rating, as shown.
        games: how many matches of each version count.
        shown: for each bot, by the version that plays now, its newest version of which a match counts; bots without
            any are missing.
        tie: virtual drawn games between consecutive versions of a bot.
        repeats: how many groups repeat an earlier one move for move.
    """

    table: BatchTable
    ratings: dict[int, float]
    errors: dict[int, float]
    games: dict[int, int]
    shown: dict[int, int]
    tie: float
    repeats: int


def season_strengths(season: Season) -> dict[int, Strength]:
    """Return where each entrant of a season stands by all results that count, for pairing."""
    known = strengths(season_results(season).evidence())
    return {version: known.get(str(version), newcomer()) for version in season.roster.versions}


def fitted(season: Season, prior: float = PRIOR) -> Fitted:
    """Return the batch rating of a season.

    Raises:
        NotStronglyConnected: no prior, and results do not compare everybody.
    """
    played = season_results(season)
    games = Counter(int(side.members[0]) for result in played.results for side in result.sides)
    anchor = None
    if season.roster.anchor is not None and season.roster.anchor[0] in games:
        version, value = season.roster.anchor
        anchor = Anchor(value, str(version))
    is_fresh = season.settings.version_start == "fresh"
    lineages = [] if is_fresh else [[str(version) for version in line] for line in season.roster.lineages]
    tie = Tie(TIE if lineages and _is_running(season) else 0.0, lineages)
    table = fit(played.evidence(), prior, anchor, tie)
    versions = [int(bot) for bot in table.bots]
    newest = {
        version: [one for one in member.lineage if one in games][-1:]
        for version, member in season.roster.members.items()
    }
    return Fitted(
        table,
        dict(zip(versions, table.ratings, strict=True)),
        dict(zip(versions, table.errors(), strict=True)),
        games,
        {version: one for version, found in newest.items() for one in found},
        tie.games,
        len(played.repeats),
    )


def _is_running(season: Season) -> bool:
    """Tell whether a season that ranks by batch has matches to come: its new versions are known too little so far."""
    if season.format.default_table != "batch" or season.is_closed:
        return False
    return season.format.is_endless or fixtures.is_open(season.connection, season.id)


def batch_report(season: Season, prior: float = PRIOR) -> BatchReport:
    """Return the batch table of a season for people; takes and raises what :func:`fitted` does."""
    batch = fitted(season, prior)
    table, roster, named = batch.table, season.roster, season.names
    shown = set(batch.shown.values())
    order = sorted(shown, key=lambda version: (-batch.ratings[version], named[version].bot, version))
    intervals = dict(zip(table.bots, table.intervals(), strict=True))
    states = ratings.states(season.connection, season.id, order)
    online = online_ratings(season, {version: states.get(version) for version in order})
    predecessors = season.predecessors
    rows = []
    for rank, version in enumerate(order, start=1):
        low, high = intervals[str(version)]
        before = predecessors.get(version)
        superiority = None
        if rank < len(order) and table.has_superiority:
            superiority = table.superiority(str(version), str(order[rank]))
        rows.append(
            BatchRow(
                rank=rank,
                bot=named[version].bot,
                version=named[version].number,
                owner=named[version].owner,
                rating=batch.ratings[version],
                error=batch.errors[version],
                low=low,
                high=high,
                superiority=superiority,
                games=batch.games[version],
                status=roster.member(version).status,
                online=online[version].shown.value,
                change=online[version].change,
                predecessor=None if before is None else named[before].number,
            )
        )
    anchor = ""
    if roster.anchor is not None and roster.anchor[0] in batch.ratings:
        anchor = named[roster.anchor[0]].bot
    return BatchReport(
        rows=rows,
        groups=[
            [named[int(bot)].title for bot in group if int(bot) in shown]
            for group in table.components
            if not {int(bot) for bot in group}.isdisjoint(shown)
        ],
        prior=prior,
        anchor=anchor,
        log_likelihood=table.log_likelihood,
        dispersion=table.dispersion.value,
        tie=batch.tie,
        repeats=batch.repeats,
    )
