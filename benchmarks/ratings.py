"""How fast ratings are computed, and how often the errors of batch tables hold what they promise.

Run ``python benchmarks/ratings.py [speed] [coverage] [--matches N] [--pools N]`` (both by default).

* speed: a full rebuild of each online system reads matches from a file of JSON lines, as from a database, folds them
  and serialises the states of all bots. Prints seconds on one core, microseconds per match, the ratio to Elo, and how
  time grows when the number of matches or bots doubles; then batch tables up to 2,000 bots.
* coverage: contests of every kind between bots of known strength, with and without draws and shared luck. Prints in
  percent how often 95 % intervals held the truth by sandwich, plain and shown errors, how often shown claims that one
  bot is stronger were true, and the width of shown intervals over 1.96 times the actual root mean square error.

Every number of the second part follows from the seeds in this file.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from botleague.league.formats import (
    Entrant,
    Format,
    Game,
    Gauntlet,
    GroupResult,
    Knockout,
    Ladder,
    RoundRobin,
    Swiss,
)
from botleague.ratings import (
    Elo,
    Glicko2,
    PlackettLuce,
    RatingSystem,
    Result,
    Side,
    Table,
    Unit,
    evidence,
    expected_score,
    fit,
    newcomer,
    replay,
    strengths,
)

BOTS = 10_000


def write_log(path: Path, matches: int, seed: int) -> None:
    """Write two-sided matches between bots of known strength."""
    rng = random.Random(seed)
    truth = [rng.gauss(1500, 200) for _ in range(BOTS)]
    with path.open("w") as log:
        for number in range(matches):
            one, other = rng.sample(range(BOTS), 2)
            won = rng.random() < expected_score(truth[one], truth[other])
            places = [1, 1] if rng.random() < 0.2 else [1, 2] if won else [2, 1]
            log.write(f'[{number}, ["v{one}", "v{other}"], {places}]\n')


def read_log(path: Path) -> Iterator[Result]:
    """Yield the matches of a log in order."""
    with path.open() as log:
        for line in log:
            number, bots, places = json.loads(line)
            sides = tuple(Side((bot,), place) for bot, place in zip(bots, places, strict=True))
            yield Result(f"m{number}", number, sides)


def rebuild(system: RatingSystem[Any], path: Path) -> float:
    """Return the seconds of a full rebuild: read, fold, serialise."""
    start = time.process_time()
    table: Table[Any] = Table()
    for _ in replay(system, read_log(path), table):
        pass
    written = [json.dumps(system.dump(state)) for state in table.states.values()]
    assert len(written) <= BOTS
    return time.process_time() - start


def reading(path: Path) -> float:
    """Return the seconds that reading alone takes."""
    start = time.process_time()
    for _ in read_log(path):
        pass
    return time.process_time() - start


def print_batch(bots: int, matches: int) -> None:
    """Print the seconds of a batch table of mirrored pairs between bots that are close, as on a ladder."""
    rng = random.Random(bots)
    truth = sorted(rng.gauss(0, 300) for _ in range(bots))
    log: list[Result] = []
    for group in range(bots * matches // 4):
        one = rng.randrange(bots)
        other = min(bots - 1, max(0, one + rng.choice([-1, 1]) * rng.randrange(1, 40)))
        if one != other:
            games = mirrored_games([one, other], truth, Luck(), rng)
            log += [result_of(game, 2 * group + n, 2) for n, game in enumerate(games)]
    start = time.process_time()
    units = evidence(log, lambda result: result.sequence // 2)
    found = time.process_time()
    strengths(units)
    fitted = time.process_time()
    table = fit(units)
    table.errors()
    table.intervals()
    if table.has_superiority:
        for one_bot, next_bot in zip(table.bots, table.bots[1:], strict=False):
            table.superiority(one_bot, next_bot)
    end = time.process_time()
    print(
        f"batch table of {bots} bots, {len(log)} matches: {end - fitted:.1f} s, of which strengths alone "
        f"{fitted - found:.1f} s; gathering the evidence {found - start:.1f} s"
    )


def speed(matches: int) -> None:
    """Print how fast everything is."""
    with tempfile.TemporaryDirectory() as folder:
        whole, half, tenth = (Path(folder) / name for name in ("whole", "half", "tenth"))
        for path, number in ((whole, matches), (half, matches // 2), (tenth, matches // 10)):
            write_log(path, number, seed=1)
        elo, read = rebuild(Elo(), whole), reading(whole)
        print(f"Elo, {matches} matches of {BOTS} bots: {elo:.1f} s, of which reading {read:.1f} s")
        print(
            f"  {1e6 * elo / matches:.1f} us a match; half the matches take {rebuild(Elo(), half) / elo:.2f} of it"
        )
        print(f"  peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
        base = rebuild(Elo(), tenth)
        for system in (Elo(), Glicko2(), PlackettLuce()):
            seconds = rebuild(system, tenth)
            print(f"{system.name}: {1e7 * seconds / matches:.1f} us a match, {seconds / base:.2f} times Elo")
    for bots in (500, 1000, 2000, 4000):
        print_batch(bots, 50)


@dataclass(frozen=True, slots=True)
class Luck:
    """How chance enters matches.

    Attributes:
        drawn: share of the games between equals of two seats that are drawn.
        shared: probability that a bot's luck in a match is that of its first match of the mirrored set.
    """

    drawn: float = 0.0
    shared: float = 0.0


def mirrored_games(
    table: Sequence[int], truth: Sequence[float], luck: Luck, rng: random.Random
) -> tuple[Game, ...]:
    """Return the games of one mirrored set."""
    n = len(table)
    first: list[float] | None = None
    games = []
    for shift in range(n):
        # two seats: one number decides, whoever sits where; more: each bot's strength plus noise, the order decides
        chances = [rng.random() for _ in range(1 if n == 2 else n)]
        own = chances if n == 2 else [-400 / math.log(10) * math.log(-math.log(x)) for x in chances]
        if first is None:
            first = own
        own = [old if rng.random() < luck.shared else new for old, new in zip(first, own, strict=True)]
        if n == 2:
            expected = expected_score(truth[table[0]], truth[table[1]])
            drawn = min(luck.drawn * 4 * expected * (1 - expected), 2 * expected, 2 * (1 - expected))
            won, lost = own[0] < expected - drawn / 2, own[0] > expected + drawn / 2
            places = [1 + lost, 1 + won]
        else:
            shown = [truth[bot] + noise for bot, noise in zip(table, own, strict=True)]
            places = [1 + sum(other > value for other in shown) for value in shown]
        order = [(at + shift) % n for at in range(n)]
        games.append(Game(tuple(table[at] for at in order), tuple(places[at] for at in order)))
    return tuple(games)


def result_of(game: Game, sequence: int, set_size: int = 1) -> Result:
    """Return a game as ratings take it."""
    sides = tuple(Side((f"v{bot:04}",), place) for bot, place in zip(game.seats, game.places, strict=True))
    return Result(f"m{sequence}", sequence, sides, set_size=set_size)


Contest = Callable[[Sequence[float], Luck, random.Random], list[GroupResult]]
"""Plays a contest between bots of known strength and returns what came out."""


def held_as(form: Format) -> Contest:
    """Return a contest in ``form``."""

    def contest(truth: Sequence[float], luck: Luck, rng: random.Random) -> list[GroupResult]:
        entrants = [Entrant(f"v{bot:04}") for bot in range(len(truth))]
        results: dict[int, GroupResult] = {}
        seed = rng.randrange(10**9)
        while True:
            shown = rate(entrants, results.values()) if form.entrant_ratings == "batch" else entrants
            coming = [
                pairing
                for pairing in form.plan(shown, list(results.values()), seed).pairings
                if pairing.group not in results
            ]
            if not coming:
                return list(results.values())
            for pairing in coming:
                if pairing.group not in results:
                    games = mirrored_games(pairing.seats, truth, luck, rng)
                    results[pairing.group] = GroupResult(pairing.group, pairing.round, games)

    return contest


def rate(entrants: Sequence[Entrant], results: Iterable[GroupResult]) -> list[Entrant]:
    """Return ``entrants`` with the ratings by which a ladder pairs."""
    known = strengths(units_of(results))
    return [
        replace(one, rating=known[one.bot].rating, deviation=math.sqrt(known[one.bot].variance))
        if one.bot in known
        else replace(one, rating=0.0, deviation=math.sqrt(newcomer().variance))
        for one in entrants
    ]


def random_tables(seats: int, rounds: int) -> Contest:
    """Return a contest in which random tables play a mirrored set in each round."""

    def contest(truth: Sequence[float], luck: Luck, rng: random.Random) -> list[GroupResult]:
        results: list[GroupResult] = []
        for round in range(1, rounds + 1):
            order = rng.sample(range(len(truth)), len(truth))
            for at in range(0, len(order) - seats + 1, seats):
                games = mirrored_games(order[at : at + seats], truth, luck, rng)
                results.append(GroupResult(len(results) + 1, round, games))
        return results

    return contest


def units_of(results: Iterable[GroupResult]) -> dict[Unit, int]:
    """Return the evidence in groups of games."""
    log: list[Result] = []
    group_of: list[int] = []
    for group in results:
        for game in group.games:
            log.append(result_of(game, len(log)))
            group_of.append(group.group)
    return evidence(log, lambda result: group_of[result.sequence])


@dataclass(frozen=True, slots=True)
class Setting:
    """A kind of contest of which the section's table gives the coverage."""

    name: str
    bots: int
    contest: Contest
    deviation: float = 200.0
    seats: int = 2


SETTINGS = [
    Setting("swiss, 9 bots, 4 rounds", 9, held_as(Swiss(rounds=4))),
    Setting("swiss, 32 bots, 9 rounds", 32, held_as(Swiss(rounds=9))),
    Setting("round robin, 4 bots, 1 round", 4, held_as(RoundRobin())),
    Setting("round robin, 8 bots, 1 round", 8, held_as(RoundRobin())),
    Setting("round robin, 8 bots, 10 rounds", 8, held_as(RoundRobin(rounds=10))),
    Setting("round robin, 6 bots, 30 rounds", 6, held_as(RoundRobin(rounds=30))),
    Setting("knockout, 8 bots", 8, held_as(Knockout())),
    Setting("gauntlet, 1 against 8, 1 round", 9, held_as(Gauntlet())),
    Setting("gauntlet, 1 against 8, 5 rounds", 9, held_as(Gauntlet(rounds=5))),
    Setting("ladder, 32 bots, 30 matches each", 32, held_as(Ladder(rounds=30)), deviation=150.0),
    Setting("4 seats, 12 bots, 6 sets each", 12, random_tables(4, 6), seats=4),
    Setting("8 seats, 16 bots, 4 sets each", 16, random_tables(8, 4), seats=8),
]

LUCK = {"no draws": Luck(), "no draws, luck 0.7": Luck(shared=0.7), "half drawn": Luck(drawn=0.5)}

LUCK_OF_SEATS = {"luck 0": Luck(), "luck 0.7": Luck(shared=0.7), "luck 1": Luck(shared=1.0)}

KINDS = ("sandwich", "plain", "shown")


@dataclass(slots=True)
class Coverage:
    """What many contests of one setting showed.

    Attributes:
        held: how often 95 % intervals held the truth, by kind of error.
        intervals: how many there were.
        claims: by lower bound of the claimed likelihood of superiority: how many shown claims were true, and how many.
        claimed, actual: sums of squares of half a shown interval, and of 1.96 times the error of the rating.
    """

    held: Counter[str] = field(default_factory=Counter)
    intervals: int = 0
    claims: dict[float, list[int]] = field(default_factory=lambda: {0.95: [0, 0], 0.99: [0, 0]})
    claimed: float = 0.0
    actual: float = 0.0

    def share(self, kind: str) -> float:
        """Return how often intervals of ``kind`` held the truth."""
        return self.held[kind] / self.intervals


def measure(setting: Setting, luck: Luck, pools: int, seed: str) -> Coverage:
    """Hold ``pools`` contests and return how far their tables can be trusted."""
    rng = random.Random(f"{seed} {setting.name} {luck}")
    found = Coverage()
    for _ in range(pools):
        truth = [rng.gauss(0, setting.deviation) for _ in range(setting.bots)]
        units = units_of(setting.contest(truth, luck, rng))
        table = fit(units)
        true = {bot: truth[int(bot[1:])] for bot in table.bots}
        mean = sum(true.values()) / len(true)
        found.intervals += len(true)
        tables = (table.with_sandwich_errors(units), table.with_plain_errors(), table)
        for kind, one in zip(KINDS, tables, strict=True):
            for value, (low, high) in zip(true.values(), one.intervals(), strict=True):
                found.held[kind] += low <= value - mean + 1500 <= high
        for value, rating, (low, high) in zip(true.values(), table.ratings, table.intervals(), strict=True):
            found.claimed += (high - low) ** 2 / 4
            found.actual += 1.96**2 * (value - mean + 1500 - rating) ** 2
        for bot, other in combinations(table.bots, 2):
            claim = table.superiority(bot, other)
            if claim < 0.5:
                bot, other, claim = other, bot, 1 - claim
            if claim >= 0.95:
                count = found.claims[0.99 if claim >= 0.99 else 0.95]
                count[0] += true[bot] > true[other]
                count[1] += 1
    return found


def coverage(pools: int) -> None:
    """Print the table of coverage."""
    for setting in SETTINGS:
        for name, luck in (LUCK if setting.seats == 2 else LUCK_OF_SEATS).items():
            number = max(10, pools // 10) if "ladder" in setting.name else pools
            found = measure(setting, luck, number, "coverage")
            shares = " / ".join(f"{100 * found.share(kind):.0f}" for kind in KINDS)
            claims = ", ".join(
                f"{low:.0%} claims {100 * true / made:.1f} % of {made}" if made else f"no {low:.0%} claims"
                for low, (true, made) in found.claims.items()
            )
            width = math.sqrt(found.claimed / found.actual)
            print(f"{setting.name}, {name}: {shares}; {claims}; width {width:.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[[], "speed", "coverage"], metavar="PART")
    parser.add_argument("--matches", type=int, default=1_000_000, help="matches of the Elo rebuild")
    parser.add_argument(
        "--pools", type=int, default=300, help="contests of each setting; of the ladder a tenth"
    )
    given = parser.parse_args()
    parts = given.parts or ["speed", "coverage"]
    if "speed" in parts:
        speed(given.matches)
    if "coverage" in parts:
        coverage(given.pools)


if __name__ == "__main__":
    main()
