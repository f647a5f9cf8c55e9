"""What the ratings promise, tried on contests between bots of known strength.

Run ``python benchmarks/simulated_contests.py [sprt] [ladder]`` (both by default; minutes). Prints

* sprt: error rates and lengths of the sequential test, at either hypothesis and midway;
* ladder: matches a bot until a table's Kendall tau with the true order is 0.85, paired at random, by the ladder, and by
  the ladder as it was; in fields narrow and wide, of few bots and many, with and without luck that pairs share.

Every number follows from the seeds in this file.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from botleague.league.formats import Entrant, Game, GroupResult, Ladder
from botleague.league.formats.ladder import Estimate
from botleague.ratings import (
    Elo,
    EloState,
    Result,
    Side,
    Sprt,
    Table,
    Unit,
    evidence,
    expected_score,
    newcomer,
    pairs_needed,
    replay,
    strengths,
)


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


class FormerLadder(Ladder, frozen=True):
    """The ladder as it paired before: the factor four while the order of two bots was open, and no fading beyond."""

    def gain(self, apart: float, variance: float, met: int) -> float:
        expected = expected_score(apart, 0.0)
        information = (math.log(10) / 400) ** 2 * expected * (1 - expected)
        taken = variance * variance * information / (1 + variance * information) / (1 + met)
        return 4 * taken if apart * apart < 4 * variance else taken


class AtRandom(Ladder, frozen=True):
    """Random pairs among as many bots as a ladder seats."""

    def gain(self, apart: float, variance: float, met: int) -> float:
        return 1.0

    def tables(
        self,
        present: Sequence[int],
        estimates: Sequence[Estimate],
        met: Mapping[tuple[int, int], int],
        lots: Sequence[int],
    ) -> Iterator[tuple[int, ...]]:
        order = sorted(present, key=lambda one: lots[one])
        for at in range(0, int(self.share * len(order)), 2):
            yield order[at], order[at + 1]


@dataclass(frozen=True, slots=True)
class Field:
    """Bots of known strength that climb a ladder.

    Attributes:
        luck: probability that the second game of a pair repeats the luck of the first.
    """

    bots: int
    deviation: float
    luck: float = 0.0


FIELDS = [Field(40, 200), Field(40, 300), Field(40, 500), Field(120, 200), Field(40, 200, luck=0.7)]

LONGEST = 170
"""Matches a bot after which a run ends."""


def curves(form: Ladder, field: Field, seed: int, every: int = 4) -> tuple[list[float], list[float]]:
    """Return Kendall's tau of the Elo table and of the batch table with the truth, each ``every`` rounds.

    With half of the bots seated in mirrored pairs a round is one match a bot.
    """
    rng = random.Random(f"{field} {seed}")
    truth = [rng.gauss(0, field.deviation) for _ in range(field.bots)]
    elo = Elo()
    states: dict[str, EloState] = {}
    units: Counter[Unit] = Counter()
    recent: list[GroupResult] = []
    matches = groups = 0
    taus: tuple[list[float], list[float]] = ([], [])
    for number in range(1, LONGEST + 1):
        plan = form.plan(_entrants(form, field.bots, states, units), recent, seed)
        for pairing in plan.pairings[::2]:
            one, other = pairing.seats
            games, played = [], []
            luck = rng.random()
            for seats in ((one, other), (other, one)):
                places = (
                    (1, 2)
                    if (luck < expected_score(truth[one], truth[other])) == (seats[0] == one)
                    else (2, 1)
                )
                games.append(Game(seats, places))
                sides = tuple(Side((f"v{seat}",), place) for seat, place in zip(seats, places, strict=True))
                played.append(Result(f"m{matches}", matches, sides))
                matches += 1
                luck = luck if rng.random() < field.luck else rng.random()
            for _ in replay(elo, played, Table(states)):
                pass
            units.update(evidence(played, lambda _: 0))
            groups += 1
            recent.append(GroupResult(groups, number, tuple(games)))
        recent = [group for group in recent if group.round > number - form.window]
        if number % every == 0:
            known = strengths(units)
            start = elo.initial()
            taus[0].append(kendall_tau([states.get(f"v{n}", start).rating for n in range(field.bots)], truth))
            taus[1].append(
                kendall_tau([known.get(f"v{n}", newcomer()).rating for n in range(field.bots)], truth)
            )
    return taus


def _entrants(form: Ladder, bots: int, states: dict[str, EloState], units: Counter[Unit]) -> list[Entrant]:
    names = [f"v{n}" for n in range(bots)]
    if form.pairing == "batch":
        known = strengths(units)
        found = [known.get(name, newcomer()) for name in names]
        return [
            Entrant(name, rating=one.rating, deviation=math.sqrt(one.variance))
            for name, one in zip(names, found, strict=True)
        ]
    online = [states.get(name, Elo().initial()) for name in names]
    return [
        Entrant(name, rating=one.rating, games=one.games) for name, one in zip(names, online, strict=True)
    ]


def kendall_tau(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the rank correlation of two lists, between -1 and 1; ties in ``one`` count for nothing."""
    score = 0
    for i in range(len(one)):
        for j in range(i + 1, len(one)):
            score += ((one[i] > one[j]) - (one[i] < one[j])) * (1 if other[i] > other[j] else -1)
    return 2 * score / (len(one) * (len(one) - 1))


def ladder(target: float = 0.85, runs: int = 12, every: int = 4) -> None:
    """Print how many matches a bot it takes until the mean of tau reaches ``target``."""
    ways: dict[str, Ladder] = {
        "random": AtRandom(pairing="online"),
        "former ladder": FormerLadder(pairing="online"),
        "gain from Elo": Ladder(pairing="online"),
        "ladder": Ladder(),
    }
    for field in FIELDS:
        needed = []
        for name, form in ways.items():
            number = runs if field.bots < 100 else max(2, runs // 4)
            found = [curves(form, field, seed, every) for seed in range(number)]
            for table, title in ((0, "Elo table"), (1, "batch table")):
                means = [sum(taus) / number for taus in zip(*(one[table] for one in found), strict=True)]
                reached = next((every * (at + 1) for at, tau in enumerate(means) if tau >= target), None)
                needed.append(f"{name}, {title} {reached or f'above {LONGEST}'}")
        print(
            f"{field.bots} bots, sd {field.deviation:g}, luck {field.luck:g}: {'; '.join(needed)}", flush=True
        )


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
