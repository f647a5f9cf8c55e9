"""Pressure plates: traps that go off when they have been stepped on often enough.

A plate is a hexagon with a few more attributes, and a value: states share plates, so to change one in a
state of your own, replace it in ``state.plates``.

Source: rules/botroyale.md, sections 6 and 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any

from botleague_botroyale.board.hexagon import Hexagon, _fill, tile


class PlateType(IntEnum):
    """Effect of a plate when it pops. ``ERASE_TRAP`` exists only where the configuration allows it."""

    DEATH_RADIUS_TRAP = 1
    PIT_TRAP = 2
    WALL_TRAP = 3
    ERASE_TRAP = 4


_PLATE_FIXED = frozenset(("plate_type", "pressure", "min_pressure", "pressure_reset", "targets"))


class Plate(Hexagon):
    """A pressure plate; compares equal to its tile and works as its tile in every calculation.

    Args:
        cube: the tile's cube coordinates.
        plate_type: what it does.
        pressure: negative; counts up at every arrival, at 0 the plate pops.
        min_pressure: negative; the pressure after a reset, by default the initial one.
        pressure_reset: whether it is armed again after it popped.
        targets: the tiles that a pit, wall or erase trap changes.

    Raises:
        AssertionError: a pressure is not negative.
    """

    __slots__ = ("min_pressure", "plate_type", "pressure", "pressure_reset", "targets")

    plate_type: PlateType
    pressure: int
    min_pressure: int
    pressure_reset: bool
    targets: frozenset[Hexagon]

    def __new__(
        cls,
        cube: tuple[int, int, int],
        plate_type: PlateType,
        pressure: int,
        min_pressure: int | None = None,
        pressure_reset: bool = False,
        targets: Iterable[Hexagon] | None = None,
    ) -> Plate:
        if min_pressure is None:
            min_pressure = pressure
        assert pressure < 0, "the pressure of a plate must be negative"
        assert min_pressure < 0, "the least pressure of a plate must be negative"
        q, r, s = cube
        if q + r + s:
            raise ValueError(f"Cube coordinates must sum up to 0, not {cube}")
        plate = _fill(object.__new__(cls), q, r)
        put = object.__setattr__
        put(plate, "plate_type", PlateType(plate_type))
        put(plate, "pressure", pressure)
        put(plate, "min_pressure", min_pressure)
        put(plate, "pressure_reset", bool(pressure_reset))
        put(plate, "targets", frozenset(targets or ()))
        return plate  # type: ignore[return-value]  # _fill returns what it was given, a Plate here

    def __init__(self, *args: object, **kwargs: object) -> None:
        """Do nothing: ``__new__`` did it."""

    @property
    def tile(self) -> Hexagon:
        """The plain tile under the plate."""
        return tile(self.q, self.r)

    def with_pressure(self, pressure: int) -> Plate:
        """Return the same plate under another pressure."""
        return Plate(
            self.cube, self.plate_type, pressure, self.min_pressure, self.pressure_reset, self.targets
        )

    def with_new_hex(self, hex: Hexagon) -> Plate:
        """Return the same plate on another tile."""
        return Plate(
            hex.cube, self.plate_type, self.pressure, self.min_pressure, self.pressure_reset, self.targets
        )

    def export(self) -> dict[str, Any]:
        """Return the plate as the entry of a map file."""
        return {
            "xy": self.xy,
            "plate_type": self.plate_type.name,
            "min_pressure": self.min_pressure,
            "pressure": self.pressure,
            "pressure_reset": self.pressure_reset,
            "targets": [target.xy for target in self.targets],
        }

    @classmethod
    def from_exported(cls, data: Mapping[str, Any]) -> Plate:
        """Return the plate that an entry of a map file describes."""
        return cls(
            Hexagon.from_xy(*data["xy"]).cube,
            PlateType[data["plate_type"]],
            data["pressure"],
            data["min_pressure"],
            data["pressure_reset"],
            {Hexagon.from_xy(x, y) for x, y in data["targets"]},
        )

    def __setattr__(self, name: str, value: object) -> None:
        if name in _PLATE_FIXED:
            raise AttributeError(
                f"{name!r} of a plate cannot be changed: replace the plate in state.plates instead"
            )
        super().__setattr__(name, value)

    def __reduce__(self) -> tuple[object, ...]:
        fields = (self.plate_type, self.pressure, self.min_pressure, self.pressure_reset, self.targets)
        return (Plate, (self.cube, *fields))

    def __repr__(self) -> str:
        return f"<Plate {self.xy} {self.plate_type.name}>"
