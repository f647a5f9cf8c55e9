"""The crowd's generator, read as a stream of 32-bit words.

The crowd uses ``random.Random`` through ``uniform(0, 1)``, ``shuffle`` of four directions and ``choice``. Each
takes whole words from the Mersenne Twister, and only the few highest bits of most of them, so we fetch words
in large blocks and hand out one *symbol*, the three highest bits, per word:

* ``shuffle`` of four is Fisher-Yates from the back: a number below 4, one below 3, one below 2. A number below
  ``n`` is the ``n.bit_length()`` highest bits of a word, drawn again until it is below ``n``: the symbol itself
  until it is below 4, half the symbol until it is below 3, half the symbol until it is below 2.
* ``choice`` draws one number below the length, ``uniform`` takes two words for the 53 bits of a float.

That is what CPython's generator has done since 3.2, word for word, at a fifth of the price a call costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from operator import length_hint
from random import Random
from typing import Any, TypeAlias

__all__ = ["ChanceState", "Words", "chance_from_seed"]

ChanceState: TypeAlias = tuple[Any, ...]
"""What ``random.Random.getstate`` returns: immutable, comparable."""

_SYMBOLS = bytes(byte >> 5 for byte in range(256))


def chance_from_seed(seed: int) -> ChanceState:
    """Return the state of ``random.Random(seed)`` before its first use."""
    return Random(seed).getstate()


class Words:
    """A reader of the words of one generator; lives for one step.

    Attributes:
        symbols: endless iterator of the three highest bits of each word. The hot loops of the crowd read it
            directly.
    """

    def __init__(self, state: ChanceState, block: int) -> None:
        """Start at ``state`` and fetch ``block`` words at a time."""
        self._rng = Random(0)
        self._rng.setstate(state)
        self._block_state = state
        self._words = block
        self._bytes = b""
        self._unread: Iterator[int] = iter(b"")
        self.symbols: Iterator[int] = chain.from_iterable(self._blocks())

    def _blocks(self) -> Iterator[Iterator[int]]:
        fetched = False
        while True:
            if fetched:
                self._block_state = self._rng.getstate()
            fetched = True
            self._bytes = self._rng.getrandbits(32 * self._words).to_bytes(4 * self._words, "little")
            self._unread = iter(self._bytes[3::4].translate(_SYMBOLS))
            yield self._unread

    def _read(self) -> int:
        """Return how many words of the present block have been read."""
        return self._words - length_hint(self._unread) if self._bytes else 0

    def word(self) -> int:
        """Return the next whole word."""
        next(self.symbols)
        end = 4 * self._read()
        return int.from_bytes(self._bytes[end - 4 : end], "little")

    def uniform(self) -> float:
        """Return what ``random()`` and ``uniform(0, 1)`` would: 53 random bits in [0, 1)."""
        high, low = self.word() >> 5, self.word() >> 6
        return (high * 67108864.0 + low) * (1.0 / 9007199254740992.0)

    def below(self, bound: int) -> int:
        """Return what ``randrange(bound)`` would, for a bound from 1 to 2**32 - 1."""
        shift = 32 - bound.bit_length()
        number = self.word() >> shift
        while number >= bound:
            number = self.word() >> shift
        return number

    def state(self) -> ChanceState:
        """Return the generator's state after exactly the words that were read."""
        read = self._read()
        if not read:
            return self._block_state
        self._rng.setstate(self._block_state)
        self._rng.getrandbits(32 * read)
        return self._rng.getstate()
