"""The batch table of a season: one strength per bot from all its matches at once, with honest errors.

The unit of evidence is the group: mirrored matches of one seed depend on each other. Errors shown are the robust ones.
If the season has an anchor, all ratings are shifted so that it has its fixed value.

Source: RATINGS, section 7.
"""

from __future__ import annotations

import msgspec
from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.league.rating_cache import as_result, contests
from botleague.league.roster import Roster, read_roster
from botleague.ratings import Anchor, BatchTable, Result, evidence, fit
from botleague_storage import bots

__all__ = ["MOST_BOTS", "PRIOR", "BatchReport", "BatchRow", "batch_report", "fitted", "season_results"]

PRIOR = 2.0
"""Virtual drawn games of each bot: so there always is one finite answer."""

MOST_BOTS = 600
"""The work grows with the cube of the number of bots; beyond this it takes longer than anybody waits."""


class BatchRow(msgspec.Struct, frozen=True):
    """One bot of the batch table.

    Attributes:
        rank: 1 is best.
        bot, version, owner: who.
        rating: in Elo points.
        error: robust standard error, 0 for the anchor.
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
    error: float
    low: float
    high: float
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
        log_likelihood: of the results.
    """

    rows: list[BatchRow]
    groups: list[list[str]]
    prior: float
    anchor: str
    log_likelihood: float


def season_results(connection: Connection, season_id: int) -> tuple[list[Result], dict[str, int]]:
    """Return a season's results that count, in order, and the group of each match."""
    results: list[Result] = []
    groups: dict[str, int] = {}
    for contest in contests(connection, season_id, 0):
        result = as_result(contest)
        results.append(result)
        groups[result.match] = contest[-1].group
    return results, groups


def fitted(connection: Connection, season_id: int, roster: Roster, prior: float = PRIOR) -> BatchTable:
    """Return the batch rating of a season, anchored as it says; bots are the texts of their version ids.

    Raises:
        UsageError: too many bots.
        NotStronglyConnected: no prior, and results do not compare everybody.
    """
    if len(roster.members) > MOST_BOTS:
        raise UsageError(
            f"A batch table compares up to {MOST_BOTS} bots, this season has {len(roster.members)}: "
            "the work grows with the cube of their number. The online table has no such limit."
        )
    results, groups = season_results(connection, season_id)
    units = evidence(results, lambda result: groups[result.match])
    anchor = None
    if roster.anchor is not None:
        version, value = roster.anchor
        if any(str(version) in (meeting.bot, meeting.opponent) for unit in units for meeting in unit):
            anchor = Anchor(value, str(version))
    return fit(units, prior, anchor)


def batch_report(connection: Connection, season_id: int, prior: float = PRIOR) -> BatchReport:
    """Return the batch table of a season for people; raises as :func:`fitted` does."""
    roster = read_roster(connection, season_id)
    table = fitted(connection, season_id, roster, prior)
    named = bots.versions(connection, [int(bot) for bot in table.bots])
    results, _ = season_results(connection, season_id)
    games = dict.fromkeys(table.bots, 0)
    for result in results:
        for side in result.sides:
            for member in side.members:
                games[member] = games.get(member, 0) + 1
    order = sorted(table.bots, key=lambda bot: (-table.rating(bot), named[int(bot)].bot, int(bot)))
    rows = []
    for rank, bot in enumerate(order, start=1):
        version = named[int(bot)]
        low, high = table.interval(bot)
        rows.append(
            BatchRow(
                rank=rank,
                bot=version.bot,
                version=version.number,
                owner=version.owner,
                rating=table.rating(bot),
                error=table.error(bot),
                low=low,
                high=high,
                superiority=table.superiority(bot, order[rank]) if rank < len(order) else None,
                games=games[bot],
                status=roster.members[int(bot)].status,
            )
        )
    anchor = ""
    if roster.anchor is not None and str(roster.anchor[0]) in table.bots:
        anchor = named[roster.anchor[0]].bot
    return BatchReport(
        rows=rows,
        groups=[[_name(named, bot) for bot in group] for group in table.components],
        prior=prior,
        anchor=anchor,
        log_likelihood=table.log_likelihood,
    )


def _name(named: dict[int, bots.VersionRow], bot: str) -> str:
    version = named[int(bot)]
    return version.bot if version.number == 1 else f"{version.bot}@{version.number}"
