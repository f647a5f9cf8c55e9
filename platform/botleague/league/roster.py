"""Who takes part in a season, and since and until when: a fold over its events.

Events are never edited. A bot that retired, was suspended or disqualified is *out* from a match on: what it had still
to play is cancelled, and who was to meet it is told so as a walkover. A suspended or disqualified bot's later matches
count for nothing; a retired one's all count.

Source: RATINGS, sections 10 and 11.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from botleague_storage.events import EventRow

__all__ = ["EVENT_KINDS", "MEMBER_EVENTS", "EventKind", "Member", "Roster"]

EventKind = Literal[
    "joined",
    "division",
    "retired",
    "suspended",
    "disqualified",
    "reinstated",
    "anchored",
    "voided",
    "audited",
    "closed",
]

EVENT_KINDS: dict[EventKind, str] = {
    "joined": "a bot joined while the season ran",
    "division": "a bot plays in a division",
    "retired": "a bot plays no more; its matches count",
    "suspended": "a bot failed too often in a row; its later matches do not count",
    "disqualified": "a bot was removed; its matches do not count from a match on",
    "reinstated": "a bot plays again",
    "anchored": "a bot holds published tables in place by a fixed rating, or does so no more",
    "voided": "a match does not count",
    "audited": "a match was played again to see whether it can be reproduced",
    "closed": "what was left to play was cancelled, and nothing more is planned",
}
"""What happens in a season, and what it means."""

_OUT = ("retired", "suspended", "disqualified")
MEMBER_EVENTS = ("joined", "division", "anchored", "reinstated", *_OUT)
"""The events that a roster follows from."""


@dataclass(slots=True)
class Member:
    """A bot version in a season.

    Attributes:
        version_id: which.
        division: where it plays; bots of different divisions do not meet.
        joined: the first round it may be paired in.
        predecessor: the version of the same bot whose rating it carries on, None for a newcomer.
        left: the last such round, None while it is in.
        status: "" while it is in, else the kind of the event that took it out.
        reason: why, in words.
        absences: half-open ranges of ordinal numbers in which it was out; an end of None is open.
        away: half-open ranges of rounds in which it was out before it came back.
    """

    version_id: int
    division: str = ""
    joined: int = 1
    predecessor: int | None = None
    left: int | None = None
    status: str = ""
    reason: str = ""
    absences: list[tuple[int, int | None]] = field(default_factory=list)
    away: list[tuple[int, int]] = field(default_factory=list)

    @property
    def is_out(self) -> bool:
        """Whether it may not be paired now."""
        return bool(self.status)

    @property
    def back_since(self) -> int:
        """The ordinal number from which on its present run of matches counts for suspension."""
        return max((end for _, end in self.absences if end is not None), default=0)

    def was_out_at(self, ordinal: int) -> bool:
        """Whether it was out when match ``ordinal`` stood to be played."""
        return any(start <= ordinal and (end is None or ordinal < end) for start, end in self.absences)


class Roster:
    """Everyone who ever entered a season, in order of entry.

    Who is not mentioned in the log has simply been in all the time, so a page of a table needs no list of everybody.

    Args:
        log: events of the kinds :data:`MEMBER_EVENTS`, in order.
        entrants: reads the versions in order of entry; called once, when first needed.
    """

    def __init__(self, log: Iterable[EventRow], entrants: Callable[[], Sequence[int]]) -> None:
        self._anchors: dict[int, float] = {}
        self._entrants = entrants
        self._mentioned: dict[int, Member] = {}
        for row in log:
            self._note(row)

    @cached_property
    def members(self) -> dict[int, Member]:
        """All members by version, in order of entry."""
        return {version: self.member(version) for version in self._entrants()}

    @property
    def anchors(self) -> dict[int, float]:
        """The versions that hold published tables in place, and at which ratings, in the order of naming.

        Those that are out hold nothing.
        """
        return {version: value for version, value in self._anchors.items() if not self.member(version).is_out}

    @property
    def anchor(self) -> tuple[int, float] | None:
        """The anchor that was named last, which has its value in batch tables; None for a mean of 1500."""
        return next(reversed(self.anchors.items()), None)

    @property
    def versions(self) -> list[int]:
        """The versions in order of entry."""
        return list(self.members)

    @property
    def divisions(self) -> list[str]:
        """All divisions in order of their first entrant; one empty name if there are none."""
        return list(dict.fromkeys(member.division for member in self.members.values()))

    @property
    def disqualified(self) -> list[int]:
        """The versions that are disqualified now."""
        return [version for version, member in self._mentioned.items() if member.status == "disqualified"]

    @property
    def predecessors(self) -> dict[int, int]:
        """Whose rating a version carries on, for those that carry on one."""
        return {
            version: member.predecessor
            for version, member in self._mentioned.items()
            if member.predecessor is not None
        }

    def member(self, version_id: int) -> Member:
        """Return how an entrant stands."""
        return self._mentioned.get(version_id) or Member(version_id)

    def is_walkover(self, versions: Sequence[int], ordinal: int) -> bool:
        """Whether somebody was out when a match of these versions stood to be played."""
        return any(self.member(version).was_out_at(ordinal) for version in versions)

    def _note(self, row: EventRow) -> None:
        if row.version_id is None:
            return
        member = self._mentioned.setdefault(row.version_id, Member(row.version_id))
        match row.kind:
            case "joined":
                member.joined = int(row.content["round"])
                member.predecessor = row.content.get("predecessor")
            case "division":
                member.division = str(row.content["name"])
            case "anchored":
                self._anchors.pop(row.version_id, None)
                if row.content["value"] is not None:
                    self._anchors[row.version_id] = float(row.content["value"])
            case "reinstated":
                _take_back(member, row.content)
            case kind if kind in _OUT:
                _take_out(member, kind, row.content)


def _take_out(member: Member, kind: str, content: Any) -> None:
    if not member.is_out:
        member.absences.append((int(content["ordinal"]), None))
        member.left = int(content["round"])
    member.status = kind
    member.reason = str(content.get("reason", ""))


def _take_back(member: Member, content: Any) -> None:
    member.absences[-1] = (member.absences[-1][0], int(content["ordinal"]))
    if member.left is not None and "round" in content:  # older versions did not note it
        member.away.append((member.left + 1, int(content["round"]) + 1))
    member.status, member.reason, member.left = "", "", None
