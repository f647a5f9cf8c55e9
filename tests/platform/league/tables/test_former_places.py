"""Places gained since an earlier round, also by versions of one bot that play side by side or follow each other."""

from __future__ import annotations

import time

import pytest

from botleague.application.pages import read_table_page
from botleague.league import LeagueSettings, create_league
from botleague.league.season import horizons, visible
from botleague.league.tables import read_standings
from botleague.people import PUBLIC
from botleague.plugins import PluginHost
from botleague.rules import Variant
from botleague.rules.formats import TableKind
from botleague_storage import Database, matches

from ..scripted_league import MakeLeague, ScriptedHosts, ScriptedLeague, by_chance, hand_in, handed_in


def gained_by_row(
    league: ScriptedLeague,
) -> tuple[dict[tuple[str, int], int | None], dict[tuple[str, int], int], dict[tuple[str, int], int]]:
    """Return the places that each row gained by the page, its rank, and the ranks before the last round."""
    with league.database.reading(lambda connection: horizons(connection, PUBLIC)) as connection:
        season = league.open(connection)
        page = read_table_page(season, visible(PUBLIC, season), time.time())
        start = matches.round_start(connection, season.id, matches.last_round(connection, season.id))
        before = {(row.bot, row.version): row.rank for row in read_standings(season.as_of(start))}
    rows = [(row.bot, row.version) for row in page.rows]
    ranks = dict(zip(rows, (row.rank for row in page.rows), strict=True))
    return dict(zip(rows, page.gained, strict=True)), ranks, before


@pytest.mark.parametrize("table", ["points", "online"])
def test_two_versions_side_by_side_keep_their_own_former_places(
    database: Database, plugins: PluginHost, guessing: Variant, table: TableKind
) -> None:
    settings = LeagueSettings(seed=6, format="swiss", format_options={"rounds": 3}, table=table)
    with database.writing() as connection:
        names = "aabcdefg"
        versions = [handed_in(connection, name, str(number)) for number, name in enumerate(names)]
        create_league(connection, plugins, "cup", guessing, settings, versions)
    league = ScriptedLeague(database, plugins, "cup")
    league.play(ScriptedHosts(1, by_chance), more=3)
    gained, ranks, before = gained_by_row(league)
    assert before["a", 1] != before["a", 2]
    assert gained == {row: before[row] - rank for row, rank in ranks.items()}


@pytest.mark.parametrize("table", ["points", "online"])
def test_new_version_has_the_former_place_of_the_one_that_it_replaced(
    database: Database, opened: MakeLeague, table: TableKind
) -> None:
    settings = {"format": "swiss", "format_options": {"rounds": 3}, "table": table}
    league = opened(database, "abcd", **settings, new_versions="replace")
    hosts = ScriptedHosts(1, by_chance)
    league.play(hosts, more=1)
    hand_in(database, "a", "better")
    league.play(hosts, more=1)
    gained, ranks, before = gained_by_row(league)
    assert ("a", 2) in ranks
    assert gained["a", 2] == before["a", 1] - ranks["a", 2]
