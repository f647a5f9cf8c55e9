"""What is handed in while a season is frozen, or after its deadline."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from botleague.errors import UsageError
from botleague.league import Season
from botleague.league.decisions import season_decisions
from botleague.league.results.new_versions import too_late_for
from botleague_server.monitoring import counts_at
from botleague_storage import bots, fixtures, leagues, server_notes

from .frozen_league import FROZEN, NOON, League, entered, published


def test_submitter_to_a_frozen_season_does_not_learn_that_it_closed(
    league: Callable[..., League],
) -> None:
    cup = league(format="ladder")
    cup.change(lambda season: season_decisions.set_calendar(season, {"deadline": "2031-05-04 14:00"}))
    cup.play(rounds=1)
    cup.clock.now = FROZEN
    cup.change(lambda season: season_decisions.close(season, "secret reason"))

    def closing_texts(season: Season) -> tuple[str, str, int]:
        version = bots.find_version(season.connection, "guessing", "a")
        late = msgspec.structs.replace(version, submitted_at=FROZEN + 7200)
        return (
            season_decisions.why_nobody_joins(season, FROZEN, is_public=True),
            season_decisions.why_nobody_joins(season, FROZEN),
            len(too_late_for(season.connection, season.plugins, late)),
        )

    assert cup.read(closing_texts) == ("", "This season is closed.", 1)
    cup.change(season_decisions.reveal)
    assert cup.read(closing_texts)[:2] == ("This season is closed.", "This season is closed.")


def test_nothing_is_handed_in_after_the_deadline_and_nothing_played_after_the_end(
    league: Callable[..., League],
) -> None:
    cup = league(dates={"ends": "2031-05-04 14:00"}, format="ladder", new_versions="replace")
    cup.play(rounds=1)
    newer = cup.change(lambda season: entered(season.connection, "a", "in time"))
    submitted = cup.read(lambda season: bots.versions(season.connection, [newer])[newer].submitted_at)
    deadline = datetime.fromtimestamp(int(submitted) + 1, UTC).isoformat(" ")[:19]
    time = deadline.removesuffix(":00")  # whole minutes are printed without seconds
    cup.change(lambda season: season_decisions.set_calendar(season, {"deadline": deadline}))
    late = cup.change(lambda season: entered(season.connection, "b", "too late"))

    def hand_in_late(season: Season) -> None:
        season.connection.exec_driver_sql(
            f"update version set submitted_at = {submitted + 60} where id = {late}"
        )

    cup.change(hand_in_late)
    cup.play(rounds=2)
    assert cup.read(lambda season: (newer in season.names, late in season.names)) == (True, False)
    newcomer = cup.change(lambda season: entered(season.connection, "e", "checked late"))
    with pytest.raises(UsageError, match="The deadline of this season was"):
        cup.change(lambda season: season_decisions.add_newcomers(season, [newcomer]))
    reasons = cup.read(lambda season: [too_late(season, version) for version in (newer, late)])
    assert reasons == [
        (),
        (f"It is too late for cup: the deadline was {time} UTC. b keeps its present version there.",),
    ]
    # Who came in time joins, however long its check took.
    cup.change(lambda season: season_decisions.add_newcomers(season, [newcomer], arrived=submitted))
    assert cup.read(lambda season: newcomer in season.names)
    planned = cup.read(lambda season: fixtures.counts(season.connection, season.id))
    cup.clock.now = NOON + 7200
    cup.play(rounds=3)
    assert cup.read(lambda season: fixtures.counts(season.connection, season.id)) == planned
    assert cup.read(lambda season: season.is_closed)


def test_extended_deadline_holds_for_one_owner_through_a_freeze_and_stays_private(
    league: Callable[..., League], tmp_path: Path
) -> None:
    cup = league(format="ladder", new_versions="replace")
    cup.play(rounds=1)
    deadline, until = FROZEN + 1800, "2031-05-04 15:00"
    cup.change(lambda season: season_decisions.set_calendar(season, {"deadline": "2031-05-04 13:30"}))

    def hand_in(season: Season, name: str, at: float) -> int:
        version = entered(season.connection, name, f"late {at}")
        bots.set_submitted(season.connection, version, at)
        return version

    late = cup.change(lambda season: hand_in(season, "a", deadline + 60))
    other = cup.change(lambda season: hand_in(season, "b", deadline + 60))
    with pytest.raises(UsageError, match="choose a time after the deadline, 2031-05-04 13:30 UTC"):
        cup.change(lambda season: season_decisions.extend(season, "owner-a", "2031-05-04 13:30"))
    cup.change(lambda season: season_decisions.extend(season, "Owner-A", until))
    cup.clock.now = deadline + 120
    cup.play(rounds=2)
    later = cup.change(lambda season: hand_in(season, "a", NOON + 3 * 3600 + 1))

    def state(season: Season) -> tuple[object, ...]:
        entrants = set(leagues.entrants(season.connection, season.id))
        why = [season_decisions.why_nobody_joins(season, owner=owner) for owner in ("owner-a", "")]
        return (
            late in entrants,
            other in entrants,
            len(too_late(season, late)),
            len(too_late(season, other)),
            why,
        )

    assert cup.read(state) == (
        True,
        False,
        0,
        1,
        ["", "The deadline of this season was 2031-05-04 13:30 UTC."],
    )
    assert "the deadline was 2031-05-04 15:00 UTC" in cup.read(lambda season: too_late(season, later))[0]
    files = published(cup, tmp_path / "site")
    assert not any(b"15:00" in content for content in files.values())

    def outage(season: Season) -> list[float]:
        server_notes.store(season.connection, "away", f"{NOON + 3 * 3600 - 30} {NOON + 3 * 3600 + 30}")
        now = NOON + 3 * 3600 + 60
        owners = ("owner-a", "owner-b")
        return [now - counts_at(season.connection, season.league.id, owner, now) for owner in owners]

    assert [round(by) for by in cup.change(outage)] == [60, 0], (
        "a restart at the extended deadline costs nothing"
    )
    cup.change(lambda season: season_decisions.extend(season, "owner-a", "none"))
    assert cup.read(lambda season: season.calendar_of("owner-a") == season.calendar)
    cup.change(lambda season: season_decisions.set_calendar(season, {"deadline": "none"}))
    with pytest.raises(UsageError, match="has no deadline"):
        cup.change(lambda season: season_decisions.extend(season, "owner-a", until))


def too_late(season: Season, version: int) -> tuple[str, ...]:
    row = bots.versions(season.connection, [version])[version]
    return too_late_for(season.connection, season.plugins, row)
