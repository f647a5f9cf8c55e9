"""The crowd's generator, read as a stream of 32-bit words.

The crowd uses ``random.Random`` through ``uniform(0, 1)``, ``shuffle`` of four directions and ``choice``. Each takes
whole words from the Mersenne Twister. We fetch them by the *page*, and find out for a whole page at once which shuffle
would begin at any of its words:

* ``shuffle`` of four is Fisher-Yates from the back: a number below 4, one below 3, one below 2. A number below ``n``
  is the ``n.bit_length()`` highest bits of a word, drawn again until it is below ``n``. With the three highest bits of
  a word as its *symbol*: the symbol as soon as it is below 4; half of a symbol below 6; half of a symbol below 4.
* So symbols 6 and 7 are always passed over, and 4 and 5 unless they come right after a first number, where both are
  the number 2. What is left are the *low words* with symbols 0 to 3. A shuffle takes two of them if a 4 or 5 follows
  the first, else three: its numbers, and the start of the next shuffle, follow from five bits.
* ``choice`` draws one number below the length, ``uniform`` takes two words for the 53 bits of a float.

That is what CPython's generator has done since 3.2, word for word.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

SHUFFLES = 32
"""Bits 0 and 1 of a shuffle are its first number, bit 2 says whether its second is 2; bits 3 and 4 are the rest."""

LOW_WORDS = bytes(2 if shuffle & 4 else 3 for shuffle in range(SHUFFLES))
"""Number of low words that each shuffle takes."""

OVERLAP_WORDS = 512
"""Words of the next page at the end of each, for shuffles that begin before it. None is that long in 10**140."""


def numbers_of(shuffle: int) -> tuple[int, int, int]:
    """Return the numbers below 4, 3 and 2 that a shuffle draws."""
    first, second_is_2, next_bit, last_bit = shuffle & 3, shuffle & 4, shuffle >> 3 & 1, shuffle >> 4
    return (first, 2, next_bit) if second_is_2 else (first, next_bit, last_bit)


@dataclass(frozen=True, slots=True)
class ChanceState:
    """The generator after some words: what ``random.Random.getstate`` returned once, and the words read since."""

    page: tuple[Any, ...]
    read: int = 0


def chance_from_seed(seed: int) -> ChanceState:
    """Return the state of ``random.Random(seed)`` before its first use."""
    return ChanceState(Random(seed).getstate())


@dataclass(frozen=True, slots=True, eq=False)
class _Page:
    """Some words of the generator.

    Attributes:
        words: the words, four bytes each, least first.
        shuffles: per low word the shuffle whose first number it is; the last two are left out.
        places: per low word its place among all words.
        after: the state of the generator at the next page.
    """

    words: bytes
    shuffles: bytes
    places: memoryview
    after: tuple[Any, ...]


@lru_cache(maxsize=4)  # a page lasts for several steps of a small crowd
def _page(state: tuple[Any, ...], length: int) -> _Page:
    """Return the page of ``length`` words that begins with ``state``."""
    import numpy as np  # here, as most who import this module have no crowd to think for

    rng = Random(0)
    rng.setstate(state)
    words = rng.getrandbits(32 * length).to_bytes(4 * length, "little")
    after = rng.getstate()
    words += rng.getrandbits(32 * OVERLAP_WORDS).to_bytes(4 * OVERLAP_WORDS, "little")
    symbols = np.frombuffer(words, np.uint8)[3::4] >> 5
    taken = symbols[symbols < 6]
    firsts = np.flatnonzero(taken < 4)
    numbers = taken[firsts]
    second_is_2 = taken[firsts[:-2] + 1] & 4
    bits = numbers >> 1
    return _Page(
        words=words,
        shuffles=(numbers[:-2] | second_is_2 | bits[1:-1] << 3 | bits[2:] << 4).tobytes(),
        places=np.flatnonzero(symbols < 4).data,
        after=after,
    )


class Words:
    """A reader of the words of one generator; lives for one step.

    A loop of many shuffles reads them itself: after :meth:`begin` it takes ``shuffles[at]``, advances by the shuffle's
    number of low words, calls :meth:`turn_page` at the end of a page, and passes its position to :meth:`end`.

    Attributes:
        shuffles: per low word of the page the shuffle that begins with it.
    """

    def __init__(self, state: ChanceState, length: int) -> None:
        """Start at ``state`` and fetch ``length`` words at a time."""
        self._state = state.page
        self._at = state.read
        self._length = length
        self._open()

    def _open(self) -> None:
        self._page = _page(self._state, self._length)
        self.shuffles = self._page.shuffles

    def _on_page(self) -> int:
        """Return the place of the next word, after turning to its page."""
        while self._at >= self._length:
            self._at -= self._length
            self._state = self._page.after
            self._open()
        return self._at

    def begin(self) -> int:
        """Return the low word from which the next shuffle begins."""
        place = self._on_page()
        return bisect_left(self._page.places, place)

    def end(self, at: int) -> None:
        """Take note that shuffles were read up to the low word ``at``."""
        self._at = self._page.places[at - 1] + 1

    def turn_page(self, at: int) -> int:
        """Return the low word of the next page that is the low word ``at`` of this one."""
        self.end(at)
        return self.begin()

    def shuffle(self) -> int:
        """Return the next shuffle."""
        at = self.begin()
        shuffle = self.shuffles[at]
        self.end(at + LOW_WORDS[shuffle])
        return shuffle

    def pass_over(self, words: int) -> None:
        """Leave some words unread."""
        self._at += words

    def word(self) -> int:
        """Return the next whole word."""
        start = 4 * self._on_page()
        self._at += 1
        return int.from_bytes(self._page.words[start : start + 4], "little")

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
        return ChanceState(self._state, self._at)
