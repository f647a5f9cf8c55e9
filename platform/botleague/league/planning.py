"""Makes leagues and plans their fixtures: from a format's pairings to rows of the match queue."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import msgspec
from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.league.formats import Entrant, FormatError, Game, GroupResult
from botleague.league.seeds import group_seed
from botleague.league.settings import LeagueSettings
from botleague.plugins import PluginHost
from botleague.referee import config_digest, plain_config
from botleague.rules import Variant
from botleague_storage import fixtures, leagues, ratings, results
from botleague_storage.fixtures import Planned
from botleague_storage.leagues import LeagueRow

__all__ = ["create_league", "plan_more"]


def create_league(
    connection: Connection,
    name: str,
    variant: Variant,
    settings: LeagueSettings,
    version_ids: Sequence[int],
    plugins: PluginHost,
) -> LeagueRow:
    """Make a league with its entrants and first fixtures. Needs a write transaction.

    Raises:
        UsageError: the format cannot work with these entrants.
    """
    digest = config_digest(variant.config)
    config = msgspec.json.encode(plain_config(variant.config), order="sorted").decode()
    variant_id = leagues.variant_id(connection, variant.name, variant.game, digest, config)
    season = leagues.create(connection, name, variant_id, "{}", settings.encode())
    leagues.add_entrants(connection, season.id, version_ids)
    plan_more(connection, season.id, settings, plugins)
    return leagues.find(connection, name)


def plan_more(connection: Connection, season_id: int, settings: LeagueSettings, plugins: PluginHost) -> int:
    """Plan the next fixtures of a season of which every fixture has a result. Needs a write transaction.

    Returns:
        How many were planned; 0 when the season is over.

    Raises:
        UsageError: the format cannot work with these entrants or options.
    """
    versions = leagues.entrants(connection, season_id)
    numbers = {version: number for number, version in enumerate(versions)}
    shown = {row.version_id: row for row in ratings.ratings(connection, season_id)}
    entrants = [
        Entrant(str(version), rating=shown[version].value, games=shown[version].games)
        if version in shown
        else Entrant(str(version))
        for version in versions
    ]
    planned = fixtures.planned(connection, season_id)
    rounds = {item.group: item.round for item in planned}
    groups = [
        GroupResult(
            group,
            rounds[group],
            tuple(
                Game(tuple(numbers[version] for version in row.versions), row.places, row.scores)
                for row in rows
            ),
        )
        for group, rows in groupby(
            sorted(results.played(connection, season_id), key=lambda row: row.group),
            key=lambda row: row.group,
        )
    ]
    try:
        plan = settings.make_format(plugins).plan(entrants, groups, settings.seed)
    except FormatError as error:
        raise UsageError(str(error)) from error
    return fixtures.plan(
        connection,
        season_id,
        [
            Planned(
                pairing.round,
                pairing.group,
                group_seed(settings.seed, pairing.group) if pairing.seed is None else pairing.seed,
                tuple(versions[entrant] for entrant in pairing.seats),
                pairing.label,
            )
            for pairing in plan.pairings
            if pairing.group not in rounds
        ],
    )
