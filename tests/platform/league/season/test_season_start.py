"""A season begins with what the one before carries into it."""

from __future__ import annotations

import pytest

from botleague.application.leagues import unentered_bots
from botleague.errors import UsageError
from botleague.league import LeagueSettings, count_in, open_season
from botleague.league.decisions import season_decisions, season_start
from botleague.league.tables.standings import read_standings
from botleague.names import BUNDLED
from botleague.plugins import PluginHost
from botleague_storage import Database, bots, fixtures, ratings

from ..scripted_league import MakeLeague, ScriptedHosts, entered


def test_a_season_carries_ratings_as_its_own_record(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcd", format_options={"rounds": 1})
    league.play(ScriptedHosts())
    with database.writing() as connection:
        last = league.open(connection)
        season_decisions.anchor(last, 4, 900)
        before = {row.version_id: row.value for row in ratings.ratings(connection, last.id)}
        terms = last.settings
        season = season_start.new_season(last, terms, [1, 2, 3, 4], carry=0.5)
        assert season.row.number == 2
        after = {row.version_id: row.value for row in ratings.ratings(connection, season.id)}
        assert after == {version: 1500 + 0.5 * (value - 1500) for version, value in before.items()}
        assert season.roster.anchors == {4: 900.0}
    league.play(ScriptedHosts(3))
    account = league.account()
    with database.writing() as connection:
        count_in(season.within(connection), recompute=True)
    assert league.account() == account
    with database.reading() as connection:
        first = read_standings(last.within(connection))
    assert [row.rating for row in first] == sorted(before.values(), reverse=True)


def test_a_season_begins_only_when_the_last_is_over_and_its_ratings_fit(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "ab", format_options={"rounds": 1})
    with league.writing() as season:
        terms = season.settings
        with pytest.raises(UsageError, match="2 unplayed matches"):
            season_start.new_season(season, terms, [1, 2])
        assert season_decisions.close(season) == 2
        other = LeagueSettings(rating="glicko-2", seed=1)
        with pytest.raises(UsageError, match="same rating system"):
            season_start.new_season(season, other, [1, 2], carry=0.5)
        with pytest.raises(UsageError, match="above 0 and at most 1"):
            season_start.new_season(season, terms, [1, 2], carry=1.5)
        assert season_start.new_season(season, other, [1, 2]).row.number == 2
        assert not fixtures.is_open(season.connection, season.id)


@pytest.mark.parametrize("form", [("swiss", {"rounds": 3}), ("knockout", {})])
def test_a_season_with_rounds_left_is_not_over_until_it_is_closed(
    database: Database,
    opened: MakeLeague,
    form: tuple[str, dict[str, int]],
) -> None:
    name, options = form
    league = opened(database, "abcd", format=name, format_options=options)
    league.play(ScriptedHosts(), more=1)
    before = league.account()
    with league.writing() as season:
        assert not fixtures.is_open(season.connection, season.id)
        with pytest.raises(UsageError, match="is not over: rounds are left"):
            season_start.new_season(season, season.settings, season.roster.versions)
    assert league.account() == before
    with league.writing() as season:
        season_decisions.close(season)
        assert season_start.new_season(season, season.settings, season.roster.versions).row.number == 2


def test_season_names_the_bots_that_do_not_play_with_reasons(
    database: Database, plugins: PluginHost, opened: MakeLeague
) -> None:
    def unentered() -> list[tuple[str, str, bool]]:
        with database.reading() as connection:
            season = open_season(connection, plugins, "cup")
            return [(one.bot, one.reason, one.is_out) for one in unentered_bots(season)]

    with database.writing() as connection:
        entered(connection, "early")
    opened(database, "abc", seats=2)
    with database.writing() as connection:
        entered(connection, "late")
        bots.submit(connection, "guessing", "five", BUNDLED, bots.Source({"bot.py": b"5"}, "bot.py"))
    assert unentered() == [("early", "not named", False), ("late", "submitted after the start", False)]
    with database.writing() as connection:
        season = open_season(connection, plugins, "cup")
        a, b, _ = season.roster.versions
        season_decisions.disqualify(season, a, "copied")
        season_decisions.close(season)
        season_start.new_season(season, season.settings, [b, unentered_bots(season)[0].version])
    assert unentered() == [
        ("a", "disqualified in season 1", True),
        ("c", "not named", False),
        ("late", "not in season 1", False),
    ]
