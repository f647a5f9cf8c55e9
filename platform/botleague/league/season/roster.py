"""Entrants of a season with their versions, and when each entered and left: a fold over its events.

The competitor is the bot, the unit of evidence its version. A bot that was *updated* plays on with another version from
a match on. Its row, its points and its absences are the bot's; what a version did wrong is that version's, so that a
bot whose version was suspended plays on with the previous one, and without any returns with the next.

Events are never edited. A bot that retired, was suspended or disqualified is *out* from a match on: what it had still
to play is cancelled, and its opponents get a walkover. A suspended or disqualified bot's later matches
count for nothing; a retired one's all count. A decision that was undone is as if it had never been; only the rounds
that were paired without a bot meanwhile stay so.

Source: RATINGS, sections 10 and 11.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from botleague_storage import DamagedRow
from botleague_storage.league_rows.events import EventRow

EventKind = Literal[
    "joined",  # a bot joined while the season ran
    "updated",  # a bot continues with a newer version from a match on
    "division",  # a bot plays in a division
    "retired",  # a bot stops playing; its matches count
    "suspended",  # a version failed too often in a row; the previous one plays on, or its bot is out
    "disqualified",  # a bot was removed; its matches do not count from a match on
    "reinstated",  # a bot plays again, or a version that was suspended does
    "anchored",  # a bot became an anchor with a fixed rating, or is no longer one
    "voided",  # a match does not count
    "replayed",  # a match's result was set aside, and it is played again
    "audited",  # a match was played again as an audit
    "target",  # the number of rounds to play in an endless format was set
    "closed",  # the remaining matches were cancelled, and nothing more is planned
    "paused",  # no match of the league starts from now on, in later seasons too
    "resumed",  # matches of the league start again
    "transferred",  # a bot was given to another owner
    "undone",  # an earlier event was undone
    "calendar",  # the calendar changed; the latest entry applies
    "frozen",  # for others the season ends before a match, until the reveal
]

EVENT_KINDS: tuple[EventKind, ...] = get_args(EventKind)
"""Kinds of events in a season."""

SetsDecision = Literal["forfeit", "annul"]
"""Effect of a disqualification on the sets that were paired against the bot."""

_OUT = ("retired", "suspended", "disqualified")
MEMBER_EVENTS = ("joined", "updated", "division", "anchored", "reinstated", "transferred", "undone", *_OUT)
"""The events that are about a bot; a roster follows from them."""


class Expulsion(msgspec.Struct, frozen=True):
    """A disqualification that decides about every set that was paired against the bot.

    Attributes:
        first: the ordinal number of the first match that it concerns.
        end: that of the first one after the bot came back, None while it is out.
        planned: how many matches had been planned by then; later ones are paired by what it decided.
        sets: effect on the sets: the opponents win them, or they count for neither.
    """

    first: int
    end: int | None
    planned: int
    sets: SetsDecision


class Leave(msgspec.Struct, frozen=True):
    """A period in which a bot was out, so no match was planned for it.

    The number of earlier planned matches distinguishes plans: a gauntlet plans several times in one round.

    Attributes:
        left: the last round in which it might be paired.
        first: how many matches had been planned when it left.
        back: the last round that was planned without it, None while it is out or where an older botleague did not say.
        end: how many matches had been planned when it came back, None while it is out.
    """

    left: int
    first: int
    back: int | None = None
    end: int | None = None


class Began(NamedTuple):
    """A version that began to play.

    Attributes:
        first: the ordinal number from which on it plays.
        last: the last round that had been planned by then.
    """

    version: int
    first: int
    last: int = 0

    @classmethod
    def of(cls, version: int, first: Any, content: Any) -> Began:
        return cls(version, int(first), int(content.get("round", 0)))  # older versions did not note it


class Member(msgspec.Struct):
    """A bot in a season.

    Attributes:
        versions: with which it has played or is to play, in order.
        division: where it plays; bots of different divisions do not meet.
        joined: the first round it may be paired in.
        planned: how many matches had been planned when it joined; 0 where an older botleague did not note it.
        status: "" while it is in, else the kind of the event that took it out.
        reason: why, in words.
        suspended: the versions that may not play, and why.
        absences: half-open ranges of ordinal numbers in which it was out; an end of None is open.
        annulled: half-open ranges of ordinal numbers in which its results count for nothing.
        leaves: when it was out, in order; the last one is open while it is out.
        expulsions: its disqualifications that decide about its opponents' sets.
        forgiven: the ordinal number from which on a suspension that was undone lets its failures count.
    """

    versions: list[Began]
    division: str = ""
    joined: int = 1
    planned: int = 0
    status: str = ""
    reason: str = ""
    suspended: dict[int, str] = msgspec.field(default_factory=dict)
    absences: list[tuple[int, int | None]] = msgspec.field(default_factory=list)
    annulled: list[tuple[int, int | None]] = msgspec.field(default_factory=list)
    leaves: list[Leave] = msgspec.field(default_factory=list)
    expulsions: list[Expulsion] = msgspec.field(default_factory=list)
    forgiven: int = 0

    @property
    def entered(self) -> int:
        """The version with which it entered."""
        return self.versions[0].version

    @property
    def version(self) -> int:
        """The version that plays now."""
        return self.versions[-1].version

    @property
    def lineage(self) -> list[int]:
        """All its versions, in the order in which they last began to play."""
        return list(dict.fromkeys(one.version for one in reversed(self.versions)))[::-1]

    def version_at(self, ordinal: int) -> int:
        """Return the version that plays match ``ordinal``."""
        return self.planned_at(ordinal, sys.maxsize)

    def planned_at(self, ordinal: int, last: int) -> int:
        """Return the version that was to play match ``ordinal`` when it was planned.

        Args:
            last: the last round before. A version that began later took the match over, also if it is the first one
                    of its round.
        """
        began = (one.version for one in reversed(self.versions) if one.first <= ordinal and one.last <= last)
        return next(began, self.entered)

    def until(self, version: int, ordinal: int) -> int | None:
        """Return from which ordinal number on, not below ``ordinal``, another version plays; None if none does."""
        return min(
            (one.first for one in self.versions if one.first >= ordinal and one.version != version),
            default=None,
        )

    @property
    def is_out(self) -> bool:
        """Whether it may not be paired now."""
        return bool(self.status)

    @property
    def left(self) -> int | None:
        """The last round in which it might be paired, None while it is in."""
        return self.leaves[-1].left if self.is_out else None

    @property
    def away(self) -> tuple[tuple[int, int], ...]:
        """Half-open ranges of rounds in which it was out before it came back."""
        return self.away_before()

    @property
    def back_since(self) -> int:
        """The ordinal number of the first match that counts for its suspension."""
        return max(self.forgiven, *(end or 0 for _, end in self.absences), 0)

    def away_before(self, planned: int | None = None) -> tuple[tuple[int, int], ...]:
        """Return :attr:`away` as it was when ``planned`` matches were planned; None for now."""
        return tuple(
            (one.left + 1, one.back + 1)
            for one in self.leaves
            if one.back is not None and (planned is None or (one.end or 0) <= planned)
        )

    def left_before(self, planned: int) -> int | None:
        """Return the last round it might be paired in if it was out after ``planned`` planned matches, else None."""
        return next((one.left for one in self.leaves if _covers([(one.first, one.end)], planned)), None)

    def was_out_at(self, ordinal: int) -> bool:
        """Return whether it was out when match ``ordinal`` was due."""
        return _covers(self.absences, ordinal)

    def expelled_at(self, ordinal: int, planned: int | None = None) -> Expulsion | None:
        """Return the disqualification that decides about match ``ordinal``, if one does.

        Args:
            planned: only those from when at most this number of matches had been planned; None for all.
        """
        for one in self.expulsions:
            if _covers([(one.first, one.end)], ordinal) and (planned is None or one.planned <= planned):
                return one
        return None

    def is_annulled_at(self, ordinal: int) -> bool:
        """Return whether its result of match ``ordinal`` does not count."""
        return _covers(self.annulled, ordinal)


class EntryList:
    """All bots that ever entered a season, in order of entry.

    A bot without events has been in all the time, so a page of a table needs no list of all entrants.

    Args:
        log: events of the kinds :data:`MEMBER_EVENTS`, in order.
        entrants: reads the versions in order of entry; called once, when first needed.
        coming: versions that are entered, but not yet for a reader of an earlier state.

    Raises:
        DamagedRow: an event cannot follow those before it.

    Attributes:
        predecessors: which version each one carries on, for those that carry on one.
    """

    def __init__(
        self, log: Iterable[EventRow], entrants: Callable[[], Sequence[int]], coming: Collection[int] = ()
    ) -> None:
        self.coming = coming
        self.predecessors: dict[int, int] = {}
        self._carried_on: set[int] = set()
        self._anchors: dict[int, float] = {}
        self._entrants = entrants
        self._mentioned: dict[int, Member] = {}
        self._log: dict[int, list[EventRow]] = {}
        for row in log:
            try:
                self._note(row)
            except (LookupError, StopIteration) as error:
                raise DamagedRow(str(row), "it does not fit the events before it") from error

    @cached_property
    def entered(self) -> list[int]:
        """Every version that ever entered, in order."""
        return list(self._entrants())

    @cached_property
    def members(self) -> dict[int, Member]:
        """All members by the version that plays now, in order of entry."""
        return {member.version: member for member in self.each_member()}

    def each_member(self) -> Iterator[Member]:
        """Yield all members in order of entry. Those without events are not kept: a season may have a great many."""
        for version in self.entered:
            if version == (member := self.member(version)).entered:
                yield member

    @property
    def anchors(self) -> dict[int, float]:
        """The anchors of published tables with their ratings, in the order of naming. Bots that are out and replaced
        versions are no anchors.
        """
        return {
            version: value
            for version, value in self._anchors.items()
            if not self.member(version).is_out and self.member(version).version == version
        }

    @property
    def anchor(self) -> tuple[int, float] | None:
        """The anchor that was named last, whose value applies in batch tables; None for a mean of 1500."""
        return next(reversed(self.anchors.items()), None)

    @cached_property
    def versions(self) -> list[int]:
        """The versions that play now, in order of their bots' entry: formats number entrants so."""
        return list(self.members)

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The entrant as which each version plays, in the numbering of formats."""
        return {
            version: number
            for number, member in enumerate(self.members.values())
            for version in member.lineage
        }

    @property
    def divisions(self) -> list[str]:
        """All divisions in order of their first entrant; one empty name without divisions."""
        # The log mentions members of divisions: a large league without them reads no entrants.
        if not any(member.division for member in self._mentioned.values()):
            return [""]
        return list(dict.fromkeys(member.division for member in self.members.values()))

    @property
    def disqualified(self) -> list[int]:
        """The present versions of bots that are disqualified now."""
        return [member.version for member in self._distinct() if member.status == "disqualified"]

    @property
    def out(self) -> set[int]:
        """All versions of bots that may not be paired now."""
        return {version for version, member in self._mentioned.items() if member.is_out}

    @property
    def expelled(self) -> set[int]:
        """All versions of bots with a disqualification that decides about their opponents' sets."""
        return {version for version, member in self._mentioned.items() if member.expulsions}

    @property
    def replaced(self) -> list[int]:
        """The versions that newer or older versions of their bots replaced."""
        return [
            version for member in self._distinct() for version in member.lineage if version != member.version
        ]

    @property
    def lineages(self) -> list[list[int]]:
        """The versions of each bot that has played with several, in order."""
        rows = []
        for last in self.predecessors.keys() - self._carried_on:
            line = [last]
            while line[0] in self.predecessors:
                line.insert(0, self.predecessors[line[0]])
            rows.append(line)
        return sorted(rows)

    def member(self, version_id: int) -> Member:
        """Return the bot to which a version belongs."""
        return self._mentioned.get(version_id) or Member([Began(version_id, 0)])

    def is_walkover(self, versions: Sequence[int], ordinal: int) -> bool:
        """Return whether a bot was out when a match of these versions was due."""
        return any(self.member(version).was_out_at(ordinal) for version in versions)

    def _distinct(self) -> list[Member]:
        return [member for version, member in self._mentioned.items() if version == member.entered]

    def _note(self, row: EventRow) -> None:
        if row.version_id is None:
            return
        version = row.content["predecessor"] if row.kind == "updated" else row.version_id
        member = self.member(version)
        log = self._log.setdefault(member.entered, [])
        if row.kind == "undone":
            member = _undone(member, log, row.content)
        else:
            log.append(row)
            _apply(member, row)
        self._mentioned.update(dict.fromkeys(member.lineage, member))
        before = row.content.get("predecessor")
        # Whom others carry on has its own predecessor already: no line of versions is a circle.
        if before not in (None, row.version_id) and row.version_id not in self._carried_on:
            self.predecessors[row.version_id] = before
            self._carried_on.add(before)
        if row.kind == "anchored":
            self._anchors.pop(row.version_id, None)
            if row.content["value"] is not None:
                self._anchors[row.version_id] = float(row.content["value"])


def in_force(log: Sequence[EventRow]) -> list[EventRow]:
    """Return the events of a log that were not undone, without those that undo others."""
    undone = {row.content["undoes"] for row in log if row.kind == "undone"}
    return [row for row in log if row.kind != "undone" and row.number not in undone]


def events_until(log: Sequence[EventRow], end: int, settled: int) -> list[EventRow]:
    """Return the events about members that had been when the matches below an ordinal number were all there was.

    What changes no earlier match, and depends on none, came later. As long as no later match is settled, a leave is
    reported at once, though: the last decisions concern matches to come.

    Args:
        settled: how many matches are.
    """
    kinds = ("updated", "reinstated", *_OUT) if end < settled else ("updated",)
    later = {row.number for row in log if row.kind in kinds and _begins(row) >= end}
    return [row for row in log if row.number not in later and row.content.get("undoes") not in later]


def _begins(row: EventRow) -> int:
    """Return the ordinal number of the first match that an event changes, or follows from."""
    ordinal = int(row.content["ordinal"])
    if row.kind == "disqualified":
        return min(ordinal, int(row.content.get("first", 0)))
    return ordinal - 1 if row.kind == "suspended" else ordinal


def _covers(ranges: Iterable[tuple[int, int | None]], ordinal: int) -> bool:
    return any(start <= ordinal and (end is None or ordinal < end) for start, end in ranges)


def _apply(member: Member, row: EventRow) -> None:
    match row.kind:
        case "joined":
            member.joined = int(row.content["round"])
            member.planned = int(row.content.get("planned", 0))
        case "updated":
            assert row.version_id is not None
            member.versions.append(Began.of(row.version_id, row.content["ordinal"], row.content))
            if member.status == "suspended":
                _take_back(member, row.content)
        case "division":
            member.division = str(row.content["name"])
        case "reinstated" if member.is_out:  # else the event that took it out was undone
            member.suspended.pop(member.version, None)
            _take_back(member, row.content)
        case "reinstated" if row.version_id in member.suspended:
            del member.suspended[row.version_id]
            member.versions.append(Began.of(row.version_id, row.content["ordinal"], row.content))
        case kind if kind in _OUT:
            _take_out(member, kind, row)


def _undone(before: Member, log: list[EventRow], content: Any) -> Member:
    """Remove an event from a member's ``log``, and return the member that results from the other events."""
    gone = next(row for row in log if row.number == content["undoes"])
    log.remove(gone)
    after = Member([Began(before.entered, 0)])
    for row in log:
        _apply(after, row)
    after.leaves, after.forgiven = before.leaves, before.forgiven
    if before.is_out and not after.is_out:
        _close_leave(after, content, int(content["planned"]))
    if gone.kind == "suspended":
        after.forgiven = max(before.forgiven, int(gone.content["ordinal"]))
    return after


def _take_out(member: Member, kind: str, row: EventRow) -> None:
    content = row.content
    back = None
    if kind == "suspended":
        assert row.version_id is not None
        member.suspended[row.version_id] = str(content.get("reason", ""))
        if "back" in content:
            member.versions.append(Began.of(int(content["back"]), content["since"], content))
        back = member.until(row.version_id, int(content["ordinal"]))
    if not member.is_out:
        member.absences.append((int(content["ordinal"]), back))
    if kind != "retired":
        first = content["ordinal"] if kind == "suspended" else content.get("first", 0)
        member.annulled.append((int(first), back))
    if "sets" in content:
        expulsion = Expulsion(int(content.get("first", 0)), None, int(content["planned"]), content["sets"])
        member.expulsions.append(expulsion)
    if back is not None:
        # Another version plays on, or did so before the last matches of this one were counted.
        return
    if not member.is_out:
        member.leaves = [
            *member.leaves,
            Leave(int(content["round"]), int(content.get("planned", content["ordinal"]))),
        ]
    member.status = kind
    member.reason = str(content.get("reason", ""))


def _take_back(member: Member, content: Any) -> None:
    back = int(content["ordinal"])
    member.absences[-1] = (member.absences[-1][0], back)
    member.annulled = [(first, back if end is None else end) for first, end in member.annulled]
    member.expulsions = [
        msgspec.structs.replace(one, end=back) if one.end is None else one for one in member.expulsions
    ]
    _close_leave(member, content, back)
    member.status, member.reason = "", ""


def _close_leave(member: Member, content: Any, planned: int) -> None:
    back = int(content["round"]) if "round" in content else None  # older versions did not note it
    member.leaves = [*member.leaves[:-1], msgspec.structs.replace(member.leaves[-1], back=back, end=planned)]
