"""Command that compares two bots with a sequential test."""

from __future__ import annotations

import shlex
import time
from typing import Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.text import Text

from botleague.application import Workspace
from botleague.application.leagues import ComparisonSpec, OpenComparison, open_comparison, rehearse
from botleague.cli.kit.run_progress import live_display, stopping
from botleague.cli.kit.shared_options import (
    Cluster,
    Db,
    Jobs,
    Json,
    SandboxProfile,
    Seed,
    VariantName,
    WithSiblings,
)
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.texts import in_words, print_text, say
from botleague.errors import UsageError, counted
from botleague.formats import Comparison
from botleague.league import Progress, outlast
from botleague.league.tables import ComparisonReport
from botleague.ratings import FEWEST_UNITS, Interval, pairs_needed
from botleague.referee import MAX_OPENING_TURNS

QUICK_PAIRS = 100
"""Pairs of the short comparison that is suggested if a test takes long."""

FIRST_MATCHES = 8
"""Matches before the first estimate of the duration; the very first ones wait for processes to start."""


def compare(
    first: Annotated[str, typer.Argument(help="Bot to test.", metavar="BOT")],
    second: Annotated[str, typer.Argument(help="Bot to compare it with.", metavar="BOT")],
    variant: VariantName,
    elo0: Annotated[
        float, typer.Option("--elo0", help="H0: the first bot leads by at most this much normalised Elo.")
    ] = 0,
    elo1: Annotated[
        float, typer.Option("--elo1", help="H1: the first bot leads by at least this much.")
    ] = 10,
    alpha: Annotated[
        float, typer.Option("--alpha", help="Probability of accepting H1 if H0 is true.")
    ] = 0.05,
    beta: Annotated[float, typer.Option("--beta", help="Probability of accepting H0 if H1 is true.")] = 0.05,
    max_pairs: Annotated[
        int, typer.Option("--max-pairs", min=1, help="Stop undecided after this many pairs.")
    ] = 20_000,
    quick: Annotated[
        int | None,
        typer.Option(
            "--quick", min=1, help="Play this many pairs and print an interval; run no test.", metavar="PAIRS"
        ),
    ] = None,
    openings: Annotated[
        int | None,
        typer.Option(
            "--openings",
            min=0,
            max=MAX_OPENING_TURNS,
            help="Random opening turns per seat (default: the variant's).",
        ),
    ] = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
    seed: Seed = None,
    with_siblings: WithSiblings = False,
    db: Db = None,
    sandbox: SandboxProfile = None,
    json: Json = False,
) -> None:
    """Play mirrored pairs until a sequential test decides which bot is stronger.

    Run the same command again to resume, or to print the decision. Different bounds or another seed start a new
    comparison.

    Examples:

        botleague compare alphabeta greedy --variant isolation-blitz --elo1 40

        botleague compare new.py old.py -v isolation --quick 50
    """
    workspace = Workspace(db, jobs, sandbox, cluster, with_siblings)
    bounds = {"elo0": elo0, "elo1": elo1, "alpha": alpha, "beta": beta, "max_pairs": max_pairs}
    bounds |= {"quick": quick} if quick else {}
    question = ComparisonSpec(workspace.plugins.variant(variant), (first, second), bounds, openings, seed)
    rehearse(workspace, lambda database: open_comparison(workspace, database, question))
    with stopping() as is_stopped, workspace.database(is_over=is_stopped) as database:
        comparison = outlast(lambda: open_comparison(workspace, database, question), is_stopped)
        if not comparison.watch.is_over:
            say(_outlook(comparison))
            with live_display() as live:
                comparison.play(_LiveLine(comparison, live), is_stopped)
        report = comparison.watch.report()
        if report.decision == "open" and not is_stopped():
            raise UsageError(
                f"The comparison ended without a decision after {counted(report.pairs, 'pair')}, because a bot no "
                f"longer plays; see `botleague standings {shlex.quote(comparison.league)}`. "
                "Another --seed starts a new comparison."
            )
        if report.decision == "open":
            say(
                f"After {counted(report.pairs, 'pair')} the test is undecided. Stopping it early does not decide it."
            )
            raise KeyboardInterrupt
    if json:
        print_json([report])
    else:
        _show(report, comparison.league)


def _outlook(comparison: OpenComparison) -> str:
    """Return a sentence about the planned pairs."""
    report = comparison.watch.report()
    openings = f", with openings of {counted(report.openings, 'turn')} per seat" if report.openings else ""
    resumed = f" {counted(report.pairs, 'pair')} already played." if report.pairs else ""
    return (
        f"{report.bots[0]} against {report.bots[1]}, league {comparison.league!r}: "
        f"{_pairs(comparison.form)}{openings}.{resumed}"
    )


def _pairs(form: Comparison) -> str:
    if form.quick:
        return counted(form.quick, "pair")
    least, most = _needed(form)
    if least == most:
        return f"at most {counted(most, 'pair')}"
    return f"about {least} to {most} pairs if they are nearly equal, far fewer if one is much stronger"


def _needed(form: Comparison) -> tuple[int, int]:
    """Return the expected number of pairs between nearly equal bots, at a bound and between the bounds."""
    if form.quick:
        return form.quick, form.quick
    at_bound, midway = pairs_needed(form.elo0, form.elo1, form.alpha, form.beta)
    return min(round(at_bound), form.max_pairs), min(round(midway), form.max_pairs)


class _LiveLine:
    """Progress of a comparison: a live line on a terminal, and once an estimate of the duration."""

    def __init__(self, comparison: OpenComparison, live: Live) -> None:
        self._comparison = comparison
        self._live = live
        self._began = time.monotonic()
        self._before: int | None = None
        self._done = 0
        self._has_estimated = False

    def __call__(self, progress: Progress) -> None:
        if self._before is None:
            self._before = progress.done
        self._done = progress.done - self._before
        report = self._comparison.watch.report()
        if self._done >= FIRST_MATCHES and not self._has_estimated and report.decision == "open":
            self._has_estimated = True
            say(self._estimate(report.pairs))
        if self._live.console.is_terminal:
            self._live.update(Group("", Text(self._line(report))), refresh=True)

    def _estimate(self, played: int) -> str:
        """Return a sentence with the estimated duration of the comparison."""
        least, most = _needed(self._comparison.form)
        longest = self._lasting(max(0, most - played))
        if least == most:
            return f"At this speed the comparison takes about {longest}."
        hint = ""
        if most - played > 2 * QUICK_PAIRS:
            hint = f" For an interval in about {self._lasting(QUICK_PAIRS)}: --quick {QUICK_PAIRS}."
        return (
            f"At this speed the test takes about {self._lasting(max(0, least - played))} to {longest}, less if one is "
            f"much stronger.{hint}"
        )

    def _line(self, report: ComparisonReport) -> str:
        """Return the state of the comparison in one line, with the estimated remaining time."""
        form = self._comparison.form
        most = _needed(form)[1]
        # A test that moves towards a bound is expected to continue at the same rate.
        if not form.quick and report.pairs >= FIRST_MATCHES and report.llr:
            bound = report.upper if report.llr > 0 else report.lower
            most = min(most, round(report.pairs * bound / report.llr))
        left = f"   about {self._lasting(most - report.pairs)} left" if self._done >= FIRST_MATCHES else ""
        test = "" if form.quick else f"   LLR {report.llr:+.2f} in {report.lower:.2f} to {report.upper:.2f}"
        return f"{report.pairs} of about {max(most, report.pairs)} pairs{left}{test}   Elo {_lasting(report)}"

    def _lasting(self, pairs: float) -> str:
        """Return the estimated duration of a number of pairs in words, from the matches of this run."""
        return in_words(max(0.0, 2 * pairs * (time.monotonic() - self._began) / self._done))


def _show(report: ComparisonReport, league: str) -> None:
    one, other = report.bots
    points = "0, 1/2, 1, 3/2, 2 points" if len(report.counts) == 5 else "lost, drawn, won"
    lines = {
        "pairs": f"{report.pairs}, by {points}: {' '.join(map(str, report.counts))}",
        "openings": f"{counted(report.openings, 'turn')} per seat, at random" if report.openings else "",
        "Elo": _lead(report, report.elo, report.median_elo),
        "nElo": _lead(report, report.nelo, report.median_nelo),
        "95 %": f"{_lasting(report)} Elo, valid at every look"
        if report.pairs >= FEWEST_UNITS
        else _lasting(report),
        "LOS": "undefined" if report.los is None else f"{100 * report.los:.1f} %",
        "LLR": "" if report.decision == "interval" else _llr(report),
        "decision": report.conclusion,
    }
    print_text(f"{one} against {other}, league {league!r}", "bold")
    for title, text in lines.items():
        if text:
            print_text(f"  {title:<9} {text}")


def _llr(report: ComparisonReport) -> str:
    return f"{report.llr:.3f}, bounds {report.lower:.3f} and {report.upper:.3f}"


def _lead(report: ComparisonReport, observed: float | None, median: float | None) -> str:
    """Return a lead: after a stopped test its median-unbiased estimate, since the observed lead is biased."""
    if not report.is_biased:
        return _number(observed)
    read_off = f"{_number(observed)} as measured at the stop, which exaggerates the lead"
    return f"{_number(median)}, too high as often as too low   ({read_off})"


def _lasting(report: ComparisonReport) -> str:
    """Return the interval of the lead in Elo that is valid at every look."""
    if report.pairs < FEWEST_UNITS:
        return f"too few pairs, at least {FEWEST_UNITS} are needed"
    return str(Interval(report.lasting_low, report.lasting_high))


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value + 0.0:+.1f}"
