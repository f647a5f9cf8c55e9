"""Layout text: a board with pellets and bots, as people draw it.

Rows of ``#`` wall, ``.`` pellet, space, and the bots' letters ``a b x y``. What stands on one square cannot
all be drawn, so pellets and bots may also be given separately.

Source: rules/pelita.md, section 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from botleague_pelita.mazes.board import LETTERS, Board, Square


@dataclass(frozen=True, slots=True)
class Layout:
    """Content of a layout text.

    Attributes:
        shape: width and height.
        walls, food: sorted by x, then y.
        bots: squares of a, x, b, y; None for a bot that is missing (only when reading was lenient).
    """

    shape: tuple[int, int]
    walls: tuple[Square, ...]
    food: tuple[Square, ...]
    bots: tuple[Square | None, Square | None, Square | None, Square | None]

    @property
    def board(self) -> Board:
        """The walls as a board."""
        return Board.of(self.shape, self.walls)

    def __str__(self) -> str:
        return format_layout(self.walls, self.food, self.bots, self.shape)


def read_layout(
    text: str,
    food: Iterable[Sequence[int]] | None = None,
    bots: Mapping[str, Sequence[int]] | None = None,
    *,
    strict: bool = True,
) -> Layout:
    """Return what ``text`` draws, with more pellets and bots that override the drawn ones.

    Args:
        text: rows; blank lines and space around a row are ignored, as is all after the closing row.
        food: squares of pellets in addition to the drawn ones.
        bots: squares by letter.
        strict: all four bots must be there.

    Raises:
        ValueError: the text is not a layout, or something stands outside the board or on a wall.
    """
    rows = _rows(text)
    shape = (len(rows[0]), len(rows))
    blocked: set[Square] = set()
    pellets: set[Square] = set()
    places: dict[str, Square] = {}
    for x, y, char in ((x, y, char) for y, row in enumerate(rows) for x, char in enumerate(row)):
        if char == "#":
            blocked.add((x, y))
        elif char == ".":
            pellets.add((x, y))
        elif char in places:
            raise ValueError(f"bot {char!r} is drawn twice, at {places[char]} and ({x}, {y})")
        elif char in LETTERS:
            places[char] = (x, y)
        elif char != " ":
            raise ValueError(f"unknown character {char!r} at ({x}, {y}); use '#', '.', ' ', a, b, x, y")
    for place in food or ():
        pellets.add(_free_square(place, shape, blocked, "pellet"))
    for letter, place in (bots or {}).items():
        if letter not in LETTERS:
            raise ValueError(f"unknown bot {letter!r}; bots are a, b, x and y")
        places[letter] = _free_square(place, shape, blocked, f"bot {letter!r}")
    missing = [letter for letter in LETTERS if letter not in places]
    if missing and strict:
        raise ValueError(f"missing bots: {', '.join(missing)}")
    a, x_, b, y_ = (places.get(letter) for letter in LETTERS)
    return Layout(shape, tuple(sorted(blocked)), tuple(sorted(pellets)), (a, x_, b, y_))


def format_layout(
    walls: Iterable[Square],
    food: Iterable[Square] = (),
    bots: Sequence[Square | None] = (),
    shape: tuple[int, int] | None = None,
) -> str:
    """Return layout text; walls win over bots, bots over pellets, and of several bots the lowest index.

    Args:
        shape: width and height, None for what the walls span.
    """
    wall_set, pellets = set(walls), set(food)
    width, height = shape or (max(x for x, _ in wall_set) + 1, max(y for _, y in wall_set) + 1)
    letters: dict[Square | None, str] = {}
    for index, place in enumerate(bots):
        letters.setdefault(place, LETTERS[index])

    def char(x: int, y: int) -> str:
        if (x, y) in wall_set:
            return "#"
        return letters.get((x, y)) or ("." if (x, y) in pellets else " ")

    return "".join("".join(char(x, y) for x in range(width)) + "\n" for y in range(height))


def _rows(text: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines or set(lines[0]) != {"#"}:
        raise ValueError("the first row of a layout must be wall ('#') only")
    width = len(lines[0])
    if width % 2:
        raise ValueError(f"a layout must have an even width, this one is {width} wide")
    rows = [lines[0]]
    for line in lines[1:]:
        if len(line) != width:
            raise ValueError(f"row {len(rows)} is {len(line)} wide, the first one {width}")
        if line[0] != "#" or line[-1] != "#":
            raise ValueError(f"row {len(rows)} must begin and end with wall ('#'): {line!r}")
        rows.append(line)
        if set(line) == {"#"}:
            return rows
    raise ValueError("the layout is not closed by a row of wall ('#')")


def _free_square(place: Sequence[int], shape: tuple[int, int], walls: set[Square], what: str) -> Square:
    try:
        x, y = place
    except (TypeError, ValueError):
        raise ValueError(f"{what}: {place!r} is not a square (x, y)") from None
    if not (0 <= x < shape[0] and 0 <= y < shape[1]):
        raise ValueError(f"{what} is outside the board, at ({x}, {y})")
    if (x, y) in walls:
        raise ValueError(f"{what} is on a wall, at ({x}, {y})")
    return (x, y)
