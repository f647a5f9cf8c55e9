"""In what the generations of the original differ for bots; hosts read it, and need no graphs for it.

Source: rules/pelita.md, section 11.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BotOptions:
    """In what the generations of the original, and our corrections of it, differ for bots.

    Attributes:
        error_count: bots have ``error_count``, and their text form shows the time-outs.
        paint_background: bots have ``paint_background``.
        long_repr: ``repr(bot)`` names its parts.
        enemy_char_own_letters: the original's quirk: enemies have the letters of the asking team.
        legacy_walls: ``bot.walls`` also has the set methods of old.
        release_2019: bots have the names of 2019, among them directions.
    """

    error_count: bool = True
    paint_background: bool = False
    long_repr: bool = False
    enemy_char_own_letters: bool = False
    legacy_walls: bool = False
    release_2019: bool = False


DEFAULT_OPTIONS = BotOptions()
