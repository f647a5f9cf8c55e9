"""The checker for authors of boards: everything that parses but would make a poor fair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from botleague.rules import read_text
from botleague_careerfair.simulation.board import Board, BoardError, parse_board
from botleague_careerfair.simulation.companies import companies_of_the_package
from botleague_careerfair.simulation.floor import floor_of
from botleague_careerfair.simulation.requests import CARDINALS


def check_board(text: str) -> str:
    """Return a summary of the board that ``text`` describes, when it is fit for a fair.

    Raises:
        BoardError: it is not; the message lists everything that is wrong, one problem a line.
    """
    board = parse_board(text)
    problems = list(_problems(board))
    if problems:
        raise BoardError("\n".join(problems))
    sizes = Counter(board.sizes)
    longest = max((len(zone) for zone in board.zones), default=0)
    return (
        f"{board.rows} rows, {board.cols} columns, start at row {board.start // board.cols}, "
        f"column {board.start % board.cols}\n"
        f"{len(board.sizes)} companies ({sizes['S']} small, {sizes['M']} medium, {sizes['L']} large), "
        f"longest line {longest} tiles\n"
        f"crowd {board.crowd // 10 * 10}, view {board.view}, "
        f"{'left and right are mirrored' if _is_mirrored(board) else 'left and right differ'}"
    )


def check_board_file(path: Path) -> None:
    """Check a board in the original's text format and say what is wrong with it.

    Raises:
        BoardError: the board is not fit for a fair.
        ValueError: the file cannot be read as text.
    """
    text = read_text(path)
    try:
        print(check_board(text))
    except BoardError as error:
        raise BoardError(f"{path} is not fit for a fair:\n{error}") from error


def _problems(board: Board) -> Iterator[str]:
    floor = floor_of(board)
    reachable = floor.reachable()
    owners = Counter(tile for zone in board.zones for tile in zone)

    def at(tile: int) -> str:
        return f"row {tile // board.cols}, column {tile % board.cols}"

    if not board.sizes:
        yield "there is no company: nobody could make a point"
    for company, zone in enumerate(board.zones):
        front = zone[0]
        if not _is_straight(zone, board.cols):
            yield f"company {company}: its line is not one straight strip with E{company} at one end"
        elif not any(
            floor.adjacent[way][front] >= 0 and board.booths[floor.adjacent[way][front]] == company
            for way in CARDINALS
        ):
            yield (
                f"company {company}: the front of its line ({at(front)}) is not beside its booth; "
                f"put E{company} at the other end or move the booth"
            )
        if any(board.booths[tile] >= 0 or owners[tile] > 1 for tile in zone):
            yield f"company {company}: its line shares a tile with a booth or another line"
        lost = [tile for tile in zone if tile not in reachable]
        if lost:
            yield f"company {company}: its line ({at(lost[0])}) cannot be reached from the start"
    if board.view == 0:
        yield "line 1: with a view of 0 a bot sees nothing but its own tile; use 1 or more"
    supply = Counter(company.size for company in companies_of_the_package())
    for size, wanted in sorted(Counter(board.sizes).items()):
        if wanted > supply[size]:
            yield f"{wanted} companies of size {size}, but the list of companies has only {supply[size]}"


def _is_straight(zone: tuple[int, ...], cols: int) -> bool:
    steps = {after - before for before, after in pairwise(zone)}
    same_row = len({tile // cols for tile in zone}) == 1
    return not steps or (len(steps) == 1 and (steps < {1, -1} if same_row else steps < {cols, -cols}))


def _is_mirrored(board: Board) -> bool:
    """Whether exchanging left and right gives the same floor plan with companies of the same sizes."""

    def mirror(tile: int) -> int:
        return tile - tile % board.cols + board.cols - 1 - tile % board.cols

    def booth_sizes(flip: bool) -> list[str]:
        tiles = (mirror(tile) if flip else tile for tile in range(board.tiles))
        return [board.sizes[board.booths[tile]] if board.booths[tile] >= 0 else "" for tile in tiles]

    def plan(flip: bool) -> list[tuple[str, tuple[int, ...]]]:
        zones = (tuple(map(mirror, zone)) if flip else zone for zone in board.zones)
        return sorted(zip(board.sizes, zones, strict=True))

    return (
        booth_sizes(False) == booth_sizes(True)
        and plan(False) == plan(True)
        and mirror(board.start) == board.start
    )
