"""What is handed in while a season is frozen, or after its deadline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from botleague.errors import UsageError
from botleague.league import Season
from botleague.league.decisions import season_decisions
from botleague.league.results.new_versions import too_late_for
from botleague_storage import bots, fixtures

from .frozen_league import FROZEN, NOON, League, entered


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
        late = replace(version, submitted_at=FROZEN + 7200)
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
    with pytest.raises(UsageError, match="The deadline of this season was"):
        cup.change(lambda season: season_decisions.add_newcomers(season, [late]))
    reasons = cup.read(lambda season: [too_late(season, version) for version in (newer, late)])
    assert reasons == [
        (),
        (f"It is too late for cup: the deadline was {time} UTC. b keeps its present version there.",),
    ]
    # Who came in time joins, however long its check took.
    newcomer = cup.change(lambda season: entered(season.connection, "e", "checked late"))
    cup.change(lambda season: season_decisions.add_newcomers(season, [newcomer], arrived=submitted))
    assert cup.read(lambda season: newcomer in season.names)
    planned = cup.read(lambda season: fixtures.counts(season.connection, season.id))
    cup.clock.now = NOON + 7200
    cup.play(rounds=3)
    assert cup.read(lambda season: fixtures.counts(season.connection, season.id)) == planned
    assert cup.read(lambda season: season.is_closed)


def too_late(season: Season, version: int) -> tuple[str, ...]:
    row = bots.versions(season.connection, [version])[version]
    return too_late_for(season.connection, season.plugins, row)
