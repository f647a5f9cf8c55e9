"""Seasons: a league goes on with frozen terms from a new start, fresh or with ratings carried over.

What a season starts from is part of its record, so its ratings are reproduced without the season before.

Source: RATINGS, section 10.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.league.planning import begin_season
from botleague.league.roster import Roster, read_roster
from botleague.league.settings import LeagueSettings
from botleague.league.standings import Standing, standings
from botleague.plugins import PluginHost
from botleague.plugins.boundary import read_state
from botleague.ratings import RatingError, RatingSystem
from botleague_storage import bots, events, fixtures, leagues, ratings
from botleague_storage.events import StartRow
from botleague_storage.leagues import LeagueRow, SeasonRow

__all__ = ["carried", "moved", "new_season", "seeds"]


def new_season(
    connection: Connection,
    league: LeagueRow,
    settings: LeagueSettings,
    version_ids: Sequence[int],
    plugins: PluginHost,
    *,
    carry: float | None = None,
    divisions: Mapping[int, str] | None = None,
) -> SeasonRow:
    """Begin the next season of a league. Needs a write transaction.

    Args:
        settings: its terms.
        version_ids: its entrants.
        carry: the share of a rating's distance to the start that stays, above 0 to 1; None for a fresh start, where
            the season before only decides the seeding.
        divisions: where versions play, if there are divisions.

    Raises:
        UsageError: the season before is not over, or its ratings cannot be carried into this one.
    """
    last = leagues.current_season(connection, league.id)
    if fixtures.is_open(connection, last.id):
        planned, done = fixtures.counts(connection, last.id)
        raise UsageError(
            f"Season {last.number} of {league.name!r} has {planned - done} matches to play. Play them with "
            "`botleague run`, or cancel them with --close."
        )
    starts = seeds(connection, league, version_ids, plugins)
    if carry is not None:
        states = carried(connection, last, settings, plugins, carry)
        system = settings.make_rating(plugins)
        starts = [
            StartRow(
                version,
                json.dumps(dict(sorted(system.dump(states[version]).items()))),
                system.display(states[version]).value,
            )
            for version in version_ids
            if version in states
        ]
    season = leagues.add_season(connection, league.id, settings.encode())
    begin_season(connection, season.id, settings, version_ids, plugins, divisions=divisions, starts=starts)
    anchor = read_roster(connection, last.id).anchor
    if anchor is not None and anchor[0] in version_ids:
        # The same bot at the same value in every season makes their tables comparable.
        version, value = anchor
        events.append(connection, season.id, "anchored", version_id=version, content={"value": value})
    return leagues.current_season(connection, league.id)


def carried(
    connection: Connection, season: SeasonRow, settings: LeagueSettings, plugins: PluginHost, share: float
) -> dict[int, Any]:
    """Return where the next season starts, by version, from the final states of ``season``.

    Elo keeps ``share`` of the distance to its start. Glicko-2 keeps the rating and gains doubt: (1 - share) of a
    newcomer's variance. Plackett-Luce keeps the skill and doubles its deviation, up to a newcomer's.

    Raises:
        UsageError: a share out of range, or another rating system.
    """
    if not 0 < share <= 1:
        raise UsageError(f"--carry {share:g}: a share above 0 and up to 1.")
    before = LeagueSettings.decode(season.settings)
    if (before.rating, before.rating_options) != (settings.rating, settings.rating_options):
        raise UsageError("Ratings can only be carried into a season with the same rating system and options.")
    system = settings.make_rating(plugins)
    return {
        row.version_id: _carry(system, read_state(system, row.state), share)
        for row in ratings.ratings(connection, season.id)
    }


def seeds(
    connection: Connection,
    league: LeagueRow,
    version_ids: Sequence[int],
    plugins: PluginHost,
) -> list[StartRow]:
    """Return numbers to seed by from the table of a league's current season: the better placed, the higher.

    Who is not in that table is missing, and counts as a newcomer, below everybody who is.
    """
    roster = read_roster(connection, leagues.current_season(connection, league.id).id)
    table = standings(connection, league.id, plugins)
    placed = _by_version(connection, roster, table)
    settings = LeagueSettings.decode(leagues.current_season(connection, league.id).settings)
    system = settings.make_rating(plugins)
    newcomer = system.display(system.initial()).value
    return [
        StartRow(version, None, newcomer + 1 + len(table) - placed[version].rank)
        for version in version_ids
        if version in placed
    ]


def moved(connection: Connection, league: LeagueRow, plugins: PluginHost, number: int) -> dict[int, str]:
    """Return the divisions of the next season: the last ``number`` of each go down, the first ``number`` go up.

    Divisions stand in order of their first entrant, the highest first. Bots that are out keep their division.

    Raises:
        UsageError: there are no divisions, or one is too small.
    """
    season = leagues.current_season(connection, league.id)
    roster = read_roster(connection, season.id)
    names = roster.divisions
    if len(names) < 2:
        raise UsageError("--promote needs a season with divisions.")
    placed = _by_version(connection, roster, standings(connection, league.id, plugins))
    after = {version: member.division for version, member in roster.members.items()}
    ranked = {
        name: sorted(
            (v for v, member in roster.members.items() if member.division == name and not member.is_out),
            key=lambda version: placed[version].rank,
        )
        for name in names
    }
    for upper, lower in pairwise(names):
        if min(len(ranked[upper]), len(ranked[lower])) < 2 * number:
            raise UsageError(f"--promote {number}: divisions {upper!r} and {lower!r} are too small for that.")
        after.update(dict.fromkeys(ranked[upper][-number:], lower))
        after.update(dict.fromkeys(ranked[lower][:number], upper))
    return after


def _carry(system: RatingSystem[Any], state: Any, share: float) -> Any:
    try:
        return system.carry(state, share)
    except RatingError as error:
        raise UsageError(f"--carry: {error}.") from error


def _by_version(connection: Connection, roster: Roster, table: Sequence[Standing]) -> dict[int, Standing]:
    named = bots.versions(connection, roster.versions)
    rows = {(row.bot, row.version): row for row in table}
    return {version: rows[row.bot, row.number] for version, row in named.items()}
