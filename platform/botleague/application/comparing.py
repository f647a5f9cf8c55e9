"""Comparing two bots: the league in which it is done, and playing it until the test decides.

A comparison is a league of its own, named after the question, so the same question again goes on where it stopped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from botleague.application.opening import find_entrants
from botleague.application.workspace import Workspace
from botleague.errors import UsageError
from botleague.league import (
    LeagueSettings,
    Progress,
    Runner,
    checked_seed,
    create_league,
    new_league_seed,
    open_season,
    runner_name,
)
from botleague.league.comparing import ComparisonWatch
from botleague.league.formats import Comparison
from botleague.names import LONGEST
from botleague.rules import Variant
from botleague.rules.options import OptionError
from botleague_storage import Database, NotFound, bots

__all__ = ["OpenComparison", "open_comparison"]


@dataclass(frozen=True, slots=True)
class OpenComparison:
    """A comparison under way.

    Attributes:
        league: the name of its league.
        form: its bounds.
        watch: where it stands.
    """

    workspace: Workspace
    database: Database
    league: str
    form: Comparison
    watch: ComparisonWatch

    def play(self, progress: Callable[[Progress], None], is_stopped: Callable[[], bool]) -> None:
        """Play until the test decides, or somebody stops it.

        Args:
            progress: called now and then.
            is_stopped: asked after each round of reports.
        """

        def is_over() -> bool:
            if is_stopped():
                return True
            with self.database.reading() as connection:
                self.watch.refresh(connection)
            return self.watch.is_over

        with self.workspace.executor() as executor:
            runner = Runner(self.database, self.workspace.plugins, executor, runner_name())
            runner.run(self.league, progress, is_over=is_over)


def open_comparison(
    workspace: Workspace,
    database: Database,
    variant: Variant,
    named: Sequence[str],
    bounds: dict[str, float],
    seed: int | None,
) -> OpenComparison:
    """Find the comparison of two bots, or make it, and look where it stands.

    Args:
        named: the two bots, the one that is asked about first.
        bounds: options of :class:`~botleague.league.formats.Comparison`.
        seed: None for a new one, or the one it began with.

    Raises:
        UsageError: it cannot be held in this variant or within these bounds, or has begun with others.
    """
    # Where everybody plays alone, both play the same seed and their scores are one contest.
    seats = next((number for number in (2, 1) if number in variant.seats), None)
    if seats is None:
        raise UsageError(
            f"A match of {variant.name} has {variant.seats} seats: two bots cannot be compared in it."
        )
    try:
        form = Comparison(**bounds, seats=seats)  # type: ignore[arg-type]  # max_pairs is an int
    except OptionError as error:
        raise UsageError(f"The comparison cannot be held: {error}") from error
    versions = find_entrants(workspace, database, variant, named)
    with database.writing() as connection:
        rows = bots.versions(connection, versions)
        league = _league_name([f"{rows[v].bot}@{rows[v].number}" for v in versions], variant.name)
        try:
            season = open_season(connection, workspace.plugins, league)
        except NotFound:
            # In the transaction that looked: of two processes with the same question only one makes the league.
            settings = LeagueSettings(
                format="comparison",
                format_options={**bounds, "seats": seats},
                seats=seats,
                seed=new_league_seed() if seed is None else checked_seed(seed),
                sandbox=workspace.settings.sandbox,
            )
            season = create_league(connection, workspace.plugins, league, variant, settings, versions)
        _refuse_other_terms(league, season.settings, bounds, seed)
        watch = ComparisonWatch(form, season.id, (rows[versions[0]].bot, rows[versions[1]].bot))
        watch.refresh(connection)
    return OpenComparison(workspace, database, league, form, watch)


def _refuse_other_terms(
    league: str, stored: LeagueSettings, bounds: dict[str, float], seed: int | None
) -> None:
    """Bounds are fixed before the first match: other ones would be another test."""
    if seed is not None and seed != stored.seed:
        raise UsageError(f"This comparison has begun with seed {stored.seed}, not {seed}.")
    for option, value in bounds.items():
        known = stored.format_options.get(option)
        if known != value:
            raise UsageError(
                f"This comparison has begun with --{option.replace('_', '-')} {known:g}, not {value:g}: bounds are "
                f"fixed before the first match. It is the league {league!r}; another database (--db) begins anew."
            )


def _league_name(bots: list[str], variant: str) -> str:
    """Return the name of the league in which two bots are compared: the same for the same question."""
    whole = f"compare-{bots[0]}-{bots[1]}-{variant}"
    longest = LONGEST["name"]
    if len(whole) <= longest:
        return whole
    # A name that was only cut would let two questions share a league.
    digest = hashlib.sha256(whole.encode()).hexdigest()[:8]
    return f"{whole[: longest - 9]}-{digest}"
