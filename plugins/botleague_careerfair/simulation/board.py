"""Boards: the hall's floor plan, read from the original's text format.

A tile is one number, ``row * cols + column``, in reading order. A company's *line zone* is the tuple of its
tiles from the front (next to the booth) to the back. Source: rules/careerfair.md, section 1.

:func:`parse_board` refuses what has no meaning; :func:`botleague_careerfair.legacy.boardcheck.check_board` also
refuses what is of no use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

HEADER = ("rows", "cols", "companies", "crowd", "view")
MAX_TILES = 10_000
MAX_CROWD = 10_000


class BoardError(ValueError):
    """A board text that is not a board. The message names the line and the column of tokens."""


@dataclass(frozen=True, slots=True)
class Board:
    """A floor plan.

    Attributes:
        rows, cols: size in tiles.
        crowd: how many people its author wants in the crowd.
        view: number of rows and columns that a bot sees in every direction.
        start: the tile on which all bots start.
        booths: per tile the number of the company whose booth stands on it, or -1.
        sizes: per company ``"S"``, ``"M"`` or ``"L"``.
        zones: per company the tiles of its line, front to back.
    """

    rows: int
    cols: int
    crowd: int
    view: int
    start: int
    booths: tuple[int, ...]
    sizes: tuple[str, ...]
    zones: tuple[tuple[int, ...], ...]

    @property
    def tiles(self) -> int:
        """Number of tiles of the board."""
        return self.rows * self.cols

    def lines(self) -> list[int]:
        """Return per tile the number of the company whose line zone covers it, or -1."""
        lines = [-1] * self.tiles
        for company, zone in enumerate(self.zones):
            for tile in zone:
                lines[tile] = company
        return lines


class _Token(NamedTuple):
    kind: str  # F, B, S, M, L, E, or "" for a plain line tile
    company: int


_TOKEN = re.compile(r"([SMLE]?)([0-9]{1,6})")


def parse_board(text: str) -> Board:
    """Return the board that ``text`` describes.

    Raises:
        BoardError: the text is malformed; the message says where and what belongs there.
    """
    header, *body = text.splitlines() or [""]
    rows, cols, companies, crowd, view = _read_header(header)
    booths = [-1] * (rows * cols)
    sizes: dict[int, str] = {}
    zones: dict[int, list[int]] = {company: [] for company in range(companies)}
    start = None
    for tile, (kind, company) in _tokens(body, rows, cols, companies):
        if kind == "B":
            start = tile
        elif kind in ("S", "M", "L"):
            booths[tile] = company
            sizes.setdefault(company, kind)
        elif kind == "E":
            zones[company].insert(0, tile)
        elif not kind:
            zones[company].append(tile)
    if start is None:
        raise BoardError("no start tile: write B on one free tile")
    for company in range(companies):
        if company not in sizes:
            raise BoardError(
                f"company {company} has no booth: write S{company}, M{company} or L{company} on a tile"
            )
        if not zones[company]:
            raise BoardError(
                f"company {company} has no line: write {company} on its tiles, E{company} on the last"
            )
    return Board(
        rows=rows,
        cols=cols,
        crowd=crowd,
        view=view,
        start=start,
        booths=tuple(booths),
        sizes=tuple(sizes[company] for company in range(companies)),
        zones=tuple(_front_to_back(zones[company], cols) for company in range(companies)),
    )


def _read_header(line: str) -> list[int]:
    words = line.split()
    if len(words) != len(HEADER) or not all(word.isascii() and word.isdigit() for word in words):
        raise BoardError(
            f"line 1: expected five whole numbers ({', '.join(HEADER)}), found {line.strip()[:60]!r}"
        )
    if max(map(len, words)) > 9:
        raise BoardError(f"line 1: {max(words, key=len)[:30]!r} is too large")
    numbers = [int(word) for word in words]
    rows, cols, _, crowd, _ = numbers
    if not 1 <= rows * cols <= MAX_TILES:
        raise BoardError(f"line 1: {rows} rows and {cols} columns; a board has 1 to {MAX_TILES} tiles")
    if crowd > MAX_CROWD:
        raise BoardError(f"line 1: a crowd of {crowd}; at most {MAX_CROWD} people fit in")
    return numbers


def _tokens(body: Sequence[str], rows: int, cols: int, companies: int) -> Iterator[tuple[int, _Token]]:
    """Yield the tokens of the board with their tiles."""
    for row, line in enumerate(body):
        for column, word in enumerate(line.split()):
            where = f"line {row + 2}, token {column + 1}"
            token = _read_token(word, companies, where)
            if row < rows and column < cols:
                yield row * cols + column, token
            elif token.kind != "F":
                raise BoardError(
                    f"{where}: {word!r} lies outside the board of {rows} rows and {cols} columns; "
                    "only surplus F is ignored"
                )


def _read_token(word: str, companies: int, where: str) -> _Token:
    if word in ("F", "B"):
        return _Token(word, -1)
    match = _TOKEN.fullmatch(word)
    if match is None:
        raise BoardError(
            f"{where}: {word[:20]!r} is not a tile; write F (free), B (start), S3 M3 L3 (booth of company 3), "
            "3 (its line) or E3 (the back of its line)"
        )
    company = int(match[2])
    if company >= companies:
        raise BoardError(
            f"{where}: company {company} does not exist; line 1 announces {companies}, numbered from 0"
        )
    return _Token(match[1], company)


def _front_to_back(tiles: Sequence[int], cols: int) -> tuple[int, ...]:
    """Order a zone whose back tile was put first; straight zones come out front to back."""
    if len(tiles) == 1:
        return tuple(tiles)
    (first_row, first_column), (second_row, second_column) = (divmod(tile, cols) for tile in tiles[:2])
    if first_row == second_row:
        return tuple(sorted(tiles, key=lambda tile: tile % cols, reverse=first_column < second_column))
    return tuple(sorted(tiles, key=lambda tile: tile // cols, reverse=first_row < second_row))
