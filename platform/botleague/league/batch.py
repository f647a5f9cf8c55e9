"""The batch table of a season: one strength per bot from all its matches at once, with honest errors.

The unit of evidence is the group: mirrored matches of one seed depend on each other. Errors shown are the robust ones.
If the season has an anchor, all ratings are shifted so that it has its fixed value.

Source: RATINGS, section 7.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import msgspec
from sqlalchemy.engine import Connection

from botleague.league.rating_cache import as_result, contests
from botleague.league.roster import Roster, read_roster
from botleague.ratings import Anchor, BatchTable, Result, evidence, fit, strengths, strong_components
from botleague_storage import bots

__all__ = [
    "MOST_BOTS",
    "PRIOR",
    "BatchReport",
    "BatchRow",
    "Fitted",
    "batch_report",
    "fitted",
    "season_results",
]

PRIOR = 2.0
"""Virtual drawn games of each bot: so there always is one finite answer."""

MOST_BOTS = 600
"""Of so many bots errors are computed: the work grows with the cube of their number. Ratings have no such limit."""


class BatchRow(msgspec.Struct, frozen=True):
    """One bot of the batch table.

    Attributes:
        rank: 1 is best.
        bot, version, owner: who.
        rating: in Elo points.
        error: robust standard error, 0 for the anchor; None if there are too many bots to compute it.
        low, high: the 95 % interval.
        superiority: the likelihood that it is stronger than the bot in the next row, None for the last.
        games: weight of its games.
        status: "" or why it is out.
    """

    rank: int
    bot: str
    version: int
    owner: str
    rating: float
    error: float | None
    low: float | None
    high: float | None
    superiority: float | None
    games: int
    status: str


class BatchReport(msgspec.Struct, frozen=True):
    """A whole batch table.

    Attributes:
        rows: best first.
        groups: bots that can be compared by results alone: within a group everybody took points from everybody,
            directly or through others. With several, differences between groups rest on the prior.
        prior: virtual drawn games of each bot.
        anchor: the bot whose rating is fixed, "" for a mean of 1500.
        log_likelihood: of the results, None without errors.
    """

    rows: list[BatchRow]
    groups: list[list[str]]
    prior: float
    anchor: str
    log_likelihood: float | None


def season_results(connection: Connection, season_id: int) -> tuple[list[Result], dict[str, int]]:
    """Return a season's results that count, in order, and the group of each match."""
    results: list[Result] = []
    groups: dict[str, int] = {}
    for contest in contests(connection, season_id, 0):
        result = as_result(contest)
        results.append(result)
        groups[result.match] = contest[-1].group
    return results, groups


@dataclass(frozen=True, slots=True)
class Fitted:
    """The batch rating of a season, by version.

    Attributes:
        ratings: in Elo points, anchored as the season says.
        games: how many matches of each count.
        groups: versions that can be compared by results alone.
        table: the same with errors, None if there are too many bots for them; bots are the texts of their version ids.
    """

    ratings: dict[int, float]
    games: dict[int, int]
    groups: list[list[int]]
    table: BatchTable | None

    def error(self, version: int) -> float | None:
        """Return the robust standard error of a rating."""
        return None if self.table is None else self.table.error(str(version))


def fitted(
    connection: Connection, season_id: int, roster: Roster, prior: float = PRIOR, most: int = MOST_BOTS
) -> Fitted:
    """Return the batch rating of a season.

    Args:
        most: of so many bots errors are computed.

    Raises:
        NotStronglyConnected: no prior, and results do not compare everybody.
    """
    results, groups = season_results(connection, season_id)
    games = Counter(int(side.members[0]) for result in results for side in result.sides)
    units = evidence(results, lambda result: groups[result.match])
    bots_met = {bot for unit in units for meeting in unit for bot in (meeting.bot, meeting.opponent)}
    anchor = None
    if roster.anchor is not None and str(roster.anchor[0]) in bots_met:
        version, value = roster.anchor
        anchor = Anchor(value, str(version))
    if len(bots_met) > most:
        found, table = strengths(units, prior, anchor), None
        components = strong_components(units)
    else:
        table = fit(units, prior, anchor)
        found = dict(zip(table.bots, table.ratings, strict=True))
        components = [list(group) for group in table.components]
    return Fitted(
        {int(bot): rating for bot, rating in found.items()},
        games,
        [[int(bot) for bot in group] for group in components],
        table,
    )


def batch_report(
    connection: Connection, season_id: int, prior: float = PRIOR, most: int = MOST_BOTS
) -> BatchReport:
    """Return the batch table of a season for people; takes and raises what :func:`fitted` does."""
    roster = read_roster(connection, season_id)
    batch = fitted(connection, season_id, roster, prior, most)
    named = bots.versions(connection, list(batch.ratings))
    order = sorted(batch.ratings, key=lambda version: (-batch.ratings[version], named[version].bot, version))
    rows = []
    for rank, version in enumerate(order, start=1):
        low, high, superiority = None, None, None
        if batch.table is not None:
            low, high = batch.table.interval(str(version))
            if rank < len(order):
                superiority = batch.table.superiority(str(version), str(order[rank]))
        rows.append(
            BatchRow(
                rank=rank,
                bot=named[version].bot,
                version=named[version].number,
                owner=named[version].owner,
                rating=batch.ratings[version],
                error=batch.error(version),
                low=low,
                high=high,
                superiority=superiority,
                games=batch.games[version],
                status=roster.members[version].status,
            )
        )
    anchor = ""
    if roster.anchor is not None and roster.anchor[0] in batch.ratings:
        anchor = named[roster.anchor[0]].bot
    return BatchReport(
        rows=rows,
        groups=[[_name(named[version]) for version in group] for group in batch.groups],
        prior=prior,
        anchor=anchor,
        log_likelihood=None if batch.table is None else batch.table.log_likelihood,
    )


def _name(version: bots.VersionRow) -> str:
    return version.bot if version.number == 1 else f"{version.bot}@{version.number}"
