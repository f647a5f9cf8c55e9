"""Hundreds of shots: what a volley does, for whole columns at a time.

Sums and comparisons of doubles have the same bits in numpy as in Python, so they are all that is left to it; squares
and roots, which have not, are taken one by one, of the few shots that are near somebody. The columns are arrays of
the standard library, in whose memory numpy computes: they compare as values do, and give Python's own floats.

Source: rules/pybots.md, section 4.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from botleague_pybots.options import Arena
from botleague_pybots.volley import Reach, Shot, Volley, columns

__all__ = ["Barrage"]


class Barrage(Volley):
    """A volley of many shots."""

    __slots__ = ()

    @classmethod
    def of(cls, volley: Volley) -> Barrage:
        """Return a volley as a barrage."""
        shots, *numbers = volley
        return cls(shots, *[array("d", column) for column in numbers])

    def joined_by(self, fired: Collection[Shot], places: Iterable[tuple[float, float]]) -> Barrage:
        """Return the barrage with new shots at these places."""
        ours = (self.x, self.y, self.dx, self.dy)
        return Barrage(
            self.shots + tuple(fired),
            *[
                array("d", old) + array("d", new)
                for old, new in zip(ours, columns(fired, places), strict=True)
            ],
        )

    def moved(self) -> Barrage:
        """Return the barrage one step later."""
        with np.errstate(invalid="ignore"):
            return self._replace(x=_column(np.add(self.x, self.dx)), y=_column(np.add(self.y, self.dy)))

    def outside(self, arena: Arena) -> set[int]:
        """Return the indices of shots that are not inside the arena, or nowhere at all."""
        x, y = np.asarray(self.x), np.asarray(self.y)
        with np.errstate(invalid="ignore"):
            inside = (x >= 0) & (x <= arena.width) & (y >= 0) & (y <= arena.height)
        return set(np.flatnonzero(~inside).tolist())

    def near(self, reaches: Sequence[Reach]) -> list[tuple[int, int]]:
        """Return index of the shot and index of the place for all shots within reach, in order."""
        all_x, all_y = np.asarray(self.x), np.asarray(self.y)
        pairs: list[tuple[int, int]] = []
        with np.errstate(invalid="ignore"):
            for index, (x, y, reach) in enumerate(reaches):
                near = (abs(all_x - x) < reach) & (abs(all_y - y) < reach)
                pairs += [(number, index) for number in np.flatnonzero(near).tolist()]
        return sorted(pairs)

    def without(self, gone: Collection[int]) -> Barrage:
        """Return the barrage without the shots of these indices."""
        shots: list[Shot] = []
        kept = np.ones(len(self.shots), bool)
        begin = 0
        for index in sorted(gone):
            shots += self.shots[begin:index]
            kept[index] = False
            begin = index + 1
        return Barrage(
            (*shots, *self.shots[begin:]),
            *[_column(np.asarray(column)[kept]) for column in (self.x, self.y, self.dx, self.dy)],
        )


def _column(numbers: NDArray[np.float64]) -> array[float]:
    return array("d", numbers.tobytes())
