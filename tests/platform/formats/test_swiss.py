from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, combinations
from typing import Any

import msgspec
import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.formats import Swiss
from botleague.formats.dutch_pairing import NO_OPPONENT, Contestant, lightest_matching, pair
from botleague.rules.formats import Bye, Entrant, FormatError, Game, GroupResult, Pairing

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


def complete(number: int, allowed: Iterable[tuple[int, int]]) -> bool:
    """Whether all of ``number`` entrants, or all but one, can be paired so."""
    graph = networkx.Graph(list(allowed))
    return len(networkx.max_weight_matching(graph, maxcardinality=True)) == number // 2


def must(seats: list[int]) -> int | None:
    """The seat that an entrant has to get next."""
    if abs(seats.count(0) - seats.count(1)) >= 2:
        return int(seats.count(0) > seats.count(1))
    return 1 - seats[-1] if len(seats) > 1 and seats[-1] == seats[-2] else None


def check_round(
    pairings: Sequence[Pairing], present: set[int], results: list[GroupResult], rested: set[int]
) -> None:
    """What is absolute in the Dutch system holds in this round, as far as any complete round can hold it."""
    met = meetings(results)
    history: dict[int, list[int]] = {one: [] for one in present}
    for result in sorted(results, key=lambda result: result.group):
        for seat, one in enumerate(result.games[0].seats):
            history.setdefault(one, []).append(seat)
    pairs = [pairing.seats for pairing in pairings]
    busy = Counter(one for pair in pairs for one in pair)
    assert set(busy.values()) <= {1}
    assert set(busy) <= present
    assert len(pairs) == len(present) // 2
    everyone = list(combinations(sorted(present), 2))
    fresh = [pair for pair in everyone if not met[pair]]
    if complete(len(present), fresh):
        assert not any(met[min(pair), max(pair)] for pair in pairs), "a rematch that could be avoided"
    else:
        return
    (resting,) = present - set(busy) if len(present) % 2 else (None,)
    can_rest = [one for one in present if one not in rested]
    if resting is not None:
        others = [one for one in can_rest if complete(len(present) - 1, [p for p in fresh if one not in p])]
        assert resting not in rested or not others, "a second bye that could be avoided"
    wishes = {one: must(seats) for one, seats in history.items()}
    allowed = [pair for pair in fresh if wishes[pair[0]] is None or wishes[pair[0]] != wishes[pair[1]]]
    rests = [resting] if resting is not None else [None]
    if any(complete(len(present - {rest}), [p for p in allowed if rest not in p]) for rest in rests):
        for pair in pairs:
            assert all(wishes[one] in (None, seat) for seat, one in enumerate(pair)), "a third time in a seat"


@settings(max_examples=30, deadline=None)
@given(data=st.data(), number=st.integers(2, 24), seed=st.integers(0, 2**40))
def test_absolute_criteria_hold_in_every_round(data: st.DataObject, number: int, seed: int) -> None:
    chance = random.Random(seed)
    most = max(1, (number - 1).bit_length()) + 2
    entrants = []
    for index in range(number):
        late = data.draw(st.sampled_from([1, 1, 1, 1, 2, 3]), label="joined") if index else 1
        left = data.draw(st.sampled_from([None, None, None, 2]), label="left") if index > 1 else None
        byes = data.draw(st.sampled_from([(), (), (), ((2, 3),)]), label="away") if index > 1 else ()
        entrants.append(
            Entrant(f"bot{index}", chance.choice([1400.0, 1500, 1600]), joined=late, left=left, away=byes)
        )
    format = Swiss(rounds=most, mirrored=False)
    results: list[GroupResult] = []
    for round in range(1, most + 1):
        plan = format.plan(entrants, results, seed)
        if not plan.pairings or plan.pairings[0].round != round:
            return  # too few are in
        present = {one for one, entrant in enumerate(entrants) if entrant.plays_in(round)}
        rested = {bye.entrant for bye in format.byes(entrants, results)}
        check_round(plan.pairings, present, results, rested)
        assert format.plan(entrants, results[::-1], seed) == plan
        results += [
            GroupResult(one.group, round, (Game(one.seats, chance.choice([(1, 2), (2, 1), (1, 1)])),))
            for one in plan.pairings
        ]


@settings(max_examples=25, deadline=None)
@given(number=st.integers(2, 8), seed=st.integers(0, 2**40), data=st.data())
def test_no_other_round_meets_the_criteria_better(number: int, seed: int, data: st.DataObject) -> None:
    """Against every possible round of a small field, judged criterion by criterion."""
    past = [
        Contestant(
            points=data.draw(st.sampled_from([0.0, 1.0, 2.0])),
            met={other: data.draw(st.sampled_from([0, 0, 1])) for other in range(one)},
            byes=data.draw(st.sampled_from([0, 0, 1])),
            seats=tuple(data.draw(st.sampled_from([(), (0,), (1,), (0, 1), (0, 0), (1, 1)]))),
            floats=data.draw(st.tuples(st.sampled_from([-1, 0, 0, 1]), st.sampled_from([-1, 0, 1]))),
        )
        for one in range(number)
    ]
    met = {(other, one): past[one].met[other] for one in range(number) for other in range(one)}
    past = [
        msgspec.structs.replace(
            one, met={other: met[min(i, other), max(i, other)] for other in range(number) if other != i}
        )
        for i, one in enumerate(past)
    ]
    order = sorted(range(number), key=lambda one: -past[one].points)
    field = {one: past[one] for one in order}
    scores = sorted({one.points for one in past}, reverse=True)

    def merit(pairs: Iterable[tuple[int, int]]) -> list[float]:
        both = [(past[one], past[other]) for one, other in pairs if other != NO_OPPONENT]
        resting = [past[one] for one, other in pairs if other == NO_OPPONENT]
        same = [
            min(a.wish()[1], b.wish()[1])
            for a, b in both
            if a.wish()[0] is not None and a.wish()[0] == b.wish()[0]
        ]
        falls = [
            [
                scores.index(b.points) - scores.index(a.points)
                for a, b in both
                if a.points == score != b.points
            ]
            for score in scores
        ]
        repeated = [
            sum((a.floats[k] == -1) + (b.floats[k] == 1) for a, b in both if a.points > b.points)
            + sum(one.floats[k] == -1 for one in resting)
            for k in (0, 1)
        ]
        return [
            sum(met[min(pair), max(pair)] for pair in pairs if NO_OPPONENT not in pair),
            sum(one.byes for one in resting),
            sum(urgency == 3 for urgency in same),
            sum(one.points for one in resting),
            *(value for fall in falls for value in (len(fall), sum(steps * steps for steps in fall))),
            *repeated,
            len(same),
            sum(urgency >= 2 for urgency in same),
        ]

    def rounds(free: list[int]) -> Iterator[list[tuple[int, int]]]:
        if not free:
            yield []
        for other in free[1:]:
            for rest in rounds([one for one in free[1:] if one != other]):
                yield [(free[0], other), *rest]

    paired = pair(field, str(seed))
    assert merit(paired) == min(map(merit, rounds(order + [NO_OPPONENT] * (number % 2))))


@settings(max_examples=30, deadline=None)
@given(number=st.integers(2, 30), seed=st.integers(0, 2**40))
def test_a_round_does_not_depend_on_the_order_in_which_pairs_are_looked_at(number: int, seed: int) -> None:
    chance = random.Random(seed)
    # Costs as they are for equals: the same for all, but for the lots.
    costs = {edge: (5 << 64) + chance.getrandbits(64) for edge in combinations(range(number), 2)}
    shuffled = list(costs.items())
    chance.shuffle(shuffled)
    assert set(lightest_matching(dict(shuffled))) == set(lightest_matching(costs))


@settings(max_examples=60, deadline=None)
@given(half=st.integers(1, 9), seed=st.integers(0, 2**40), spread=st.sampled_from([2, 2**8, 2**200]))
def test_no_other_matching_of_everyone_costs_less(half: int, seed: int, spread: int) -> None:
    chance = random.Random(seed)
    costs = {edge: chance.randrange(spread) for edge in combinations(range(2 * half), 2)}
    graph = networkx.Graph()
    graph.add_weighted_edges_from((*edge, spread - cost) for edge, cost in costs.items())
    least = networkx.max_weight_matching(graph, maxcardinality=True)
    matching = lightest_matching(costs)
    assert sorted(chain(*matching)) == list(range(2 * half))
    assert sum(costs[edge] for edge in matching) == sum(costs[min(edge), max(edge)] for edge in least)


def test_a_large_field_is_paired_from_near_pairs(seeded: Seeded, play_out: Any) -> None:
    entrants = seeded(122)
    results = play_out(Swiss(rounds=2, mirrored=False), entrants)
    assert set(meetings(results).values()) == {1}
    assert len(results) == 2 * 61


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


def test_leaver_is_not_paired_and_latecomer_is(seeded: Seeded, play_out: Any) -> None:
    entrants = [*seeded(6), Entrant("late", joined=2), Entrant("gone", rating=2100.0, left=1)]
    results = play_out(Swiss(rounds=3), entrants)
    rounds = {(entrant, result.round) for result in results for entrant in result.points()}
    assert {number for entrant, number in rounds if entrant == 6} <= {2, 3}
    assert {number for entrant, number in rounds if entrant == 7} == {1}


def test_fewer_than_two_entrants_are_refused(seeded: Seeded) -> None:
    with pytest.raises(FormatError, match="two entrants are needed, 1 entered"):
        Swiss().plan(seeded(1), [], 0)
