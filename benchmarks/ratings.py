"""How fast ratings are computed. How far they can be trusted, ``benchmarks/simulated_contests.py`` prints.

Run ``python benchmarks/ratings.py [--matches N]``.

A full rebuild of each online system reads matches from a file of JSON lines, as from a database, folds them and
serialises the states of all bots. Prints CPU seconds, microseconds per match, the ratio to Elo, and how time grows when
the number of matches or bots doubles; then batch tables up to 10,000 bots, at two virtual draws and with the spread of
the field estimated. It fails if the table of 1,000 bots and 50,000 matches takes more than 2.5 s.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from botleague.ratings import (
    PAIRING_ACCURACY,
    PRIOR,
    BatchTable,
    Columns,
    Elo,
    Glicko2,
    PlackettLuce,
    Prior,
    RatingSystem,
    Result,
    Side,
    Table,
    evidence,
    expected_score,
    fit_columns,
    most_likely,
    replay,
)

BOTS = 10_000

MOST_S = 2.5
"""CPU seconds for the table of 1,000 bots and 50,000 matches."""


def write_log(path: Path, matches: int, seed: int) -> None:
    """Write two-sided matches between bots of known strength."""
    rng = random.Random(seed)
    truth = [rng.gauss(1500, 200) for _ in range(BOTS)]
    with path.open("w") as log:
        for number in range(matches):
            one, other = rng.sample(range(BOTS), 2)
            won = rng.random() < expected_score(truth[one], truth[other])
            places = [1, 1] if rng.random() < 0.2 else [1, 2] if won else [2, 1]
            log.write(f'[{number}, ["v{one}", "v{other}"], {places}]\n')


def read_log(path: Path) -> Iterator[Result]:
    """Yield the matches of a log in order."""
    with path.open() as log:
        for line in log:
            number, bots, places = json.loads(line)
            sides = tuple(Side((bot,), place) for bot, place in zip(bots, places, strict=True))
            yield Result(f"m{number}", number, sides)


def rebuild(system: RatingSystem[Any], path: Path) -> float:
    """Return the seconds of a full rebuild: read, fold, serialise."""
    start = time.process_time()
    table: Table[Any] = Table()
    for _ in replay(system, read_log(path), table):
        pass
    written = [json.dumps(system.dump(state)) for state in table.states.values()]
    assert len(written) <= BOTS
    return time.process_time() - start


def reading(path: Path) -> float:
    """Return the seconds that reading alone takes."""
    start = time.process_time()
    for _ in read_log(path):
        pass
    return time.process_time() - start


def print_batch(bots: int, matches: int) -> float:
    """Print the CPU seconds of batch tables of mirrored pairs, and return those of the one that is shown."""
    rng = random.Random(bots)
    truth = [rng.gauss(0, 200) for _ in range(bots)]
    log: list[Result] = []
    for group in range(matches // 2):
        one, other = rng.sample(range(bots), 2)
        for game in range(2):
            won = rng.random() < expected_score(truth[one], truth[other])
            sides = Side((f"v{one}",), 1 if won else 2), Side((f"v{other}",), 2 if won else 1)
            log.append(Result(f"m{group} {game}", 2 * group + game, sides, set_size=2))
    start = time.process_time()
    units = Columns.of(evidence(log, lambda result: result.sequence // 2))
    seconds = {"gathering the evidence": time.process_time() - start}
    for name, make in (
        ("strengths alone", lambda: most_likely(units, converged=PAIRING_ACCURACY)),
        ("table at two virtual draws", lambda: whole_table(units, PRIOR)),
        ("table with the spread estimated", lambda: whole_table(units, "estimated")),
    ):
        start = time.process_time()
        make()
        seconds[name] = time.process_time() - start
    said = ", ".join(f"{name} {spent:.2f} s" for name, spent in seconds.items())
    print(f"{bots} bots, {len(log)} matches: {said}", flush=True)
    return seconds["table with the spread estimated"]


def whole_table(units: Columns, prior: Prior) -> BatchTable:
    """Return a table, everything asked for that a report shows."""
    table = fit_columns(units, prior)
    table.errors()
    table.intervals()
    if table.has_superiority:
        for bot, following in pairwise(table.bots):
            table.superiority(bot, following)
    return table


def speed(matches: int) -> None:
    """Print how fast everything is."""
    with tempfile.TemporaryDirectory() as folder:
        whole, half, tenth = (Path(folder) / name for name in ("whole", "half", "tenth"))
        for path, number in ((whole, matches), (half, matches // 2), (tenth, matches // 10)):
            write_log(path, number, seed=1)
        elo, read = rebuild(Elo(), whole), reading(whole)
        print(f"Elo, {matches} matches of {BOTS} bots: {elo:.1f} s, of which reading {read:.1f} s")
        print(
            f"  {1e6 * elo / matches:.1f} us a match; half the matches take {rebuild(Elo(), half) / elo:.2f} of it"
        )
        print(f"  peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
        base = rebuild(Elo(), tenth)
        for system in (Elo(), Glicko2(), PlackettLuce()):
            seconds = rebuild(system, tenth)
            print(f"{system.name}: {1e7 * seconds / matches:.1f} us a match, {seconds / base:.2f} times Elo")
    for bots, played in (
        (100, 5_000),
        (1_000, 50_000),
        (2_000, 100_000),
        (10_000, 200_000),
        (10_000, 600_000),
    ):
        spent = print_batch(bots, played)
        if bots == 1_000 and spent > MOST_S:
            raise SystemExit(f"the table of {bots} bots takes {spent:.2f} s, and may take {MOST_S} s")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=1_000_000, help="matches of the Elo rebuild")
    speed(parser.parse_args().matches)


if __name__ == "__main__":
    main()
