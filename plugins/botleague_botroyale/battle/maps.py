"""Maps: the boards of the game, and the check of map files that people write.

A map file is JSON. Ours names its fields as in ``maps_data``; files of the original's editor (``positions``
instead of ``spawns``, no header) are read as well. Coordinates are offset coordinates.

Source: rules/botroyale.md, section 12.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from botleague.rules import read_text
from botleague_botroyale.battle.options import STANDARD, RuleOptions
from botleague_botroyale.battle.state import State
from botleague_botroyale.board.hexagon import Hexagon
from botleague_botroyale.board.plates import Plate, PlateType

_FOLDER = Path(__file__).parents[1] / "maps_data"

DEFAULT_MAP_NAME = "basic"
_BLANK_MAP_NAME = "custom"
MAPS: tuple[str, ...] = tuple(sorted(path.stem for path in _FOLDER.glob("*.json")))

_MIN_RADIUS = 3
_GREATEST_RADIUS = 100
_GREATEST_COORDINATE = 200
_GREATEST_FILE_BYTES = 1_000_000
_MAX_PROBLEMS = 20

_KEYS = {"format", "name", "coordinates", "death_radius", "spawns", "positions", "pits", "walls", "plates"}
_PLATE_KEYS = {"xy", "plate_type", "pressure", "min_pressure", "pressure_reset", "targets"}


class InvalidMap(ValueError):
    """A map file is not valid. ``problems`` lists every error with a correction."""

    def __init__(self, name: str, problems: tuple[str, ...]) -> None:
        listing = "".join(f"\n  - {problem}" for problem in problems[:_MAX_PROBLEMS])
        more = len(problems) - _MAX_PROBLEMS
        rest = f"\n  ... and {more} more" if more > 0 else ""
        super().__init__(f"{name} is not a valid map:{listing}{rest}")
        self.problems = problems


@dataclass(frozen=True, slots=True)
class GameMap:
    """A board before the first round. The order of all tiles is that of the file.

    Attributes:
        name: what it is called.
        death_radius: of the ring before it contracts for the first time.
        spawns: where each unit starts, by unit.
        pits, walls, plates: what lies on the board.
    """

    name: str
    death_radius: int
    spawns: tuple[Hexagon, ...]
    pits: tuple[Hexagon, ...] = ()
    walls: tuple[Hexagon, ...] = ()
    plates: tuple[Plate, ...] = ()

    def state(
        self, seed: int | None = None, options: RuleOptions = STANDARD, kind: type[State] = State
    ) -> State:
        """Return the state in round 0; with a random seed when None is given."""
        return kind(
            self.death_radius, self.spawns, self.pits, self.walls, self.plates, seed=seed, options=options
        )

    def to_plain(self) -> dict[str, Any]:
        """Return the map as plain data, in the format of map files."""
        return {
            "format": 1,
            "name": self.name,
            "coordinates": "xy",
            "death_radius": self.death_radius,
            "spawns": [list(hex.xy) for hex in self.spawns],
            "pits": [list(hex.xy) for hex in self.pits],
            "walls": [list(hex.xy) for hex in self.walls],
            "plates": [_plate_to_plain(plate) for plate in self.plates],
        }


@cache
def load_map(name: str) -> GameMap:
    """Return a built-in map.

    Raises:
        ValueError: there is no map of this name.
    """
    if name not in MAPS:
        raise ValueError(f"Unknown map {name!r}. Maps: {', '.join(MAPS)}.")
    return _game_map(json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8")), name)


def get_map_state(
    map_name: str | None = None, options: RuleOptions = STANDARD, kind: type[State] = State
) -> State:
    """Return the state in round 0 on a built-in map with a random seed; the blank map for an unknown name."""
    name = DEFAULT_MAP_NAME if map_name is None else map_name
    if name not in MAPS:
        print(f"Unknown map {name!r}, known are: {', '.join(MAPS)}")
        name = _BLANK_MAP_NAME
    return load_map(name).state(None, options, kind)


def read_map(text: str, name: str = "the map", erase_traps: bool = False) -> GameMap:
    """Return the map that the text of a file describes.

    Args:
        text: JSON in our format or in that of the original's editor.
        name: for messages, and for the map when the file does not name it.
        erase_traps: whether plates of the optional type ERASE_TRAP are allowed.

    Raises:
        InvalidMap: with everything that is wrong with it.
    """
    problems = check_map(text, erase_traps)
    if problems:
        raise InvalidMap(name, problems)
    return _game_map(json.loads(text), name)


def read_plain(plain: Mapping[str, Any], name: str = "the map", erase_traps: bool = False) -> GameMap:
    """Return the map that the parsed content of a file describes.

    Args: as for :func:`read_map`.

    Raises:
        InvalidMap: with everything that is wrong with it.
    """
    problems = _plain_problems(plain, erase_traps)
    if problems:
        raise InvalidMap(name, problems)
    return _game_map(plain, name)


def check_map(text: str, erase_traps: bool = False) -> tuple[str, ...]:
    """Return everything that is wrong with the text of a map file, nothing when it is valid."""
    try:
        plain = json.loads(text)
    except json.JSONDecodeError as error:
        return (f"line {error.lineno}, column {error.colno}: not JSON: {error.msg}",)
    except RecursionError:
        return ("not a map: brackets are nested too deep",)
    except ValueError:  # the standard library's own guard
        return ("not a map: a number in it has thousands of digits",)
    return _plain_problems(plain, erase_traps)


def check_map_file(path: Path, erase_traps: bool = False) -> GameMap:
    """Return the map in a file.

    Raises:
        ValueError: the file cannot be read, or (:class:`InvalidMap`) it is not a valid map.
    """
    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        # A pipe or a device might never end.
        raise ValueError(f"{path} is not a file. Give the path of a map file.")
    if os.path.isfile(path) and os.path.getsize(path) > _GREATEST_FILE_BYTES:
        raise ValueError(f"{path} has more than {_GREATEST_FILE_BYTES} bytes: no map is that large.")
    return read_map(read_text(path), path.name, erase_traps)


def _game_map(plain: Mapping[str, Any], name: str) -> GameMap:
    return GameMap(
        name=plain.get("name", name),
        death_radius=plain["death_radius"],
        spawns=_tiles(plain["spawns"] if "spawns" in plain else plain["positions"]),
        pits=_tiles(plain.get("pits", ())),
        walls=_tiles(plain.get("walls", ())),
        plates=tuple(_plate_from_plain(plate) for plate in plain.get("plates", ())),
    )


def _tiles(pairs: Any) -> tuple[Hexagon, ...]:
    return tuple(Hexagon.from_xy(x, y) for x, y in pairs)


def _plate_to_plain(plate: Plate) -> dict[str, Any]:
    targets = sorted(list(target.xy) for target in plate.targets)
    return plate.export() | {"xy": list(plate.xy), "targets": targets}


def _plate_from_plain(plain: Mapping[str, Any]) -> Plate:
    defaults = {"min_pressure": plain["pressure"], "pressure_reset": False, "targets": ()}
    return Plate.from_exported(defaults | {key: value for key, value in plain.items() if value is not None})


# What can be wrong


def _plain_problems(plain: Any, erase_traps: bool) -> tuple[str, ...]:
    if not isinstance(plain, dict):
        return (
            f"must be a JSON object with the keys death_radius, spawns, pits and walls, not {_kind(plain)}",
        )
    shape = tuple(_shape_problems(plain, erase_traps))
    # What the numbers mean can only be judged when they are numbers.
    return shape or tuple(_board_problems(_game_map(plain, "map")))


def _shape_problems(plain: dict[str, Any], erase_traps: bool) -> Iterator[str]:
    for key in sorted(plain.keys() - _KEYS):
        yield f"unknown key {key!r}: remove it (known keys: {', '.join(sorted(_KEYS))})"
    if plain.get("format", 1) != 1:
        yield f"format is {plain['format']!r}: only format 1 is known"
    if plain.get("coordinates", "xy") != "xy":
        yield f"coordinates is {plain['coordinates']!r}: must be 'xy', offset coordinates"
    if not isinstance(plain.get("name", ""), str):
        yield f"name is {_kind(plain['name'])}: must be a text"
    if "death_radius" not in plain:
        yield "death_radius is missing: give the radius of the ring before the first round"
    elif not _is_int(plain["death_radius"]):
        yield f"death_radius is {_kind(plain['death_radius'])}: must be a whole number"
    if ("spawns" in plain) == ("positions" in plain):
        yield "give the units' tiles as 'spawns' (or as 'positions', in files of the original): exactly one of them"
    for key in ("spawns", "positions", "pits", "walls"):
        if key in plain:
            yield from _tile_problems(plain[key], key)
    plates = plain.get("plates", [])
    if not isinstance(plates, list):
        yield f"plates is {_kind(plates)}: must be a list"
        return
    for number, plate in enumerate(plates):
        yield from _plate_problems(plate, f"plates[{number}]", erase_traps)


def _tile_problems(tiles: Any, where: str) -> Iterator[str]:
    if not isinstance(tiles, list):
        yield f"{where} is {_kind(tiles)}: must be a list of [x, y] pairs"
        return
    occupied = set()
    for number, pair in enumerate(tiles):
        if not _is_pair(pair):
            yield f"{where}[{number}] must be a pair [x, y] of whole numbers within ±{_GREATEST_COORDINATE}"
        elif tuple(pair) in occupied:
            yield f"{where}[{number}]: {pair} is listed twice: remove one"
        else:
            occupied.add(tuple(pair))


def _plate_problems(plate: Any, where: str, erase_traps: bool) -> Iterator[str]:
    if not isinstance(plate, dict):
        yield f"{where} is {_kind(plate)}: must be an object with the keys xy, plate_type and pressure"
        return
    for key in sorted(plate.keys() - _PLATE_KEYS):
        yield f"{where}: unknown key {key!r}: remove it (known keys: {', '.join(sorted(_PLATE_KEYS))})"
    if not _is_pair(plate.get("xy")):
        yield f"{where}.xy must be a pair [x, y] of whole numbers within ±{_GREATEST_COORDINATE}"
    types = [kind.name for kind in PlateType if erase_traps or kind is not PlateType.ERASE_TRAP]
    if plate.get("plate_type") not in types:
        yield f"{where}.plate_type is {plate.get('plate_type')!r}: must be one of {', '.join(types)}"
    if not _is_int(plate.get("pressure")) or plate["pressure"] >= 0:
        yield f"{where}.pressure must be a negative whole number: it counts up to 0"
    least = plate.get("min_pressure")
    if least is not None and (not _is_int(least) or least >= 0):
        yield f"{where}.min_pressure must be a negative whole number, or left out"
    if not isinstance(plate.get("pressure_reset", False), bool):
        yield f"{where}.pressure_reset must be true or false"
    yield from _tile_problems(plate.get("targets", []), f"{where}.targets")


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(_is_int(number) and abs(number) <= _GREATEST_COORDINATE for number in value)
    )


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def _board_problems(game_map: GameMap) -> Iterator[str]:
    radius = game_map.death_radius
    if not _MIN_RADIUS <= radius <= _GREATEST_RADIUS:
        yield f"death_radius is {radius}: must be from {_MIN_RADIUS} to {_GREATEST_RADIUS}"
    if not game_map.spawns:
        yield "spawns is empty: at least one unit must have a tile to start from"
    pits, walls = set(game_map.pits), set(game_map.walls)
    for uid, spawn in enumerate(game_map.spawns):
        where = f"spawns[{uid}], {list(spawn.xy)},"
        if spawn in walls:
            yield f"{where} is on a wall: move it, or remove the wall"
        if spawn in pits:
            yield f"{where} is on a pit: move it, or remove the pit"
        distance = spawn.get_distance(Hexagon(0, 0, 0))
        if distance >= radius - 1:
            yield (
                f"{where} is {distance} tiles from the centre, where the ring kills before the first turn: "
                f"it must be nearer than {radius - 1}"
            )
    for pit in game_map.pits:
        if pit in walls:
            yield f"{list(pit.xy)} is a pit and a wall: remove one of them"
    tiles = [plate.tile for plate in game_map.plates]
    for number, at in enumerate(tiles):
        if at in tiles[:number]:
            yield f"plates[{number}]: {list(at.xy)} has a plate already: at most one per tile"
