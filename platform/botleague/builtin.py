"""The platform's own formats, rating systems and executors, registered through the same hooks as anyone's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from botleague.executors import DaskCluster, Executor, InProcess, LocalProcesses
from botleague.ratings import Elo, Glicko2, PlackettLuce, RatingSystem
from botleague.rules import hookimpl
from botleague.rules.formats import Format

__all__ = ["botleague_executors", "botleague_formats", "botleague_ratings"]

FORMATS = {
    "round-robin": "RoundRobin",
    "gauntlet": "Gauntlet",
    "swiss": "Swiss",
    "knockout": "Knockout",
    "double-knockout": "DoubleKnockout",
    "ladder": "Ladder",
    "comparison": "Comparison",
}


@hookimpl
def botleague_formats() -> dict[str, Callable[..., Format]]:
    """Offer the built-in formats."""
    return {name: partial(_make_format, kind) for name, kind in FORMATS.items()}


def _make_format(kind: str, **options: object) -> Format:
    # Imported only when one is made: match hosts load plugins too, and know nothing of leagues or databases.
    from botleague.league import formats

    made: Format = getattr(formats, kind)(**options)
    return made


@hookimpl
def botleague_ratings() -> dict[str, Callable[..., RatingSystem[Any]]]:
    """Offer the built-in rating systems."""
    return {"elo": Elo, "glicko-2": Glicko2, "plackett-luce": PlackettLuce}


@hookimpl
def botleague_executors() -> dict[str, Callable[..., Executor]]:
    """Offer the built-in executors."""
    return {"local": LocalProcesses, "in-process": InProcess, "dask": DaskCluster}
