"""The variants that are offered, and how to make others from a configuration.

Source: rules/pelita.md, sections 1, 14 and 19.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from botleague.rules import MAX_TURNS, Seats, TimeControl, Variant
from botleague_pelita.layout import Layout, read_layout
from botleague_pelita.maze import GENERATORS, SIZES, Generator
from botleague_pelita.profiles import PROFILES, Profile
from botleague_pelita.rules import Answer, PelitaRules
from botleague_pelita.state import Settings

__all__ = ["CONFIG_KEYS", "QUIRKS", "configured", "variants"]

NO_LIMIT_S = 3600.0
"""Seconds that stand for "no time limit": a game has to end some day."""

MOST_SQUARES = 256
"""Width and height up to which mazes are drawn; the largest built-in one is 64x32."""

QUIRKS: Mapping[str, object] = {
    "food_order": "set",
    "enemy_char_own_letters": True,
    "keep_eaten_age": True,
}
"""What makes the default profile release 2.5.3 to the letter: a seed gives the very game that it gave there."""

_ENTRIES = ("__init__.py", "team.py", "bot.py", "my_bot.py")
_SUMMARY = "Two teams of two bots eat pellets and hunt each other in a maze."


def configured(config: Mapping[str, Any], *, name: str | None = None, summary: str | None = None) -> Variant:
    """Return a variant made from a configuration; every key may be left out.

    A variant's own ``config`` is a complete configuration, so ``configured({**variant.config, ...})`` is that
    variant with changes. Keys:

    ==========================  ============================================================================
    ``profile``                 ``classic`` (default), ``v26`` or ``v27``: the defaults of all other keys
    ``layout``                  layout text of a fixed board; None: a new maze for every match
    ``size``                    of the maze: a built-in name, ``"WxH"``, ``"H"`` (2HxH) or a pair
    ``food``                    ``"trapped:total"`` pellets per team or a pair; needed for sizes without a name
    ``generator``               ``classic`` or ``v27``
    ``timeout_s``               seconds for a move; None: no limit
    ``initial_timeout_s``       seconds for loading a team
    ``error_count``             bots have the attribute ``error_count``
    ``paint_background``        bots may wish for tinted squares
    ``long_repr``               the newer ``repr(bot)``
    ``enemy_char_own_letters``  quirk: enemies have the letters of the asking team
    ``food_order``              ``sorted``, or ``set``: food lists in the order of the original's sets
    ``legacy_walls``            ``bot.walls`` has ``union`` and ``difference``, for bots of 2021 and 2022
    fields of ``Settings``      ``max_rounds``, ``allow_camping``, ``timeout_limit``, ``sight_distance``, ...
    ==========================  ============================================================================

    Args:
        config: the configuration.
        name: of the variant; None for the profile's.
        summary: one sentence about it.

    Raises:
        ValueError: a key is unknown or a value impossible; the message names both.
    """
    unknown = sorted(set(config) - CONFIG_KEYS)
    if unknown:
        raise ValueError(f"unknown Pelita option {unknown[0]!r}; known: {', '.join(sorted(CONFIG_KEYS))}")
    profile_name = config.get("profile", "classic")
    if profile_name not in PROFILES:
        raise ValueError(f"profile {profile_name!r}: choose one of {', '.join(PROFILES)}")
    profile = PROFILES[profile_name]
    options = {key: check(key, config[key]) for key, check in _CHECKS.items() if key in config}
    settings = replace(profile.settings, **{key: value for key, value in options.items() if key in _SETTINGS})
    generator: Generator = options.get("generator", profile.generator)
    layout = _layout(config.get("layout"))
    if layout:
        size, food = layout.shape, _food(config.get("food", (0, 0)))
    else:
        size, food = _maze(config, generator)
    rules = PelitaRules(settings, size, food, generator, layout)
    timeout_s: float | None = options.get("timeout_s", profile.timeout_s)
    load_s: float = options.get("initial_timeout_s", profile.initial_timeout_s)
    complete: dict[str, Any] = {
        "profile": profile_name,
        "layout": str(layout) if layout else None,
        "size": list(size),
        "food": list(food),
        "generator": generator,
        "timeout_s": timeout_s,
        "initial_timeout_s": load_s,
        **{key: options.get(key, _bot_default(profile, key)) for key in _BOT_KEYS},
        **asdict(settings),
    }
    return Variant(
        name=name or ("pelita" if profile_name == "classic" else f"pelita-{profile_name}"),
        game="pelita",
        summary=summary or _SUMMARY,
        rules=rules,
        config=complete,
        harness="botleague_pelita.harness:PelitaHarness",
        move_type=Answer,
        declaration_type=str,
        seats=Seats(2, 2),
        time=TimeControl(
            move_ms=1000 * (NO_LIMIT_S if timeout_s is None else timeout_s),
            load_ms=1000 * load_s,
            clock="cpu",
        ),
        tier="scientific",
        entries=_ENTRIES,
        restart_after_death=True,
        configured=configured,
    )


def variants() -> list[Variant]:
    """Return the variants of Pelita, the default first."""
    return [
        configured({}),
        configured(
            {"profile": "v27"},
            summary="The rules of today's Pelita schools: wide shadows, chains of kills, one time-out is enough.",
        ),
        configured({"profile": "v26"}, summary="Wide shadows and chains of kills, five time-outs."),
        configured(
            QUIRKS,
            name="pelita-original",
            summary="Release 2.5.3 with its quirks: a seed gives the very game that it gave there, teams included.",
        ),
        configured(
            {"size": "small", "max_rounds": 100},
            name="pelita-quick",
            summary="A small maze and 100 rounds, for tests and for ladders with many games.",
        ),
        configured({"size": "big"}, name="pelita-big", summary="A maze of 64x32 with 60 pellets a side."),
        configured(
            {"sight_distance": 48}, name="pelita-clear", summary="Every enemy is seen exactly: pure planning."
        ),
        configured(
            {"allow_camping": True},
            name="pelita-camping",
            summary="Food never moves away from ghosts that guard it.",
        ),
        configured(
            {"same_team_seed": True},
            name="pelita-mirror",
            summary="Both teams get the same random numbers, so that a maze played twice with sides swapped is fair.",
        ),
    ]


def _maze(config: Mapping[str, Any], generator: Generator) -> tuple[tuple[int, int], tuple[int, int]]:
    sizes = SIZES[generator]
    size = config.get("size", "normal")
    if isinstance(size, str) and size in sizes:
        width, height, trapped, total = sizes[size]
        return (width, height), _food(config.get("food", (trapped, total)))
    width, height = _pair("size", size, "x", f"{', '.join(sizes)}, WxH, or a height H for a maze of 2HxH")
    if width % 2 or not (4 <= width <= MOST_SQUARES and 4 <= height <= MOST_SQUARES):
        raise ValueError(
            f"size {width}x{height}: the width must be even, and both at least 4 and at most {MOST_SQUARES}"
        )
    known = {named[:2]: named[2:] for named in sizes.values()}
    if "food" not in config and (width, height) not in known:
        raise ValueError(f"size {width}x{height} is not a built-in one, so food is needed as trapped:total")
    return (width, height), _food(config["food"] if "food" in config else known[width, height])


def _food(value: object) -> tuple[int, int]:
    trapped, total = _pair("food", value, ":", "trapped:total, like 10:30")
    if not 0 <= trapped <= total:
        raise ValueError(f"food {trapped}:{total}: of all pellets from none to all can be trapped")
    return trapped, total


def _pair(key: str, value: object, separator: str, hint: str) -> tuple[int, int]:
    parts: Sequence[object] = value.split(separator) if isinstance(value, str) else _listed(value)
    try:
        numbers = [int(str(part)) for part in parts]
    except ValueError:
        numbers = []
    if key == "size" and isinstance(value, str | int) and len(numbers) == 1:
        return 2 * numbers[0], numbers[0]
    if len(numbers) != 2:
        raise ValueError(f"{key} {value!r}: write {hint}")
    return numbers[0], numbers[1]


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else [value]


def _layout(text: object) -> Layout | None:
    if text is None:
        return None
    if not isinstance(text, str):
        raise ValueError(f"layout: must be layout text, not {type(text).__name__}")
    return read_layout(text)


def _count(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{key} {value!r}: must be a whole number, 0 or more")
    return value


def _rounds(key: str, value: object) -> int:
    rounds = _count(key, value)
    if rounds > MAX_TURNS // 4:
        raise ValueError(f"{key} {rounds}: a match has {MAX_TURNS // 4} rounds at most")
    return rounds


def _flag(key: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{key} {value!r}: must be true or false")
    return value


def _seconds(key: str, value: object) -> float | None:
    if value is None and key == "timeout_s":
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= NO_LIMIT_S:
        raise ValueError(f"{key} {value!r}: must be seconds, more than 0 and at most {NO_LIMIT_S:g}")
    return float(value)


def _one_of(*choices: str) -> Callable[[str, object], str]:
    def check(key: str, value: object) -> str:
        if value not in choices:
            raise ValueError(f"{key} {value!r}: choose {' or '.join(choices)}")
        return str(value)

    return check


def _bot_default(profile: Profile, key: str) -> object:
    return {"food_order": "sorted"}.get(key, getattr(profile, key, False))


_BOT_FLAGS = ("error_count", "paint_background", "long_repr", "enemy_char_own_letters", "legacy_walls")
_BOT_KEYS = (*_BOT_FLAGS, "food_order")
_SETTINGS = frozenset(field.name for field in fields(Settings))

_CHECKS: Mapping[str, Callable[[str, object], Any]] = {
    **{
        field.name: _flag if isinstance(field.default, bool) else _count
        for field in fields(Settings)
        if field.name != "setup_failure"
    },
    "max_rounds": _rounds,
    "setup_failure": _one_of("opponent_wins", "no_result"),
    "generator": _one_of(*GENERATORS),
    "food_order": _one_of("sorted", "set"),
    "timeout_s": _seconds,
    "initial_timeout_s": _seconds,
    **dict.fromkeys(_BOT_FLAGS, _flag),
}

CONFIG_KEYS = frozenset({"profile", "layout", "size", "food", *_CHECKS})
"""Every key of a configuration, see :func:`configured`."""
