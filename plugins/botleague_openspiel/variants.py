"""The variants that the plugin offers: one per game of the catalogue, and ``openspiel`` as the base of others."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from msgspec import Meta

from botleague.rules import TimeControl, Variant, plain_form
from botleague_openspiel.catalogue import GAMES, variant_name
from botleague_openspiel.interface import interface
from botleague_openspiel.scene import DARK, SCORE_WORDS
from botleague_openspiel.setup import Setup, entry, parse, seats

Action = int | Annotated[str, Meta(max_length=80)]
"""An action, or a text that is none."""

_TIME = TimeControl(move_ms=500.0, bank_ms=10_000.0, brief_ms=2000.0)
_OWN = "openspiel"
_OWN_SETUP = Setup("mnk(m=6,n=6,k=4)")


def variants() -> list[Variant]:
    games = [_variant(variant_name(name), Setup(name), entry.summary) for name, entry in GAMES.items()]
    return [*games, _variant(_OWN, _OWN_SETUP, "base of your own variants: other games and parameters")]


def _variant(game: str, setup: Setup, summary: str = "a configuration of its own") -> Variant:
    """Return a variant of our game ``game``.

    Raises:
        ValueError: the setup plays another game.
    """
    name, parameters = parse(setup.game)
    if game not in (_OWN, variant_name(name)):
        raise ValueError(
            f"game: must be {game.replace('-', '_')} with parameters; for other games use base = {_OWN!r}"
        )
    about = entry(name)
    return Variant(
        name=game,
        game=game,
        summary=summary,
        rules="botleague_openspiel.rules:OpenSpielRules",
        harness="botleague_openspiel.harness:OpenSpielHarness",
        move_type=Action,
        config=plain_form(setup),
        config_type=Setup,
        interface=interface(about, parameters),
        seats=seats(setup.game),
        time=_TIME,
        has_chance="c" in about.traits,
        dark=DARK,
        score_words=SCORE_WORDS.get(name, ("", "")),
        opening_turns=1 if "o" in about.traits else None,
        configured=partial(_variant, game),
    )
