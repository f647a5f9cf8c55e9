"""A tournament as the original runs it: a round robin, then a knock-out.

One generator serves the plan, the sides and the seeds of all games, so what comes next follows from the seed and
the results so far. :func:`progress` replays a tournament from its beginning up to the first game without a
result, which makes it a pure function: there is no state to save but the results.

Source: rules/pelita.md, section 15.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Literal, TypeAlias

from botleague_pelita.tournaments.bracket import Bracket, BracketRule, Bye, Contest, Seed, bracket, levels

BLUE: Literal[0] = 0
RED: Literal[1] = 1
DRAW: Literal[2] = 2
Result = Literal[0, 1, 2]
"""Result of a game: blue won, red won, a draw."""

MAX_GAMES = 3
"""Games of one knock-out match; when all are drawn, the lot decides."""

Pairing: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Game:
    """A game to play.

    Attributes:
        number: of the game in its tournament, from 1 in the order of play; games of round 2 that are repeated
            after a draw count as well.
        id: ``round1-match01``, ``round2-match03-repeat2``.
        blue, red: the teams.
        seed: of the game, maze included.
    """

    number: int
    id: str
    blue: str
    red: str
    seed: int


@dataclass(frozen=True, slots=True)
class Progress:
    """State of a tournament.

    Attributes:
        plan: pairings of round 1 as they were planned, blue first; they are played from the last to the first.
        played: games with a result, in order.
        pending: games that can be played now, in any order: what is left of round 1, or the next game of
            round 2; empty when the tournament is over.
        points: of round 1 by team in the order of the ranking: 2 for a win, 1 for a draw.
        ranking: teams by points; equal points in the order of the entrants. Empty until round 1 is over.
        tree: the bracket of round 2, None until round 1 is over.
        winners: of the contests of round 2 that are decided.
        winner: of the tournament.
    """

    plan: tuple[Pairing, ...]
    played: tuple[Game, ...] = ()
    pending: tuple[Game, ...] = ()
    points: Mapping[str, int] = field(default_factory=dict)
    ranking: tuple[str, ...] = ()
    tree: Bracket | None = None
    winners: Mapping[Contest, str] = field(default_factory=dict)
    winner: str | None = None


def progress(
    entrants: Sequence[str],
    results: Mapping[int, Result],
    seed: int | None = 42,
    *,
    bonus: bool = False,
    rule: BracketRule = "classic",
) -> Progress:
    """Return the state of a tournament after ``results``, with the next games.

    Args:
        entrants: the teams, in the order of the configuration file.
        results: by number of the game; for a game without a result, what it counts
            (:attr:`~botleague_pelita.play.state.Verdict.counted`).
        seed: of the tournament.
        bonus: the last of round 1 is set aside and plays the winner of the knock-out.
        rule: which bracket.

    Raises:
        ValueError: fewer than two teams, or two of the same name.
    """
    if len(entrants) < 2:
        raise ValueError(f"a tournament needs at least two teams, not {len(entrants)}")
    if len(set(entrants)) < len(entrants):
        raise ValueError("two teams of a tournament have the same name")
    rng = Random(seed)
    plan = schedule(entrants, rng)
    round1 = [
        Game(number, f"round1-match{number:02d}", blue, red, _draw_seed(rng))
        for number, (blue, red) in enumerate(reversed(plan), start=1)
    ]
    pending = tuple(game for game in round1 if game.number not in results)
    played = tuple(game for game in round1 if game.number in results)
    points = dict.fromkeys(entrants, 0)
    for game in played:
        match results[game.number]:
            case 0:
                points[game.blue] += 2
            case 1:
                points[game.red] += 2
            case _:
                points[game.blue] += 1
                points[game.red] += 1
    ranking = tuple(sorted(entrants, key=lambda team: -points[team]))
    points = {team: points[team] for team in ranking}
    if pending:
        return Progress(plan, played, pending, points)
    tree = bracket(ranking, rule, bonus=bonus)
    games = list(played)
    winners: dict[Contest, str] = {}
    knockout = _knockout(tree, rng, len(round1) + 1, winners)
    try:
        game = next(knockout)
        while game.number in results:
            games.append(game)
            game = knockout.send(results[game.number])
    except StopIteration as end:
        return Progress(plan, tuple(games), (), points, ranking, tree, winners, end.value)
    return Progress(plan, tuple(games), (game,), points, ranking, tree, winners)


def schedule(entrants: Sequence[str], rng: Random) -> tuple[Pairing, ...]:
    """Return the plan of round 1: every two teams once, blue first; it is played from its end."""
    places = pairings(len(entrants), rng)
    shuffled = list(entrants)
    rng.shuffle(shuffled)
    return tuple((shuffled[blue], shuffled[red]) for blue, red in places)


def pairings(count: int, rng: Random) -> list[tuple[int, int]]:
    """Return a round robin of ``count`` places with balanced sides, blue first."""
    if count == 3:
        return _places(rng.choice(["01 12 20", "01 20 12"]))
    if count == 5:
        return _five(rng)
    return _circle(count, rng)


def _five(rng: Random) -> list[tuple[int, int]]:
    plan = _places(rng.choice(["01 23 04 12 34 02 13 24 03 14", "01 23 04 12 34 02 14 03 24 13"]))
    fair = []
    for swaps in itertools.product((False, True), repeat=len(plan)):
        sides = [(b, a) if swap else (a, b) for (a, b), swap in zip(plan, swaps, strict=True)]
        blues = [blue for blue, _ in sides]
        if all(blues.count(team) == 2 for team in range(5)):
            fair.append(sides)
    return rng.choice(fair)


def _circle(count: int, rng: Random) -> list[tuple[int, int]]:
    places = list(range(count + count % 2))  # The last place is empty if count is odd.
    k = len(places)
    fixed = rng.choice([0, k - 1] if count % 2 else [0, k // 2 - 1, k // 2, k - 1])
    plan: list[tuple[int, int]] = []
    swap = False
    for _ in range(k - 1):
        still = places.pop(fixed)
        places = [*places[1:], places[0]]
        places.insert(fixed, still)
        for n in range(k // 2):
            blue, red = places[n], places[k - 1 - n]
            if n in (fixed, k - 1 - fixed):
                if swap:
                    blue, red = red, blue
                swap = not swap
            if blue < count and red < count:
                plan.append((blue, red))
    return plan


def coming(side: Bracket, winners: Mapping[Contest, str]) -> str:
    """Return the team that comes from a part of the knock-out.

    Raises:
        KeyError: its contest is open.
    """
    match side:
        case Seed(team):
            return team
        case Bye(of):
            return coming(of, winners)
        case Contest():
            return winners[side]


def _knockout(
    tree: Bracket, rng: Random, number: int, winners: dict[Contest, str]
) -> Generator[Game, Result, str]:
    """Yield the games of a bracket from ``number`` on, take their results, and return the winner.

    Args:
        winners: receives the winner of each contest.
    """
    contests = [contest for level in levels(tree) for contest in level]
    for match_number, contest in enumerate(contests, start=1):
        pair = [coming(contest.upper, winners), coming(contest.lower, winners)]
        winner: str | None = None
        for attempt in range(1, MAX_GAMES + 1):
            sides = list(pair)
            rng.shuffle(sides)
            repeat = f"-repeat{attempt}" if attempt > 1 else ""
            result = yield Game(
                number, f"round2-match{match_number:02d}{repeat}", sides[0], sides[1], _draw_seed(rng)
            )
            number += 1
            if result != DRAW:
                winner = sides[result]
                break
        winners[contest] = winner or rng.choice(pair)
    return coming(tree, winners)


def _draw_seed(rng: Random) -> int:
    return rng.randint(0, 2**63 - 1)


def _places(text: str) -> list[tuple[int, int]]:
    return [(int(pair[0]), int(pair[1])) for pair in text.split()]
