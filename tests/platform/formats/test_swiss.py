from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.league.formats import Bye, Entrant, FormatError, Game, GroupResult, Swiss
from botleague.league.formats.matching import perfect_matching

Seeded = Callable[[int], list[Entrant]]


def meetings(results: list[GroupResult]) -> Counter[tuple[int, ...]]:
    return Counter(tuple(sorted(result.points())) for result in results)


@pytest.mark.parametrize("number", [2, 5, 8, 13, 24])
def test_nobody_meets_the_same_opponent_twice(number: int, play_out: Any, seeded: Seeded) -> None:
    format = Swiss()
    entrants = seeded(number)
    results = play_out(format, entrants)
    assert set(meetings(results).values()) == {1}
    assert len(results) == (number // 2) * format.round_count(entrants)
    played = Counter(entrant for result in results for entrant in result.points())
    rests = Counter(bye.entrant for bye in format.byes(entrants, results))
    for entrant in range(number):
        assert played[entrant] + rests[entrant] == format.round_count(entrants)
    assert max(rests.values(), default=1) == 1, "nobody rests twice"


@settings(max_examples=12, deadline=None)
@given(number=st.integers(2, 7), rounds=st.integers(1, 9), seed=st.integers(0, 50))
def test_two_meet_again_only_if_no_complete_round_without_it_exists(
    number: int, rounds: int, seed: int
) -> None:
    entrants = [Entrant(f"bot{n}") for n in range(number)]
    format, rng = Swiss(rounds=rounds), random.Random(seed)
    results: list[GroupResult] = []
    while (plan := format.plan(entrants, results, seed)).pairings:
        met = meetings(results)
        pairs = [tuple(sorted(pairing.seats)) for pairing in plan.pairings[::2]]
        assert len(pairs) == number // 2
        worst = max(met[pair] for pair in pairs)
        if worst:
            fresh = networkx.Graph(pair for pair in combinations(range(number), 2) if met[pair] < worst)
            best = networkx.max_weight_matching(fresh, maxcardinality=True)
            assert len(best) < number // 2, "there was a complete round with fewer meetings"
        for first, second in zip(plan.pairings[::2], plan.pairings[1::2], strict=True):
            games = tuple(Game(one.seats, rng.choice([(1, 2), (2, 1), (1, 1)])) for one in (first, second))
            results.append(GroupResult(first.group, first.round, games))
    assert len(results) == rounds * (number // 2)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), half=st.integers(1, 6))
def test_a_perfect_matching_is_found_exactly_when_there_is_one(data: st.DataObject, half: int) -> None:
    size = 2 * half
    edges = data.draw(st.sets(st.sampled_from(list(combinations(range(size), 2)))))
    allowed = [[j for j in range(size) if (min(i, j), max(i, j)) in edges] for i in range(size)]
    partner = perfect_matching(allowed)
    exists = len(networkx.max_weight_matching(networkx.Graph(list(edges)), maxcardinality=True)) == half
    assert (partner is not None) == exists
    if partner is not None:
        assert all(partner[partner[i]] == i and partner[i] in allowed[i] for i in range(size))


def test_the_first_round_pairs_the_upper_half_with_the_lower(seeded: Seeded) -> None:
    plan = Swiss().plan(seeded(8), [], seed=0)
    assert [pairing.seats for pairing in plan.pairings[::2]] == [(0, 4), (1, 5), (2, 6), (3, 7)]
    assert [pairing.seats for pairing in plan.pairings[1::2]] == [(4, 0), (5, 1), (6, 2), (7, 3)]


def test_equals_meet_equals_and_who_finds_nobody_floats_down(seeded: Seeded) -> None:
    entrants = seeded(6)
    first = Swiss().plan(entrants, [], 0).pairings
    # the favourites win: 0, 1, 2 have two points, 3, 4, 5 none
    results = [
        GroupResult(one.group, 1, (Game(one.seats, (1, 2)), Game(one.seats[::-1], (2, 1))))
        for one in first[::2]
    ]
    second = Swiss().plan(entrants, results, 0).pairings
    assert [pairing.seats for pairing in second[::2]] == [(0, 1), (2, 3), (4, 5)]


def test_the_lowest_who_has_not_rested_rests(seeded: Seeded) -> None:
    entrants = seeded(5)
    first = Swiss().plan(entrants, [], 0).pairings
    assert 4 not in {seat for pairing in first for seat in pairing.seats}
    results = [
        GroupResult(one.group, 1, (Game(one.seats, (1, 2)), Game(one.seats[::-1], (2, 1))))
        for one in first[::2]
    ]
    assert Swiss().byes(entrants, results) == (Bye(4, 1, 2.0),)
    second = Swiss().plan(entrants, results, 0).pairings
    assert 3 not in {seat for pairing in second for seat in pairing.seats}


def test_nobody_rests_in_a_round_that_is_still_running(seeded: Seeded) -> None:
    entrants = seeded(7)
    first = Swiss().plan(entrants, [], 0).pairings[::2]
    results = [
        GroupResult(one.group, 1, (Game(one.seats, (1, 2)), Game(one.seats[::-1], (1, 2)))) for one in first
    ]
    assert Swiss().byes(entrants, results[:2]) == ()
    assert Swiss().byes(entrants, results) == (Bye(6, 1, 2.0),)


def test_single_games_balance_the_seats(play_out: Any, seeded: Seeded) -> None:
    results = play_out(Swiss(rounds=6, mirrored=False), seeded(12))
    assert all(len(result.games) == 1 for result in results)
    balance = Counter[int]()
    for result in results:
        first, second = result.games[0].seats
        balance[first] += 1
        balance[second] -= 1
    assert max(map(abs, balance.values())) <= 2


def test_an_interrupted_round_is_planned_to_its_end(seeded: Seeded) -> None:
    whole = Swiss().plan(seeded(8), [], 0).pairings
    done = GroupResult(2, 1, (Game((1, 5), (1, 2)), Game((5, 1), (2, 1))))
    assert Swiss().plan(seeded(8), [done], 0).pairings == whole[:2] + whole[4:]


def test_who_leaves_is_not_paired_and_who_joins_late_is(seeded: Seeded, play_out: Any) -> None:
    entrants = [*seeded(6), Entrant("late", joined=2), Entrant("gone", rating=2100.0, left=1)]
    results = play_out(Swiss(rounds=3), entrants)
    rounds = {(entrant, result.round) for result in results for entrant in result.points()}
    assert {number for entrant, number in rounds if entrant == 6} <= {2, 3}
    assert {number for entrant, number in rounds if entrant == 7} == {1}


def test_fewer_than_two_entrants_are_refused(seeded: Seeded) -> None:
    with pytest.raises(FormatError, match="two entrants are needed, 1 entered"):
        Swiss().plan(seeded(1), [], 0)
