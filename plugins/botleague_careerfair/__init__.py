"""Career fair: teams of four walk a crowded hall and stand in lines for the recruiters' points.

``simulation.fair`` holds the rules of one step, ``simulation.crowd`` the
behaviour of the crowd, :mod:`~botleague_careerfair.rules` matches. Every bot's process imports this module, so it stays
small.
"""

from __future__ import annotations

from collections.abc import Callable

from botleague.rules import BotSource, Variant, hookimpl

__all__ = ["botleague_bots", "botleague_commands", "botleague_variants"]

BOTS = {
    "pacer": "the main bot and its helpers each take the nearest short line",
    "ferry": "helpers queue, the main bot takes over when they are about to be served",
    "planner": "weighs the reward against the walk and the wait; crowded tiles make the walk longer",
    "spread": "divides the companies by their place in the hall; each bot visits its share, the richest first",
    "wanderer": "walks at random and enters any line it meets",
}


@hookimpl
def botleague_variants() -> list[Variant]:
    from botleague_careerfair.variants import variants

    return variants()


@hookimpl
def botleague_bots() -> list[BotSource]:
    return BotSource.beside(__file__, "careerfair", BOTS)


@hookimpl
def botleague_commands() -> list[tuple[str, Callable[..., None]]]:
    """Return the commands that check board files, and that play with every option."""
    from botleague_careerfair.legacy.boardcheck import check_board_file
    from botleague_careerfair.legacy.playing import play_match

    return [("check-board", check_board_file), ("play", play_match)]
