"""Bot Royale: units on a hexagonal board walk, jump and push each other until one is left.

The engine, which bots also look ahead with, is ``battle.state``; what surrounds it in a match is
:mod:`~botleague_botroyale.rules`; what a bot of the original meets is :mod:`~botleague_botroyale.harness`.
"""

from __future__ import annotations

from collections.abc import Callable

from botleague.rules import BotSource, Variant, hookimpl

__all__ = ["botleague_bots", "botleague_commands", "botleague_variants"]

_BOTS = {
    "drifter": "wanders about, any action that does not kill it",
    "hermit": "defensive: keeps away from other units and just ahead of the ring",
    "bully": "aggressive: plans walks and pushes that kill within its turn",
    "planner": "calculating: a beam search over its whole turn",
    "weather": "positional: a field of dangers over all tiles, with numpy",
    "king": "territorial: takes the centre and pushes others away from it",
}


@hookimpl
def botleague_variants() -> list[Variant]:
    from botleague_botroyale.variants import variants  # kept out of every bot's zygote

    return variants()


@hookimpl
def botleague_bots() -> list[BotSource]:
    return BotSource.beside(__file__, "botroyale", _BOTS)


@hookimpl
def botleague_commands() -> list[tuple[str, Callable[..., None]]]:
    from botleague_botroyale.commands import check_map

    return [("check-map", check_map)]
