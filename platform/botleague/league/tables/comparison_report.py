"""Where a comparison of two bots stands, in numbers and in words that claim no more than was found.

Source: RATINGS, sections 8 and 9.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from botleague.errors import counted
from botleague.ratings import FEWEST_UNITS, Interval

Decision: TypeAlias = Literal["H0", "H1", "undecided", "repeated", "interval", "open"]


class ComparisonReport(msgspec.Struct, frozen=True, kw_only=True):
    """Where a comparison stands. Elo values are the first bot's lead, errors half a 95 % interval.

    Attributes:
        bots: both, the first one is asked about.
        decision: the hypothesis that the test accepted; ``undecided``: the most pairs were played; ``repeated``: a pair
            repeated an earlier one; ``interval``: all pairs of a quick look were played; ``open``: it goes on.
        conclusion: what that shows, in words.
        pairs: how many pairs entered.
        max_pairs: how many may.
        counts: of pairs by points: 0, 1/2, 1, 3/2, 2; of single seats by losses, draws, wins.
        llr: the log likelihood ratio, between ``lower`` and ``upper`` while the test goes on.
        elo0, elo1, alpha, beta: of the test; see :class:`~botleague.formats.Comparison`.
        elo, elo_error: from the mean score; None if unbounded.
        nelo, nelo_error: normalised Elo; None without variance.
        los: likelihood of superiority.
        is_biased: the test has stopped, and Elo read off at the stop is biased outward.
        median_elo, median_nelo: of a test that has stopped, the lead at which it was as likely to show more as to show
            less; None for any other, or where nothing varied.
        lasting_low, lasting_high: the 95 % interval of the lead in Elo that holds however often one looks; None for an
            end without a bound, and for both with fewer than 20 pairs.
        openings: turns a seat that are played by lot at the start of each match; None if the game has no openings.
        repeats: the pair that repeated an earlier one, and that one, counted from 1.
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


def conclusion(report: ComparisonReport) -> str:
    """Return what was found, in words, and no more than that."""
    match report.decision:
        case "open":
            return "not decided yet"
        case "undecided":
            return f"undecided after {counted(report.pairs, 'pair')}, the most that were allowed"
        case "repeated":
            return _of_a_repeat(report)
        case "interval":
            return _of_an_interval(report)
        case _:
            return _of_a_test(report)


def _of_a_test(report: ComparisonReport) -> str:
    """Say that the other hypothesis is ruled out."""
    one, other = report.bots
    if report.decision == "H1":  # a lead of elo0 or less is ruled out
        found = f"{one} is stronger than {other} by more than {report.elo0:g} nElo"
        found = found if report.elo0 >= 0 else f"no loss of {-report.elo0:g} nElo found"
    else:  # a lead of elo1 or more is ruled out
        found = f"{other} is stronger than {one} by more than {0.0 - report.elo1:g} nElo"
        found = found if report.elo1 <= 0 else f"no gain of {report.elo1:g} nElo found"
    return f"{found} (error rate {100 * (report.alpha if report.decision == 'H1' else report.beta):g} %)"


def _of_an_interval(report: ComparisonReport) -> str:
    """Say what a fixed number of pairs tells: who is ahead beyond chance, if anybody is."""
    if report.pairs < FEWEST_UNITS:
        return f"too few to tell: {_points(report)}, and it takes {FEWEST_UNITS}"
    interval = Interval(report.lasting_low, report.lasting_high)
    return lead_in_words(*report.bots, interval, counted(report.pairs, "pair"))


def lead_in_words(one: str, other: str, interval: Interval, evidence: str) -> str:
    """Return who is ahead beyond chance, if anybody is.

    Args:
        one, other: names of both.
        interval: the first one's lead, as :func:`botleague.ratings.lasting` returns it.
        evidence: what it is read from, like "50 pairs".
    """
    within = f"a lead of {interval} Elo (95 %, however often one looks; {evidence})"
    if interval.holds_zero:
        return f"{one} and {other} cannot be told apart: {one} has {within}"
    ahead, behind = (one, other) if interval.low is not None and interval.low > 0 else (other, one)
    return f"{ahead} is stronger than {behind}: {one} has {within}"


def _of_a_repeat(report: ComparisonReport) -> str:
    """Say why it ends without a decision, what was seen until then, and what to do."""
    assert report.repeats is not None, "only of a repeat"
    number, earlier = report.repeats
    if report.openings:
        advice = f"Most openings are used up. Longer ones make other games: --openings {report.openings + 1}"
    elif report.openings == 0:
        advice = "These bots draw no lots. Openings make other games: --openings 2"
    else:
        advice = "These bots draw no lots, and more pairs would tell nothing new"
    return f"undecided: pair {number} repeats pair {earlier} move for move. {_points(report)}. {advice}."


def _points(report: ComparisonReport) -> str:
    got = sum(count * half for half, count in enumerate(report.counts)) / 2
    most = report.pairs * (len(report.counts) - 1) / 2
    return f"{report.bots[0]} got {got:g} of {most:g} points in {counted(report.pairs, 'pair')}"
