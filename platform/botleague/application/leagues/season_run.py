"""Playing a league's season out, and auditing a share of what was played."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy.engine import Connection

from botleague.application.workspace import Workspace
from botleague.errors import UsageError
from botleague.executors import Executor
from botleague.league import Deviation, Progress, Runner, Transactions, open_season, runner_name
from botleague.league.decisions import season_decisions
from botleague.league.verification import audit
from botleague_storage import Database


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
        UsageError: the season has not opened, or fewer rounds than were asked for before.
        MachineryError: a match could not be held in several attempts; what was recorded stays.
        PluginError: the rules, the format or the rating system broke their contract.
    """
    plugins = workspace.plugins

    def target(connection: Connection) -> int | None:
        season = open_season(connection, plugins, league)
        opens = season.calendar.at("opens")
        if opens is not None and season.clock() < opens:
            raise UsageError(
                f"{season.title} opens at {season.calendar.shown('opens')}: nothing is played before. "
                f"`botleague organise calendar {league}` changes that."
            )
        return season_decisions.set_target(season, batches) if season.format.is_endless else batches

    rounds = Transactions(database, is_over).write(target)
    with workspace.executor(is_watched=True) as executor:
        runner = Runner(database, plugins, executor, runner_name())
        return play_season(
            workspace, database, runner, executor, league, progress, rounds=rounds, is_over=is_over
        )


def play_season(
    workspace: Workspace,
    database: Database,
    runner: Runner,
    executor: Executor,
    league: str,
    progress: Callable[[Progress], None],
    *,
    rounds: int | None,
    is_over: Callable[[], bool],
    is_pausing: Callable[[], bool] = lambda: False,
) -> list[Deviation]:
    """Play the current season of a league as far as it goes, and audit it.

    Args:
        runner, executor: which play it; the runner's executor.
        rounds: through which round; None for no such limit.
        is_over: as of :func:`run_league`.
        is_pausing: when it says so nothing more is begun; what is under way is finished.

    Returns:
        Matches that the audit played again with another result.
    """
    runner.run(league, progress, rounds=rounds, is_over=is_over, is_pausing=is_pausing)
    if is_over() or is_pausing():
        return []
    return audit(database, workspace.plugins, executor, league, progress, is_over=is_over)
