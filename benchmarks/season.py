"""A large season, and one of a tenth: its pages read anew, and its ratings, verification, export and site.

Run ``python benchmarks/season.py [--bots 100000] [--matches 1000000] [--folder FOLDER]``. Both seasons are recorded as
in ``benchmarks/league.py``: results are drawn, everything else is real. Then the user's commands run, each a process of
its own, with its memory. Seasons in ``--folder`` stay there, and are used again.

The figure in parentheses is the most that is allowed at either size. Ends with 1 if a page, a table or a file of what
was measured is missing, or if ratings or the export are not those of the season.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import runpy
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
LEAGUE = runpy.run_path(str(HERE / "league.py"))
WEB = runpy.run_path(str(HERE / "web.py"))

PORT = 8395
READS = 12
"""Of each page, every one of another part of the season."""


MEASURED = """
import json, resource, subprocess, sys, time
started = time.perf_counter()
code = subprocess.call(sys.argv[1:])
wall_s = time.perf_counter() - started
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print()
print(json.dumps([code, wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]))
"""
"""Runs a command from a small process: it would inherit the most memory of this one."""


class Usage(NamedTuple):
    """What a command used: seconds of wall clock and of CPU, the most memory in MiB, and what it printed."""

    wall_s: float
    cpu_s: float
    peak_mib: float
    output: str


def main() -> None:
    """Measure both sizes, and print one line for each figure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bots", type=int, default=100_000)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="where the seasons stay; default: they are removed again")
    parser.add_argument(
        "--no-site", action="store_true", help="publish nothing: each bot has pages of its own"
    )
    parser.add_argument(
        "--table", choices=["batch", "online"], default="batch", help="what standings rank by"
    )
    options = parser.parse_args()
    if not 200 <= options.bots <= options.matches / 10:
        parser.error("200 bots or more, and ten matches for each")
    with tempfile.TemporaryDirectory() as name:
        folder = options.folder or Path(name)
        folder.mkdir(exist_ok=True)
        for bots, matches in ((options.bots // 10, options.matches // 10), (options.bots, options.matches)):
            file = folder / f"{bots}-{matches}-{options.table}.db"
            if not file.exists():
                LEAGUE["measure"](str(file), bots, matches, b"", options.table)
            print(f"\n{bots} bots, {matches} matches, standings by {options.table} rating", flush=True)
            pages(file, bots, matches)
            commands(file, matches)
            if not options.no_site:
                site(file, matches)


def pages(file: Path, bots: int, matches: int) -> None:
    """Measure pages of a server that has just started, each read where it was not read before."""
    rng = random.Random(1)
    season = "/leagues/ladder/seasons/1/"
    with WEB["serving"](WEB["program"](file, PORT), PORT) as server:
        middle = json.loads(WEB["fetch"](PORT, f"{season}index.json?from={bots // 2}"))["rows"]
        for name, path in WEB["LARGE_PAGES"].items():
            taken, used = [], cpu_s(server.pid)
            for row in rng.sample(middle, READS):
                before = rng.randrange(matches // 2, matches)
                part = f"?from={rng.randrange(2, bots // 2)}&before={before}&first={before}"
                taken.append(WEB["once_ms"](PORT, season + path.format(bot=row["bot"]) + part))
            cpu_ms = 1000 * (cpu_s(server.pid) - used) / READS
            print(
                f"  {name}: {statistics.median(taken):.0f} ms, the slowest {max(taken):.0f} ms (150), "
                f"{cpu_ms:.0f} ms of CPU",
                flush=True,
            )
        print(f"  memory of the server: {WEB['memory_mib'](server.pid):.0f} MiB (200)", flush=True)


def commands(file: Path, matches: int) -> None:
    """Measure what a user does with a whole season."""
    with tempfile.TemporaryDirectory(dir=file.parent) as name:
        export = Path(name) / "export"
        show("ratings rebuilt", used(file, "ratings", "rebuild", "ladder"), "60 s")
        show("exported", used(file, "export", "ladder", "--out", str(export)), "250 MiB")
        with (export / "results.csv").open() as lines:
            exported = sum(1 for _ in lines) - 1
        if exported != matches:
            sys.exit(f"nothing was measured: {exported} results were exported, not {matches}")
        show("verified from the export", used(file, "verify", "--from-export", str(export)), "120 s")


def site(file: Path, matches: int) -> None:
    """Measure publishing: into an empty folder, after ten more matches, and with nothing to change."""
    with tempfile.TemporaryDirectory(dir=file.parent) as name:
        for what, part in (
            ("published", ("--as-of", str(matches - 10))),
            ("published after 10 more matches", ()),
            ("published again", ()),
        ):
            usage = used(file, "publish", "ladder", "--matches", "none", "--out", name, *part)
            show(what, usage, "")
            print(f"    {usage.output.splitlines()[-1]}")
            if ("no changes" in usage.output) != (what == "published again"):
                sys.exit("nothing was measured: not the files that had to change were written")
        if not (Path(name) / "index.html").exists():
            sys.exit("nothing was measured: no site was written")


def used(file: Path, *words: str) -> Usage:
    """Return what a command used, once it has ended well."""
    command = [sys.executable, "-c", WEB["COMMAND"], *words]
    if "--from-export" not in words:
        command += ["--db", str(file)]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *command],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "HOME": str(file.parent)},
    )
    text, _, report = done.stdout.rstrip("\n").rpartition("\n")
    code, *spent = json.loads(report) if done.returncode == 0 else [done.returncode]
    if code:
        sys.exit(f"nothing was measured: {' '.join(words)} ended with {code}\n{text[-2000:]}")
    return Usage._make((*spent, text))


def show(what: str, usage: Usage, most: str) -> None:
    """Print what a command used, and the most that is allowed."""
    limit = f" ({most})" if most else ""
    print(
        f"  {what}: {usage.wall_s:.1f} s, {usage.cpu_s:.1f} s of CPU, {usage.peak_mib:.0f} MiB{limit}",
        flush=True,
    )


def cpu_s(process: int) -> float:
    """Return the CPU seconds that a process used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
