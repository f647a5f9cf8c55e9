"""What the ratings promise, tried on contests between bots of known strength.

Run ``python benchmarks/simulated_contests.py [sprt] [ladder]`` (both by default; minutes). Prints

* sprt: error rates and lengths of the sequential test, at either hypothesis and midway;
* ladder: matches until the table of 200 bots has a Kendall tau of 0.9 with the truth, ladder against random pairing.

Every number follows from the seeds in this file.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from botleague.league.formats import Entrant, Game, GroupResult, Ladder
from botleague.ratings import (
    Glicko2,
    Glicko2State,
    Result,
    Side,
    Sprt,
    Table,
    evidence,
    expected_score,
    fit,
    pairs_needed,
    replay,
)


def outcome(expected: float, draw_rate: float, rng: random.Random) -> float:
    """Return 1, 1/2 or 0 with mean ``expected``; ``draw_rate`` of the games between equals are drawn."""
    drawn = draw_rate * 4 * expected * (1 - expected)
    drawn = min(drawn, 2 * expected, 2 * (1 - expected))
    x = rng.random()
    return 1.0 if x < expected - drawn / 2 else 0.5 if x < expected + drawn / 2 else 0.0


def sprt(runs: int = 400, draw_rate: float = 0.3) -> None:
    """Print what the test decides and how long it takes, in mirrored pairs."""
    for width in (20.0, 40.0):
        test = Sprt(0, width)
        ends, midway = pairs_needed(0, width)
        for truth, promised in ((0.0, ends), (width / 2, midway), (width, ends)):
            rng = random.Random(f"sprt {width} {truth}")
            sigma = math.sqrt((1 - draw_rate) / 4)
            mean = 0.5 + truth * math.log(10) / 800 * sigma
            accepted = pairs = 0
            for _ in range(runs):
                state = test.run(
                    int(2 * (one_game(mean, draw_rate, rng) + one_game(mean, draw_rate, rng)))
                    for _ in range(10**6)
                )
                accepted += state.decision == "H1"
                pairs += state.units
            print(
                f"SPRT [0, {width:g}] at {truth:g}: H1 accepted in {accepted / runs:.1%} of {runs} runs, "
                f"{pairs / runs:.0f} pairs in the mean (formula {promised:.0f})"
            )


def one_game(mean: float, draw_rate: float, rng: random.Random) -> float:
    """Return 1, 1/2 or 0 with mean ``mean``; ``draw_rate`` of all games are drawn."""
    x = rng.random()
    return 1.0 if x < mean - draw_rate / 2 else 0.5 if x < mean + draw_rate / 2 else 0.0


Pairs = list[tuple[int, int]]


def matches_to_sort(
    pair: Callable[[dict[str, Glicko2State], list[GroupResult]], Pairs],
    truth: Sequence[float],
    seed: int,
    target: float,
    step: int,
) -> int:
    """Return how many matches it takes until the batch table has Kendall tau ``target`` with ``truth``.

    Args:
        pair: the pairs of the next batch, from the current states and all results.
        step: the table is fitted each time so many more matches have been played, after 20 a bot.
    """
    rng = random.Random(seed)
    system = Glicko2(period=len(truth))
    states: dict[str, Glicko2State] = {}
    log: list[Result] = []
    groups: list[GroupResult] = []
    fitted = 20 * len(truth)
    while True:
        number = 1 + (groups[-1].round if groups else 0)
        for one, other in pair(states, groups):
            games: list[Game] = []
            played: list[Result] = []
            for seats in ((one, other), (other, one)):
                score = outcome(expected_score(truth[seats[0]], truth[seats[1]]), 0.2, rng)
                places = {1.0: (1, 2), 0.5: (1, 1), 0.0: (2, 1)}[score]
                games.append(Game(seats, places))
                sides = tuple(Side((f"v{seat}",), place) for seat, place in zip(seats, places, strict=True))
                played.append(Result(f"m{len(log) + len(played)}", len(log) + len(played), sides))
            log += played
            for _ in replay(system, played, Table(states)):
                pass
            groups.append(GroupResult(len(groups) + 1, number, tuple(games)))
        if len(log) >= fitted + step and len(states) == len(truth):
            fitted = len(log)
            table = fit(evidence(log))
            if kendall_tau([table.rating(f"v{n}") for n in range(len(truth))], truth) >= target:
                return len(log)


def kendall_tau(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the rank correlation of two lists without ties, between -1 and 1."""
    pairs = len(one) * (len(one) - 1) / 2
    agreed = sum(
        (one[i] < one[j]) == (other[i] < other[j]) for i in range(len(one)) for j in range(i + 1, len(one))
    )
    return 2 * agreed / pairs - 1


def ladder(bots: int = 200, target: float = 0.9, step: int = 500, seeds: Sequence[int] = (1, 2, 3)) -> None:
    """Print how many matches each way of pairing needs to sort the bots."""
    totals: Counter[str] = Counter()
    system = Glicko2()
    for seed in seeds:
        rng = random.Random(seed)
        truth = [rng.gauss(1500, 200) for _ in range(bots)]

        def by_ladder(states: dict[str, Glicko2State], groups: list[GroupResult], seed: int = seed) -> Pairs:
            shown = {bot: system.display(state) for bot, state in states.items()}
            entrants = [
                replace(
                    Entrant(f"v{n}"),
                    rating=shown[f"v{n}"].value,
                    deviation=shown[f"v{n}"].deviation,
                )
                if f"v{n}" in shown
                else Entrant(f"v{n}", deviation=350.0)
                for n in range(bots)
            ]
            plan = Ladder().plan(entrants, groups, seed)
            return [(pairing.seats[0], pairing.seats[1]) for pairing in plan.pairings[::2]]

        def by_chance(
            states: dict[str, Glicko2State],
            groups: list[GroupResult],
            rng: random.Random = rng,
        ) -> Pairs:
            order = rng.sample(range(bots), bots)
            return list(zip(order[::2], order[1::2], strict=True))

        needed = {
            name: matches_to_sort(pair, truth, seed, target, step)
            for name, pair in (("ladder", by_ladder), ("random", by_chance))
        }
        totals.update(needed)
        print(f"seed {seed}: ladder {needed['ladder']}, random {needed['random']} matches to tau {target}")
    print(f"ladder over random pairing: {totals['ladder'] / totals['random']:.2f}")


def main() -> None:
    parts: dict[str, Callable[[], None]] = {"sprt": sprt, "ladder": ladder}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(parts)}; all by default")
    chosen = parser.parse_args().parts or list(parts)
    if unknown := sorted(set(chosen) - set(parts)):
        parser.error(f"no part is called {unknown[0]!r}; there are {', '.join(parts)}")
    for part in chosen:
        parts[part]()


if __name__ == "__main__":
    main()
