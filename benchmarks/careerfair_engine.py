"""Milliseconds of one step at the career fair, on every board or beside the original.

    python benchmarks/careerfair_engine.py [--board NAME_OR_FILE] [--crowd N] [--original PYTHON]

``--original`` names an interpreter (Python 3.8 or older) in which ``awap2019`` 2.1.1 is installed. Both programs then
play the same board text with idle teams, in turns of some steps each, so that a busy machine slows both; medians and
their ratio are printed. Without it every board of the package is measured alone.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from botleague_careerfair.simulation.board import parse_board
from botleague_careerfair.simulation.boards import board_names, board_text
from botleague_careerfair.simulation.companies import companies_of_the_package, draw_companies
from botleague_careerfair.simulation.crowd import crowd_of
from botleague_careerfair.simulation.fair import Fair, Hall

IDLE = [[0] * 4]
STEPS_A_TURN = 20

ORIGINAL = """
import sys, time
from awap2019 import Direction, Game
game = Game(sys.argv[1], sys.argv[2], sys.argv[3])
idle = [[Direction.NONE] * 4]
for line in sys.stdin:
    times = []
    for _ in range(int(line)):
        start = time.perf_counter()
        game.board.step([list(moves) for moves in idle])
        times.append(1000 * (time.perf_counter() - start))
    print(" ".join(map(str, times)), flush=True)
"""


class Ours:
    """Our engine in the middle of a match."""

    def __init__(self, text: str) -> None:
        board = parse_board(text)
        self.fair = Fair(board, teams=1, kinds=crowd_of(board.crowd))
        companies = draw_companies(board.sizes, companies_of_the_package(), Random(1))
        self.hall: Hall = self.fair.open(companies, crowd_seed=1)
        self.fair.step(self.hall, IDLE)  # makes the tables of the board

    def steps(self, number: int) -> list[float]:
        """Make so many steps and return the milliseconds of each."""
        times = []
        for _ in range(number):
            start = time.perf_counter()
            self.hall = self.fair.step(self.hall, IDLE)
            times.append(1000 * (time.perf_counter() - start))
        return times


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--board", default="arena", help="name of a board of the package, or a file")
    parser.add_argument("--crowd", type=int, help="people in the crowd (default: what the board says)")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--original", metavar="PYTHON", help="interpreter that has awap2019 2.1.1")
    arguments = parser.parse_args()
    if arguments.original is None:
        for name in board_names():
            text = with_crowd(board_text(name), arguments.crowd)
            times = Ours(text).steps(arguments.steps)
            print(
                f"{name:8} {parse_board(text).crowd:5} people  median {statistics.median(times):6.2f} ms a step"
            )
        return
    path = Path(arguments.board)
    text = path.read_text("utf-8") if path.is_file() else board_text(arguments.board)
    side_by_side(with_crowd(text, arguments.crowd), arguments.steps, arguments.original)


def with_crowd(text: str, crowd: int | None) -> str:
    """Return the board text with another number of people."""
    if crowd is None:
        return text
    header, _, rest = text.partition("\n")
    rows, cols, companies, _, view = header.split()
    return f"{rows} {cols} {companies} {crowd} {view}\n{rest}"


def side_by_side(text: str, steps: int, python: str) -> None:
    """Measure both programs in turns and print medians and ratio."""
    ours = Ours(text)
    with tempfile.TemporaryDirectory() as folder:
        board, companies, log = (Path(folder) / name for name in ("board.txt", "companies.txt", "log.txt"))
        board.write_text(text)
        companies.write_text(
            "".join(f"{name} {size} {value}\n" for name, size, value in companies_of_the_package())
        )
        command = [python, "-c", ORIGINAL, str(board), str(companies), str(log)]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder
        ) as original:
            assert original.stdin is not None
            assert original.stdout is not None
            mine: list[float] = []
            theirs: list[float] = []
            for _ in range(0, steps, STEPS_A_TURN):
                mine += ours.steps(STEPS_A_TURN)
                print(STEPS_A_TURN, file=original.stdin, flush=True)
                said = original.stdout.readline()
                if not said:
                    sys.exit(f"{python} cannot run awap2019; its message is above")
                theirs += map(float, said.split())
            original.stdin.close()
    fast, slow = statistics.median(mine), statistics.median(theirs)
    print(
        f"{len(mine)} steps with {ours.fair.board.crowd} people: ours {fast:.2f} ms, original {slow:.2f} ms"
    )
    print(f"ratio of the medians: {slow / fast:.1f}")


if __name__ == "__main__":
    main()
