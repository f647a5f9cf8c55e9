"""What a cold command costs: processor time of the process and those it starts, against bare imports in the same run;
and how long a Tab in the shell takes.

    python benchmarks/cold.py --runs 5
    python benchmarks/cold.py --original /tmp/original/bin/pelita    # pelita 2.5.3, in an environment of its own

Each command runs right after its unit, several times; the median of the ratios counts. Processor time is that of user
and kernel together, so a busy machine disturbs it little.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(sys.executable).parent
PR_SET_CHILD_SUBREAPER = 36  # prctl(2)

TYPER = (sys.executable, "-c", "import typer")
LIBRARIES = (sys.executable, "-c", "import sqlalchemy, rich, typer")
SCIENCE = (sys.executable, "-c", "import numpy, networkx")

READING = (
    "standings cup",
    "history greedy",
    "leagues",
    "variants",
    "bots",
    "formats",
    "plugins",
    "config",
)


COMPLETED = ("stand", "run --form", "play isolation gre", "standings cu")
"""Lines whose last word is completed."""

COMPLETED_WITHIN_S = 0.150
"""Seconds from a Tab to its answer, on a quiet machine."""


@dataclass(frozen=True)
class Row:
    """A command, the unit that it is measured in, and how many of them it may cost."""

    command: Sequence[str]
    unit: Sequence[str]
    most: float


def ours(words: str) -> tuple[str, ...]:
    return (str(HERE / "botleague"), *words.split())


ROWS = (
    Row(ours("--help"), TYPER, 1.5),
    *(Row(ours(words), LIBRARIES, 1.3) for words in READING),
    Row(ours("play isolation greedy random --seed 1"), LIBRARIES, 1.4),
    Row(ours("play pelita-quick pelita-random pelita-random --seed 1"), SCIENCE, 3.0),
)


def cpu_s(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """Return the seconds of processor time of a command and of all below it, whoever waits for them."""
    before = _used_s()
    with open(os.devnull, "w") as nowhere:
        subprocess.run(command, env=environment, stdout=nowhere, stderr=nowhere, check=True)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()  # for those that outlive their parents, which fall to this process
    return _used_s() - before


def completed_s(line: str, environment: Mapping[str, str]) -> float:
    """Return the seconds from a Tab at the end of a line to its answer, in bash."""
    words = ["botleague", *line.split()]
    asked = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    asked["_BOTLEAGUE_COMPLETE"] = "complete_bash"
    began = time.perf_counter()
    done = subprocess.run(ours(""), env={**environment, **asked}, capture_output=True, text=True, check=True)
    spent = time.perf_counter() - began
    assert done.stdout.startswith(words[-1]), f"{line!r} is not completed"
    return spent


def _used_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _words(row: Row) -> str:
    return " ".join(("botleague", *row.command[1:]))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--original", help="the program of pelita 2.5.3, to play 300 rounds beside it")
    parser.add_argument("--only", default="", help="commands that contain this text")
    given = parser.parse_args()
    rows = list(ROWS)
    if given.original:
        # Of the package: a name alone is looked for in the working directory, and a team that is not found draws.
        team = str(
            next(Path(given.original).parents[1].glob("lib/*/site-packages/pelita/player/RandomPlayers.py"))
        )
        original = (given.original, "--null", "--rounds", "300", team, team)
        rows.append(Row(ours("pelita play --null --rounds 300 pelita-random pelita-random"), original, 0.5))
    rows = [row for row in rows if given.only in _words(row)]
    if not rows:
        parser.error(f"--only: no command contains {given.only!r}")
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as folder:
        # What is installed is compiled once, and not by every command.
        environment = {**os.environ, "HOME": folder, "BOTLEAGUE_DB": f"{folder}/league.db"}
        environment["XDG_CACHE_HOME"] = f"{folder}/cache"
        environment |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        cpu_s(ours("run isolation-5x5 greedy random --league cup --rounds 1 --seed 1"), environment)
        print(f"{'command':52} {'CPU':>7} {'unit':>7} {'ratio':>6} {'wanted':>6}")
        for row in rows:
            words = _words(row)
            pairs = []
            cpu_s(row.unit, environment), cpu_s(row.command, environment)
            for _ in range(given.runs):
                unit = cpu_s(row.unit, environment)
                pairs.append((cpu_s(row.command, environment), unit))
            ratio = statistics.median(spent / unit for spent, unit in pairs)
            spent, unit = (statistics.median(values) for values in zip(*pairs, strict=True))
            print(f"{words[:52]:52} {spent:6.2f}s {unit:6.2f}s {ratio:6.2f} {row.most:6.2f}", flush=True)
        print(f"\n{'Tab after':52} {'took':>7} {'wanted':>7}")
        for line in COMPLETED:
            completed_s(line, environment)
            took = statistics.median(completed_s(line, environment) for _ in range(given.runs))
            print(
                f"{'botleague ' + line:52} {took * 1000:4.0f} ms {COMPLETED_WITHIN_S * 1000:4.0f} ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
