"""The batch table of a season: one strength per bot from all its matches at once, with honest errors.

The unit of evidence is the group: mirrored matches of one seed depend on each other. The errors come from how much
groups vary in this very table.
If the season has an anchor, all ratings are shifted so that it has its fixed value.

Source: RATINGS, section 7.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

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
    evidence,
    fit,
    newcomer,
    strengths,
)
from botleague_storage import fixtures, ratings
from botleague_storage.bots import VersionRow

__all__ = [
    "BatchReport",
    "BatchRow",
    "Fitted",
    "batch_report",
    "fitted",
    "season_results",
    "season_strengths",
]

TIE = 4.0
"""Says that a version differs from the one before by about 174 Elo; source: RATINGS, section 7.1."""


class BatchRow(msgspec.Struct, frozen=True):
    """One bot of the batch table.

    Attributes:
        rank: 1 is best.
        bot, version, owner: who.
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
    """

    rows: list[BatchRow]
    groups: list[list[str]]
    prior: float
    anchor: str
    log_likelihood: float
    dispersion: float
    tie: float


def season_results(season: Season) -> tuple[list[Result], dict[str, int]]:
    """Return a season's results that count, in order, and the group of each match."""
    results: list[Result] = []
    groups: dict[str, int] = {}
    for contest in contests(season):
        result = as_result(contest)
        results.append(result)
        groups[result.match] = contest[-1].group
    return results, groups


@dataclass(frozen=True, slots=True)
class Fitted:
    """The batch rating of a season, by version.

    Attributes:
        table: of which bots are the texts of version ids.
        ratings: of each version, in Elo points, anchored as the season says.
        errors: of each rating, as shown.
        games: how many matches of each version count.
        tie: virtual drawn games between consecutive versions of a bot.
    """

    table: BatchTable
    ratings: dict[int, float]
    errors: dict[int, float]
    games: dict[int, int]
    tie: float


def season_strengths(season: Season) -> dict[int, Strength]:
    """Return where each entrant of a season stands by all results that count, for pairing."""
    results, groups = season_results(season)
    known = strengths(evidence(results, lambda result: groups[result.match]))
    return {version: known.get(str(version), newcomer()) for version in season.roster.versions}


def fitted(season: Season, prior: float = PRIOR) -> Fitted:
    """Return the batch rating of a season.

    Raises:
        NotStronglyConnected: no prior, and results do not compare everybody.
    """
    results, groups = season_results(season)
    games = Counter(int(side.members[0]) for result in results for side in result.sides)
    anchor = None
    if season.roster.anchor is not None and season.roster.anchor[0] in games:
        version, value = season.roster.anchor
        anchor = Anchor(value, str(version))
    pairs = [(str(before), str(version)) for version, before in season.roster.predecessors.items()]
    tie = Tie(TIE if pairs and _is_running(season) else 0.0, pairs)
    table = fit(evidence(results, lambda result: groups[result.match]), prior, anchor, tie)
    versions = [int(bot) for bot in table.bots]
    return Fitted(
        table,
        dict(zip(versions, table.ratings, strict=True)),
        dict(zip(versions, table.errors(), strict=True)),
        games,
        tie.games,
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
    order = sorted(batch.ratings, key=lambda version: (-batch.ratings[version], named[version].bot, version))
    intervals = dict(zip(table.bots, table.intervals(), strict=True))
    states = ratings.states(season.connection, season.id, order)
    online = online_ratings(season, {version: states.get(version) for version in order})
    rows = []
    for rank, version in enumerate(order, start=1):
        low, high = intervals[str(version)]
        before = roster.member(version).predecessor
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
        groups=[[_name(named[int(bot)]) for bot in group] for group in table.components],
        prior=prior,
        anchor=anchor,
        log_likelihood=table.log_likelihood,
        dispersion=table.dispersion.value,
        tie=batch.tie,
    )


def _name(version: VersionRow) -> str:
    return version.bot if version.number == 1 else f"{version.bot}@{version.number}"
