"""Bot Royale's look-ahead against the original's, on the map ``classic``, side by side in one run.

The original is the package ``botroyale`` 0.1.4. Its engine needs numpy and tomlkit, but not the GUI that the package
depends on, so install it into an environment of its own with::

    pip install -e . "numpy==2.0.2" tomlkit && pip install --no-deps botroyale==0.1.4
    python benchmarks/botroyale_engine.py

Without the original only our own figures are shown. Every figure is the median of many short batches, in which the
candidates take turns, so that a busy machine slows all of them alike.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from botleague_botroyale.battle import actions, maps, state
from botleague_botroyale.board import hexagon, plates

BATCHES = 60
BATCH_MS = 4.0
PLATES = 40


def ours() -> Any:
    """Return our names, under those of the original."""
    return SimpleNamespace(
        get_map_state=maps.get_map_state,
        Idle=actions.Idle,
        Move=actions.Move,
        Jump=actions.Jump,
        Push=actions.Push,
        Hexagon=hexagon.Hexagon,
        Plate=plates.Plate,
        PlateType=plates.PlateType,
        State=state.State,
    )


def original() -> Any | None:
    """Return the original's names, None if it is not installed."""
    try:
        modules = [
            import_module(f"botroyale.{name}")
            for name in ("api.actions", "logic.maps", "logic.plate", "logic.state", "util.hexagon")
        ]
    except ImportError as error:
        print(f"The original is not installed ({error}): only our own figures.\n")
        return None
    return SimpleNamespace(**{key: value for module in modules for key, value in vars(module).items()})


def cases(names: Any) -> dict[str, Callable[[], object]]:
    """Return what is measured, by name."""
    start = first_round(names, 0)
    crowded = first_round(names, PLATES)
    looked_at = first_round(names, 0)
    for part in ("positions", "pits", "walls", "plates", "alive_mask", "ap"):
        getattr(looked_at, part)
    unit = start.current_unit
    here = start.positions[unit]
    move = names.Move(next(at for at in here.neighbors if start.check_legal_action(names.Move(at))))
    idle = names.Idle()
    candidates = [names.Move(at) for at in here.neighbors] + [names.Jump(at) for at in here.ring(2)]
    candidates += [names.Push(at) for at in here.neighbors]
    assert len(candidates) == 24
    return {
        "apply_action(Move)": lambda: start.apply_action(move),
        "apply_action(Move), arrays and sets read": lambda: looked_at.apply_action(move),
        f"apply_action(Move), {PLATES} plates": lambda: crowded.apply_action(move),
        "apply_action(Idle)": lambda: start.apply_action(idle),
        "24 legality checks": lambda: [start.check_legal_action(one) for one in candidates],
        "24 legality checks, arrays and sets read": lambda: [
            looked_at.check_legal_action(one) for one in candidates
        ],
    }


def first_round(names: Any, plate_count: int) -> Any:
    """Return the state at the first turn on ``classic``, with so many plates where nobody stands."""
    fresh = names.get_map_state("classic")
    fresh.seed = 5
    taken = {*fresh.positions, *fresh.pits, *fresh.walls}
    free = [at for at in names.Hexagon(0, 0, 0).range(8) if at not in taken]
    chosen = free[:: max(1, len(free) // PLATES)][:plate_count]
    assert len(chosen) == plate_count
    laid = {names.Plate(at.cube, names.PlateType.PIT_TRAP, -2, targets=set(at.neighbors)) for at in chosen}
    return names.State(
        fresh.death_radius, fresh.positions, fresh.pits, fresh.walls, laid, seed=5
    ).increment_round()


def batch_us(call: Callable[[], object], times: int) -> float:
    """Return the microseconds of one call, mean of a batch."""
    started = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - started) / times * 1e6


def medians(calls: list[Callable[[], object]]) -> list[float]:
    """Return the median microseconds of each call; the calls take turns, batch by batch."""
    times = [max(1, int(BATCH_MS * 1000 / batch_us(call, 20))) for call in calls]
    samples: list[list[float]] = [[] for _ in calls]
    for _ in range(BATCHES):
        for call, count, sample in zip(calls, times, samples, strict=True):
            sample.append(batch_us(call, count))
    return [statistics.median(sample) for sample in samples]


def main() -> None:
    """Measure and print."""
    mine = cases(ours())
    names = original()
    theirs = cases(names) if names is not None else {}
    print(f"{'microseconds, medians':44} {'ours':>9} {'original':>9} {'ratio':>7}")
    for name, call in mine.items():
        if name not in theirs:
            print(f"{name:44} {medians([call])[0]:9.2f}")
            continue
        our_us, their_us = medians([call, theirs[name]])
        print(f"{name:44} {our_us:9.2f} {their_us:9.2f} {their_us / our_us:6.1f}x")
    plain, crowded = (mine[name] for name in ("apply_action(Move)", f"apply_action(Move), {PLATES} plates"))
    plain_us, crowded_us = medians([plain, crowded])
    print(f"\n{PLATES} plates cost {crowded_us / plain_us:.2f} times a move without any (ours, interleaved)")


if __name__ == "__main__":
    main()
