"""Playing a league's season to its end, and auditing a part of its matches."""

from __future__ import annotations

from collections.abc import Callable
from shlex import quote

from sqlalchemy.engine import Connection

from botleague.application.workspace import Workspace
from botleague.errors import UsageError
from botleague.executors import Executor
from botleague.league import Deviation, Progress, Runner, Transactions, open_season, runner_name
from botleague.league.decisions import season_decisions
from botleague.league.season import refuse_if_paused
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
    """Play the current season of a league to its end, or resume it.

    Args:
        progress: called now and then with the progress of the season, then of its audit.
        batches: last round to play. A format without end stores it, so that a run that is killed and started
                again ends at the same round; later runs can only increase it.
        is_over: checked after each round of reports, and while the database is unavailable; matches in progress are
                abandoned once it returns True.

    Returns:
        Matches for which the audit got another result.

    Raises:
        LeaguePaused: an organiser paused the league.
        UsageError: the season has not opened, or an earlier run had more rounds.
        MachineryError: a match failed in several attempts; stored results stay.
        PluginError: the rules, the format or the rating system broke their contract.
    """
    plugins = workspace.plugins
    if batches is not None and batches < 1:
        raise UsageError(f"Round {batches} cannot be the last one: rounds count from 1.")

    def target(connection: Connection) -> int | None:
        season = open_season(connection, plugins, league)
        refuse_if_paused(season)
        opens = season.calendar.at("opens")
        if opens is not None and season.clock() < opens:
            raise UsageError(
                f"{season.title} opens at {season.calendar.shown('opens')}; no matches are played before then. "
                f"`botleague organise calendar {quote(league)}` changes that date."
            )
        return season_decisions.set_target(season, batches) if season.format.is_endless else batches

    rounds = Transactions(database, is_over).write(target)
    with (
        workspace.executor(is_watched=True) as executor,
        Runner(database, plugins, executor, runner_name()) as runner,
    ):
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
    """Play the current season of a league as far as possible, and audit it.

    Args:
        rounds: last round to play; None for no limit.
        is_over: see :func:`run_league`.
        is_pausing: once it returns True no match is started; matches in progress are finished.

    Returns:
        Matches for which the audit got another result.
    """
    runner.run(league, progress, rounds=rounds, is_over=is_over, is_pausing=is_pausing)
    if is_over() or is_pausing():
        return []
    return audit(database, workspace.plugins, executor, league, progress, is_over=is_over)
