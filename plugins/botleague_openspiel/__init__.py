"""OpenSpiel: chess, go, backgammon, poker and fifty more games of one library, with one interface for bots.

The rules are in :mod:`~botleague_openspiel.rules`, the games in :mod:`~botleague_openspiel.catalogue`. The library
(``pip install 'botleague[openspiel]'``) is loaded when a match starts; without it the plugin offers nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from botleague.rules import BotSource, Variant, hookimpl

__all__ = ["botleague_bots", "botleague_missing", "botleague_variants"]


@hookimpl
def botleague_variants() -> list[Variant]:
    """Return the variants, if the library is installed."""
    if find_spec("pyspiel") is None:
        return []
    from botleague_openspiel.variants import variants  # kept out of every bot's zygote

    return variants()


@hookimpl
def botleague_bots() -> list[BotSource]:
    """Return the bundled bots of each game, if the library is installed."""
    return [] if find_spec("pyspiel") is None else [*_bots()]


@hookimpl
def botleague_missing() -> dict[str, str]:
    """Return the command that installs the library, for each variant without it."""
    from botleague_openspiel.catalogue import GAMES, variant_name

    names = () if find_spec("pyspiel") else (*map(variant_name, GAMES), "openspiel")
    return dict.fromkeys(names, "pip install 'botleague[openspiel]'")


def _bots() -> Iterator[BotSource]:
    from botleague_openspiel.catalogue import GAMES, variant_name

    traits = {variant_name(name): set(entry.traits) for name, entry in GAMES.items()}
    every = (*traits, "openspiel")
    visible = tuple(game for game in traits if "h" not in traits[game])
    in_turn = tuple(game for game in visible if "s" not in traits[game])
    for name, games, summary in (
        ("lots", every, "plays any action at random"),
        ("rollouts", visible, "plays each action to the end at random"),
        ("tree", in_turn, "grows a tree with the library's own search, 300 simulations"),
        ("material", ("chess", "checkers"), "looks ahead and counts the pieces"),
        ("liberties", ("go",), "captures, saves stones in danger, and fills no eye"),
    ):
        yield from BotSource.beside(__file__, games, {name: summary})
