"""Hexagonal geometry: interned tiles in cube coordinates, pointy tops.

A :class:`Hexagon` is a tile of the infinite grid. Two hexagons with equal coordinates are the same object (old
bots compare tiles with ``is``). The surroundings of a tile are computed once and stored in tables of this
module, so that a tile itself stays a plain value.

The engine does not hash tiles, which costs a Python call each: it compares their integer ``_key``, in
which the step from one tile to another is a plain difference that does not depend on the place.

Source: rules/botroyale.md, section 1.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from functools import cache
from typing import Any, TypeAlias

SQRT3 = math.sqrt(3)

_DIRECTIONS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))

# Tiles farther out than this are not interned: a hostile bot must not fill the host's memory with names
# of tiles that no board has.
_INTERNED_REACH = 128

# Keys are q << 20 | r as a sum, unique while |r| is below this; farther tiles get keys of another scale.
_NEAR = 1 << 18
_FAR_SHIFT = 200
_FAR = 1 << 300

_TABLED_RADIUS = 5

_FIXED = frozenset(("q", "r", "s", "x", "y", "xy", "qr", "cube", "_hash", "_key", "_reach"))

Steps: TypeAlias = tuple[tuple[int, int], ...]


class Hexagon:
    """A tile. ``q``, ``r``, ``s`` are its cube coordinates, ``x``, ``y`` its offset coordinates; read-only.

    Raises:
        AssertionError: a coordinate is not an int.
        ValueError: the coordinates do not sum up to 0.
    """

    __slots__ = ("__dict__", "_hash", "_key", "_reach", "cube", "q", "qr", "r", "s", "x", "xy", "y")

    q: int
    r: int
    s: int
    x: int
    y: int
    qr: tuple[int, int]
    xy: tuple[int, int]
    cube: tuple[int, int, int]
    _hash: int
    _key: int
    _reach: int  # distance from the origin

    def __new__(cls, q: int, r: int, s: int) -> Hexagon:
        """Return the one tile with these coordinates."""
        assert isinstance(q, int)
        assert isinstance(r, int)
        assert isinstance(s, int)
        if q + r + s:
            raise ValueError(f"Cube coordinates must sum up to 0, not {(q, r, s)}")
        return tile(q, r) if cls is Hexagon else _fill(object.__new__(cls), q, r)

    def __init__(self, q: int, r: int, s: int) -> None:
        """Do nothing: ``__new__`` did it. Here so that subclasses may call it."""

    @classmethod
    def from_xy(cls, x: int, y: int) -> Hexagon:
        """Return the tile with offset coordinates ``(x, y)``."""
        return cls(*convert_offset2cube(x, y))

    @classmethod
    def from_qr(cls, q: int, r: int) -> Hexagon:
        """Return the tile with cube coordinates ``(q, r, -q-r)``."""
        return cls(q, r, -q - r)

    @classmethod
    def from_floats(cls, q: float, r: float, s: float) -> Hexagon:
        """Return the tile nearest to fractional cube coordinates."""
        near_q, near_r, near_s = round(q), round(r), round(s)
        error_q, error_r, error_s = abs(near_q - q), abs(near_r - r), abs(near_s - s)
        if error_q > error_r and error_q > error_s:
            near_q = -near_r - near_s
        elif error_r > error_s:
            near_r = -near_q - near_s
        return cls(near_q, near_r, -near_q - near_r)

    round_ = from_floats

    @property
    def neighbors(self) -> tuple[Hexagon, ...]:
        """The six adjacent tiles, in order of the directions."""
        tiles = _NEIGHBORS.get(self._key)
        return self._around(_NEIGHBORS, self._key, _DIRECTIONS) if tiles is None else tiles

    @property
    def doubles(self) -> tuple[Hexagon, ...]:
        """The six tiles two steps straight ahead, in order of the directions."""
        tiles = _NEAR_BY.get((self._key, "doubles"))
        return self._around(_NEAR_BY, (self._key, "doubles"), _DOUBLES) if tiles is None else tiles

    @property
    def diagonals(self) -> tuple[Hexagon, ...]:
        """The six tiles at distance 2 between two directions, in order."""
        tiles = _NEAR_BY.get((self._key, "diagonals"))
        return self._around(_NEAR_BY, (self._key, "diagonals"), _DIAGONALS) if tiles is None else tiles

    def get_distance(self, hex: Hexagon) -> int:
        """Return the number of steps to another tile."""
        dq = self.q - hex.q
        dr = self.r - hex.r
        return (abs(dq) + abs(dr) + abs(dq + dr)) >> 1

    def ring(self, radius: int) -> tuple[Hexagon, ...]:
        """Return the tiles at exactly this distance, in the order of section 1.

        Raises:
            ValueError: the radius is negative.
        """
        tiles = _NEAR_BY.get((self._key, radius))
        if tiles is not None:
            return tiles
        if radius < 0:
            raise ValueError(f"The radius of a ring must not be negative, got {radius}")
        return self._around(_NEAR_BY, (self._key, radius), _ring_steps(radius), radius)

    def range(self, distance: int, include_center: bool = True) -> tuple[Hexagon, ...]:
        """Return the tiles up to this distance, nothing when it is negative."""
        key = (self._key, distance, bool(include_center))
        tiles = _NEAR_BY.get(key)
        if tiles is not None:
            return tiles
        return self._around(_NEAR_BY, key, _range_steps(distance, bool(include_center)), distance)

    def straight_line(self, neighbor: Hexagon, max_distance: int = 20) -> Generator[Hexagon, None, None]:
        """Yield the tiles behind ``neighbor`` as seen from here, nearest first.

        Raises:
            AssertionError: ``neighbor`` is not adjacent.
        """
        assert self.get_distance(neighbor) == 1
        dq, dr = neighbor.q - self.q, neighbor.r - self.r
        for step in range(1, max_distance + 1):
            yield tile(neighbor.q + step * dq, neighbor.r + step * dr)

    def rotate(self, rotations: int = 1) -> Hexagon:
        """Return the tile after ``rotations`` steps of 60 degrees about the origin.

        Raises:
            AssertionError: ``rotations`` is not an int.
        """
        assert isinstance(rotations, int)
        q, r, s = self.q, self.r, self.s
        for _ in range(rotations % 6):
            q, r, s = -r, -s, -q
        return tile(q, r)

    def pixel_position(self, radius: float) -> tuple[float, float]:
        """Return the centre of the tile when a tile measures ``radius`` from centre to corner."""
        return (radius * SQRT3 * (self.x + (self.y & 1) / 2), radius * 3 / 2 * self.y)

    def pixel_position_to_hex(self, radius: float, pixel_coords: tuple[float, float]) -> Hexagon:
        """Return the tile nearest to a pixel, minus this tile.

        Raises:
            TypeError: the coordinates are not a tuple.
        """
        if not isinstance(pixel_coords, tuple):
            raise TypeError(f"pixel_coords must be a tuple, got {type(pixel_coords).__name__}")
        # Pixels between two tiles go where they do in the original only with its order of operations.
        x, y = pixel_coords[0] / radius, pixel_coords[1] / radius
        q = SQRT3 / 3 * x - 1 / 3 * y
        r = 2 / 3 * y
        return Hexagon.from_floats(q, r, -q - r) - self

    def __add__(self, other: Hexagon) -> Hexagon:
        if not isinstance(other, Hexagon):
            raise ValueError(f"Cannot add {type(other).__name__} to a hexagon")
        return tile(self.q + other.q, self.r + other.r)

    def __sub__(self, other: Hexagon) -> Hexagon:
        if not isinstance(other, Hexagon):
            raise ValueError(f"Cannot subtract {type(other).__name__} from a hexagon")
        return tile(self.q - other.q, self.r - other.r)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Hexagon) and self.q == other.q and self.r == other.r)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"<Hex {self.x}, {self.y}>"

    def __setattr__(self, name: str, value: object) -> None:
        if name in _FIXED:
            raise AttributeError(f"{name!r} of a hexagon cannot be changed: hexagons are shared")
        object.__setattr__(self, name, value)

    def __copy__(self) -> Hexagon:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Hexagon:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), self.cube)

    def _around(
        self, table: dict[Any, tuple[Hexagon, ...]], key: object, steps: Steps, radius: int = 2
    ) -> tuple[Hexagon, ...]:
        q, r = self.q, self.r
        tiles = tuple([tile(q + dq, r + dr) for dq, dr in steps])
        if radius <= _TABLED_RADIUS and self._reach <= _INTERNED_REACH:
            table[key] = tiles
        return tiles


# What lies around tiles: neighbours by key, everything else by key and what it is.
_NEIGHBORS: dict[int, tuple[Hexagon, ...]] = {}
_NEAR_BY: dict[Any, tuple[Hexagon, ...]] = {}

_TILES: dict[tuple[int, int], Hexagon] = {}


def tile(q: int, r: int) -> Hexagon:
    """Return the tile at cube coordinates ``(q, r, -q-r)``; the fast, unchecked way to one."""
    hexagon = _TILES.get((q, r))
    if hexagon is not None:
        return hexagon
    made = _fill(object.__new__(Hexagon), int(q), int(r))
    if made._reach <= _INTERNED_REACH:
        # setdefault, so that two threads agree on one object
        return _TILES.setdefault((made.q, made.r), made)
    return made


def convert_offset2cube(x: int, y: int) -> tuple[int, int, int]:
    """Return cube coordinates for offset coordinates."""
    q = x - (y - (y & 1)) // 2
    return (q, y, -q - y)


def convert_cube2offset(q: int, r: int, s: int) -> tuple[int, int]:
    """Return offset coordinates for cube coordinates."""
    return (q + (r - (r & 1)) // 2, r)


def _fill(hexagon: Hexagon, q: int, r: int) -> Hexagon:
    put = object.__setattr__
    put(hexagon, "q", q)
    put(hexagon, "r", r)
    put(hexagon, "s", -q - r)
    x, y = convert_cube2offset(q, r, -q - r)
    put(hexagon, "x", x)
    put(hexagon, "y", y)
    put(hexagon, "qr", (q, r))
    put(hexagon, "xy", (x, y))
    put(hexagon, "cube", (q, r, -q - r))
    put(hexagon, "_hash", hash(hexagon.cube))
    near = -_NEAR < q < _NEAR and -_NEAR < r < _NEAR
    put(hexagon, "_key", (q << 20) + r if near else _FAR + (q << _FAR_SHIFT) + r)
    put(hexagon, "_reach", (abs(q) + abs(r) + abs(q + r)) >> 1)
    return hexagon


@cache
def _ring_steps(radius: int) -> Steps:
    if radius == 0:
        return ((0, 0),)
    if radius == 1:
        return _DIRECTIONS
    q, r = _DIRECTIONS[4][0] * radius, _DIRECTIONS[4][1] * radius
    steps = []
    for dq, dr in _DIRECTIONS:
        for _ in range(radius):
            steps.append((q, r))
            q, r = q + dq, r + dr
    return tuple(steps)


@cache
def _range_steps(distance: int, include_center: bool) -> Steps:
    return tuple(
        (q, r)
        for q in range(-distance, distance + 1)
        for r in range(max(-distance, -q - distance), min(distance, -q + distance) + 1)
        if include_center or q or r
    )


_DOUBLES = tuple((2 * q, 2 * r) for q, r in _DIRECTIONS)
_DIAGONALS = tuple(
    (q + after_q, r + after_r)
    for (q, r), (after_q, after_r) in zip(_DIRECTIONS, _DIRECTIONS[1:] + _DIRECTIONS[:1], strict=True)
)

ORIGIN = tile(0, 0)
DIRECTIONS = ORIGIN.neighbors
DOUBLES = ORIGIN.doubles
DIAGONALS = ORIGIN.diagonals
Hex = Hexagon.from_xy


def _key_steps(steps: Steps) -> frozenset[int]:
    near = {(q << 20) + r for q, r in steps}
    return frozenset(near | {(q << _FAR_SHIFT) + r for q, r in steps})


# Differences of ``_key`` between a tile and those at distance 1 and 2.
CLOSE_STEPS = _key_steps(_DIRECTIONS)
DOUBLE_STEPS = _key_steps(_ring_steps(2))
