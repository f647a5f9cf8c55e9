"""The points where the published documentation and the original program disagree.

Source: rules/careerfair.md, section 12.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

__all__ = ["CHOICES", "ORIGINAL", "PROFILES", "WIKI", "Profile", "profile_named"]

CHOICES: Mapping[str, tuple[object, ...]] = {
    "leave_line": ("at_once", "on_arrival"),
    "enter_while_queued": ("leave", "ignore"),
    "lone_replace": ("none", "self_move"),
    "recheck_walk": (True, False),
    "short_answer": ("fault", "repeat"),
    "talker_memory": (True, False),
    "initial_board": ("open", "closed"),
}
"""What every option of a profile can be, the documentation's choice first."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One choice at every point of disagreement; the defaults are the documentation's.

    Attributes:
        leave_line: when a queued bot that asks for a direction leaves its line: in that act, or when it arrives.
        enter_while_queued: what ENTER does to a queued bot of a team: it leaves the line, or nothing happens.
        lone_replace: what a helper's REPLACE without the main bot's is: NONE, or a walk onto its own tile.
        recheck_walk: whether a walk is checked in every act, or only when it starts.
        short_answer: whether an answer for fewer than four bots is a fault, or repeats the last requests.
        talker_memory: whether a recruiter remembers the bot just served, which may then be served at once again.
        initial_board: what the board given at construction shows: everything, or nothing and no ends of lines.
    """

    leave_line: Literal["at_once", "on_arrival"] = "at_once"
    enter_while_queued: Literal["leave", "ignore"] = "leave"
    lone_replace: Literal["none", "self_move"] = "none"
    recheck_walk: bool = True
    short_answer: Literal["fault", "repeat"] = "fault"
    talker_memory: bool = True
    initial_board: Literal["open", "closed"] = "open"

    def plain(self) -> dict[str, Any]:
        """Return the options as plain data."""
        return asdict(self)


WIKI = Profile()

ORIGINAL = Profile(
    leave_line="on_arrival",
    enter_while_queued="ignore",
    lone_replace="self_move",
    recheck_walk=False,
    short_answer="repeat",
)

PROFILES = {"wiki": WIKI, "original": ORIGINAL}


def profile_named(name: str, **options: Any) -> Profile:
    """Return the profile ``name`` with single ``options`` of it replaced.

    Raises:
        ValueError: there is no such profile or option, or an option cannot be that.
    """
    if name not in PROFILES:
        raise ValueError(f"no profile is called {name!r}; there are {', '.join(PROFILES)}")
    unknown = sorted(set(options) - set(CHOICES))
    if unknown:
        raise ValueError(f"no option is called {unknown[0]!r}; there are {', '.join(CHOICES)}")
    for option, value in options.items():
        if not any(value == choice and type(value) is type(choice) for choice in CHOICES[option]):
            known = " or ".join(str(choice).lower() for choice in CHOICES[option])
            raise ValueError(f"{option} cannot be {value!r}: it is {known}")
    return replace(PROFILES[name], **options)
