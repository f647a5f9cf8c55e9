"""Hundreds of shots: what a volley does, for whole columns at a time.

Sums and comparisons of doubles have the same bits in numpy as in Python, so they are all that is left to it; squares
and roots, which differ, are computed one by one for the few shots near a robot. The columns are arrays of
the standard library, in whose memory numpy computes: they compare as values do, and give Python's own floats.

Source: rules/pybots.md, section 4.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from botleague_pybots.battle.volley import Reach, Shot, Volley, columns
from botleague_pybots.options import Arena


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
            return self._replace(x=_sum(self.x, self.dx), y=_sum(self.y, self.dy))

    def outside(self, arena: Arena) -> set[int]:
        """Return the indices of shots that are not inside the arena, or nowhere at all."""
        x, y = np.asarray(self.x), np.asarray(self.y)
        with np.errstate(invalid="ignore"):
            inside = (x >= 0) & (x <= arena.width) & (y >= 0) & (y <= arena.height)
        return set((~inside).nonzero()[0].tolist())

    def near(self, reaches: Sequence[Reach]) -> list[tuple[int, int]]:
        """Return index of the shot and index of the place for all shots within reach, in order."""
        edges = [(x - reach, x + reach, y - reach, y + reach) for x, y, reach in reaches]
        left, right, top, bottom = np.array(edges).reshape(-1, 4).T[:, :, None]
        x, y = np.asarray(self.x), np.asarray(self.y)
        # A row for each place. Comparing in rows and looking in all of them at once is what takes least.
        with np.errstate(invalid="ignore"):
            near = (x > left) & (x < right) & (y > top) & (y < bottom)
        pairs = [divmod(at, len(x)) for at in near.ravel().nonzero()[0].tolist()]
        return sorted([(number, index) for index, number in pairs])

    def without(self, gone: Collection[int]) -> Barrage:
        """Return the barrage without the shots of these indices."""
        shots = list(self.shots)
        numbers = [array("d", column) for column in (self.x, self.y, self.dx, self.dy)]
        for index in sorted(gone, reverse=True):
            del shots[index]
            for column in numbers:
                del column[index]
        return Barrage(tuple(shots), *numbers)


def _sum(numbers: Sequence[float], others: Sequence[float]) -> array[float]:
    total = array("d", numbers)
    view = np.frombuffer(total)
    view += np.asarray(others)
    return total
