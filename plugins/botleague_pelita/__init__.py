"""Pelita: two teams of two bots play capture-the-flag in a maze full of food.

Read :mod:`~botleague_pelita.rules` first; :mod:`~botleague_pelita.play.engine` holds the game itself,
:mod:`~botleague_pelita.teams.bot` what a bot sees, :mod:`~botleague_pelita.variants` what is on offer.
Tests that bot authors wrote for the original run with :mod:`botleague_pelita.compat`.
"""

from __future__ import annotations

from collections.abc import Callable

from botleague.rules import BotSource, Variant, hookimpl

__all__ = ["botleague_bots", "botleague_commands", "botleague_formats", "botleague_variants"]

_BOTS = {
    "stopping": "Two statues: for tests, and as the easiest opponent.",
    "random": "Goes anywhere, never back.",
    "gatherer": "Both bots fetch the nearest food and wait when a ghost is in the way.",
    "hunter": "Both bots chase enemies that they see at home, and patrol the border.",
    "defender": "One bot guards the food, the other fetches food near the border.",
    "mixed": "Plans paths around ghosts, splits the food between the bots, defends when it is raided.",
}


@hookimpl
def botleague_variants() -> list[Variant]:
    from botleague_pelita.variants import variants

    return variants()


@hookimpl
def botleague_bots() -> list[BotSource]:
    return BotSource.beside(__file__, "pelita", _BOTS, prefix="pelita-")


@hookimpl
def botleague_formats() -> dict[str, str]:
    """Return the original's tournament as a league format."""
    return {"pelita-tournament": "botleague_pelita.tournaments.tournament_format:PelitaTournament"}


@hookimpl
def botleague_commands() -> list[tuple[str, Callable[..., None]]]:
    """Return the commands of Pelita: playing with the original's options, drawing mazes, holding a tournament."""
    from botleague_pelita.legacy.commands import maze, play_game, tournament

    return [("play", play_game), ("maze", maze), ("tournament", tournament)]
