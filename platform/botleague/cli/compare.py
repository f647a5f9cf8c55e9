"""The command that compares two bots, as early as error rates allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.live import Live
from rich.text import Text

from botleague.application import Workspace
from botleague.application.comparing import open_comparison
from botleague.cli.running import until_stopped
from botleague.cli.shared_options import (
    Cluster,
    Db,
    Jobs,
    Json,
    SandboxProfile,
    Seed,
    VariantName,
    WithSiblings,
)
from botleague.cli.show import errors, output, print_json, say
from botleague.errors import counted
from botleague.league.comparing import ComparisonReport, ComparisonWatch
from botleague.league.formats import Comparison
from botleague.ratings import pairs_needed
from botleague_storage import DatabaseAway

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
    workspace = Workspace(db, jobs, sandbox, cluster, with_siblings)
    played = workspace.plugins.variant(variant)
    bounds = {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta, "max_pairs": max_pairs}
    with workspace.database() as database:
        comparison = open_comparison(workspace, database, played, (first, second), bounds, seed)
        watch, form = comparison.watch, comparison.form
        if not watch.is_over:
            with until_stopped() as is_stopped, _live(form, watch) as show:
                try:
                    comparison.play(show, is_stopped)
                except DatabaseAway:
                    if not is_stopped():
                        raise
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
        _show(report, comparison.league, form)


@contextmanager
def _live(form: Comparison, watch: ComparisonWatch) -> Iterator[Callable[[object], None]]:
    console = errors()
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(_: object) -> None:
            if console.is_terminal:
                live.update(Text(_line(form, watch.report())), refresh=True)

        yield show


def _line(form: Comparison, report: ComparisonReport) -> str:
    """Return where a comparison stands in one line, with an estimate of how long it may take."""
    at_bound, midway = pairs_needed(form.elo0, form.elo1, form.alpha, form.beta)
    return (
        f"{report.pairs} pairs (about {at_bound:.0f} to {midway:.0f} are needed)   "
        f"LLR {report.llr:+.2f} in {report.lower:.2f} to {report.upper:.2f}   "
        f"Elo {_number(report.elo, report.elo_error)}   nElo {_number(report.nelo, report.nelo_error)}   "
        f"LOS {_percent(report.los)}"
    )


def _show(report: ComparisonReport, league: str, form: Comparison) -> None:
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
