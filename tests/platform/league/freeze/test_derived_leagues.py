"""Nothing that is begun from a frozen season tells what its table hides."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from botleague.application import LeagueOptions, Workspace
from botleague.application.decisions import DecisionContext, decide, organiser_decisions
from botleague.application.leagues.league_file import LeagueFile
from botleague.application.leagues.league_setup import LeagueOpening
from botleague.application.leagues.new_season import SeasonChoices, begin_next_season
from botleague.errors import UsageError
from botleague.league import Season, open_season
from botleague.league.decisions import season_decisions
from botleague_storage import events

from .frozen_league import League

PAST = {"freeze": "2020-01-01 00:00"}
"""A freeze that has come by the clocks of commands, too."""


@pytest.fixture
def frozen_cup(league: Callable[..., League]) -> League:
    """A league that was frozen after six matches, and played on to its end."""
    cup = league("abcdef", {}, table="points")
    cup.play(until=6)
    cup.change(lambda season: season_decisions.set_calendar(season, PAST))
    cup.play()
    return cup


def stored(cup: League) -> bytes:
    """Everything that a database holds, as statements."""
    with closing(sqlite3.connect(cup.file)) as connection:
        return "\n".join(connection.iterdump()).encode()


def made_of(cup: League, name: str, **terms: Any) -> None:
    """Make a league as `run`, `league new` and the Python API do."""
    workspace = Workspace(db=str(cup.file))
    with workspace.database() as database:
        opening = LeagueOpening(workspace, database, workspace.plugins.variant("guessing"), name)
        opening.open(LeagueFile(variant="guessing", **terms))


SEEDED = {
    "--seeded-by": {"seeded_by": "cup"},
    "--top": {"seeded_by": "cup", "top": 2},
    "--seeded-by, named by hand": {"seeded_by": "cup", "bots": ["a", "b"]},
    "a gauntlet of its leaders": {"seeded_by": "cup", "top": 2, "format": "gauntlet", "staff": ["e"]},
}


@pytest.mark.parametrize("terms", SEEDED.values(), ids=SEEDED)
def test_league_is_not_seeded_by_a_frozen_season(frozen_cup: League, terms: dict[str, Any]) -> None:
    before = stored(frozen_cup)
    with pytest.raises(UsageError, match="--seeded-by uses the standings of cup, which are frozen"):
        made_of(frozen_cup, "finals", **terms)
    assert stored(frozen_cup) == before
    frozen_cup.clock.now = time.time()
    frozen_cup.change(season_decisions.reveal)
    made_of(frozen_cup, "finals", **terms)


NEXT = {
    "seeded by the table": ({}, "A next season without named bots"),
    "--carry": ({"carry": 0.75}, "--carry"),
    "--carry, named by hand": ({"carry": 0.75, "named": ["a", "b"]}, "--carry"),
    "--promote": ({"promote": 1}, "--promote"),
    "--close": ({"close": True}, "A next season without named bots"),
}


@pytest.mark.parametrize(("terms", "derived"), NEXT.values(), ids=NEXT)
def test_next_season_is_not_derived_from_a_frozen_one(
    frozen_cup: League, terms: dict[str, Any], derived: str
) -> None:
    before = stored(frozen_cup)
    with pytest.raises(UsageError, match=f"^{derived} uses the standings of cup, which are frozen"):
        begin_next_season(Workspace(db=str(frozen_cup.file)), "cup", LeagueOptions(), SeasonChoices(**terms))
    assert stored(frozen_cup) == before


def test_bots_named_by_hand_start_as_newcomers_in_that_order_with_a_warning(
    frozen_cup: League, caplog: pytest.LogCaptureFixture
) -> None:
    frozen_cup.change(lambda season: season_decisions.anchor(season, min(season.names), 1700.0))
    begin_next_season(
        Workspace(db=str(frozen_cup.file)), "cup", LeagueOptions(), SeasonChoices(named=["c", "a", "f"])
    )
    made_of(frozen_cup, "finals", bots=["d", "b"])
    made_of(frozen_cup, "finals", bots=["d", "b"])  # which is there now: nobody is named anew
    warnings = [row.getMessage() for row in caplog.records if "frozen" in row.getMessage()]
    template = (
        "cup is frozen, and these bots play in it: {}. Others see which bots you name and in which order."
    )
    assert warnings == [template.format("a, c, f"), template.format("b, d")]

    def start(season: Season) -> tuple[Any, ...]:
        named = [season.names[version].bot for version in season.roster.versions]
        return named, events.starts(season.connection, season.id), season.roster.anchors

    assert frozen_cup.read(start) == (["c", "a", "f"], {}, {})


def test_earlier_season_is_revealed_after_the_next_one_has_begun(
    frozen_cup: League, caplog: pytest.LogCaptureFixture
) -> None:
    workspace = Workspace(db=str(frozen_cup.file))
    begin_next_season(workspace, "cup", LeagueOptions(), SeasonChoices(named=["c", "a", "f"]))

    def reveal() -> str:
        with workspace.database() as database, database.writing() as connection:
            context = DecisionContext(connection, workspace, "cup")
            return decide(organiser_decisions.reveal, organiser_decisions.Reveal("cup"), context).text

    assert frozen_cup.read(lambda season: open_season(season.connection, season.plugins, "cup", 1).frozen)
    caplog.clear()
    begin_next_season(workspace, "cup", LeagueOptions(), SeasonChoices(close=True))
    assert not caplog.records, "nobody was named, so no name shows anything"
    assert reveal().startswith("Everyone can see all results of cup, season 1, since 20")
    assert not frozen_cup.read(lambda season: open_season(season.connection, season.plugins, "cup", 1).frozen)
    with pytest.raises(UsageError, match="neither frozen nor blind"):
        reveal()
