"""The variants that are offered, and how to make others.

Source: rules/pelita.md, sections 1, 14 and 19.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from botleague.rules import TimeControl, Variant, plain_form, read_config
from botleague_pelita.config import NO_LIMIT_S, Config
from botleague_pelita.encoding import PelitaEncoding
from botleague_pelita.interface import interface
from botleague_pelita.rules import Answer, PelitaRules
from botleague_pelita.scene import DARK, SCORE_WORDS
from botleague_pelita.wasm import wasm_interface

QUIRKS: Mapping[str, object] = {"food_order": "set", "enemy_char_own_letters": True, "keep_eaten_age": True}
"""Differences of release 2.5.3 from the default profile: with them, a seed gives exactly the release's game."""

_ENTRIES = ("__init__.py", "team.py", "bot.py", "my_bot.py")
_SUMMARY = "Two teams of two bots eat pellets and hunt each other in a maze."


def pelita(config: Mapping[str, Any], name: str | None = None, summary: str | None = None) -> Variant:
    """Return a variant made from a configuration, see :class:`~botleague_pelita.config.Config`.

    A variant's own ``config`` is a whole configuration, so ``pelita({**other.config, ...})`` is that
    other variant with changes.

    Args:
        config: differences from the profile.
        name: of the variant; None for the profile's.
        summary: one sentence about it.

    Raises:
        ValueError: an option is unknown or its value impossible; the message names both.
    """
    made = configured(read_config(Config, config))
    return replace(made, name=name or made.name, summary=summary or made.summary)


def configured(config: Config) -> Variant:
    """Return a variant with a configuration of its own.

    Raises:
        ValueError: the maze would have no room for the food.
    """
    return Variant(
        name="pelita" if config.profile == "classic" else f"pelita-{config.profile}",
        game="pelita",
        summary=_SUMMARY,
        rules=PelitaRules(config),
        config=plain_form(config),
        config_type=Config,
        interface=interface(config),
        wasm=wasm_interface(),
        encoding=PelitaEncoding(config.size, config.max_rounds),
        harness="botleague_pelita.harness:PelitaHarness",
        move_type=Answer,
        declaration_type=str,
        sample_declarations=("Blue team", "Red team"),
        time=TimeControl(
            move_ms=1000 * (NO_LIMIT_S if config.timeout_s is None else config.timeout_s),
            load_ms=1000 * config.initial_timeout_s,
            clock="cpu",
        ),
        tier="scientific",
        entries=_ENTRIES,
        restart_after_death=True,
        configured=configured,
        score_words=SCORE_WORDS,
        dark=DARK,
    )


def variants() -> list[Variant]:
    """Return the variants of Pelita, the default first."""
    return [
        pelita({}),
        pelita(
            {"profile": "v27"},
            summary="Today's Pelita schools: wide shadows, chains of kills, one time-out loses.",
        ),
        pelita({"profile": "v26"}, summary="Wide shadows and chains of kills, five time-outs."),
        pelita(
            {"legacy_walls": True},
            name="pelita-legacy",
            summary="For bots of 2021 and 2022: bot.walls also has the methods of a set.",
        ),
        pelita(
            {"release_2019": True},
            name="pelita-2019",
            summary="For bots of 2019: move may return its state, and pelita.utils has Graph.",
        ),
        pelita(
            QUIRKS,
            name="pelita-original",
            summary="Release 2.5.3 with its quirks: a seed gives exactly the same game.",
        ),
        pelita(
            {"size": "small", "max_rounds": 100},
            name="pelita-quick",
            summary="A small maze and 100 rounds, for tests and for ladders with many games.",
        ),
        pelita({"size": "big"}, name="pelita-big", summary="A maze of 64x32 with 60 pellets per team."),
        pelita(
            {"sight_distance": 48}, name="pelita-clear", summary="Every enemy is seen exactly: pure planning."
        ),
        pelita(
            {"allow_camping": True},
            name="pelita-camping",
            summary="Food never moves away from ghosts that guard it.",
        ),
        pelita(
            {"same_team_seed": True},
            name="pelita-mirror",
            summary="Both teams get the same random numbers: fair when sides are swapped.",
        ),
    ]
