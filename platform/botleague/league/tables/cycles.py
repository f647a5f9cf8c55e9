"""Cycles: a beats b, b beats c, and c beats a, where that is more than luck.

Even if bots have a clear order, luck alone creates many such cycles: twelve bots that met a few times show five or
more. A false cycle has at least one pair in which the weaker bot came out ahead. So a bot beats another only if its
points are very unlikely between equals: among all pairs of the table, one such error comes once in twenty tables. Then
all cycles of such pairs are real, however many there are.

Source: W. Hoeffding, Probability inequalities for sums of bounded random variables, JASA 58, 1963, theorem 1.
"""

from __future__ import annotations

import math

import msgspec

from botleague.league.season import Season
from botleague.league.season_ratings import done_so_far, gather
from botleague.ratings import Columns

RISK = 0.05
"""Probability that a table of bots that have an order shows any cycle."""


class Cycle(msgspec.Struct, frozen=True):
    """Three bots, each of which beats the next and the last one the first.

    Attributes:
        bots: their names.
        points: points that each took from the next, in sets.
        sets: number of mirrored sets of each pair.
    """

    bots: tuple[str, str, str]
    points: list[float]
    sets: list[int]

    def __str__(self) -> str:
        shares = ", ".join(
            f"{points:.4g} of {sets}" for points, sets in zip(self.points, self.sets, strict=True)
        )
        return f"{' beats '.join((*self.bots, self.bots[0]))} ({shares} sets)"


def season_cycles(season: Season) -> list[Cycle]:
    """Return the cycles in a season's results, by title of the bots' versions."""
    cycles = find_cycles(gather(season, done_so_far(season)).units)
    titles = {str(version): row.title for version, row in season.names.items()}
    return [msgspec.structs.replace(cycle, bots=tuple(titles[bot] for bot in cycle.bots)) for cycle in cycles]


def find_cycles(units: Columns) -> list[Cycle]:
    """Return the significant cycles, the clearest first; each starts with the bot whose name comes first.

    Args:
        units: the evidence; sets that repeat an earlier one are in it once.
    """
    met = _met(units)
    beats: dict[str, dict[str, float]] = {}
    for (one, other), (points, sets) in met.items():
        for winner, loser, won in ((one, other, points), (other, one, sets - points)):
            # Either of two equal bots may seem to beat the other.
            if 2 * len(met) * (chance := _chance(won, sets)) < RISK:
                beats.setdefault(winner, {})[loser] = chance
    ranked = []
    for one, losers in beats.items():
        for other in losers:
            for third in beats.get(other, {}):
                if one < other and one < third and one in beats.get(third, {}):
                    bots = (one, other, third)
                    pairs = [(one, other), (other, third), (third, one)]
                    shares = [_share(met, *pair) for pair in pairs]
                    worst = max(beats[winner][loser] for winner, loser in pairs)
                    cycle = Cycle(bots, [won for won, _ in shares], [of for _, of in shares])
                    ranked.append((worst, bots, cycle))
    return [cycle for *_, cycle in sorted(ranked, key=lambda item: item[:2])]


def _met(units: Columns) -> dict[tuple[str, str], tuple[float, int]]:
    """Return for each pair of bots the points of the first, where a set counts as one, and the number of sets."""
    met: dict[tuple[str, str], tuple[float, int]] = {}
    for size, block in units.blocks.items():
        for unit, first, second, points, games in zip(
            block.unit, block.first, block.second, block.points, block.games, strict=True
        ):
            one, other = (units.bots[block.rows[unit * size + place]] for place in (first, second))
            share = points / games
            if one > other:
                one, other, share = other, one, 1 - share
            count = int(block.counts[unit])
            taken, sets = met.get((one, other), (0.0, 0))
            met[one, other] = (taken + count * share, sets + count)
    return met


def _share(met: dict[tuple[str, str], tuple[float, int]], winner: str, loser: str) -> tuple[float, int]:
    if (winner, loser) in met:
        return met[winner, loser]
    points, sets = met[loser, winner]
    return sets - points, sets


def _chance(won: float, sets: int) -> float:
    """Return a bound of the chance that one of two equals takes ``won`` of ``sets``, for any distribution of a set."""
    share = won / sets
    if share <= 0.5:
        return 1.0
    lost = (1 - share) * math.log(2 * (1 - share)) if share < 1 else 0.0
    return math.exp(-sets * (share * math.log(2 * share) + lost))
