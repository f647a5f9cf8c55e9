"""Calendars: what they say, what they refuse, and that versions and matches go by them. The clock is moved by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from botleague.errors import UsageError
from botleague.league.season.season_calendar import Calendar, calendar_in, frozen_in
from botleague_storage.league_rows.events import EventRow


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def test_times_are_those_of_a_clock_on_the_wall_in_their_zone() -> None:
    settings = {"zone": "Europe/Berlin", "deadline": "2031-07-10 18:00", "freeze": "2031-12-01 12:30:15"}
    calendar = Calendar.parse(settings)
    assert calendar.at("deadline") == at("2031-07-10 16:00")
    assert calendar.at("freeze") == at("2031-12-01 11:30:15")
    assert calendar.at("reveal") is None
    assert calendar.said() == settings
    assert Calendar.parse(calendar.said()) == calendar
    assert calendar.shown("deadline") == "2031-07-10 18:00 Europe/Berlin"
    # In autumn an hour comes twice: it is the first one.
    twice = Calendar.parse({"zone": "Europe/Berlin", "ends": "2031-10-26 02:30"})
    assert twice.at("ends") == at("2031-10-26 00:30")
    changed = Calendar.parse({"deadline": "none", "zone": "UTC"}, calendar)
    assert changed.said() == {"zone": "UTC", "freeze": "2031-12-01 12:30:15"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"freeze": "tomorrow"}, "freeze: 'tomorrow' is not a time. Write it like 2027-03-01 18:00."),
        ({"freeze": "2031-01-01 10:00+02:00"}, "Remove it: the calendar's zone applies."),
        ({"freeze": "0001-01-01"}, "the year 1 is not from 1971 to 2999"),
        ({"zone": "Mars/Base"}, "Unknown time zone 'Mars/Base'"),
        ({"zone": "../../etc/passwd"}, "Unknown time zone"),
        ({"frieze": "2031-01-01"}, "Unknown calendar setting 'frieze'. Did you mean 'freeze'?"),
        (
            {"freeze": "2031-01-02", "reveal": "2031-01-01"},
            "reveal (2031-01-01 00:00 UTC) comes before freeze (2031-01-02 00:00 UTC)",
        ),
        (
            {"zone": "Europe/Berlin", "opens": "2031-03-30 02:30"},
            "does not exist in Europe/Berlin, whose clocks are put forward then. Write 2031-03-30 03:30.",
        ),
    ],
)
def test_invalid_value_is_reported(settings: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        Calendar.parse(settings)
    assert message in str(refused.value)


def test_the_last_calendar_holds_and_a_freeze_that_was_moved_is_another_one() -> None:
    first, second = (
        {"zone": "UTC", "freeze": "2031-01-01 00:00"},
        {"zone": "UTC", "freeze": "2031-01-02 00:00"},
    )

    def noted(number: int, freeze: str, ordinal: int) -> EventRow:
        content = {"freeze": f"{freeze} UTC", "ordinal": ordinal, "entrants": 4}
        return EventRow(number, "frozen", None, None, content, 0.0)

    log = [
        EventRow(1, "calendar", None, None, first, 0.0),
        noted(2, first["freeze"], 7),
        EventRow(3, "calendar", None, None, second, 0.0),
    ]
    assert calendar_in([]) == Calendar()
    assert calendar_in(log).said() == second
    assert frozen_in(log, calendar_in(log)) is None
    log.append(noted(4, second["freeze"], 9))
    frozen = frozen_in(log, calendar_in(log))
    assert frozen is not None
    assert (frozen.ordinal, frozen.events, frozen.entrants) == (9, 3, 4)
