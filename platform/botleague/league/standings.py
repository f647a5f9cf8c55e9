"""The table of a league: ratings, results and faults of every entrant, computed from what was recorded."""

from __future__ import annotations

import json

import msgspec
from sqlalchemy.engine import Connection

from botleague.league.settings import LeagueSettings
from botleague.plugins import PluginHost
from botleague_storage import bots, leagues, ratings, summaries

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


def standings(connection: Connection, league_id: int, plugins: PluginHost) -> list[Standing]:
    """Return the table of a league's current season, best rating first."""
    season = leagues.current_season(connection, league_id)
    system = LeagueSettings.decode(season.settings).make_rating(plugins)
    entrants = leagues.entrants(connection, season.id)
    named = bots.versions(connection, entrants)
    states = {row.version_id: row.state for row in ratings.ratings(connection, season.id)}
    totals = summaries.totals(connection, season.id)
    rows = []
    for version_id in entrants:
        state = system.load(json.loads(states[version_id])) if version_id in states else system.initial()
        rows.append((system.display(state), named[version_id], totals.get(version_id, summaries.NO_MATCHES)))
    rows.sort(key=lambda row: (-row[0].value, row[1].bot, row[1].number))
    table: list[Standing] = []
    for place, (rating, version, total) in enumerate(rows, 1):
        shared = table and table[-1].rating == rating.value
        table.append(
            Standing(
                rank=table[-1].rank if shared else place,
                bot=version.bot,
                version=version.number,
                owner=version.owner,
                rating=rating.value,
                deviation=rating.deviation,
                is_provisional=rating.provisional,
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
