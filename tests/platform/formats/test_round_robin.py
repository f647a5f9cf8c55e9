from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.formats import Gauntlet, RoundRobin
from botleague.rules.formats import Entrant, FormatError, Game, GroupResult, Pairing, mirrored


def entered(number: int) -> list[Entrant]:
    return [Entrant(f"bot{index}") for index in range(number)]


def groups_of(pairings: tuple[Pairing, ...]) -> dict[int, list[Pairing]]:
    groups: dict[int, list[Pairing]] = {}
    for pairing in pairings:
        groups.setdefault(pairing.group, []).append(pairing)
    return groups


@pytest.mark.parametrize("seats", [1, 2, 3])
@pytest.mark.parametrize("make", [RoundRobin, Gauntlet])
@pytest.mark.parametrize("rounds", [1_000_000, 10**30, 10**400])
def test_more_matches_than_anybody_meant_are_refused_at_once(seats: int, make: Any, rounds: int) -> None:
    if make is Gauntlet and seats == 1:
        seats = 4
    with pytest.raises(FormatError, match="the maximum of one plan"):
        make(rounds=rounds, seats=seats).plan(entered(5), [], 1)


@settings(max_examples=20, deadline=None)
@given(number=st.integers(2, 13), rounds=st.integers(1, 3), seed=st.integers(0, 99))
def test_two_seats_meet_once_a_round_from_both_seats(number: int, rounds: int, seed: int) -> None:
    plan = RoundRobin(rounds=rounds).plan(entered(number), [], seed)
    orders = Counter(pairing.seats for pairing in plan.pairings)
    assert orders == {(a, b): rounds for a in range(number) for b in range(number) if a != b}
    appearances = Counter((pairing.round, entrant) for pairing in plan.pairings for entrant in pairing.seats)
    assert set(appearances.values()) == {2}, "one mirrored pair a round"


@settings(max_examples=20, deadline=None)
@given(seats=st.integers(3, 5), more=st.integers(0, 9), rounds=st.integers(1, 2), seed=st.integers(0, 99))
def test_many_seats_meet_everyone_and_play_and_sit_equally_often(
    seats: int, more: int, rounds: int, seed: int
) -> None:
    number = seats + more
    plan = RoundRobin(rounds, seats).plan(entered(number), [], seed)
    met = Counter(
        pair
        for group in groups_of(plan.pairings).values()
        for pair in combinations(sorted(group[0].seats), 2)
    )
    assert set(met) == set(combinations(range(number), 2))
    assert min(met.values()) >= rounds
    sat = Counter((entrant, seat) for pairing in plan.pairings for seat, entrant in enumerate(pairing.seats))
    assert len(sat) == number * seats
    assert len(set(sat.values())) == 1


def test_seven_entrants_at_tables_of_three_meet_exactly_once() -> None:
    plan = RoundRobin(seats=3).plan(entered(7), [], seed=5)
    assert len(groups_of(plan.pairings)) == 7
    met = Counter(pair for pairing in plan.pairings for pair in combinations(sorted(pairing.seats), 2))
    assert set(met.values()) == {3}, "once in each of the three rotations"


@pytest.mark.parametrize("number", range(2, 13))
def test_in_mirrored_sets_all_sit_everywhere_and_after_everybody_equally_often(number: int) -> None:
    sets = [mirrored(range(number), 1, group, "") for group in (1, 2)]
    for one in sets:
        for place in range(number):
            assert sorted(pairing.seats[place] for pairing in one) == list(range(number))
    for whole in [*sets] if number % 2 == 0 else [sets[0] + sets[1]]:
        after = Counter(pair for pairing in whole for pair in pairwise(pairing.seats))
        assert len(after) == number * (number - 1)
        assert len(set(after.values())) == 1


def test_the_same_seed_gives_the_same_plan_and_another_seed_another_order() -> None:
    assert RoundRobin().plan(entered(8), [], 3) == RoundRobin().plan(entered(8), [], 3)
    assert RoundRobin().plan(entered(8), [], 3) != RoundRobin().plan(entered(8), [], 4)


def test_finished_groups_are_not_planned_again() -> None:
    whole = RoundRobin().plan(entered(5), [], 0).pairings
    games = tuple(Game(pairing.seats, (1, 2)) for pairing in whole if pairing.group == 1)
    rest = RoundRobin().plan(entered(5), [GroupResult(1, 1, games)], 0)
    assert rest.pairings == whole[2:]
    assert rest.is_final


def test_retired_bot_is_not_paired() -> None:
    entrants = [Entrant("quitter", left=1), *entered(4)]
    later = [pairing for pairing in RoundRobin().plan(entrants, [], 0).pairings if pairing.round > 1]
    assert later
    assert all(0 not in pairing.seats for pairing in later)


def test_one_seat_means_everyone_plays_alone() -> None:
    plan = RoundRobin(rounds=2, seats=1).plan(entered(3), [], 0)
    assert Counter(pairing.seats for pairing in plan.pairings) == {(0,): 2, (1,): 2, (2,): 2}


def test_too_few_entrants_are_refused() -> None:
    with pytest.raises(FormatError, match="only 3 entered"):
        RoundRobin(seats=4).plan(entered(3), [], 0)


def test_points_are_the_share_of_opponents_beaten() -> None:
    assert Game((0, 1), (1, 2)).points() == (1.0, 0.0)
    assert Game((0, 1), (1, 1)).points() == (0.5, 0.5)
    assert Game((4, 5, 6), (2, 1, 2)).points() == (0.25, 1.0, 0.25)
    assert Game((0,), (1,)).points() == (0.5,)
