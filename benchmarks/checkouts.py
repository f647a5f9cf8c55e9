"""Whole leagues of all five games, played by this checkout and by another one in turn: their times and their records.

    git worktree add /tmp/before COMMIT
    python benchmarks/checkouts.py /tmp/before [--runs 3] [--only GAME ...]

Both play the same leagues with the same seed and one job, in processes of their own, with the packages that are
installed for this checkout. Prints processor time (of the command and all its processes) and elapsed time; the ratio is
new to old. Ends with 1 if a record differs in one byte, or if a league has no matches.
"""

from __future__ import annotations

import argparse
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

HERE = Path(__file__).parents[1]
ROOTS = ("platform", "plugins", "sandbox", "storage")
LEAGUES = {
    "isolation": ("isolation", 2, ("random", "greedy", "sample-random", "sample-greedy")),
    "pelita": ("pelita", 1, ("pelita-random", "pelita-gatherer", "pelita-hunter")),
    "botroyale": ("botroyale-duel", 2, ("drifter", "hermit", "bully")),
    "careerfair": ("careerfair-small", 1, ("pacer", "ferry", "wanderer")),
    "pybots": ("pybots-duel", 1, ("duck", "rammer", "hugger")),
}
"""Variant, rounds of a round robin and bundled bots by game; the bots are far from their limits of time."""

RECORDS = """
    select fixture.ordinal, record.content from record
    join fixture on fixture.id = record.fixture_id order by fixture.ordinal
"""


def play(checkout: Path, game: str, folder: Path) -> tuple[float, float, list[tuple[int, bytes]]]:
    """Play a league with a checkout, and return its processor and elapsed seconds, and its records."""
    variant, rounds, names = LEAGUES[game]
    file = folder / f"{time.monotonic_ns()}.db"
    command = [sys.executable, "-c", "from botleague.cli import main; main()", "run", variant, *names]
    command += ["--rounds", str(rounds), "--seed", "11", "--jobs", "1", "--league", "cup", "--db", str(file)]
    environment = {**os.environ, "HOME": str(folder), "PYTHONSAFEPATH": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(str(checkout / root) for root in ROOTS)
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    environment["PYTHONDONTWRITEBYTECODE"] = ""
    used, began = used_s(), time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - began
    with closing(sqlite3.connect(file)) as database:
        return used_s() - used, seconds, database.execute(RECORDS).fetchall()


def used_s() -> float:
    """Return the seconds of processor time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ratio(times: dict[Path, list[float]], other: Path) -> str:
    """Return the median of the ratios of runs side by side, with both medians."""
    ratios = statistics.median(new / old for new, old in zip(times[HERE], times[other], strict=True))
    old, new = statistics.median(times[other]), statistics.median(times[HERE])
    return f"{old:6.2f} s -> {new:6.2f} s ({ratios:.2f})"


def compare(game: str, other: Path, runs: int, folder: Path) -> list[str]:
    """Play a league with both checkouts in turn, print the times, and return what is wrong."""
    cpu: dict[Path, list[float]] = {HERE: [], other: []}
    elapsed: dict[Path, list[float]] = {HERE: [], other: []}
    # The first run of each compiles its modules.
    records: list[Sequence[tuple[int, bytes]]] = [play(checkout, game, folder)[2] for checkout in cpu]
    for number in range(runs):
        for checkout in (other, HERE) if number % 2 else (HERE, other):
            used, seconds, content = play(checkout, game, folder)
            cpu[checkout].append(used)
            elapsed[checkout].append(seconds)
            records.append(content)
    size = sum(len(content) for _, content in records[0])
    print(
        f"{game:11} {len(records[0]):4} matches, {size:7} bytes of records: CPU {ratio(cpu, other)}, "
        f"elapsed {ratio(elapsed, other)}",
        flush=True,
    )
    if not records[0]:
        return [f"{game}: no match was recorded"]
    return [f"{game}: records differ"] if any(one != records[0] for one in records) else []


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", type=Path, help="folder of the other checkout")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=LEAGUES, default=[*LEAGUES])
    asked = parser.parse_args()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for game in asked.only:
            wrong += compare(game, asked.other.resolve(), asked.runs, Path(folder))
    sys.exit("\n".join(wrong) or print("all records are equal, byte for byte"))


if __name__ == "__main__":
    main()
