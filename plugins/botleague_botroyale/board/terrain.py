"""Terrain of the board: pits, walls and pressure plates, shared by all states between two changes.

Terrain is a value. It changes seldom (a trap pops, the ring clears a feature), so a state refers to one and
a transition passes it on; plates without a unit cost no copies.

:class:`Tiles` is what a bot gets to see of it: a set of its own, which remembers whether the bot changed it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from botleague_botroyale.board.hexagon import Hexagon
from botleague_botroyale.board.plates import Plate

T = TypeVar("T", bound=Hexagon)


class Terrain:
    """Pits, walls (these two may overlap) and plates, at most one per tile; never changed."""

    def __init__(self, pits: Iterable[Hexagon], walls: Iterable[Hexagon], plates: Iterable[Plate]) -> None:
        self.pits = frozenset(pits)
        self.walls = frozenset(walls)
        self.plates = {plate._key: plate for plate in plates}
        self.pit_keys = frozenset([hex._key for hex in self.pits])
        self.wall_keys = frozenset([hex._key for hex in self.walls])
        features = (self.pits, self.walls, self.plates.values())
        # The distances from the origin at which anything lies.
        self.rings = frozenset([hex._reach for tiles in features for hex in tiles])

    def without_ring(self, radius: int) -> Terrain:
        """Return the terrain with the ring of this radius cleared.

        Raises:
            ValueError: the radius is negative.
        """
        if radius < 0:
            raise ValueError("The ring of death cannot contract any further")
        if radius not in self.rings:
            return self
        return Terrain(
            [hex for hex in self.pits if hex._reach != radius],
            [hex for hex in self.walls if hex._reach != radius],
            [plate for plate in self.plates.values() if plate._reach != radius],
        )

    def with_pits(self, targets: frozenset[Hexagon]) -> Terrain:
        """Return the terrain after a pit trap: targets lose wall and plate and become pits."""
        return Terrain(self.pits | targets, self.walls - targets, self._plates_without(targets))

    def with_walls(self, targets: frozenset[Hexagon]) -> Terrain:
        """Return the terrain after a wall trap: targets lose pit and plate and become walls."""
        return Terrain(self.pits - targets, self.walls | targets, self._plates_without(targets))

    def erased(self, targets: frozenset[Hexagon]) -> Terrain:
        """Return the terrain after an erase trap: targets lose wall, pit and plate."""
        return Terrain(self.pits - targets, self.walls - targets, self._plates_without(targets))

    def with_plate(self, plate: Plate) -> Terrain:
        """Return the terrain with ``plate`` in place of the one on its tile."""
        return self._with_plates({**self.plates, plate._key: plate})

    def without_plate(self, plate: Plate) -> Terrain:
        """Return the terrain without the plate on this tile."""
        return self._with_plates({key: other for key, other in self.plates.items() if key != plate._key})

    def _plates_without(self, targets: frozenset[Hexagon]) -> list[Plate]:
        return [plate for plate in self.plates.values() if plate not in targets]

    def _with_plates(self, plates: dict[int, Plate]) -> Terrain:
        # Everything but the plates is shared, derived sets included: a press costs one copy of a dict.
        terrain = Terrain.__new__(Terrain)
        terrain.pits, terrain.walls, terrain.plates = self.pits, self.walls, plates
        terrain.pit_keys, terrain.wall_keys, terrain.rings = self.pit_keys, self.wall_keys, self.rings
        return terrain


def _changing(name: str) -> Any:
    original = getattr(set, name)

    def method(self: Tiles[Any], *args: Any) -> Any:
        self.changed = True
        return original(self, *args)

    method.__name__ = name
    method.__doc__ = original.__doc__
    return method


class Tiles(set[T]):
    """A set of tiles that knows whether it was changed since a state handed it out."""

    changed = False

    add = _changing("add")
    clear = _changing("clear")
    difference_update = _changing("difference_update")
    discard = _changing("discard")
    intersection_update = _changing("intersection_update")
    pop = _changing("pop")
    remove = _changing("remove")
    symmetric_difference_update = _changing("symmetric_difference_update")
    update = _changing("update")
    __iand__ = _changing("__iand__")
    __ior__ = _changing("__ior__")
    __isub__ = _changing("__isub__")
    __ixor__ = _changing("__ixor__")

    def __repr__(self) -> str:
        return repr(set(self))
