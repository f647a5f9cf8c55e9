"""Playing a league's season out, and auditing a share of what was played."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy.engine import Connection

from botleague.application.workspace import Workspace
from botleague.league import (
    Deviation,
    Progress,
    Runner,
    Transactions,
    audit,
    open_season,
    organising,
    runner_name,
)
from botleague_storage import Database

__all__ = ["run_league"]

BATCHES = 10
"""How many rounds more a format without end plays, if nobody ever said."""


def run_league(
    workspace: Workspace,
    database: Database,
    league: str,
    progress: Callable[[Progress], None],
    *,
    batches: int | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> list[Deviation]:
    """Play the current season of a league to its end; done again, it goes on.

    Args:
        progress: called now and then with how far the season, and then its audit, is.
        batches: through which round to play. A format without end keeps it, so that a run that is killed and begun
            again ends where it would have ended; only more can be asked for then.
        is_over: asked after each round of reports, and while the database is away; what is under way when it says so
            is given up.

    Returns:
        Matches that the audit played again with another result.

    Raises:
        UsageError: fewer rounds than were asked for before.
        MachineryError: a match could not be held in several attempts; what was recorded stays.
        PluginError: the rules, the format or the rating system broke their contract.
    """
    plugins = workspace.plugins

    def target(connection: Connection) -> int | None:
        season = open_season(connection, plugins, league)
        return organising.set_target(season, batches, BATCHES) if season.format.is_endless else batches

    rounds = Transactions(database, is_over).write(target)
    with workspace.executor() as executor:
        runner = Runner(database, plugins, executor, runner_name())
        runner.run(league, progress, rounds=rounds, is_over=is_over)
        return [] if is_over() else audit(database, plugins, executor, league, progress, is_over=is_over)
