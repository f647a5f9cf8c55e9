"""Length and speed of the games of OpenSpiel: ``python benchmarks/openspiel_games.py [GAME ...]``.

Bots that play at random in real sandboxes play each game for a second. Prints the table of docs/games/openspiel.md:
turns per match, and matches per second of CPU time, of the host and of all bots together; starts of processes are
not counted. Ends with 1 if a bot had a fault, or if a game is unknown.
"""

from __future__ import annotations

import hashlib
import sys
import time
from pathlib import Path

from botleague.referee import Player, play
from botleague_openspiel import botleague_bots
from botleague_openspiel.catalogue import GAMES, variant_name
from botleague_openspiel.variants import variants
from botleague_sandbox import Sandbox

SECONDS = 1.0
MIN_MATCHES, MAX_MATCHES = 3, 50


def main() -> None:
    """Measure and print."""
    offered = {variant.name: variant for variant in variants()}
    source = Path(next(bot.path for bot in botleague_bots() if bot.name == "lots")).read_bytes()
    lots = Player("lots", hashlib.sha256(source).hexdigest(), {"lots.py": source}, "lots.py")
    if unknown := sorted({*sys.argv[1:]} - GAMES.keys()):
        sys.exit(f"nothing was measured: no game {', '.join(unknown)}")
    print("| variant | game | seats | chance | information | turns | matches/s |")
    print("| --- | --- | --- | --- | --- | ---: | ---: |")
    for name, entry in GAMES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        variant = offered[variant_name(name)]
        players, turns, spent, matches = [lots] * variant.seats.least, 0, 0.0, 0
        with Sandbox() as sandbox:
            play(variant, 0, players, sandbox)
            while matches < MIN_MATCHES or (spent < SECONDS and matches < MAX_MATCHES):
                matches += 1
                start = time.process_time()
                report = play(variant, matches, players, sandbox)
                if any(seat.faults for seat in report.seats):
                    sys.exit(f"nothing was measured: a bot failed in {name}: {report.outcome.reason}")
                spent += time.process_time() - start + sum(seat.cpu_ms for seat in report.seats) / 1000
                turns += report.turns
        chance = "yes" if "c" in entry.traits else "no"
        information = "hidden" if "h" in entry.traits else "simultaneous" if "s" in entry.traits else "open"
        print(
            f"| `{variant.name}` | {entry.title} | {variant.seats} | {chance} | {information} "
            f"| {turns / matches:.0f} | {matches / spent:.3g} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
