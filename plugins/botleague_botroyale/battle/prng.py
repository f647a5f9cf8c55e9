"""The generator that draws the order of each round: a linear congruential one, public to all bots.

Source: rules/botroyale.md, section 9.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

MUL = 1103515245
INC = 12345
MOD = 2**31
NEXT_SEED_ITERATIONS = 100


class PRNG(Iterator[float]):
    """Iterator of floats from 0 to 1.

    Args:
        seed: 0 to ``MAX_SEED_VALUE``, None for one from Python's global generator.

    Raises:
        AssertionError: the seed is not an int in that range.
    """

    MAX_SEED_VALUE = MOD - 1

    def __init__(self, seed: int | None = None) -> None:
        if seed is None:
            seed = self.get_random_seed()
        assert isinstance(seed, int)
        assert 0 <= seed <= self.MAX_SEED_VALUE
        self._seed = seed

    @property
    def seed(self) -> int:
        """The generator's whole state."""
        return self._seed

    @property
    def value(self) -> float:
        """The value drawn last."""
        return self._seed / MOD

    def __next__(self) -> float:
        self._seed = (MUL * self._seed + INC) % MOD
        return self.value

    def iterate(self, count: int) -> float:
        """Draw ``count`` values and return the last."""
        for _ in range(count):
            next(self)
        return self.value

    def generate_list(self, size: int) -> list[float]:
        """Draw and return ``size`` values."""
        return [next(self) for _ in range(size)]

    def copy(self) -> PRNG:
        """Return a generator that continues from the same state."""
        return PRNG(self._seed)

    @classmethod
    def get_random_seed(cls) -> int:
        """Return a seed from Python's global generator."""
        return random.randint(0, cls.MAX_SEED_VALUE)


def _leap(iterations: int) -> tuple[int, int]:
    """Return multiplier and increment of ``iterations`` iterations at once."""
    mul, inc = 1, 0
    for _ in range(iterations):
        mul, inc = mul * MUL % MOD, (inc * MUL + INC) % MOD
    return mul, inc


_LEAP_MUL, _LEAP_INC = _leap(NEXT_SEED_ITERATIONS)


def next_round_seed(seed: int) -> int:
    """Return the seed of the next round."""
    return (_LEAP_MUL * seed + _LEAP_INC) % MOD


def round_order(seed: int, spent: Sequence[int], living: Sequence[int]) -> list[int]:
    """Return the living units in their order in the next round: who spent less comes first.

    Args:
        seed: the present round's.
        spent: action points every unit, dead or alive, spent this round.
        living: the living units, ascending.
    """
    draws = []
    for _ in spent:
        seed = (MUL * seed + INC) % MOD
        draws.append(seed)
    return sorted(living, key=lambda uid: (spent[uid], draws[uid]))
