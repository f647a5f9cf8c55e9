"""How fast ratings are computed: a full rebuild of each online system, and the batch fit.

Run ``python benchmarks/ratings.py [--matches N]``. A rebuild reads matches from a file of JSON lines, as from a
database, folds them and serialises the states of all bots; the fold of matches that are in memory already is shown
beside it. Prints seconds on one core, microseconds per match, the ratio to Elo, and how time grows when the number
of matches or bots doubles.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from botleague.ratings import (
    Elo,
    Glicko2,
    PlackettLuce,
    RatingSystem,
    Result,
    Side,
    Unit,
    expected_score,
    fit,
    pair_evidence,
    replay,
)

BOTS = 10_000


def write_log(path: Path, matches: int, seed: int) -> None:
    """Write two-sided matches between bots of known strength."""
    rng = random.Random(seed)
    strengths = [rng.gauss(1500, 200) for _ in range(BOTS)]
    with path.open("w") as log:
        for number in range(matches):
            one, other = rng.sample(range(BOTS), 2)
            won = rng.random() < expected_score(strengths[one], strengths[other])
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
    states: dict[str, Any] = {}
    for _ in replay(system, read_log(path), states):
        pass
    written = [json.dumps(system.dump(state)) for state in states.values()]
    assert len(written) <= BOTS
    return time.process_time() - start


def reading(path: Path) -> float:
    """Return the seconds that reading alone takes."""
    start = time.process_time()
    for _ in read_log(path):
        pass
    return time.process_time() - start


def batch(bots: int) -> float:
    """Return the seconds of a fit over a full round robin of mirrored pairs."""
    rng = random.Random(bots)
    strengths = [rng.gauss(1500, 200) for _ in range(bots)]
    units: dict[Unit, int] = {}
    for i in range(bots):
        for j in range(i):
            wins = sum(rng.random() < expected_score(strengths[i], strengths[j]) for _ in range(4))
            units |= pair_evidence(f"v{i}", f"v{j}", wins, 0, 4 - wins)
    start = time.process_time()
    fit(units)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1_000_000, help="matches of the Elo rebuild")
    matches = parser.parse_args().matches
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
    times = {bots: batch(bots) for bots in (50, 100, 200)}
    for bots, seconds in times.items():
        growth = f", {seconds / times[bots // 2]:.1f} times half as many" if bots // 2 in times else ""
        print(f"batch fit of {bots} bots: {seconds:.2f} s{growth}")


if __name__ == "__main__":
    main()
