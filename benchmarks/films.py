"""Films of bundled bots' matches: how large they are, and what making one costs beside replaying and drawing.

    python benchmarks/films.py [VARIANT ...]

Sizes are of films as a stranger sees them (no journals, no views), compressed. Times are processor seconds, the least
of several runs in turn; the ratio is what counts, since drawing has to be done in any case.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import botleague
from botleague.film import film, player_file
from botleague.plugins import PluginHost
from botleague.referee import Finished, Record, read_record, replay
from botleague.rules import Variant

SEED = 5
ROYALE = ("drifter", "hermit", "bully", "planner", "weather", "king")

MATCHES = {
    "isolation": (("greedy", "minimax"), 10_500),
    "pelita": (("pelita-random", "pelita-hunter"), 80_000),
    "botroyale-classic": (ROYALE * 2, 60_000),
    "careerfair-huge": (("planner", "spread"), 400_000),
    "pybots": (("rammer", "hugger", "sniper", "dodger"), None),
}
"""Who plays, and the most bytes that a film may have. Pelita's match goes through all 300 rounds, the fair through
300 steps."""

MOST_TIMES = 2.0
"""What making a film may cost, as a multiple of replaying and drawing."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("variants", nargs="*", default=list(MATCHES))
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    plugins = PluginHost.load()
    assets = sum(len(player_file(name).encode()) for name in ("player.js", "player.css"))
    print(f"player and styles: {assets:,} of 75,000 bytes")
    print(f"{'':20}{'turns':>6}{'bytes':>9}{'of':>9}{'draw s':>8}{'film s':>8}{'ratio':>7}")
    for name in arguments.variants:
        bots, most = MATCHES[name]
        match = botleague.play(name, bots, seed=SEED)
        record, variant = read_record(match.record), plugins.variant(name)
        drawing, filming = float("inf"), float("inf")
        for _ in range(arguments.repeat):
            drawing = min(drawing, seconds(lambda: draw(record, variant)))  # noqa: B023  # called at once
            filming = min(filming, seconds(lambda: film(record, variant).compressed()))  # noqa: B023
        size = len(film(record, variant).compressed())
        ratio = filming / drawing
        verdict = "" if size <= (most or size) and ratio <= MOST_TIMES else "  ABOVE ITS BUDGET"
        limit = "" if most is None else f"{most:,}"
        print(
            f"{name:20}{match.turns:6}{size:9,}{limit:>9}{drawing:8.2f}{filming:8.2f}{ratio:7.2f}{verdict}",
            flush=True,
        )


def draw(record: Record, variant: Variant) -> None:
    """Replay a match and draw every state."""
    for event in replay(record, variant):
        if not isinstance(event, Finished):
            variant.rules.scene(event.state)


def seconds(work: Callable[[], object]) -> float:
    """Return the processor seconds that ``work`` takes."""
    started = time.process_time()
    work()
    return time.process_time() - started


if __name__ == "__main__":
    main()
