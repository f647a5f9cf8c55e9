"""Pybots as a plugin of botleague: round robots with hardware of their own choice shoot it out in an arena.

All bots of a step are asked at the same time, each sees only what its scan shows, and the last one left wins.
"""

from __future__ import annotations

from botleague.rules import BotSource, Variant, hookimpl

__all__ = ["botleague_bots", "botleague_variants"]

_BOTS = {
    "duck": "Sits still and never shoots: the first opponent to beat.",
    "rammer": "Thick armour and full speed: rams every robot it sees.",
    "hugger": "Circles along the walls and shoots across the arena.",
    "sniper": "Stands off, aims where its target is going to be, and fires everything at once.",
    "dodger": "Small and fast: never drives straight for long, and shoots in passing.",
}


@hookimpl
def botleague_variants() -> list[Variant]:
    # Imported here, because every bot's process imports the package, and needs no rules.
    from botleague_pybots.variants import variants

    return variants()


@hookimpl
def botleague_bots() -> list[BotSource]:
    """Return the bundled bots, from the weakest to the strongest styles."""
    return BotSource.beside(__file__, "pybots", _BOTS)
