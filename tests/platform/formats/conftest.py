"""A contest played out between bots of known strength, for tests of every format."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import msgspec
import pytest

from botleague.rules.formats import Entrant, Format, Game, GroupResult, Pairing

Contest = Callable[..., list[GroupResult]]


@pytest.fixture
def play_out() -> Contest:
    """Return a function that plays a format to its end, and checks what holds for every plan on the way."""
    return _play_out


def _play_out(
    format: Format,
    entrants: Sequence[Entrant],
    seed: int = 0,
    decide: Callable[[Pairing, random.Random], tuple[int, ...]] | None = None,
    most_plans: int = 200,
) -> list[GroupResult]:
    rng = random.Random(seed)
    results: list[GroupResult] = []
    for _ in range(most_plans):
        plan = format.plan(entrants, results, seed)
        assert format.plan(entrants, results[::-1], seed) == plan, "the order of results is irrelevant"
        groups: dict[int, list[Pairing]] = {}
        for pairing in plan.pairings:
            groups.setdefault(pairing.group, []).append(pairing)
        assert not set(groups) & {result.group for result in results}, "a finished group was planned again"
        if not groups:
            assert plan.is_final
            return results
        for group, pairings in groups.items():
            games = tuple(
                Game(pairing.seats, (decide or _by_rating(entrants))(pairing, rng)) for pairing in pairings
            )
            results.append(GroupResult(group, pairings[0].round, games))
        if format.plan(entrants, results, seed).pairings:
            assert not plan.is_final
    return results


def _by_rating(entrants: Sequence[Entrant]) -> Callable[[Pairing, random.Random], tuple[int, ...]]:
    """The higher rating usually wins; one game in six is drawn."""

    def decide(pairing: Pairing, rng: random.Random) -> tuple[int, ...]:
        if rng.random() < 1 / 6:
            return (1,) * len(pairing.seats)
        form = [entrants[seat].rating + rng.gauss(0, 150) for seat in pairing.seats]
        return tuple(1 + sum(other > own for other in form) for own in form)

    return decide


@pytest.fixture
def seeded() -> Callable[[int], list[Entrant]]:
    """Return a function that makes entrants of falling rating."""

    def make(number: int) -> list[Entrant]:
        return [
            msgspec.structs.replace(Entrant(f"bot{index}"), rating=2000.0 - 40 * index)
            for index in range(number)
        ]

    return make
