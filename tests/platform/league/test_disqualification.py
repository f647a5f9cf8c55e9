"""What it does to a league that a bot leaves it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from botleague.errors import UsageError
from botleague.league import Season
from botleague.league.decisions import season_decisions
from botleague.league.scheduling import division_tables
from botleague.league.scheduling.planning import plan_more
from botleague.league.tables.standings import read_standings
from botleague.league.tables.table_reader import Part
from botleague_storage import Database, events, matches, problems, ratings

from .scripted_league import MakeLeague, ScriptedHosts, by_chance, ignore, until


def test_a_retired_bots_matches_count_and_the_others_go_on(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcdef", format="swiss", format_options={"rounds": 4}, table="points")
    hosts = ScriptedHosts()
    league.play(hosts, is_over=until(hosts, 9))
    before = league.rows()["a"].matches
    assert before > 0
    with league.writing() as season:
        season_decisions.retire(season, 1, "moved away")
        with pytest.raises(UsageError, match="already retired"):
            season_decisions.retire(season, 1)
    hosts.close()
    league.play(hosts)
    table = league.rows()
    assert (table["a"].status, table["a"].reason) == ("retired", "moved away")
    assert table["a"].matches == before
    with database.reading() as connection:
        played = [match for match in matches.matches(connection, season.id) if match.round == 4]
    assert played
    assert all(1 not in match.versions for match in played)
    assert problems(database) == []


@pytest.mark.parametrize(
    ("leaving", "points"), [("forfeit", [6.0, 4.0, 2.0]), ("annul", [4.0, 2.0, 0.0]), (None, [4.0, 2.0, 0.0])]
)
def test_effect_of_a_leaving_bot_on_others_is_a_setting(
    database: Database,
    opened: MakeLeague,
    leaving: Any,
    points: list[float],
) -> None:
    """The first of four leaves before it has played: its six matches are walkovers, or nothing."""
    league = opened(database, "abcd", table="points", leaving=leaving)
    with league.writing() as season:
        season_decisions.retire(season, 1)
    league.play(ScriptedHosts())
    table = league.rows()
    ours = sorted((row.points for name, row in table.items() if name != "a"), reverse=True)
    assert ours == points
    assert (table["a"].points, table["a"].matches) == (0.0, 0)


@pytest.mark.parametrize("leaving", ["forfeit", "half", "annul"])
def test_cells_of_a_cross_table_add_up_to_the_points(
    database: Database, opened: MakeLeague, leaving: Any
) -> None:
    """The first of four leaves after the first of three rounds."""
    league = opened(database, "abcd", table="points", leaving=leaving)
    hosts = ScriptedHosts()
    league.play(hosts, is_over=until(hosts, 4))
    hosts.close()
    with league.writing() as season:
        season_decisions.retire(season, 1)
    league.play(hosts)
    with league.reading() as season:
        ((_, table),) = division_tables.cross_tables(season)
    assert [sum(cell.points for cell in cells if cell) for cells in table.cells] == [
        row.points for row in table.rows
    ]


def test_a_disqualified_bots_matches_stay_stored_and_change_no_rating(
    tmp_path: Path, opened: MakeLeague
) -> None:
    database = Database(str(tmp_path / "with.db"))
    league = opened(database, "abcd", format_options={"rounds": 2})
    league.play(ScriptedHosts(1, by_chance))
    with league.writing() as season:
        third = [match for match in matches.matches(season.connection, season.id) if 4 in match.versions][2]
        assert season_decisions.disqualify(season, 4, "cheated", third.ordinal) == 10
    table = league.rows()
    assert list(table)[-1] == "d"
    assert table["d"].matches == 2
    with database.reading() as connection:
        pages = [read_standings(league.open(connection), Part(first, 1)) for first in range(4)]
        by_points = read_standings(league.open(connection), kind="points")
    assert [row for page in pages for row in page] == list(table.values())
    assert by_points[-1].bot == "d"
    with database.reading() as connection:
        season = league.open(connection)
        stored = list(matches.matches(connection, season.id))
        assert all(match.places for match in stored)
        rated = {change.ordinal for change in ratings.each_change(connection, season.id)}
        late = [match for match in stored if 4 in match.versions and match.ordinal >= third.ordinal]
        assert {match.ordinal for match in late} == {match.ordinal for match in stored} - rated
        assert [event.kind for event in events.events(connection, season.id)] == ["disqualified"]
    with database.writing() as connection, pytest.raises(UsageError, match="already disqualified"):
        season_decisions.disqualify(season.within(connection), 4, "again")
    assert problems(database) == []
    database.close()


# A swiss of six in three rounds, a set of two games a round, worked by hand. The better seed, a before b and so on,
# wins both games of each set:
#
#   round 1   a-d 2:0   b-e 2:0   c-f 2:0    a 2  b 2  c 2  d 0  e 0  f 0
#   round 2   a-b 2:0   c-d 2:0   e-f 2:0    a 4  b 2  c 4  d 0  e 2  f 0
#   round 3   a-c 2:0   b-f 2:0   d-e 2:0    a 6  b 4  c 4  d 2  e 2  f 0   (b-e and e-f have met)
#
# A row is (bot, points, Buchholz, Sonneborn-Berger). In both a round won without playing counts as one against a
# virtual opponent with the bot's own points.

PLAYED = [
    ("a", 6, 2 + 4 + 4, 12 + 8),  # d, b, c: 2 (2 + 4 + 4)
    ("b", 4, 2 + 6 + 0, 4),  # e, a, f: 2 (2 + 0)
    ("c", 4, 0 + 2 + 6, 4),  # f, d, a: 2 (0 + 2); it shares the second place with b
    ("d", 2, 6 + 4 + 2, 4),  # a, c, e
    ("e", 2, 4 + 0 + 2, 0),  # b, f, d
    ("f", 0, 4 + 2 + 4, 0),  # c, e, b
]


WITHOUT_A = [  # d, b and c have a set each for the one that they lost to a, or did not play
    ("c", 6, 0 + 4 + 6, 2 * (0 + 4 + 6)),  # f, d, virtual
    ("b", 6, 2 + 6 + 0, 2 * (2 + 6 + 0)),  # e, virtual, f
    ("d", 4, 4 + 6 + 2, 2 * (4 + 2)),  # virtual, c, e
    ("e", 2, 6 + 0 + 4, 0),
    ("f", 0, 6 + 2 + 6, 0),
    ("a", 0, 0, 0),
]


ROUND_3_WITHOUT_A = [  # b-c 2:0, d-e 2:0 and a bye for f: paired by b 4, c 4, d 2, e 2, f 0
    ("b", 6, 2 + 6 + 4, 2 * (2 + 6 + 4)),  # e, virtual, c
    ("c", 4, 2 + 4 + 6, 2 * (2 + 4)),  # f, d, b
    ("d", 4, 4 + 4 + 2, 2 * (4 + 2)),  # virtual, c, e
    ("e", 2, 6 + 2 + 4, 2 * 2),  # b, f, d
    ("f", 2, 4 + 2 + 2, 2 * 2),  # c, e, virtual
    ("a", 0, 0, 0),
]


ANNULLED = [  # whoever met a has two rounds instead of three
    ("b", 4, 2 + 0, 2 * 2),  # e, f
    ("c", 4, 0 + 2, 2 * 2),  # f, d: shares the first place
    ("d", 2, 4 + 2, 2 * 2),  # c, e
    ("e", 2, 4 + 0 + 2, 0),  # b, f, d
    ("f", 0, 4 + 2 + 4, 0),
    ("a", 0, 0, 0),
]


EARLY = [  # a left after round 1 of 3, less than half. Round 2: b-c, d-e, f has a bye; round 3: b-f, c-d, e has a bye
    ("b", 6, 2 + 4 + 2, 2 * (2 + 4 + 2)),  # e, c, f
    ("c", 4, 2 + 6 + 2, 2 * (2 + 2)),  # f, b, d
    ("f", 2, 4 + 2 + 6, 2 * 2),  # c, virtual, b
    ("e", 2, 6 + 2 + 2, 2 * 2),  # b, d, virtual
    ("d", 2, 2 + 4, 2 * 2),  # e, c
    ("a", 0, 0, 0),
]


WITHOUT_A_AND_B = [  # who met each other in round 2: nobody has points of that
    ("c", 6, 2 + 4 + 6, 2 * (2 + 4 + 6)),  # f, d, virtual
    ("d", 4, 4 + 6 + 4, 2 * (4 + 4)),  # virtual, c, e
    ("e", 4, 4 + 2 + 4, 2 * (4 + 2)),  # virtual, f, d
    ("f", 2, 6 + 4 + 2, 2 * 2),  # c, e, virtual
    ("a", 0, 0, 0),
    ("b", 0, 0, 0),
]


RETIRED = [  # between pairing and play of round 3: c alone has a walkover
    ("c", 6, 0 + 2 + 6, 2 * (0 + 2 + 6)),  # f, d, virtual
    ("a", 4, 2 + 4 + 4, 2 * (2 + 4)),  # d, b, virtual
    ("b", 4, 2 + 5 + 0, 2 * (2 + 0)),  # e, a as if it had halved the last round, f
    ("d", 2, 5 + 6 + 2, 2 * 2),
    ("e", 2, 4 + 0 + 2, 0),
    ("f", 0, 6 + 2 + 4, 0),
]


def disqualify_a(season: Season) -> None:
    season_decisions.disqualify(season, 1, "copied")


def disqualify_both(season: Season) -> None:
    season_decisions.disqualify(season, 2, "copied")
    season_decisions.disqualify(season, 1, "copied")


def disqualify_both_and_undo(season: Season) -> None:
    disqualify_both(season)
    season_decisions.undo(season, 1, "appeal")


def pair_and_disqualify(season: Season) -> None:
    plan_more(season)
    disqualify_a(season)


def pair_and_retire(season: Season) -> None:
    plan_more(season)
    season_decisions.retire(season, 1)


def disqualify_and_undo(season: Season) -> None:
    disqualify_a(season)
    season_decisions.undo(season, 1, "appeal")


@pytest.mark.parametrize(
    ("leaving", "rounds", "decide", "table"),
    [
        ("forfeit", 3, ignore, PLAYED),
        (None, 3, disqualify_a, WITHOUT_A),
        ("forfeit", 3, disqualify_a, WITHOUT_A),
        ("forfeit", 2, pair_and_disqualify, WITHOUT_A),
        ("forfeit", 2, disqualify_a, ROUND_3_WITHOUT_A),
        ("forfeit", 2, pair_and_retire, RETIRED),
        ("forfeit", 3, disqualify_both, WITHOUT_A_AND_B),
        ("forfeit", 3, disqualify_both_and_undo, WITHOUT_A),
        ("forfeit", 3, disqualify_and_undo, PLAYED),
        ("forfeit", 2, disqualify_and_undo, PLAYED),
        ("annul", 3, disqualify_a, ANNULLED),
        ("annul", 3, disqualify_and_undo, PLAYED),
        ("half", 3, disqualify_a, WITHOUT_A),
        ("half", 2, disqualify_a, ROUND_3_WITHOUT_A),
        ("half", 1, disqualify_a, EARLY),
    ],
)
def test_disqualification_in_a_swiss_gives_the_points_worked_by_hand(
    database: Database,
    opened: MakeLeague,
    leaving: Any,
    rounds: int,
    decide: Callable[[Season], object],
    table: list[tuple[str, float, float, float]],
) -> None:
    seeds = [events.StartRow(number, None, 2000.0 - number) for number in range(1, 7)]
    league = opened(
        database,
        "abcdef",
        starts=seeds,
        format="swiss",
        format_options={"rounds": 3},
        table="points",
        leaving=leaving,
    )
    league.play(ScriptedHosts(), more=rounds)
    with league.writing() as season:
        decide(season)
    league.play(ScriptedHosts())
    rows = league.rows()
    standings_rows = [
        (bot, row.points, row.tie_breaks["buchholz"], row.tie_breaks["sonneborn_berger"])
        for bot, row in rows.items()
    ]
    assert standings_rows == table
    league.account()
    assert league.export_findings() == []
    assert problems(database) == []


def test_disqualification_in_mid_set_gives_the_opponent_the_full_set(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abcd", format="swiss", format_options={"rounds": 1}, table="points")
    hosts = ScriptedHosts()
    league.play(hosts, is_over=until(hosts, 1))
    with league.writing() as season:
        first = next(matches.matches(season.connection, season.id))
        winner, loser = sorted(first.versions)
        season_decisions.void_match(season, first.fixture_id, "overheated")
        season_decisions.disqualify(season, winner, "copied")
    league.play(hosts)
    rows = league.rows()
    assert [rows["abcd"[version - 1]].points for version in (winner, loser)] == [0, 2]
    league.account()
    assert league.export_findings() == []


def test_reinstated_bot_starts_without_points_and_its_opponents_keep_theirs(
    database: Database, opened: MakeLeague
) -> None:
    """Round 1: a-c and b-d. Round 2 without a: b 2, c 2 (walkover), d 0. Round 3: with a again, who has nothing."""
    seeds = [events.StartRow(number, None, 2000.0 - number) for number in range(1, 5)]
    league = opened(
        database, "abcd", starts=seeds, format="swiss", format_options={"rounds": 3, "mirrored": False}
    )
    league.play(ScriptedHosts(), more=1)
    with league.writing() as season:
        season_decisions.disqualify(season, 1, "copied")
    league.play(ScriptedHosts(), more=1)  # b-c 1:0, d has a bye
    with league.writing() as season:
        season_decisions.reinstate(season, 1, "appeal")
    league.play(ScriptedHosts())  # a-b 1:0, c-d 1:0: b and d met in round 1
    rows = league.rows(kind="points")
    assert {bot: row.points for bot, row in rows.items()} == {"b": 2, "c": 2, "a": 1, "d": 1}
    league.account()
    assert league.export_findings() == []


def test_disqualification_of_an_older_version_decides_nothing_about_sets(
    database: Database, opened: MakeLeague
) -> None:
    """Its event does not say what becomes of them, so tables and exports of that time stay as they were."""
    league = opened(database, "abcd", format="swiss", format_options={"rounds": 2}, table="points")
    league.play(ScriptedHosts())
    with database.writing() as connection:
        season = league.open(connection)
        season_decisions.disqualify(season, 1, "copied")
        before = read_standings(season)
        connection.exec_driver_sql("update event set content = json_remove(content, '$.sets')")
        after = read_standings(league.open(connection))
    assert sum(row.points or 0 for row in before) - sum(row.points or 0 for row in after) == 4
    assert league.export_findings() == []


def test_disqualified_bot_hands_over_its_next_series(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcd", format="knockout")
    hosts = ScriptedHosts()
    league.play(hosts, is_over=until(hosts, 4))
    hosts.close()
    with league.writing() as season:
        season_decisions.disqualify(season, 1, "cheated")
    league.play(hosts)
    with database.reading() as connection:
        ((division, bracket),) = division_tables.brackets(season.within(connection))
    champion = bracket.champion
    assert champion is not None
    assert division.names[champion] != "a"
    assert set(bracket.places.values()) == {1, 2, 3, 4}


def test_a_return_that_an_older_version_logged_is_still_read(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "ab")
    with league.writing() as season:
        season_decisions.retire(season, 1)
        events.append(season.connection, season.id, "reinstated", version_id=1, content={"ordinal": 4})
        member = season.roster.members[1]
    assert (member.is_out, member.away, member.back_since) == (False, (), 4)
