"""Dates of a season, and its end for others while it is frozen.

A calendar may be changed while the season runs, so each is an event, and the last one holds. Its times are those of a
clock on the wall, in a zone that is given with them.

**Where a frozen season ends.** Results are counted in the order of their ordinal numbers, not as they come in; what
is public when the freeze begins is the matches that are settled then. The first writer to a season after
that moment notes it before anything else, in the same transaction: the event ``frozen`` holds the ordinal number from
which on matches are hidden, the number of entrants by then, and, by its own number, the last public decision.
Until the first write, the season is as it was at that moment. So no clock but the writer's matters, and what was public
once can neither grow nor shrink.

While a season is frozen nothing may change what lies before that ordinal number: see :mod:`.freezing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from botleague.errors import UsageError, did_you_mean
from botleague_storage import DamagedRow
from botleague_storage.league_rows.events import EventRow

Date: TypeAlias = Literal["opens", "deadline", "freeze", "blind", "ends", "reveal"]

DATES: dict[Date, str] = {
    "opens": "no match starts before this time",
    "deadline": "versions submitted later do not enter",
    "freeze": "only helpers and organisers see later matches",
    "blind": "matches of others' bots are hidden from then on",
    "ends": "no match starts after this time",
    "reveal": "everything is public again",
}
"""Dates of a calendar in the order of a season, with their meaning."""

IN_ORDER: tuple[tuple[Date, Date], ...] = (
    ("opens", "deadline"),
    ("opens", "freeze"),
    ("opens", "ends"),
    ("freeze", "reveal"),
    ("blind", "reveal"),
)
"""Pairs of dates; the second cannot come before the first."""

CALENDAR_EVENTS = ("calendar", "frozen")

FIRST_YEAR, LAST_YEAR = 1971, 2999
"""Outside these years, the clocks of some machines overflow."""

UNSAID = "none"
"""Value that removes a date from a calendar."""


class Calendar(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Dates of a season.

    Attributes:
        zone: in which the times are meant, a name like ``Europe/Berlin``.
        opens, deadline, freeze, blind, ends, reveal: see :data:`DATES`; times without a zone, None for never.
    """

    zone: str = "UTC"
    opens: datetime | None = None
    deadline: datetime | None = None
    freeze: datetime | None = None
    blind: datetime | None = None
    ends: datetime | None = None
    reveal: datetime | None = None

    @classmethod
    def parse(cls, texts: Mapping[str, str], base: Calendar | None = None) -> Calendar:
        """Return ``base`` with the given changes.

        Args:
            texts: times like ``2027-03-01 18:00``, or ``none``, by the names of :data:`DATES`; and a ``zone``.

        Raises:
            UsageError: a name, time or zone is unknown, or the times are in the wrong order.
        """
        values: dict[str, Any] = {} if base is None else msgspec.structs.asdict(base)
        for name, text in texts.items():
            if name == "zone":
                values["zone"] = text
            elif name in DATES:
                values[name] = None if text == UNSAID else _time(name, text)
            else:
                names = ["zone", *DATES]
                raise UsageError(
                    f"Unknown calendar setting {name!r}.{did_you_mean(name, names)} Settings: {', '.join(names)}."
                )
        calendar = cls(**values)
        calendar._check()
        return calendar

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> Calendar:
        """Return the calendar in an event; raises UsageError if it contains none."""
        return cls.parse({name: str(text) for name, text in content.items()})

    def extended(self, until: float | None) -> Calendar:
        """Return the calendar with a deadline at ``until``, in seconds since the epoch, if its own is earlier."""
        deadline = self.at("deadline")
        if until is None or deadline is None or until <= deadline:
            return self
        return msgspec.structs.replace(self, deadline=self.local(until))

    def said(self) -> dict[str, str]:
        """Return the input of :meth:`parse`: the zone and all dates that are set, in order."""
        return {"zone": self.zone} | {
            name: local.isoformat(" ", "minutes" if local.second == 0 else "seconds")
            for name in DATES
            if (local := self._on_the_wall(name)) is not None
        }

    def at(self, date: Date) -> float | None:
        """Return a date in seconds since the epoch, None for never; if an hour comes twice, its first occurrence."""
        local = self._on_the_wall(date)
        return None if local is None else local.replace(tzinfo=self._zone).timestamp()

    def has_come(self, date: Date, now: float) -> bool:
        """Return whether a date has passed."""
        at = self.at(date)
        return at is not None and at <= now

    def is_revealed(self, now: float) -> bool:
        """Return whether a freeze or blind period is over."""
        return self.has_come("reveal", now)

    def is_blind(self, now: float) -> bool:
        """Return whether matches of others' bots are hidden."""
        return self.has_come("blind", now) and not self.is_revealed(now)

    def shown(self, date: Date) -> str:
        """Return a date as people read it, with its zone; "" for never."""
        at = self._on_the_wall(date)
        return "" if at is None else f"{self.said()[date]} {self.zone}"

    def local(self, now: float) -> datetime:
        """Return a moment as the clocks of the calendar's zone show it."""
        return datetime.fromtimestamp(int(now), UTC).astimezone(self._zone).replace(tzinfo=None)

    @property
    def _zone(self) -> ZoneInfo:
        return _zone(self.zone)

    def _on_the_wall(self, date: Date) -> datetime | None:
        value: datetime | None = getattr(self, date)
        return value

    def _check(self) -> None:
        zone = self._zone
        for name in DATES:
            wall = self._on_the_wall(name)
            if wall is None:
                continue
            there = wall.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None)
            if there != wall:
                raise UsageError(
                    f"{name}: {wall.isoformat(' ', 'minutes')} does not exist in {self.zone}, whose clocks are put "
                    f"forward then. Write {there.isoformat(' ', 'minutes')}."
                )
        for earlier, later in IN_ORDER:
            first, then = self.at(earlier), self.at(later)
            if first is not None and then is not None and first > then:
                raise UsageError(
                    f"{later} ({self.shown(later)}) comes before {earlier} ({self.shown(earlier)})."
                )


class Frozen(msgspec.Struct, frozen=True):
    """End of a season for others.

    Attributes:
        ordinal: matches with ordinal numbers from here on are hidden.
        events: the number of the last decision that is seen.
        entrants: how many had entered.
    """

    ordinal: int
    events: int
    entrants: int


def calendar_in(log: Iterable[EventRow]) -> Calendar:
    """Return the calendar that applies according to a season's events, an empty one if none was ever set.

    Raises:
        DamagedRow: the last event contains no calendar.
    """
    latest = None
    for row in log:
        if row.kind == "calendar":
            latest = row
    if latest is None:
        return Calendar()
    try:
        return Calendar.read(latest.content)
    except UsageError as error:
        raise DamagedRow(str(latest), f"it is no calendar ({error})") from error


def frozen_in(log: Iterable[EventRow], calendar: Calendar) -> Frozen | None:
    """Return the end of a frozen season if it was written to since; None if not, or if it never was frozen.

    A freeze that was moved afterwards is another one, which is noted when it comes; also if it is moved back, since
    more may have been public meanwhile.
    """
    frozen, freeze = None, calendar.shown("freeze")
    for row in log:
        if row.kind == "calendar" and f"{row.content.get('freeze')} {row.content.get('zone')}" != freeze:
            frozen = None
        elif row.kind == "frozen" and row.content.get("freeze") == freeze:
            frozen = Frozen(int(row.content["ordinal"]), row.number - 1, int(row.content["entrants"]))
    return frozen


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(
            f"Unknown time zone {name!r}. Use one like Europe/Berlin, America/New_York or UTC."
        ) from error


def _time(name: str, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise UsageError(f"{name}: {text!r} is not a time. Write it like 2027-03-01 18:00.") from error
    if moment.tzinfo is not None:
        raise UsageError(f"{name}: {text!r} contains a time zone. Remove it: the calendar's zone applies.")
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise UsageError(f"{name}: the year {moment.year} is not from {FIRST_YEAR} to {LAST_YEAR}.")
    return moment.replace(microsecond=0)
