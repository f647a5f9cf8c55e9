"""The table of a league: ratings, results and faults of every entrant, computed from what was recorded."""

from __future__ import annotations

import json

import msgspec
from sqlalchemy.engine import Connection

from botleague.league.settings import LeagueSettings
from botleague.plugins import PluginHost
from botleague_storage import leagues, summaries

__all__ = ["Standing", "standings"]


class Standing(msgspec.Struct, frozen=True):
    """One row of a table.

    Attributes:
        rank: 1 is best; entrants with equal ratings share it.
        bot, version, owner: who.
        rating, deviation: the rating and its standard error, None where the system knows none.
        is_provisional: too few matches for a title.
        matches, wins, draws, losses: finished matches; a draw is a shared first place.
        forfeits: matches lost by faults.
        faults: how many by kind.
        score: sum of the game's own scores.
        cpu_ms: CPU milliseconds used.
    """

    rank: int
    bot: str
    version: int
    owner: str
    rating: float
    deviation: float | None
    is_provisional: bool
    matches: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    faults: dict[str, int]
    score: float
    cpu_ms: float


def standings(
    connection: Connection, league_id: int, plugins: PluginHost, first: int = 0, limit: int | None = None
) -> list[Standing]:
    """Return the table of a league's current season, best rating first, or a page of it.

    Args:
        first: how many rows come before the page.
        limit: how many rows are on it; None for all the rest.
    """
    season = leagues.current_season(connection, league_id)
    system = LeagueSettings.decode(season.settings).make_rating(plugins)
    newcomer = system.initial()
    table = []
    for row in summaries.table(connection, season.id, system.display(newcomer).value, first, limit):
        shown = system.display(newcomer if row.state is None else system.load(json.loads(row.state)))
        total = row.totals
        table.append(
            Standing(
                rank=row.rank,
                bot=row.bot,
                version=row.number,
                owner=row.owner,
                rating=shown.value,
                deviation=shown.deviation,
                is_provisional=shown.provisional,
                matches=total.matches,
                wins=total.wins,
                draws=total.draws,
                losses=total.losses,
                forfeits=total.forfeits,
                faults=dict(total.faults),
                score=total.score,
                cpu_ms=total.cpu_ms,
            )
        )
    return table
