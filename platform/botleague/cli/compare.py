"""The command that compares two bots, as early as error rates allow."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from botleague.cli.context import (
    Cluster,
    Context,
    Db,
    Jobs,
    Json,
    SandboxProfile,
    Seed,
    VariantName,
    WithSiblings,
)
from botleague.errors import UsageError, counted
from botleague.names import LONGEST

if TYPE_CHECKING:
    from botleague.league import LeagueSettings, Runner
    from botleague.league.comparing import ComparisonReport, ComparisonWatch
    from botleague.league.formats import Comparison
    from botleague.rules import Variant
    from botleague_storage import Database

__all__ = ["compare"]


def compare(
    first: Annotated[str, typer.Argument(help="Is this bot stronger ...", metavar="BOT")],
    second: Annotated[str, typer.Argument(help="... than this one?", metavar="BOT")],
    variant: VariantName,
    elo0: Annotated[float, typer.Option("--elo0", help="H0: it leads by this or less, normalised Elo.")] = 0,
    elo1: Annotated[float, typer.Option("--elo1", help="H1: it leads by this or more.")] = 10,
    alpha: Annotated[float, typer.Option("--alpha", help="How often H1 may be accepted wrongly.")] = 0.05,
    beta: Annotated[float, typer.Option("--beta", help="How often H0 may be accepted wrongly.")] = 0.05,
    max_pairs: Annotated[
        int, typer.Option("--max-pairs", min=1, help="Give up after this many pairs.")
    ] = 20_000,
    jobs: Jobs = None,
    cluster: Cluster = None,
    seed: Seed = None,
    with_siblings: WithSiblings = False,
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Play mirrored pairs until a sequential test says which bot is stronger.

    The same command again goes on where it stopped, or tells the decision.

    Examples:

        botleague compare alphabeta greedy --variant isolation-blitz --elo1 40

        botleague compare new.py old.py -v isolation --max-pairs 500 --json
    """
    from botleague.cli.running import open_executor, until_ctrl_c
    from botleague.cli.show import print_json, say
    from botleague.league import Runner, runner_name

    context = Context(db, jobs, sandbox, cluster, with_siblings)
    played = context.plugins.variant(variant)
    options = {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta, "max_pairs": max_pairs}
    with context.database() as database:
        name, form, watch = _open(context, database, played, (first, second), options, seed)
        with database.reading() as connection:
            watch.refresh(connection)
        if not watch.is_over:
            with open_executor(context) as executor:
                runner = Runner(database, context.plugins, executor, runner_name())
                with until_ctrl_c() as is_stopped:
                    _run(runner, database, name, form, watch, is_stopped)
            if is_stopped() and not watch.is_over:
                say(
                    f"Stopped after {counted(watch.report().pairs, 'pair')}. Run the same command again to go on; "
                    "a test that is stopped by hand decides nothing."
                )
                raise typer.Exit(1)
        report = watch.report()
    if json:
        print_json([report])
    else:
        _show(report, name, form)


def _open(
    context: Context,
    database: Database,
    variant: Variant,
    named: tuple[str, str],
    options: dict[str, float],
    seed: int | None,
) -> tuple[str, Comparison, ComparisonWatch]:
    """Return the name of the league of a comparison, made if it is new, with its format and what watches it."""
    from botleague.cli.opening import entrants
    from botleague.league import LeagueSettings, create_league, new_league_seed, open_season
    from botleague.league.comparing import ComparisonWatch
    from botleague.league.formats import Comparison
    from botleague.league.seeds import checked_seed
    from botleague.rules.options import OptionError
    from botleague_storage import NotFound, bots

    seats = next((number for number in (2, 1) if number in variant.seats), None)
    if seats is None:
        raise UsageError(
            f"A match of {variant.name} has {variant.seats} seats: two bots cannot be compared in it."
        )
    try:
        form = Comparison(**options, seats=seats)  # type: ignore[arg-type]  # max_pairs is an int
    except OptionError as error:
        raise UsageError(f"The comparison cannot be held: {error}") from error
    versions = entrants(context, database, variant, named)
    with database.writing() as connection:
        rows = bots.versions(connection, versions)
        names = [f"{rows[version].bot}@{rows[version].number}" for version in versions]
        name = _league_name(names, variant.name)
        try:
            season = open_season(connection, context.plugins, name)
        except NotFound:
            settings = LeagueSettings(
                format="comparison",
                format_options={**options, "seats": seats},
                seats=seats,
                seed=new_league_seed() if seed is None else checked_seed(seed),
                sandbox=context.settings.sandbox,
            )
            season = create_league(connection, context.plugins, name, variant, settings, versions)
    _refuse_other_terms(name, season.settings, options, seed)
    return name, form, ComparisonWatch(form, season.id, (rows[versions[0]].bot, rows[versions[1]].bot))


def _refuse_other_terms(
    name: str, stored: LeagueSettings, options: dict[str, float], seed: int | None
) -> None:
    """Bounds are fixed before the first match: other ones would be another test."""

    if seed is not None and seed != stored.seed:
        raise UsageError(f"This comparison has begun with seed {stored.seed}, not {seed}.")
    for option, value in options.items():
        known = stored.format_options.get(option)
        if known != value:
            raise UsageError(
                f"This comparison has begun with --{option.replace('_', '-')} {known:g}, not {value:g}: bounds are "
                f"fixed before the first match. It is the league {name!r}; another database (--db) begins anew."
            )


def _run(
    runner: Runner,
    database: Database,
    league: str,
    form: Comparison,
    watch: ComparisonWatch,
    is_stopped: Callable[[], bool],
) -> None:
    """Play until the test decides, with a line that shows where it stands."""

    def is_over() -> bool:
        if is_stopped():
            return True
        with database.reading() as connection:
            watch.refresh(connection)
        return watch.is_over

    with _live(form, watch) as show:
        runner.run(league, show, is_over=is_over)


@contextmanager
def _live(form: Comparison, watch: ComparisonWatch) -> Iterator[Callable[[object], None]]:
    from rich.live import Live
    from rich.text import Text

    from botleague.cli.show import errors

    console = errors()
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(_: object) -> None:
            if console.is_terminal:
                live.update(Text(_line(form, watch.report())), refresh=True)

        yield show


def _line(form: Comparison, report: ComparisonReport) -> str:
    """Return where a comparison stands in one line, with an estimate of how long it may take."""
    from botleague.ratings import pairs_needed

    at_bound, midway = pairs_needed(form.elo0, form.elo1, form.alpha, form.beta)
    return (
        f"{report.pairs} pairs (about {at_bound:.0f} to {midway:.0f} are needed)   "
        f"LLR {report.llr:+.2f} in {report.lower:.2f} to {report.upper:.2f}   "
        f"Elo {_number(report.elo, report.elo_error)}   nElo {_number(report.nelo, report.nelo_error)}   "
        f"LOS {_percent(report.los)}"
    )


def _show(report: ComparisonReport, league: str, form: Comparison) -> None:
    from botleague.cli.show import output

    one, other = report.bots
    points = "0, 1/2, 1, 3/2, 2 points" if form.seats == 2 else "lost, drawn, won"
    label = "   (read off at the stop, so biased outward)" if report.is_biased else ""
    lines = {
        "pairs": f"{report.pairs}, by {points}: {' '.join(map(str, report.counts))}",
        "Elo": _number(report.elo, report.elo_error) + label,
        "nElo": _number(report.nelo, report.nelo_error) + label,
        "LOS": _percent(report.los),
        "LLR": f"{report.llr:.3f}, bounds {report.lower:.3f} and {report.upper:.3f}",
        "decision": report.conclusion,
    }
    console = output()
    console.print(f"{one} against {other}, league {league!r}", markup=False, style="bold")
    for title, text in lines.items():
        console.print(f"  {title:<9} {text}", markup=False)


def _number(value: float | None, error: float | None) -> str:
    if value is None:
        return "undefined"
    return f"{value + 0.0:+.1f} ± " + ("unbounded" if error is None else f"{error:.1f}")


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.1f} %"


def _league_name(bots: list[str], variant: str) -> str:
    """Return the name of the league in which two bots are compared: the same for the same question."""
    whole = f"compare-{bots[0]}-{bots[1]}-{variant}"
    longest = LONGEST["name"]
    if len(whole) <= longest:
        return whole
    digest = hashlib.sha256(whole.encode()).hexdigest()[:8]
    return f"{whole[: longest - 9]}-{digest}"
