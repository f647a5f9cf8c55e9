"""The points where the published documentation and the original program disagree.

Source: rules/careerfair.md, section 12.
"""

from __future__ import annotations

from typing import Literal

from botleague.rules import Configuration


class Profile(Configuration, frozen=True):
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


WIKI = Profile()

ORIGINAL = Profile(
    leave_line="on_arrival",
    enter_while_queued="ignore",
    lone_replace="self_move",
    recheck_walk=False,
    short_answer="repeat",
)

PROFILES = {"wiki": WIKI, "original": ORIGINAL}
