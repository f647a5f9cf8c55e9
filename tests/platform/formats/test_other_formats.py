"""Gauntlet, ladder and divisions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from botleague.formats import (
    DoubleKnockout,
    Gauntlet,
    Knockout,
    Ladder,
    RoundRobin,
    Swiss,
    division_results,
    plan_divisions,
)
from botleague.formats.ladder import Estimate, gain
from botleague.rules.formats import Entrant, Format, FormatError, Game, GroupResult, Pairing, Plan
from botleague.rules.options import OptionError

Seeded = Callable[[int], list[Entrant]]


@pytest.mark.parametrize("number", [2, 3, 4, 7])
@pytest.mark.parametrize(
    "format",
    [
        Swiss(),
        Swiss(rounds=5, mirrored=False),
        Knockout(),
        Knockout(best_of=3, extra=0, bronze=False),
        Knockout(best_of=2),
        DoubleKnockout(),
        DoubleKnockout(reset=False, best_of=3),
    ],
    ids=repr,
)
def test_match_count_contains_the_number_of_played_matches(
    format: Format, number: int, play_out: Any, seeded: Seeded
) -> None:
    def drawn(pairing: Pairing, rng: random.Random) -> tuple[int, ...]:
        return (1, 1)

    def outsider(pairing: Pairing, rng: random.Random) -> tuple[int, ...]:
        return (1, 2) if pairing.seats[0] > pairing.seats[1] else (2, 1)

    def favourite(pairing: Pairing, rng: random.Random) -> tuple[int, ...]:
        return (1, 2) if pairing.seats[0] < pairing.seats[1] else (2, 1)

    count = format.match_count(seeded(number))
    assert count is not None
    played = [
        sum(len(result.games) for result in play_out(format, seeded(number), 0, decide))
        for decide in (favourite, outsider, drawn, None)
    ]
    assert count[0] == played[0]
    assert max(played) <= count[1]
    assert count[0] == count[1] or not isinstance(format, Swiss)


def test_a_challenger_meets_all_others_who_do_not_meet(seeded: Seeded) -> None:
    plan = Gauntlet(challengers=2, rounds=3).plan(seeded(6), [], 0)
    orders = Counter(pairing.seats for pairing in plan.pairings)
    expected = {(one, other) for one in (0, 1) for other in range(2, 6)}
    assert orders == {order: 3 for pair in expected for order in (pair, pair[::-1])}
    assert plan.is_final


def test_a_gauntlet_of_four_seats_fills_every_table(seeded: Seeded) -> None:
    plan = Gauntlet(seats=4).plan(seeded(9), [], 0)
    tables = {pairing.group: set(pairing.seats) for pairing in plan.pairings}
    assert all(len(table) == 4 and 0 in table for table in tables.values())
    assert set().union(*tables.values()) == set(range(9))


def test_a_gauntlet_without_others_is_refused(seeded: Seeded) -> None:
    with pytest.raises(FormatError, match="needs 1 or more other bots, but 0 entered"):
        Gauntlet(challengers=3).plan(seeded(3), [], 0)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_staff_plays_the_same_matches_against_all(seeded: Seeded, seats: int) -> None:
    exam = Gauntlet(staff=3, rounds=2, seats=seats)
    pairings_of: dict[int, list[tuple[object, ...]]] = {}
    for pairing in exam.plan(seeded(9), [], 7).pairings:
        (one,) = [seat for seat in pairing.seats if seat >= 3]
        pairings_of.setdefault(one, []).append(
            (pairing.round, pairing.seed, tuple(seat if seat < 3 else "me" for seat in pairing.seats))
        )
    assert sorted(pairings_of) == list(range(3, 9))
    assert all(questions == pairings_of[3] for questions in pairings_of.values())
    assert {seat for _, _, seats in pairings_of[3] for seat in seats} == {0, 1, 2, "me"}  # type: ignore[attr-defined]
    smaller = {(one.group, one.seats, one.seed) for one in exam.plan(seeded(5), [], 7).pairings}
    assert smaller == {
        (one.group, one.seats, one.seed) for one in exam.plan(seeded(9), [], 7).pairings if max(one.seats) < 5
    }
    assert exam.takes_newcomers
    with pytest.raises(FormatError, match="only the staff entered"):
        exam.plan(seeded(3), [], 7)


def played(plan: tuple[Pairing, ...]) -> list[GroupResult]:
    groups: dict[int, list[Pairing]] = {}
    for pairing in plan:
        groups.setdefault(pairing.group, []).append(pairing)
    return [
        GroupResult(
            group,
            pairings[0].round,
            tuple(Game(one.seats, tuple(range(1, len(one.seats) + 1))) for one in pairings),
        )
        for group, pairings in groups.items()
    ]


def test_everybody_plays_on_the_ladder_before_long(seeded: Seeded) -> None:
    format = Ladder(share=0.25, patience=4)
    # half the entrants are well known, and would never be chosen for what a match tells
    entrants = [
        msgspec.structs.replace(one, deviation=300.0 if n % 2 else 5.0) for n, one in enumerate(seeded(40))
    ]
    results: list[GroupResult] = []
    for _ in range(30):
        results += played(format.plan(entrants, results, 3).pairings)
    for entrant in range(40):
        rounds = [result.round for result in results if entrant in result.points()]
        pauses = [later - earlier for earlier, later in zip([0, *rounds], [*rounds, 31], strict=True)]
        assert max(pauses) <= 3 * format.patience


def test_newcomers_play_first_and_against_neighbours(seeded: Seeded) -> None:
    entrants = [msgspec.structs.replace(one, deviation=40.0, games=200) for one in seeded(30)]
    entrants[12] = msgspec.structs.replace(entrants[12], deviation=350.0, games=0)
    plan = Ladder(share=0.1, neighbours=3).plan(entrants, [], 0)
    assert 12 in plan.pairings[0].seats
    assert max(abs(one - other) for one, other in (pairing.seats for pairing in plan.pairings)) <= 6


def test_pairs_that_just_met_look_for_somebody_else(seeded: Seeded) -> None:
    entrants = [msgspec.structs.replace(one, deviation=60.0) for one in seeded(12)]
    format = Ladder(share=1.0)
    first = format.plan(entrants, [], 1)
    results = played(first.pairings)
    second = format.plan(entrants, results, 1)
    met = {frozenset(pairing.seats) for pairing in first.pairings}
    again = {frozenset(pairing.seats) for pairing in second.pairings}
    assert len(met & again) < len(met) / 2
    assert {pairing.round for pairing in second.pairings} == {2}
    assert not {pairing.group for pairing in first.pairings} & {pairing.group for pairing in second.pairings}


def test_a_ladder_is_the_same_for_the_same_seed_and_log(seeded: Seeded) -> None:
    entrants = seeded(20)
    results = played(Ladder().plan(entrants, [], 5).pairings)
    assert Ladder().plan(entrants, results, 5) == Ladder().plan(entrants, results[::-1], 5)
    assert Ladder().plan(entrants, results, 5) != Ladder().plan(entrants, results, 6)


def test_a_ladder_reads_no_further_back_than_its_window(seeded: Seeded) -> None:
    entrants, format = seeded(20), Ladder(window=4)
    results: list[GroupResult] = []
    for _ in range(9):
        recent = [
            result for result in results if result.round > max(one.round for one in results) - format.window
        ]
        plan = format.plan(entrants, results, 5)
        assert format.plan(entrants, recent, 5) == plan
        results += played(plan.pairings)


def test_ladder_fills_larger_tables_and_ends_at_its_target(seeded: Seeded, play_out: Any) -> None:
    results = play_out(Ladder(rounds=3, seats=4, share=0.5), seeded(16))
    assert {result.round for result in results} == {1, 2, 3}
    assert all(len(result.points()) == 4 == len(result.games) for result in results)
    assert not Ladder().plan(seeded(4), [], 0).is_final


def test_a_ladder_waits_while_too_few_are_in(seeded: Seeded) -> None:
    entrants = [seeded(2)[0], msgspec.structs.replace(seeded(2)[1], left=1)]
    results = played(Ladder().plan(entrants, [], 1).pairings)
    plan = Ladder().plan(entrants, results, 1)
    assert (plan.pairings, plan.is_final) == ((), False)
    with pytest.raises(FormatError, match="only 1 entered"):
        Ladder().plan(entrants[:1], [], 1)


@st.composite
def rounds(draw: st.DrawFn) -> tuple[Ladder, list[int], list[Estimate], dict[tuple[int, int], int]]:
    number = draw(st.integers(2, 20))
    ladder = Ladder(
        share=draw(st.sampled_from([0.25, 0.5, 0.7, 1.0])),
        seats=draw(st.integers(2, min(4, number))),
        neighbours=draw(st.integers(3, 6)),
    )
    estimates = draw(
        st.lists(
            st.builds(
                Estimate,
                st.floats(-800, 800).map(lambda value: round(value, 2)),
                st.floats(100, 60_000),
                st.integers(0, 8),
            ),
            min_size=number,
            max_size=number,
        )
    )
    present = draw(st.lists(st.integers(0, number - 1), unique=True, min_size=ladder.seats).map(sorted))
    pairs = st.tuples(st.integers(0, number - 1), st.integers(0, number - 1)).filter(
        lambda pair: pair[0] < pair[1]
    )
    return ladder, present, estimates, draw(st.dictionaries(pairs, st.integers(1, 5)))


@given(round=rounds(), seed=st.integers(0, 99))
def test_longest_waiting_entrant_is_seated_first(
    round: tuple[Ladder, list[int], list[Estimate], dict[tuple[int, int], int]], seed: int
) -> None:
    ladder, present, estimates, met = round
    lots = random.Random(seed).sample(range(len(estimates)), len(estimates))
    tables = list(ladder.tables(present, estimates, met, lots))
    assert tables == list(ladder.tables(present[::-1], estimates, dict(reversed(met.items())), lots))
    seated = [one for table in tables for one in table]
    assert len(seated) == len(set(seated))
    assert set(seated) <= set(present)
    assert all(len(table) == ladder.seats for table in tables)
    target = ladder.share * len(present)
    assert len(seated) > target - 1e-6 or len(present) - len(seated) < ladder.seats
    assert len(seated) - ladder.seats < target
    waiting = {one for one in present if estimates[one].wait >= ladder.patience}
    for number, table in enumerate(tables):
        before = {one for earlier in tables[:number] for one in earlier}
        assert estimates[table[0]].wait >= ladder.patience or waiting <= before


@given(seeds=st.lists(st.integers(0, 10**6), min_size=2, max_size=2, unique=True))
def test_lots_follow_from_the_seed_and_the_round(seeds: list[int]) -> None:
    entrants = [Entrant(f"v{n}", rating=0.0, deviation=245.0) for n in range(30)]
    one, other = (Ladder().plan(entrants, [], seed) for seed in seeds)
    assert one != other
    later = Ladder().plan(entrants, played(one.pairings), seeds[0])
    assert [pairing.seats for pairing in later.pairings] != [pairing.seats for pairing in one.pairings]


def test_ratings_that_differ_by_less_than_a_hundredth_are_equal() -> None:
    entrants = [Entrant(f"v{n}", rating=10.0 * n, deviation=100.0) for n in range(12)]
    moved = [
        msgspec.structs.replace(one, rating=one.rating + 0.001 * (-1) ** n) for n, one in enumerate(entrants)
    ]
    assert Ladder().plan(moved, [], 4) == Ladder().plan(entrants, [], 4)


def test_a_game_between_equals_of_whom_little_is_known_is_worth_most() -> None:
    assert gain(0, 100**2) > gain(150, 100**2) > gain(400, 100**2) > 0
    assert gain(0, 100**2) > gain(0, 50**2)
    assert gain(-80, 100**2) == gain(80, 100**2)
    assert gain(80, 100**2, met=3) == gain(80, 100**2) / 4
    assert gain(1e7, 100**2) == 0


@pytest.mark.parametrize(
    "options", [{"share": 0}, {"rounds": -1}, {"patience": 0}, {"seats": 5, "neighbours": 2}]
)
def test_a_ladder_that_cannot_stand_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"^(share|rounds|patience|neighbours): "):
        Ladder(**options)


@pytest.mark.parametrize("inner", [RoundRobin(), Swiss(), Knockout(best_of=3)], ids=lambda inner: inner.name)
def test_divisions_do_not_meet_and_each_plays_its_own_contest(
    inner: Any, play_out: Any, seeded: Seeded
) -> None:
    entrants = [
        msgspec.structs.replace(one, division="abc"[number % 3]) for number, one in enumerate(seeded(14))
    ]

    def plan(entrants: list[Entrant], results: list[GroupResult], seed: int) -> Plan:
        return plan_divisions(inner, entrants, results, seed)

    results = play_out(SimpleNamespace(plan=plan), entrants)
    for result in results:
        assert len({entrants[entrant].division for entrant in result.points()}) == 1
    for division in "abc":
        members, own = division_results(entrants, results, division)
        alone = [entrants[member] for member in members]
        assert inner.plan(alone, own, 0).pairings == ()
        assert inner.plan(alone, own, 0).is_final


def test_labels_name_the_division(seeded: Seeded) -> None:
    entrants = [
        msgspec.structs.replace(one, division="red" if number < 2 else "blue")
        for number, one in enumerate(seeded(4))
    ]
    labels = {one.label for one in plan_divisions(RoundRobin(), entrants, [], 0).pairings}
    assert labels == {"red: round 1", "blue: round 1"}
