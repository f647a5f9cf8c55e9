"""The platform's own formats, rating systems and executors, registered through the same hooks as those of plugins.

They are named by their modules, and imported when they are first used: match hosts load plugins too, and know nothing
of leagues or databases.
"""

from __future__ import annotations

from botleague.rules import hookimpl


@hookimpl
def botleague_formats() -> dict[str, str]:
    """Offer the built-in formats."""
    formats = "botleague.formats"
    return {
        "round-robin": f"{formats}:RoundRobin",
        "gauntlet": f"{formats}:Gauntlet",
        "swiss": f"{formats}:Swiss",
        "knockout": f"{formats}:Knockout",
        "double-knockout": f"{formats}:DoubleKnockout",
        "ladder": f"{formats}:Ladder",
        "comparison": f"{formats}:Comparison",
    }


@hookimpl
def botleague_ratings() -> dict[str, str]:
    """Offer the built-in rating systems."""
    ratings = "botleague.ratings"
    return {
        "elo": f"{ratings}:Elo",
        "glicko-2": f"{ratings}:Glicko2",
        "plackett-luce": f"{ratings}:PlackettLuce",
    }


@hookimpl
def botleague_executors() -> dict[str, str]:
    """Offer the built-in executors."""
    executors = "botleague.executors"
    return {
        "local": f"{executors}:LocalProcesses",
        "in-process": f"{executors}:InProcess",
        "dask": f"{executors}:DaskCluster",
    }
