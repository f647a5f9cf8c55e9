"""Comparisons come to their decision, and claim what it says."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from botleague.formats import Comparison
from botleague.league import group_seed
from botleague.league.tables.comparison_report import ComparisonReport, Decision, conclusion
from botleague.league.tables.comparison_watch import ComparisonWatch
from botleague_storage import Database

from ..scripted_league import MakeLeague, ScriptedHosts


@pytest.mark.parametrize(("capacity", "stops"), [(1, ()), (4, ()), (3, (5, 17, 40))])
def test_a_comparison_comes_to_its_decision_however_it_was_played(
    database: Database,
    opened: MakeLeague,
    capacity: int,
    stops: Sequence[int],
) -> None:
    options = {"elo0": 0.0, "elo1": 40.0, "alpha": 0.05, "beta": 0.05, "max_pairs": 400, "seats": 2}
    league = opened(database, "ab", format="comparison", format_options=options)
    form = Comparison(**options)  # type: ignore[arg-type]  # numbers as they are stored

    def even_with_a_lead(name: str, rng: random.Random) -> float:
        return round((name == "a") * 0.6 + rng.gauss(0, 1))

    hosts = ScriptedHosts(capacity, even_with_a_lead)
    with database.reading() as connection:
        season = league.open(connection)
    for stop in (*stops, None):
        watch = ComparisonWatch(form, season.id, ("a", "b"))

        def is_over(watch: ComparisonWatch = watch, stop: int | None = stop) -> bool:
            with database.reading() as connection:
                watch.refresh(connection)
            return watch.is_over or (stop is not None and len(hosts.held) >= stop)

        league.play(hosts, is_over=is_over)
        hosts.close()
    report = watch.report()
    forms = [
        [even_with_a_lead(name, random.Random(f"{group_seed(5, group)}/{name}")) for name in "ab"]
        for group in range(1, 401)
    ]
    expected = form.test().run(2 + 2 * (one > other) - 2 * (one < other) for one, other in forms)
    assert (report.decision, report.pairs, report.counts) == ("H1", expected.units, expected.counts)
    assert report.llr == expected.llr >= report.upper
    assert report.is_biased
    fresh = ComparisonWatch(form, season.id, ("a", "b"))
    with database.reading() as connection:
        fresh.refresh(connection)
    assert fresh.report() == report


def test_a_comparison_without_a_decision_ends_undecided(database: Database, opened: MakeLeague) -> None:
    options = {"elo0": 0.0, "elo1": 10.0, "max_pairs": 5}
    league = opened(database, "ab", format="comparison", format_options=options)
    league.play(ScriptedHosts(strength=lambda name, rng: 0))
    with league.reading() as season:
        watch = ComparisonWatch(Comparison(max_pairs=5), season.id, ("a", "b"))
        watch.refresh(season.connection)
    assert watch.report().decision == "undecided"
    assert watch.report().elo == 0.0
    assert not watch.report().is_biased


def report_of(**fields: Any) -> ComparisonReport:
    """Return a report with these fields, and any others."""
    usual = {
        "bots": ("a", "b"),
        "decision": "open",
        "pairs": 1,
        "max_pairs": 1,
        "counts": (0, 0, 0, 0, 1),
        "llr": 0.0,
        "lower": -3.0,
        "upper": 3.0,
        "elo0": 0.0,
        "elo1": 10.0,
        "alpha": 0.05,
        "beta": 0.02,
        "elo": None,
        "elo_error": None,
        "nelo": None,
        "nelo_error": None,
        "los": None,
        "is_biased": False,
        "median_elo": None,
        "median_nelo": None,
        "lasting_low": None,
        "lasting_high": None,
        "openings": None,
        "repeats": None,
    }
    return ComparisonReport(**{**usual, **fields})


@pytest.mark.parametrize(
    ("bounds", "decision", "claim"),
    [
        ((0, 10), "H1", "a is stronger than b by more than 0 nElo (error rate 5 %)"),
        ((0, 10), "H0", "no gain of 10 nElo found (error rate 2 %)"),
        ((-5, 5), "H1", "no loss of 5 nElo found (error rate 5 %)"),
        ((-10, 0), "H0", "b is stronger than a by more than 0 nElo (error rate 2 %)"),
        ((-20, -10), "H0", "b is stronger than a by more than 10 nElo (error rate 2 %)"),
        ((0, 10), "undecided", "undecided after 1 pair, the maximum"),
        ((0, 10), "open", "not decided yet"),
    ],
)
def test_a_comparison_claims_what_its_test_ruled_out(
    bounds: tuple[float, float], decision: Decision, claim: str
) -> None:
    assert conclusion(report_of(elo0=bounds[0], elo1=bounds[1], decision=decision)) == claim


@pytest.mark.parametrize(
    ("pairs", "low", "high", "claim"),
    [
        (25, 10.0, 50.0, "a is stronger than b: a has a lead of +10 to +50 Elo"),
        (25, -50.0, -10.0, "b is stronger than a: a has a lead of -50 to -10 Elo"),
        (25, -17.0, 23.0, "a and b show no significant difference: a has a lead of -17 to +23 Elo"),
        (25, 30.0, None, "a is stronger than b: a has a lead of +30 or more Elo"),
        (19, None, None, "too few to tell: a got 38 of 38 points in 19 pairs, and it takes 20"),
    ],
)
def test_a_quick_look_claims_what_its_interval_holds(
    pairs: int, low: float | None, high: float | None, claim: str
) -> None:
    report = report_of(
        decision="interval", pairs=pairs, counts=(0, 0, 0, 0, pairs), lasting_low=low, lasting_high=high
    )
    beyond = f" (95 %, however often it is read; {pairs} pairs)" if pairs >= 20 else ""
    assert conclusion(report) == claim + beyond


@pytest.mark.parametrize(
    ("openings", "advice"),
    [
        (0, "These bots are deterministic. Use openings to get different games: --openings 2."),
        (2, "Most openings are used up. Use longer ones: --openings 3."),
        (None, "These bots are deterministic, so more pairs would add no evidence."),
    ],
)
def test_a_repeated_pair_says_what_to_do(openings: int | None, advice: str) -> None:
    report = report_of(
        decision="repeated", repeats=(3, 1), pairs=2, counts=(0, 1, 0, 0, 1), openings=openings
    )
    assert conclusion(report) == (
        f"undecided: pair 3 repeats pair 1 move for move. a got 2.5 of 4 points in 2 pairs. {advice}"
    )
