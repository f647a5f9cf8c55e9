"""The three named sets of options, one for each generation of the original.

Source: rules/pelita.md, sections 1 and 18.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from botleague_pelita.maze import Generator
from botleague_pelita.state import Settings

__all__ = ["PROFILES", "Profile"]


@dataclass(frozen=True, slots=True)
class Profile:
    """One generation of the rules.

    Attributes:
        settings: the options of the engine.
        timeout_s: seconds for a move.
        initial_timeout_s: seconds for loading a team.
        error_count: bots have ``error_count``, and ``print(bot)`` shows the time-outs.
        paint_background: bots have ``paint_background``.
        long_repr: ``repr(bot)`` names its parts.
        generator: of mazes.
    """

    settings: Settings
    timeout_s: float = 3.0
    initial_timeout_s: float = 3.0
    error_count: bool = True
    paint_background: bool = False
    long_repr: bool = False
    generator: Generator = "classic"


PROFILES: Mapping[str, Profile] = {
    "classic": Profile(Settings()),
    "v26": Profile(
        Settings(shadow_distance=2, cascade_kills=True, count_last_timeout=False, setup_failure="no_result"),
        initial_timeout_s=6.0,
        long_repr=True,
    ),
    "v27": Profile(
        Settings(
            shadow_distance=2,
            cascade_kills=True,
            count_last_timeout=False,
            setup_failure="no_result",
            timeout_limit=1,
        ),
        initial_timeout_s=6.0,
        error_count=False,
        paint_background=True,
        long_repr=True,
        generator="v27",
    ),
}
