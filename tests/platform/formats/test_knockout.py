from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botleague.formats import DoubleKnockout, Knockout, bracket_text
from botleague.formats.elimination import (
    Judgement,
    double_elimination,
    play_through,
    seed_order,
    single_elimination,
)
from botleague.rules.formats import Entrant, FormatError, Game, GroupResult, Pairing

Seeded = Callable[[int], list[Entrant]]

shared = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def favourite(pairing: Pairing, rng: random.Random) -> tuple[int, ...]:
    return (1, 2) if pairing.seats[0] < pairing.seats[1] else (2, 1)


def drawn(pairing: Pairing, rng: random.Random) -> tuple[int, ...]:
    return (1, 1)


def names(entrants: list[Entrant]) -> dict[int, str]:
    return {number: entrant.bot for number, entrant in enumerate(entrants)}


def test_the_best_seeds_meet_as_late_as_possible() -> None:
    assert seed_order(8) == [0, 7, 3, 4, 1, 6, 2, 5]


@shared
@given(number=st.integers(2, 17), seed=st.integers(0, 30), best_of=st.integers(1, 4), bronze=st.booleans())
def test_a_knockout_has_one_champion_who_never_lost(
    number: int, seed: int, best_of: int, bronze: bool, play_out: Any, seeded: Seeded
) -> None:
    format, entrants = Knockout(best_of=best_of, bronze=bronze), seeded(number)
    results = play_out(format, entrants, seed)
    bracket = format.bracket(entrants, results, seed)
    losses = Counter(slot.loser for slot in bracket.slots if slot.needed)
    assert bracket.champion is not None
    assert losses[bracket.champion] == 0
    assert sorted(bracket.places) == list(range(number))
    assert sum(losses.values()) == number - 1 + (bronze and number > 3)
    if bronze and number > 3:
        assert sorted(bracket.places.values())[:4] == [1, 2, 3, 4]


@shared
@given(number=st.integers(2, 17), seed=st.integers(0, 30), reset=st.booleans())
def test_out_of_a_double_knockout_is_who_lost_twice(
    number: int, seed: int, reset: bool, play_out: Any, seeded: Seeded
) -> None:
    format, entrants = DoubleKnockout(reset=reset), seeded(number)
    results = play_out(format, entrants, seed)
    bracket = format.bracket(entrants, results, seed)
    losses = Counter(slot.loser for slot in bracket.slots if slot.needed and slot.winner is not None)
    champion = bracket.champion
    assert champion is not None
    assert losses[champion] <= 1
    second = next(one for one, place in bracket.places.items() if place == 2)
    for entrant in range(number):
        if entrant not in (champion, second):
            assert losses[entrant] == 2
    assert losses[second] == 2 or not reset
    assert sorted(bracket.places) == list(range(number))
    assert sorted(bracket.places.values())[: min(number, 4)] == [1, 2, 3, 4][:number]


@pytest.mark.parametrize(("number", "first"), [(8, 3), (16, 4), (32, 5), (64, 5)])
def test_dropped_entrants_meet_again_in_late_rounds_only(number: int, first: int) -> None:
    encounters = double_elimination(number, reset=True)
    for luck in range(200):
        chance = random.Random(luck)

        def judge(_: int, sides: tuple[int, int], chance: random.Random = chance) -> Judgement:
            return Judgement((1, 0), chance.choice(sides))

        slots = play_through(encounters, range(number), judge, lambda *_: True).slots
        met: set[frozenset[int | None]] = set()
        for slot in slots:
            if slot.needed and frozenset(slot.sides) in met:
                lower = re.match(r"lower round (\d+)", slot.label)
                assert int(lower[1]) >= first if lower else not slot.label.startswith("upper")
            met.add(frozenset(slot.sides))


def test_the_text_says_what_decided_a_tie(play_out: Any, seeded: Seeded) -> None:
    for tie, text in (
        ("seed", "bot0 v bot1 1.5:1.5 sets, 3:3 games, bot0 wins as the better seed"),
        ("lot", "wins by random draw"),
    ):
        format = Knockout(tie=tie)  # type: ignore[arg-type]  # one of its two rules
        results = play_out(format, seeded(2), 0, drawn)
        assert text in bracket_text(format.bracket(seeded(2), results, 0), names(seeded(2)))


@pytest.mark.parametrize("format", [Knockout(), DoubleKnockout()], ids=lambda format: format.name)
def test_favourites_that_always_win_finish_in_order_of_seed(
    format: Any, play_out: Any, seeded: Seeded
) -> None:
    entrants = seeded(16)
    results = play_out(format, entrants, 0, favourite)
    places = format.bracket(entrants, results, 0).places
    assert [places[entrant] for entrant in range(4)] == [1, 2, 3, 4]


def test_places_are_known_as_soon_as_somebody_is_out(seeded: Seeded) -> None:
    entrants, format = seeded(4), DoubleKnockout()

    def outsider_wins(pairing: Pairing) -> tuple[int, ...]:
        return (1, 2) if pairing.seats[0] > pairing.seats[1] else (2, 1)

    results: list[GroupResult] = []
    places: list[dict[int, int]] = []
    while (plan := format.plan(entrants, results, 0)).pairings:
        for first, second in zip(plan.pairings[::2], plan.pairings[1::2], strict=True):
            games = tuple(Game(one.seats, outsider_wins(one)) for one in (first, second))
            results.append(GroupResult(first.group, first.round, games))
        places.append(format.bracket(entrants, results, 0).places)
    assert places == [{}, {0: 4}, {0: 4, 1: 3}, {0: 4, 1: 3, 2: 2, 3: 1}]


def test_work_for_places_does_not_grow_with_the_square_of_the_entrants() -> None:
    passes = 0

    class Seeds(list[int]):
        def __iter__(self) -> Iterator[int]:
            nonlocal passes
            passes += 1
            return super().__iter__()

    def better_seed_wins(_: int, sides: tuple[int, int]) -> Judgement:
        return Judgement((1, 0), min(sides))

    bracket = play_through(
        single_elimination(64, bronze=True), Seeds(range(64)), better_seed_wins, lambda *_: True
    )
    assert Counter(bracket.places.values()) == {1: 1, 2: 1, 3: 1, 4: 1, 5: 4, 9: 8, 17: 16, 33: 32}
    assert passes < 5


def test_byes_go_to_the_best_seeds(seeded: Seeded) -> None:
    plan = Knockout().plan(seeded(6), [], 0)
    first = {frozenset(pairing.seats) for pairing in plan.pairings}
    assert first == {frozenset({3, 4}), frozenset({2, 5})}
    assert {pairing.label for pairing in plan.pairings} == {"quarter-final 2", "quarter-final 4"}


def test_as_many_sets_are_planned_as_the_leader_needs(seeded: Seeded) -> None:
    entrants, format = seeded(2), Knockout(best_of=5)
    first = format.plan(entrants, [], 0)
    assert [pairing.label for pairing in first.pairings[::2]] == [
        "final, set 1",
        "final, set 2",
        "final, set 3",
    ]
    lost = [
        GroupResult(pairing.group, 1, (Game((0, 1), (1, 2)), Game((1, 0), (2, 1) if number < 2 else (1, 2))))
        for number, pairing in enumerate(first.pairings[::2])
    ]
    # two sets to one half: one more decides if it is won
    second = format.plan(entrants, lost, 0)
    assert [pairing.label for pairing in second.pairings] == ["final, set 4"] * 2
    assert not second.is_final


@pytest.mark.parametrize("tie", ["seed", "lot"])
def test_a_tie_is_broken_after_the_extra_sets_by_the_rule(tie: Any, play_out: Any, seeded: Seeded) -> None:
    format, entrants = Knockout(extra=1, tie=tie), seeded(8)
    champions = set()
    for seed in range(12):
        results = play_out(format, entrants, seed, drawn)
        assert len(results) == 8 * 2, "each encounter has one set and one extra"
        champions.add(format.bracket(entrants, results, seed).champion)
    assert champions == {0} if tie == "seed" else len(champions) > 1


def test_retired_bot_loses_without_playing(play_out: Any, seeded: Seeded) -> None:
    entrants = seeded(4)
    entrants[0] = msgspec.structs.replace(entrants[0], left=1)
    format = Knockout()
    results = play_out(format, entrants, 0, favourite)
    bracket = format.bracket(entrants, results, 0)
    assert bracket.champion == 1
    assert bracket.places[0] == 2
    assert "bot0 v bot1: bot1 wins by walkover" in bracket_text(bracket, names(entrants))


def test_results_of_another_bracket_are_refused(seeded: Seeded) -> None:
    entrants = seeded(4)
    strange = [GroupResult(1, 1, (Game((0, 1), (1, 2)), Game((1, 0), (2, 1))))]
    with pytest.raises(FormatError, match="another bracket"):
        Knockout(bronze=False, extra=0).plan(entrants, strange, 0)
    with pytest.raises(FormatError, match="two entrants"):
        DoubleKnockout().plan(seeded(1), [], 0)


def test_a_bracket_is_printed_round_by_round(play_out: Any, seeded: Seeded) -> None:
    format, entrants = Knockout(), seeded(3)
    open_text = bracket_text(format.bracket(entrants, [], 0), names(entrants))
    assert open_text.splitlines() == [
        "Round 1",
        "  semi-final 1           bot0 has a bye",
        "  semi-final 2           bot1 v bot2",
        "Round 2",
        "  match for third place  ? has a bye",
        "  final                  bot0 v ?",
    ]
    results = play_out(format, entrants, 0, favourite)
    text = bracket_text(format.bracket(entrants, results, 0), names(entrants))
    assert "  final                  bot0 v bot1 1:0 sets, 2:0 games, bot0 wins" in text
    assert "semi-final 2           bot1 v bot2 1:0 sets, 2:0 games, bot1 advances" in text
    assert text.splitlines()[0] == "A set is two games with sides changed."
    assert text.splitlines()[-3:] == ["1. bot0", "2. bot1", "3. bot2"]
