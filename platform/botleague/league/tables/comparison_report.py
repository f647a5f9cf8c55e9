"""State of a comparison of two bots, in numbers and in words that claim only what the results support.

Source: RATINGS, sections 8 and 9.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from botleague.errors import counted
from botleague.ratings import FEWEST_UNITS, Interval

Decision: TypeAlias = Literal["H0", "H1", "undecided", "repeated", "interval", "open"]


class ComparisonReport(msgspec.Struct, frozen=True, kw_only=True):
    """State of a comparison. Elo values are the first bot's lead, errors half a 95 % interval.

    Attributes:
        bots: names of both; the comparison is about the first one.
        decision: the accepted hypothesis; ``undecided``: the maximum of pairs was played; ``repeated``: a pair
            repeated an earlier one; ``interval``: all pairs of a quick comparison were played; ``open``: not finished.
        conclusion: the finding in words.
        counts: of pairs by points: 0, 1/2, 1, 3/2, 2; of single seats by losses, draws, wins.
        llr: the log likelihood ratio, between ``lower`` and ``upper`` while the test continues.
        elo0, elo1, alpha, beta: parameters of the test; see :class:`~botleague.formats.Comparison`.
        elo, elo_error: from the mean score; None if unbounded.
        nelo, nelo_error: normalised Elo; None without variance.
        los: likelihood of superiority.
        is_biased: whether the test has stopped; the Elo estimate at the stop is biased outward.
        median_elo, median_nelo: for a stopped test, the lead at which a higher and a lower result were equally likely;
            None for any other, or without variance.
        lasting_low, lasting_high: the 95 % interval of the lead in Elo, valid however often it is read; None for an
            unbounded end, and for both with fewer than 20 pairs.
        openings: random opening turns per seat of each match; None if the game has no openings.
        repeats: numbers of the repeating pair and of the pair it repeats, counted from 1.
        forfeiting: names of the bots that forfeited both matches of the repeating pair.
    """

    bots: tuple[str, str]
    decision: Decision
    conclusion: str = ""
    pairs: int
    max_pairs: int
    counts: tuple[int, ...]
    llr: float
    lower: float
    upper: float
    elo0: float
    elo1: float
    alpha: float
    beta: float
    elo: float | None
    elo_error: float | None
    nelo: float | None
    nelo_error: float | None
    los: float | None
    is_biased: bool
    median_elo: float | None
    median_nelo: float | None
    lasting_low: float | None
    lasting_high: float | None
    openings: int | None
    repeats: tuple[int, int] | None
    forfeiting: tuple[str, ...] = ()


def conclusion(report: ComparisonReport) -> str:
    """Return the finding in words that claim only what the results support."""
    match report.decision:
        case "open":
            return "not decided yet"
        case "undecided":
            return f"undecided after {counted(report.pairs, 'pair')}, the maximum"
        case "repeated":
            return _of_a_repeat(report)
        case "interval":
            return _of_an_interval(report)
        case _:
            return _of_a_test(report)


def _of_a_test(report: ComparisonReport) -> str:
    """Return that one hypothesis is ruled out, in words."""
    one, other = report.bots
    if report.decision == "H1":  # a lead of elo0 or less is ruled out
        claim = f"{one} is stronger than {other} by more than {report.elo0:g} nElo"
        claim = claim if report.elo0 >= 0 else f"no loss of {-report.elo0:g} nElo found"
    else:  # a lead of elo1 or more is ruled out
        claim = f"{other} is stronger than {one} by more than {0.0 - report.elo1:g} nElo"
        claim = claim if report.elo1 <= 0 else f"no gain of {report.elo1:g} nElo found"
    return f"{claim} (error rate {100 * (report.alpha if report.decision == 'H1' else report.beta):g} %)"


def _of_an_interval(report: ComparisonReport) -> str:
    """Return which bot is significantly ahead after a fixed number of pairs, in words."""
    if report.pairs < FEWEST_UNITS:
        return f"too few to tell: {_points(report)}, and it takes {FEWEST_UNITS}"
    interval = Interval(report.lasting_low, report.lasting_high)
    return lead_in_words(*report.bots, interval, counted(report.pairs, "pair"))


def lead_in_words(one: str, other: str, interval: Interval, evidence: str) -> str:
    """Return which bot is significantly ahead, if either is.

    Args:
        one, other: names of both.
        interval: the first one's lead, as :func:`botleague.ratings.lasting` returns it.
        evidence: the evidence behind it, such as "50 pairs".
    """
    within = f"a lead of {interval} Elo (95 %, however often it is read; {evidence})"
    if interval.holds_zero:
        return f"{one} and {other} show no significant difference: {one} has {within}"
    ahead, behind = (one, other) if interval.low is not None and interval.low > 0 else (other, one)
    return f"{ahead} is stronger than {behind}: {one} has {within}"


def _of_a_repeat(report: ComparisonReport) -> str:
    """Return why the comparison ended without a decision, the points so far, and advice."""
    assert report.repeats is not None, "only of a repeat"
    number, earlier = report.repeats
    if report.forfeiting:
        # Other games need a bot that plays, whatever the openings.
        names = " and ".join(report.forfeiting)
        advice = f"{names} forfeited both matches by faults: `botleague logs` shows those of a match"
    elif report.openings:
        advice = f"Most openings are used up. Use longer ones: --openings {report.openings + 1}"
    elif report.openings == 0:
        advice = "These bots are deterministic. Use openings to get different games: --openings 2"
    else:
        advice = "These bots are deterministic, so more pairs would add no evidence"
    return f"undecided: pair {number} repeats pair {earlier} move for move. {_points(report)}. {advice}."


def _points(report: ComparisonReport) -> str:
    got = sum(count * half for half, count in enumerate(report.counts)) / 2
    most = report.pairs * (len(report.counts) - 1) / 2
    return f"{report.bots[0]} got {got:g} of {most:g} points in {counted(report.pairs, 'pair')}"
