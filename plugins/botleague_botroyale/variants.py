"""The offered variants of Bot Royale.

Source: rules/botroyale.md, section 15.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botleague.rules import Seats, TimeControl, Variant, plain_form, read_config
from botleague_botroyale.battle.ops import MoveOp
from botleague_botroyale.encoding import BotRoyaleEncoding
from botleague_botroyale.interface import interface
from botleague_botroyale.rules import BotRoyaleRules
from botleague_botroyale.scene import DARK, SCORE_WORDS
from botleague_botroyale.settings import BattleSettings
from botleague_botroyale.wasm import wasm_interface

GAME = "botroyale"

_OFFERED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("", "six units between three pits and a wall: the original's default", {"map": "basic"}),
    ("classic", "twelve units in a large labyrinth of walls and pits", {"map": "classic"}),
    ("danger", "twelve units among many pits", {"map": "danger"}),
    ("pitfield", "twelve units, pits and walls strewn about", {"map": "pitfield"}),
    ("empty", "twelve units on a small, empty board", {"map": "empty"}),
    ("duel", "two units, for ratings pair by pair", {"map": "duel"}),
    ("traps", "six units and pressure plates of every type", {"map": "traps"}),
    (
        "championship",
        "the original's tournament: ten seconds per turn, a crash or overrun disqualifies",
        {"map": "classic", "on_fault": "disqualify", "on_timeout": "disqualify"}
        | {"turn_seconds": 10.0, "poll_seconds": 10.0, "setup_seconds": 10.0},
    ),
    (
        "gui",
        "the original's window: the survivor of a last suicide wins before the ring moves",
        {"map": "basic", "round_mode": "manual"},
    ),
    (
        "open",
        "classic for two to twelve bots that share the twelve units evenly",
        {"map": "classic", "seats": "spread"},
    ),
    ("blitz", "a tenth of a second for every action", {"map": "basic", "poll_seconds": 0.1}),
)


def variants() -> list[Variant]:
    return [
        variant(f"{GAME}-{suffix}" if suffix else GAME, summary, config)
        for suffix, summary, config in _OFFERED
    ]


def configured(settings: BattleSettings) -> Variant:
    """Return a variant with settings of its own."""
    return _variant(GAME, "a configuration of its own", settings, plain_form(settings))


def variant(name: str, summary: str, config: Mapping[str, Any]) -> Variant:
    """Return a variant of your own.

    Args:
        name: starts with ``botroyale-``.
        summary: one sentence.
        config: see :class:`~botleague_botroyale.settings.BattleSettings`.

    Raises:
        ValueError: the name or the configuration is not valid.
    """
    return _variant(name, summary, read_config(BattleSettings, config), config)


def _variant(name: str, summary: str, settings: BattleSettings, config: Mapping[str, Any]) -> Variant:
    rules = BotRoyaleRules(settings)
    units = len(rules.map.spawns)
    return Variant(
        name=name,
        game=GAME,
        summary=summary,
        rules=rules,
        config=config,
        config_type=BattleSettings,
        interface=interface(settings, units),
        wasm=wasm_interface(),
        encoding=BotRoyaleEncoding(settings),
        score_words=SCORE_WORDS,
        dark=DARK,
        harness="botleague_botroyale.harness:create",
        move_type=MoveOp,
        seats=Seats(units if settings.seats == "exact" else 2, units),
        time=TimeControl(
            move_ms=1000 * min(settings.poll_seconds, settings.turn_seconds),
            brief_ms=1000 * settings.setup_seconds,
            load_ms=5000,
        ),
        tier="scientific",
        # No openings: a bot receives the operations since its last turn, from the start of the match.
        has_chance=settings.seed is None or settings.seats == "spread",
        configured=configured,
    )
