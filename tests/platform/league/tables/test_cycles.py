"""A cycle of three bots is told only where luck would hardly bring it."""

from __future__ import annotations

import random
from itertools import combinations, permutations

import pytest

from botleague.league.tables.cycles import Cycle, find_cycles
from botleague.ratings import Columns, Meeting, Unit, expected_score

BOTS = [f"b{number:02}" for number in range(12)]


def meetings(chances: dict[tuple[str, str], float], sets: int, rng: random.Random) -> Columns:
    """The evidence of so many mirrored pairs between each two bots, by the chance that the first one wins a game."""
    units: dict[Unit, int] = {}
    for (one, other), chance in chances.items():
        for _ in range(sets):
            unit = (Meeting(one, other, float((rng.random() < chance) + (rng.random() < chance)), 2.0),)
            units[unit] = units.get(unit, 0) + 1
    return Columns.of(units)


def raw_cycles(units: Columns) -> int:
    """How many cycles there are if more than half of the points is to beat."""
    taken: dict[tuple[str, str], float] = {}
    for unit, count in zip(units.units(), units.blocks[2].counts, strict=True):
        for bot, opponent, points, games in unit:
            for pair, lead in (((bot, opponent), points - games / 2), ((opponent, bot), games / 2 - points)):
                taken[pair] = taken.get(pair, 0.0) + count * lead
    return sum(
        taken[a, b] > 0 and taken[b, c] > 0 and taken[c, a] > 0
        for a, b, c in permutations(BOTS, 3)
        if a < b and a < c
    )


@pytest.mark.parametrize("deviation", [0.0, 100.0])
@pytest.mark.parametrize("sets", [2, 10, 60])
def test_bots_that_have_an_order_show_no_cycle_in_95_of_100_tables(deviation: float, sets: int) -> None:
    rng = random.Random(f"{deviation} {sets}")
    tables = 60
    cycles = 0
    for _ in range(tables):
        truth = {bot: rng.gauss(0, deviation) for bot in BOTS}
        chances = {(a, b): expected_score(truth[a], truth[b]) for a, b in combinations(BOTS, 2)}
        cycles += bool(find_cycles(meetings(chances, sets, rng)))
    assert cycles <= 0.05 * tables


def test_cycles_by_luck_are_not_reported() -> None:
    rng = random.Random(4)
    truth = {bot: rng.gauss(0, 100) for bot in BOTS}
    chances = {(a, b): expected_score(truth[a], truth[b]) for a, b in combinations(BOTS, 2)}
    units = [meetings(chances, 2, rng) for _ in range(20)]
    assert sum(map(raw_cycles, units)) / len(units) > 3
    assert not any(map(find_cycles, units))


def test_rock_paper_and_scissors_are_reported_among_others() -> None:
    rng = random.Random(8)
    chances = dict.fromkeys(combinations(BOTS, 2), 0.5)
    chances |= {("b01", "b04"): 0.95, ("b04", "b07"): 0.95, ("b01", "b07"): 0.05}
    tables = [find_cycles(meetings(chances, 30, rng)) for _ in range(20)]
    hits = [one for one in tables if [cycle.bots for cycle in one] == [("b01", "b04", "b07")]]
    assert len(hits) >= 19


def test_a_cycle_says_who_took_what() -> None:
    units: dict[Unit, int] = {
        (Meeting("rock", "scissors", 2.0, 2.0),): 10,
        (Meeting("scissors", "paper", 2.0, 2.0),): 9,
        (Meeting("paper", "scissors", 1.0, 2.0),): 1,
        (Meeting("paper", "rock", 2.0, 2.0),): 12,
    }
    assert find_cycles(Columns.of(units)) == [
        Cycle(("paper", "rock", "scissors"), [12.0, 10.0, 9.5], [12, 10, 10])
    ]
    (cycle,) = find_cycles(Columns.of(units))
    assert str(cycle) == "paper beats rock beats scissors beats paper (12 of 12, 10 of 10, 9.5 of 10 sets)"
    assert find_cycles(Columns.of({unit: min(count, 5) for unit, count in units.items()})) == []
