"""What the ratings promise, tried on contests between bots of known strength.

Run ``python benchmarks/simulated_contests.py [coverage] [sprt] [ladder]`` (all by default; minutes). Prints

* coverage: how often the 95 % intervals of batch tables hold the truth, by kind of contest, width of the field and
  luck: the acceptance table of RATINGS, section 7.4.2, with the platform's own formats. It fails if a cell is below its
  bound. ``--tables`` says how many tables of a small contest make a cell, ``--full`` 300, and fields of 64 bots;
* sprt: error rates and lengths of the sequential test, at either hypothesis and midway;
* ladder: matches a bot until a table's Kendall tau with the true order is 0.85, paired at random, by the ladder, and by
  the ladder as it was; in fields narrow and wide, of few bots and many, with and without luck that pairs share.

Every number follows from the seeds in this file.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as with_default

from botleague.formats import DoubleKnockout, Gauntlet, Knockout, Ladder, RoundRobin, Swiss
from botleague.formats.ladder import Estimate
from botleague.league.season.gathered_results import Gathered
from botleague.league.season_ratings.batch_ratings import TIE
from botleague.ratings import (
    PRIOR,
    Elo,
    EloState,
    Prior,
    Result,
    Side,
    Sprt,
    Strength,
    Table,
    Tie,
    Unit,
    evidence,
    expected_score,
    fit_columns,
    newcomer,
    pairs_needed,
    replay,
    strengths,
)
from botleague.rules.formats import Entrant, Format, Game, GroupResult, Pairing


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


@dataclass(frozen=True, slots=True)
class Luck:
    """How chance enters matches.

    Attributes:
        drawn: share of the games between equals of two seats that are drawn.
        shared: probability that a bot's luck in a match is that of its first match of the mirrored set.
        is_fixed: games without chance: the same bots on the same seats play the same game again.
    """

    drawn: float = 0.0
    shared: float = 0.0
    is_fixed: bool = False


PLAIN = Luck()


@dataclass(frozen=True, slots=True)
class Contest:
    """A kind of contest, held as the platform holds it: its formats plan, its evidence is gathered by its own code.

    Attributes:
        name: for the table.
        form: who meets whom.
        bots: how many.
        weight: tables of it for each one of a small contest; those of many bots take long and hold many intervals.
        leave_after: a third of the bots leave after this round; 0 for none.
        is_annulled: what leavers have played counts for nothing.
        new_after: each bot gets a new version after this round, 0 for none; stronger by 25 +-50 in the mean.
        tie: between those, as in a table of a season that runs.
        is_fixed: in a game without chance.
        is_seeded: by the table of a season before, a round robin between the same bots: the terms forbid to estimate.
    """

    name: str
    form: Format
    bots: int
    weight: float = 1.0
    leave_after: int = 0
    is_annulled: bool = False
    new_after: int = 0
    tie: float = 0.0
    is_fixed: bool = False
    is_seeded: bool = False


def play(
    pairings: Sequence[Pairing], truth: Sequence[float], luck: Luck, rng: random.Random, seen: dict[str, Game]
) -> list[Game]:
    """Return the games of a mirrored set between bots of these strengths.

    Args:
        seen: games without chance that were played before.
    """
    first: dict[int, float] | None = None
    games = []
    for pairing in pairings:
        seats, known = pairing.seats, f"{pairing.seats} {[truth[bot] for bot in pairing.seats]}"
        if luck.is_fixed and known in seen:
            games.append(seen[known])
            continue
        # two seats: one number decides, whoever sits where; more: each bot's strength plus noise, the order decides
        table = sorted(seats)
        own = {bot: rng.random() for bot in (table[:1] if len(table) == 2 else table)}
        first = first or own
        own = {bot: first[bot] if rng.random() < luck.shared else x for bot, x in own.items()}
        if len(table) == 2:
            expected = expected_score(truth[table[0]], truth[table[1]])
            drawn = min(luck.drawn * 4 * expected * (1 - expected), 2 * expected, 2 * (1 - expected))
            x = own[table[0]]
            shown = {table[0]: (x < expected - drawn / 2) - (x > expected + drawn / 2), table[1]: 0.0}
        else:
            shown = {bot: truth[bot] - 400 / math.log(10) * math.log(-math.log(x)) for bot, x in own.items()}
        places = tuple(1 + sum(shown[other] > shown[bot] for other in seats) for bot in seats)
        games.append(Game(seats, places))
        seen[known] = games[-1]
    return games


def hold(contest: Contest, deviation: float, luck: Luck, rng: random.Random) -> tuple[Gathered, list[float]]:
    """Hold a contest, and return its evidence and the true strengths of all versions of its bots, by number."""
    bots = range(contest.bots)
    truth = [rng.gauss(0, deviation) for _ in bots]
    starts = [0.0 for _ in bots]
    if contest.is_seeded:
        before, _ = _held(Contest("", RoundRobin(), contest.bots), truth, starts, luck, rng)
        starts = [before.fit().strengths()[str(bot)].rating for bot in bots]
    return _held(contest, truth, starts, replace(luck, is_fixed=contest.is_fixed), rng)


def _held(
    contest: Contest, truth: list[float], starts: Sequence[float], luck: Luck, rng: random.Random
) -> tuple[Gathered, list[float]]:
    form, bots, playing = contest.form, range(contest.bots), list(range(contest.bots))
    leavers = set(rng.sample(bots, contest.bots // 3)) if contest.leave_after else set()
    results: list[GroupResult] = []
    rounds: list[list[tuple[GroupResult, tuple[int, ...]]]] = []
    gathered, seed, seen = Gathered(), rng.randrange(10**9), dict[str, Game]()
    while True:
        shown = [Strength(rating, 0.0) for rating in starts]
        if form.entrant_ratings == "batch":
            known = gathered.fit().strengths()
            shown = [known.get(str(version), newcomer()) for version in playing]
        entrants = [
            Entrant(
                str(bot),
                rating=shown[bot].rating,
                deviation=math.sqrt(shown[bot].variance) or None,
                left=contest.leave_after if bot in leavers else None,
            )
            for bot in bots
        ]
        coming: dict[int, list[Pairing]] = {}
        done = {result.group for result in results}
        for pairing in form.plan(entrants, results, seed).pairings:
            if pairing.group not in done:
                coming.setdefault(pairing.group, []).append(pairing)
        if not coming:
            break
        number = next(iter(coming.values()))[0].round
        if contest.new_after and number > contest.new_after and playing[0] == 0:
            truth = [*truth, *(strength + rng.gauss(25, 50) for strength in truth)]
            playing = [bot + contest.bots for bot in bots]
        strengths_now = [truth[version] for version in playing]
        of_round = [
            (
                GroupResult(group, number, tuple(play(pairings, strengths_now, luck, rng, seen))),
                tuple(playing),
            )
            for group, pairings in coming.items()
            if pairings[0].round == number
        ]
        results += [result for result, _ in of_round]
        rounds.append(of_round)
        add(gathered, of_round, luck)
    if contest.is_annulled:
        gathered = Gathered()
        for of_round in rounds:
            add(gathered, [one for one in of_round if not leavers & one[0].points().keys()], luck)
    return gathered, truth


def add(gathered: Gathered, of_round: Iterable[tuple[GroupResult, tuple[int, ...]]], luck: Luck) -> None:
    """Gather the results of a round, as the platform does: by version, and repeats once."""
    log: list[tuple[int, Result]] = []
    digests: list[tuple[int, tuple[str | int, ...]]] = []
    for result, playing in of_round:
        for game in result.games:
            versions = tuple(playing[bot] for bot in game.seats)
            sides = [
                Side((str(version),), place) for version, place in zip(versions, game.places, strict=True)
            ]
            log.append((result.group, Result(f"{result.group} {len(log)}", len(log), tuple(sides))))
            digests.append((result.group, ("game" if luck.is_fixed else f"{result.group}", *versions)))
    gathered.add(log, digests)


CONTESTS = [
    Contest("round robin, 2 bots, 1 round", RoundRobin(), 2, 4),
    Contest("round robin, 2 bots, 4 rounds", RoundRobin(rounds=4), 2, 4),
    Contest("round robin, 2 bots, 20 rounds", RoundRobin(rounds=20), 2, 4),
    Contest("round robin, 3 bots, 1 round", RoundRobin(), 3, 3),
    Contest("round robin, 4 bots, 1 round", RoundRobin(), 4, 2),
    Contest("round robin, 8 bots, 2 rounds", RoundRobin(rounds=2), 8),
    Contest("round robin, 8 bots, 10 rounds", RoundRobin(rounds=10), 8),
    Contest("knockout, 8 bots", Knockout(), 8),
    Contest("double knockout, 8 bots", DoubleKnockout(), 8),
    Contest("gauntlet, 1 against 8, 1 round", Gauntlet(), 9),
    Contest("gauntlet, 1 against 8, 5 rounds", Gauntlet(rounds=5), 9),
    Contest("gauntlet, 8 meet a staff of 3, 3 rounds", Gauntlet(staff=3, rounds=3), 11),
    Contest("swiss, 10 bots, 4 rounds", Swiss(rounds=4), 10),
    Contest("swiss, 32 bots, 9 rounds", Swiss(rounds=9), 32, 0.3),
    Contest("ladder, 16 bots, 40 rounds", Ladder(rounds=40), 16, 0.3),
    Contest("ladder, 32 bots, 60 rounds", Ladder(rounds=60), 32, 0.1),
    Contest(
        "ladder paired by online ratings, 16 bots, 40 rounds", Ladder(rounds=40, pairing="online"), 16, 0.3
    ),
    Contest("round robin, 9 bots, 3 rounds, a third leave", RoundRobin(rounds=3), 9, leave_after=9),
    Contest(
        "round robin, 9 bots, 3 rounds, a third leave, annulled",
        RoundRobin(rounds=3),
        9,
        leave_after=9,
        is_annulled=True,
    ),
    Contest("swiss, 15 bots, 6 rounds, a third leave", Swiss(rounds=6), 15, 0.7, leave_after=2),
    Contest("ladder, 15 bots, 40 rounds, a third leave", Ladder(rounds=40), 15, 0.3, leave_after=15),
    Contest("round robin, 8 bots, 6 rounds, new versions", RoundRobin(rounds=6), 8, new_after=21),
    Contest("the same while it runs, versions tied", RoundRobin(rounds=6), 8, new_after=21, tie=TIE),
    Contest(
        "ladder, 12 bots, 40 rounds, new versions, tied", Ladder(rounds=40), 12, 0.3, new_after=20, tie=TIE
    ),
    Contest("4 seats, round robin, 8 bots", RoundRobin(seats=4), 8),
    Contest("4 seats, ladder, 12 bots, 12 rounds", Ladder(rounds=12, seats=4), 12, 0.5),
    Contest("4 seats, gauntlet, 1 against 9, 3 rounds", Gauntlet(rounds=3, seats=4), 10),
    Contest("8 seats, round robin, 16 bots", RoundRobin(seats=8), 16, 0.3),
    Contest("no chance: round robin, 8 bots, 10 rounds", RoundRobin(rounds=10), 8, is_fixed=True),
    Contest("no chance: gauntlet, 1 against 8, 5 rounds", Gauntlet(rounds=5), 9, is_fixed=True),
    Contest("no chance: swiss, 10 bots, 4 rounds", Swiss(rounds=4), 10, is_fixed=True),
    Contest("no chance: ladder, 16 bots, 40 rounds", Ladder(rounds=40), 16, 0.3, is_fixed=True),
    Contest("seeded by a table: swiss, 10 bots, 4 rounds", Swiss(rounds=4), 10, is_seeded=True),
    Contest("seeded by a table: swiss, 32 bots, 9 rounds", Swiss(rounds=9), 32, 0.3, is_seeded=True),
    Contest("seeded by a table: knockout, 8 bots", Knockout(), 8, is_seeded=True),
]

LARGE = [
    Contest("ladder, 64 bots, 60 rounds", Ladder(rounds=60), 64, 0.05),
    Contest("swiss, 64 bots, 11 rounds", Swiss(rounds=11), 64, 0.1),
]

COLUMNS: dict[str, tuple[float, Luck]] = {
    **{f"sd {deviation}": (deviation, Luck()) for deviation in (0, 50, 200, 400)},
    **{f"luck 0.7, sd {deviation}": (deviation, Luck(shared=0.7)) for deviation in (50, 200, 400)},
    **{f"half drawn, sd {deviation}": (deviation, Luck(drawn=0.5)) for deviation in (50, 200, 400)},
}

PRIORS: tuple[Prior, Prior] = (PRIOR, "estimated")

BOUND = 0.93

BOUNDS = {
    ("gauntlet, 1 against 8, 1 round", "half drawn, sd 400"): 0.88,
    ("knockout, 8 bots", "half drawn, sd 400"): 0.91,
}
"""Cells that fall below, and how far: who wins everything tells no upper bound."""

SEEDED_BOUND = 0.75
"""Where the terms forbid to estimate, tables are at two virtual draws, with their limits in narrow and wide fields."""


@dataclass(slots=True)
class Coverage:
    """What the tables of many contests of one kind showed: at two virtual draws, and with the spread estimated.

    Attributes:
        held: for each table the share of 95 % intervals that held the truth, of both.
        widths: the sum of all intervals, of both.
        claims: by lower bound of the claimed likelihood of superiority: how many shown claims were true, and how many.
    """

    held: tuple[list[float], list[float]] = with_default(default_factory=lambda: ([], []))
    widths: list[float] = with_default(default_factory=lambda: [0.0, 0.0])
    claims: dict[float, list[int]] = with_default(default_factory=lambda: {0.95: [0, 0], 0.99: [0, 0]})

    def share(self, which: int) -> float:
        """Return how often intervals held the truth: 0 at two virtual draws, 1 with the spread estimated."""
        return sum(self.held[which]) / len(self.held[which])

    def doubt(self, which: int) -> float:
        """Return the standard error of :meth:`share`, tables being independent."""
        mean, number = self.share(which), len(self.held[which])
        return math.sqrt(sum((one - mean) ** 2 for one in self.held[which]) / number / max(1, number - 1))


def measure(contest: Contest, deviation: float, luck: Luck, tables: int, seed: str) -> Coverage:
    """Hold a contest so many times and return how far its tables can be trusted."""
    rng = random.Random(f"{seed} {contest.name} {deviation} {luck}")
    found = Coverage()
    for _ in range(tables):
        gathered, truth = hold(contest, deviation, luck, rng)
        tie = Tie(contest.tie, [[str(bot), str(bot + contest.bots)] for bot in range(contest.bots)])
        at_two, estimated = (fit_columns(gathered.units, prior, tie=tie) for prior in PRIORS)
        true = [truth[int(bot)] for bot in estimated.bots]
        middle = sum(true) / len(true) - 1500
        for which, table in enumerate((at_two, estimated)):
            intervals = table.intervals()
            held = [low <= value - middle <= high for value, (low, high) in zip(true, intervals, strict=True)]
            found.held[which].append(sum(held) / len(held))
            found.widths[which] += sum(high - low for low, high in intervals)
        shown = at_two if contest.is_seeded else estimated
        for one, other in itertools.permutations(range(len(true)), 2):
            claim = shown.superiority(shown.bots[one], shown.bots[other])
            if claim >= 0.95:
                count = found.claims[0.99 if claim >= 0.99 else 0.95]
                count[0] += true[one] > true[other]
                count[1] += 1
    return found


def seats_of(form: Format) -> int:
    """Return how many bots sit in a match."""
    return getattr(form, "seats", 2)


def coverage(tables: int, *, is_full: bool) -> list[str]:
    """Print in percent how often 95 % intervals held, and return the cells that fall below their bound.

    A cell is "at two virtual draws / with the spread estimated, new width over old". The bound is for what tables show:
    the second number, but the first where the terms forbid to estimate. A cell has failed if it is two of its own
    standard errors below.
    """
    print("| |", " | ".join(COLUMNS), "|\n|" + "---|" * (1 + len(COLUMNS)), flush=True)
    failed, claims = [], {name: {0.95: [0, 0], 0.99: [0, 0]} for name in COLUMNS}
    for contest in CONTESTS + LARGE * is_full:
        cells = []
        for name, (deviation, luck) in COLUMNS.items():
            # Games without chance share no luck, and three or more seldom draw.
            if (contest.is_fixed and luck != Luck()) or (luck.drawn and seats_of(contest.form) > 2):
                cells.append("-")
                continue
            found = measure(contest, deviation, luck, max(4, round(tables * contest.weight)), "coverage")
            old, new = (100 * found.share(which) for which in (0, 1))
            cells.append(f"{old:.0f} / {new:.0f}, {found.widths[1] / found.widths[0]:.2f}")
            which = 0 if contest.is_seeded else 1
            bound = SEEDED_BOUND if contest.is_seeded else BOUNDS.get((contest.name, name), BOUND)
            if found.share(which) + 2 * found.doubt(which) < bound:
                cells[-1] += " !"
                failed.append(
                    f"{contest.name}, {name}: {100 * found.share(which):.1f} +-{100 * found.doubt(which):.1f} %, "
                    f"which is below {100 * bound:g} %"
                )
            for low, (true, made) in found.claims.items():
                if not contest.is_seeded:
                    claims[name][low][0] += true
                    claims[name][low][1] += made
        print(f"| {contest.name} | {' | '.join(cells)} |", flush=True)
    for name, by_low in claims.items():
        said = "; ".join(
            f"{made} claims of {low:.0%} and more, {100 * true / made:.1f} % of them true"
            if made
            else "no claims"
            for low, (true, made) in by_low.items()
        )
        print(f"{name}: {said}")
    return failed


def main() -> None:
    parts = ("coverage", "sprt", "ladder")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(parts)}; all by default")
    parser.add_argument("--tables", type=int, default=20, help="coverage: tables of each small contest")
    parser.add_argument("--full", action="store_true", help="coverage: 300 tables, and fields of 64 bots")
    given = parser.parse_args()
    chosen = given.parts or parts
    if unknown := sorted(set(chosen) - set(parts)):
        parser.error(f"no part is called {unknown[0]!r}; there are {', '.join(parts)}")
    failed = []
    if "coverage" in chosen:
        failed = coverage(300 if given.full else given.tables, is_full=given.full)
    if "sprt" in chosen:
        sprt()
    if "ladder" in chosen:
        ladder()
    if failed:
        raise SystemExit("Below its bound:\n" + "\n".join(failed))


if __name__ == "__main__":
    main()
