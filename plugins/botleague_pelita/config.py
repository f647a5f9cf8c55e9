"""Configuration of a game, and three sets of defaults, one for each generation of the original.

Source: rules/pelita.md, sections 1, 14, 18 and 19.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from botleague.rules import plain_form
from botleague_pelita.mazes.layout import read_layout
from botleague_pelita.mazes.maze import SIZES, Generator
from botleague_pelita.play.state import Settings

NO_LIMIT_S = 3600.0
"""Seconds that stand for "no time limit": a game has to end some day."""

MAX_SQUARES = 256
"""Width and height up to which mazes are drawn; the largest built-in one is 64x32."""

_Seconds: TypeAlias = Annotated[float, Meta(gt=0, le=NO_LIMIT_S)]


class Config(Settings, frozen=True):
    """A whole configuration: the options of the engine and what surrounds it.

    Attributes:
        profile: the generation whose values are the defaults of all other options.
        layout: layout text of a fixed board; None: a new maze for every match.
        size: width and height of the maze; also a built-in name, ``"WxH"``, or ``H`` for 2HxH.
        food: pellets per team that are hidden in chambers, and in all; also ``"trapped:total"``. Needed for sizes
            without a name.
        generator: of mazes.
        timeout_s: seconds for a move; None: no limit.
        initial_timeout_s: seconds for loading a team.
        error_count: bots have ``error_count``, and ``print(bot)`` shows the time-outs.
        paint_background: bots may wish for tinted squares.
        long_repr: ``repr(bot)`` names its parts.
        enemy_char_own_letters: quirk: enemies have the letters of the asking team.
        legacy_walls: ``bot.walls`` has ``union`` and ``difference``, for bots of 2021 and 2022.
        release_2019: teams may return their state with the position, as in 2019, and have ``pelita.utils.Graph``.
        food_order: food lists are ``sorted``, or in the order of the original's sets (``set``).
    """

    profile: Literal["classic", "v26", "v27"] = "classic"
    layout: str | None = None
    size: tuple[int, int] = (32, 16)
    food: tuple[int, int] = (10, 30)
    generator: Generator = "classic"
    timeout_s: _Seconds | None = 3.0
    initial_timeout_s: _Seconds = 3.0
    error_count: bool = True
    paint_background: bool = False
    long_repr: bool = False
    enemy_char_own_letters: bool = False
    legacy_walls: bool = False
    release_2019: bool = False
    food_order: Literal["sorted", "set"] = "sorted"

    @classmethod
    def spelled_out(cls, plain: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return ``plain`` with the defaults of its profile, and its board's size and food as pairs."""
        profile = plain.get("profile", "classic")
        if not isinstance(profile, str) or profile not in PROFILES:
            return plain
        whole = {**plain_form(PROFILES[profile]), **plain}
        sizes = next((sizes for name, sizes in SIZES.items() if name == whole["generator"]), {})
        if isinstance(whole["layout"], str):
            try:
                board = read_layout(whole["layout"])
            except ValueError as error:
                raise ValueError(f"layout: {error}") from None
            return {
                **whole,
                "layout": str(board),
                "size": board.shape,
                "food": _food(plain.get("food", (0, 0))),
            }
        if "size" in plain:
            size = _size(plain["size"], sizes)
            generators = {numbers[:2]: numbers[2:] for numbers in sizes.values()}
            if "food" not in plain and size not in generators:
                raise ValueError(
                    f"food: is needed as trapped:total, since {size[0]}x{size[1]} is not a built-in size"
                )
            whole |= {"size": size, "food": generators.get(size)}
        return {**whole, "food": _food(plain["food"] if "food" in plain else whole["food"])}


PROFILES: Mapping[str, Config] = {
    "classic": Config(),
    "v26": Config(
        profile="v26",
        shadow_distance=2,
        cascade_kills=True,
        count_last_timeout=False,
        setup_failure="no_result",
        initial_timeout_s=6.0,
        long_repr=True,
    ),
    "v27": Config(
        profile="v27",
        shadow_distance=2,
        cascade_kills=True,
        count_last_timeout=False,
        setup_failure="no_result",
        timeout_limit=1,
        initial_timeout_s=6.0,
        error_count=False,
        paint_background=True,
        long_repr=True,
        generator="v27",
    ),
}
"""The three generations, by name."""


def _size(value: object, sizes: Mapping[str, Sequence[int]]) -> tuple[int, int]:
    if isinstance(value, str) and value in sizes:
        width, height, _, _ = sizes[value]
        return width, height
    numbers = _numbers(value, "x")
    if isinstance(value, str | int) and len(numbers) == 1:
        numbers = [2 * numbers[0], numbers[0]]
    if len(numbers) != 2:
        raise ValueError(
            f"size: write {', '.join(sizes)}, WxH, or a height H for a maze of 2HxH, not {value!r}"
        )
    width, height = numbers
    if width % 2 or not (4 <= width <= MAX_SQUARES and 4 <= height <= MAX_SQUARES):
        raise ValueError(
            f"size: the width must be even, and both at least 4 and at most {MAX_SQUARES}, not {width}x{height}"
        )
    return width, height


def _food(value: object) -> tuple[int, int]:
    numbers = _numbers(value, ":")
    if len(numbers) != 2:
        raise ValueError(f"food: write trapped:total, like 10:30, not {value!r}")
    trapped, total = numbers
    if not 0 <= trapped <= total:
        raise ValueError(f"food: of all pellets from none to all can be trapped, not {trapped} of {total}")
    return trapped, total


def _numbers(value: object, separator: str) -> list[int]:
    """Return the whole numbers that ``value`` is made of, none if it is made of anything else."""
    if isinstance(value, str):
        parts = value.split(separator)
        return (
            [int(part) for part in parts] if all(part.isdecimal() and len(part) < 9 for part in parts) else []
        )
    numbers = value if isinstance(value, list | tuple) else [value]
    whole = [number for number in numbers if isinstance(number, int) and not isinstance(number, bool)]
    return whole if len(whole) == len(numbers) else []
