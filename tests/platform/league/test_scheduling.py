"""Who meets whom, with those who come, leave and come back."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from botleague.errors import PluginError, UsageError
from botleague.formats import RoundRobin, Swiss
from botleague.league import LeagueSettings, Progress, Runner, Season, create_league, open_season
from botleague.league.decisions import season_decisions, season_start
from botleague.league.running.match_runner import match_row
from botleague.league.scheduling import division_tables, expected_matches
from botleague.league.season.hash_chain import fingerprint
from botleague.league.verification import exported
from botleague.league.verification.provenance import check_plan
from botleague.plugins import PluginHost
from botleague.referee import MatchReport, SeatReport
from botleague.rules import Outcome, Variant
from botleague.rules.formats import Bye, Entrant, GroupResult
from botleague_storage import Database, bots, fixtures, matches, results

from .scripted_league import MakeLeague, ScriptedHosts, ScriptedLeague, by_chance, entered, ignore, until


def test_a_knockout_is_seeded_by_the_table_before_and_by_nothing_that_happens_in_it(
    database: Database, plugins: PluginHost, opened: MakeLeague
) -> None:
    cup = opened(database, "abcdefgh", format_options={"rounds": 1, "seats": 2})
    cup.play(ScriptedHosts())
    with database.reading() as connection:
        versions = [bots.find_version(connection, "guessing", name).id for name in "hgfedcba"]
        starts = season_start.seeds(open_season(connection, plugins, cup.name), versions)
    finals = opened(database, "hgfedcba", name="finals", format="knockout", starts=starts)
    finals.play(ScriptedHosts(2))
    with database.reading() as connection:
        season = open_season(connection, plugins, finals.name)
        ((division, bracket),) = division_tables.brackets(season)
    first = [
        tuple(division.names[side] for side in slot.sides if side is not None) for slot in bracket.slots[:4]
    ]
    assert first == [("a", "h"), ("d", "e"), ("b", "g"), ("c", "f")]
    assert [division.names[entrant] for entrant, place in bracket.places.items() if place == 1] == ["a"]


def test_a_ladder_plays_so_many_batches_and_takes_newcomers(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcdef", format="ladder", format_options={"share": 1.0})
    league.play(ScriptedHosts(), more=3)
    assert {row.matches for row in league.rows().values()} == {6}
    with league.writing() as season:
        season_decisions.add_newcomers(season, [entered(season.connection, "z")])
    league.play(ScriptedHosts(), more=3)
    table = league.rows()
    assert table["z"].matches > 0
    with database.reading() as connection:
        early = [match for match in matches.matches(connection, season.id) if match.round <= 3]
        assert season.within(connection).roster.members[7].joined == 4
    assert all(7 not in match.versions for match in early)


def by_luck_alone(_: str, rng: random.Random) -> float:
    """Near equals: nobody is stronger."""
    return round(rng.gauss(0, 1), 3)


def join(league: ScriptedLeague, *names: str) -> list[int]:
    with league.database.writing() as connection:
        versions = [entered(connection, name) for name in names]
        season_decisions.add_newcomers(league.open(connection), versions)
        return versions


def play_to_target(league: ScriptedLeague, hosts: ScriptedHosts, **options: Any) -> int:
    """Play as `run` does, and return the last round that was planned."""
    with league.writing() as season:
        rounds = season_decisions.set_target(season, options.pop("asked", None))
    Runner(league.database, league.plugins, hosts, "r", **options.pop("clocks", {})).run(
        league.name, ignore, rounds=rounds, **options
    )
    with league.reading() as season:
        return matches.last_round(season.connection, season.id)


def test_ladder_at_its_target_plays_ten_rounds_further_for_new_bots_however_it_is_played(
    tmp_path: Path, opened: MakeLeague
) -> None:
    accounts = []
    for capacity, interruptions in ((1, 0), (4, 0), (3, 9)):
        database = Database(str(tmp_path / f"{capacity}.db"))
        league = opened(database, "abcdefgh", format="ladder", table="batch")
        hosts = ScriptedHosts(capacity, by_luck_alone)
        assert play_to_target(league, hosts, asked=3) == 3
        before = league.rows()
        join(league, "y", "z")
        rng = random.Random(2)
        for _ in range(interruptions):
            play_to_target(league, hosts, is_over=until(hosts, len(hosts.held) + rng.randrange(1, 9)))
            hosts.close()
        # Also with the command that was given first.
        assert play_to_target(league, hosts, asked=3) == 13
        held = len(hosts.held)
        assert play_to_target(league, hosts) == 13
        assert len(hosts.held) == held, "nobody waits any more"
        with league.reading() as season:
            assert [event.content for event in season.said(["target"])] == [
                {"rounds": 3, "asked": 3},
                {"rounds": 13, "asked": 3},
            ]
            season_print = str(fingerprint(season))
        after = league.rows()
        most = max(row.matches for row in before.values())
        assert min(after["y"].matches, after["z"].matches) > most, "more evidence than the target gave"
        accounts.append([season_print, *league.account()])
        database.close()
    assert accounts[0] == accounts[1] == accounts[2]


def test_bot_that_joins_in_the_last_round_plays_ten_rounds(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcd", format="ladder", format_options={"share": 1.0})
    hosts = ScriptedHosts()
    play_to_target(league, hosts, asked=2, is_over=lambda: len(hosts.held) == 6)
    hosts.close()
    join(league, "z")
    assert play_to_target(league, hosts) == 12
    league.account()


def test_new_bot_that_crashes_in_every_match_is_suspended_and_the_ladder_ends(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abcd", format="ladder", format_options={"share": 1.0})
    hosts = ScriptedHosts(broken="z")
    play_to_target(league, hosts, asked=2)
    join(league, "z")
    assert play_to_target(league, hosts) == 12
    held = len(hosts.held)
    assert play_to_target(league, hosts) == 12
    assert len(hosts.held) == held
    row = league.rows()["z"]
    assert (row.status, row.matches) == ("suspended", 3)
    league.account()


def test_new_bot_with_nobody_to_play_waits_for_the_next_one(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "ab", format="ladder", format_options={"share": 1.0})
    hosts = ScriptedHosts()
    assert play_to_target(league, hosts, asked=1) == 1
    with league.writing() as season:
        for version in season.roster.versions:
            season_decisions.retire(season, version)
    join(league, "z")
    for _ in range(2):
        assert play_to_target(league, hosts) == 1
    join(league, "y")
    assert play_to_target(league, hosts) == 11
    assert [league.rows()[name].matches for name in "yz"] == [20, 20]
    league.account()


def test_new_bots_do_not_wait_in_a_season_that_is_over(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcd", format="ladder", new_versions="hold")
    hosts = ScriptedHosts()
    assert play_to_target(league, hosts, asked=2) == 2
    with database.writing() as connection:
        source = bots.Source({"bot.py": b"better"}, "bot.py")
        bots.submit(connection, "guessing", "a", "", source)
    assert play_to_target(league, hosts) == 2, "versions are held back"
    join(league, "z")
    with league.writing() as season:
        season_decisions.set_calendar(season, {"ends": "2031-01-01 00:00"})
    after = {"clock": lambda: 2e9}
    assert play_to_target(league, hosts, clocks=after) == 2
    with league.reading() as season:
        assert season.is_closed
    league.account()


def test_a_ladders_rounds_are_planned_again_from_the_results_before_them(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abcdefgh", format="ladder", table="batch")
    league.play(ScriptedHosts(3, by_chance), more=6)
    with league.writing() as season:
        season_decisions.void_match(
            season, 3, "overheated"
        )  # of the first round: others had been paired by it
    league.play(ScriptedHosts(3, by_chance), more=3)
    league.account()
    with database.writing() as connection:
        season = league.open(connection)
        last = list(matches.matches(connection, season.id))[-1]
        for table in ("fixture_seat", "seat"):  # another opponent, in the last round
            absent = next(version for version in season.roster.versions if version not in last.versions)
            connection.exec_driver_sql(
                f"update {table} set version_id = {absent} where fixture_id = {last.fixture_id} and seat = 0"
            )
        problems = list(check_plan(season.within(connection)))
    assert [match for match, _ in problems] == [last.fixture_id]
    assert "its seats is" in problems[0][1]


def test_a_ladder_of_which_too_few_are_left_ends_without_an_error(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "ab", format="ladder", format_options={"share": 1.0})
    league.play(ScriptedHosts(broken="b"), more=9)
    table = league.rows()
    assert (table["a"].wins, table["b"].status) == (3, "suspended")


def test_a_gauntlet_takes_newcomers_and_plays_only_what_they_add(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abc", format="gauntlet", format_options={"rounds": 2})
    league.play(ScriptedHosts())
    assert league.rows()["a"].matches == 8
    with league.writing() as season:
        season_decisions.add_newcomers(season, [entered(season.connection, "d")])
    league.play(ScriptedHosts())
    table = league.rows()
    assert [table[name].matches for name in "abcd"] == [12, 4, 4, 4]


@pytest.mark.parametrize("format", ["round-robin", "swiss", "knockout", "gauntlet", "ladder"])
def test_bot_joins_before_the_first_match_as_if_it_had_entered_at_the_start(
    tmp_path: Path, opened: MakeLeague, format: str
) -> None:
    accounts = []
    for entered_first, late in (("abcd", ""), ("abc", "d")):
        database = Database(str(tmp_path / f"{entered_first}.db"))
        league = opened(database, entered_first, format=format, table="points")
        join(league, *late)
        league.play(ScriptedHosts(), more=2)
        accounts.append(league.account())
        database.close()
    assert accounts[0] == accounts[1]


@pytest.mark.parametrize(
    ("format", "message"),
    [
        ("round-robin", "The format round-robin accepts no entrants after the first match."),
        ("knockout", "The format knockout accepts no entrants after the first match."),
        ("swiss", "The last round of this season is already planned."),
    ],
)
def test_late_bot_is_referred_to_the_next_season(
    database: Database, opened: MakeLeague, format: str, message: str
) -> None:
    league = opened(database, "abc", format=format)
    league.play(ScriptedHosts())
    with pytest.raises(UsageError) as error:
        join(league, "d")
    assert (
        str(error.value) == f"{message} To let all bots enter the next season: botleague season new cup --all"
    )


@pytest.mark.parametrize(
    ("format", "options", "first", "total"),
    [("swiss", {"rounds": 3}, 12, 12), ("knockout", {"extra": 0}, 8, 8), ("ladder", {"share": 1.0}, 4, 12)],
)
def test_progress_counts_matches_that_are_not_planned_yet(
    database: Database,
    plugins: PluginHost,
    opened: MakeLeague,
    format: str,
    options: dict[str, Any],
    first: int,
    total: int,
) -> None:
    league = opened(database, "abcd", format=format, format_options=options)
    with league.reading() as season:
        assert expected_matches(season)[0] == first
    reports: list[Progress] = []
    Runner(database, plugins, ScriptedHosts(), "r").run(league.name, reports.append, rounds=3)
    assert (reports[0].planned, reports[-1]) == (total, Progress(total, total))


def test_refused_entry_leaves_the_plan_as_it_was(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "ab", format="comparison")
    before = league.account()
    with pytest.raises(UsageError):
        join(league, "c")
    assert league.account() == before


def test_bots_that_play_alone_are_compared_by_their_scores_on_the_same_seed(
    database: Database, opened: MakeLeague
) -> None:
    options = {"rounds": 3, "seats": 1}
    league = opened(database, "abc", seats=1, format_options=options, table="points")
    hosts = ScriptedHosts(4)
    league.play(hosts)
    assert len(hosts.held) == 9
    assert len({order.seed for order in hosts.held}) == 3
    table = league.rows()
    assert [table[name].mean_score for name in "abc"] == [-97.0, -98.0, -99.0]
    assert [table[name].rank for name in "abc"] == [1, 2, 3]
    assert [table[name].wins for name in "abc"] == [0, 0, 0]
    assert table["a"].rating > table["b"].rating > table["c"].rating
    assert sum(row.rating for row in table.values()) == pytest.approx(4500)


def test_reinstated_bot_is_paired_again(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcd", format="ladder", format_options={"share": 1.0})
    league.play(ScriptedHosts(broken="d"), more=4)
    assert league.rows()["d"].status == "suspended"
    with league.writing() as season:
        season_decisions.reinstate(season, 4, "the bot was mended")
        with pytest.raises(UsageError, match="cannot be reinstated"):
            season_decisions.reinstate(season, 4)
    before = league.rows()["d"]
    assert before.status == ""
    league.play(ScriptedHosts(), more=3)
    after = league.rows()["d"]
    assert after.matches > before.matches
    assert after.status == ""


def play_without_for_a_round(league: ScriptedLeague, hosts: ScriptedHosts, first: int) -> Season:
    """Play a league to its end; version 1 is away in the round after the ``first`` ones."""
    with league.database.reading() as connection:
        season = league.open(connection)
    league.play(hosts, more=first)
    with league.database.writing() as connection:
        season_decisions.retire(season.within(connection), 1)
    league.play(hosts, more=1)
    with league.database.writing() as connection:
        season_decisions.reinstate(season.within(connection), 1)
    league.play(hosts)
    return season


def test_returning_bot_is_paired_from_the_next_swiss_round(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcdefg", format="swiss", format_options={"rounds": 5}, table="points")
    season = play_without_for_a_round(league, ScriptedHosts(1, by_chance), 2)
    with database.reading() as connection:
        rounds: dict[int, list[int]] = {}
        for match in matches.matches(connection, season.id):
            assert not match.is_void
            rounds.setdefault(match.round, []).extend(match.versions)
        (division,) = division_tables.divisions(season.within(connection))
        rests = Swiss(rounds=5).byes(division.entrants, division.results)
    assert [len(rounds[number]) for number in range(1, 6)] == [12, 12, 12, 12, 12]
    assert [1 in rounds[number] for number in (3, 4, 5)] == [False, True, True]
    assert all(max(map(seats.count, seats)) == 2 for seats in rounds.values()), "twice in one round"
    assert sum(bye.points for bye in rests) == 2.0 * 4, (
        "one rests in each round but the third, in which six were in"
    )


def test_bye_keeps_its_points_when_another_match_is_void(database: Database, opened: MakeLeague) -> None:
    league = opened(
        database, "abcde", format="swiss", format_options={"rounds": 3}, table="points", leaving="annul"
    )
    league.play(ScriptedHosts(1, by_chance))
    before = league.rows()
    with league.writing() as season:
        season_decisions.disqualify(season, 1, "cheated")
    after = league.rows()

    def byes(table: Mapping[str, Any]) -> dict[str, float]:
        return {name: row.points - row.wins - row.draws / 2 for name, row in table.items()}

    assert sum(byes(before).values()) == 6.0
    assert byes(after) == byes(before)


def test_a_bracket_is_not_played_back_for_who_comes_in_again(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "abcdefgh", format="knockout", format_options={"bronze": False})
    season = play_without_for_a_round(league, ScriptedHosts(), 1)
    with database.reading() as connection:
        ((division, bracket),) = division_tables.brackets(season.within(connection))
        played = [match for match in matches.matches(connection, season.id) if 1 in match.versions]
    assert {match.round for match in played} == {1}
    assert bracket.champion is not None
    assert division.names[bracket.champion] == "b"


@pytest.mark.parametrize("decide", [season_decisions.retire, season_decisions.disqualify])
def test_leaver_loses_its_unplayed_matches_of_the_round(
    database: Database, opened: MakeLeague, decide: Callable[..., int]
) -> None:
    league = opened(database, "ab", format="knockout")
    with database.writing() as connection:
        season = league.open(connection)
        first, second = fixtures.claim(connection, season.id, "r", 10**12, 2)
        assert (first.ordinal, second.ordinal) == (0, 1)
        # The second match is over before the first, and a has won it.
        report = MatchReport(
            b"{}",
            Outcome((2, 1), (0.0, 1.0), "scripted"),
            (SeatReport({}, 1.0, 1.0, 1),) * 2,
            ("script",),
            1,
            1.0,
        )
        assert second.versions == (2, 1)
        assert results.add_all(connection, [(second.fixture_id, second.epoch, match_row(second, report))])
        decide(season, 1, "left")
    league.play(ScriptedHosts())
    with database.reading() as connection:
        ((division, bracket),) = division_tables.brackets(season.within(connection))
    assert bracket.champion is not None
    assert division.names[bracket.champion] == "b"


def test_rounds_that_were_paired_without_a_bot_bring_it_no_bye_when_its_retirement_is_undone(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abcdefg", format="swiss", format_options={"rounds": 5}, table="points")
    league.play(ScriptedHosts(), more=2)
    with league.writing() as season:
        season_decisions.retire(season, 1)
    league.play(ScriptedHosts(), more=1)
    with database.writing() as connection:
        season_decisions.undo(season.within(connection), 1)
    league.play(ScriptedHosts())
    with database.reading() as connection:
        rounds = {match.round for match in matches.matches(connection, season.id) if 1 in match.versions}
        (division,) = division_tables.divisions(season.within(connection))
        rests = Swiss(rounds=5).byes(division.entrants, division.results)
    assert rounds | {bye.round for bye in rests if not bye.entrant} == {1, 2, 4, 5}


def test_divisions_do_not_meet_and_exchange_their_first_and_last(
    database: Database, opened: MakeLeague
) -> None:
    where = dict.fromkeys("abcd", "one") | dict.fromkeys("efgh", "two")
    league = opened(database, "abcdefgh", divisions=where, format_options={"rounds": 1})
    league.play(ScriptedHosts(3))
    with league.reading() as season:
        roster = season.roster
        for match in matches.matches(season.connection, season.id):
            assert len({roster.members[version].division for version in match.versions}) == 1
        moved = season_start.moved(season, 1)
    names = dict(zip("abcdefgh", moved.values(), strict=True))
    assert [bot for bot, division in names.items() if division == "one"] == ["a", "b", "c", "e"]
    crosses = []
    with database.reading() as connection:
        crosses = division_tables.cross_tables(season.within(connection))
    assert [[division.name, len(table.rows)] for division, table in crosses] == [["one", 4], ["two", 4]]


def test_ladder_without_bots_has_an_empty_cross_table(database: Database, opened: MakeLeague) -> None:
    league = opened(database, "", format="ladder")
    with league.reading() as season:
        ((division, table),) = division_tables.cross_tables(season)
        assert (division.name, division.versions, list(table.rows)) == ("", [], [])


class Forgetful(RoundRobin, frozen=True):
    """A plugin's format that plans, but fails at the byes."""

    name = "forgetful"

    def byes(self, entrants: Sequence[Entrant], results: Sequence[GroupResult]) -> Sequence[Bye]:
        raise LookupError("no byes")


def test_format_that_fails_at_byes_is_named_with_its_line(database: Database, guessing: Variant) -> None:
    host = PluginHost.load([Path(__file__).parents[1] / "plugin" / "guessing.py"])
    host.formats.add({"forgetful": Forgetful})
    with database.writing() as connection:
        versions = [entered(connection, name) for name in "abc"]
        settings = LeagueSettings(seed=5, format="forgetful")
        league = create_league(connection, host, "cup", guessing, settings, versions).league
    message = r"The format forgetful failed: LookupError: no byes \(.*test_scheduling.py, line \d+\)"
    ScriptedLeague(database, host, "cup").play(ScriptedHosts())
    with database.reading() as connection:
        season = open_season(connection, host, league.name)
        (division,) = division_tables.divisions(season)
        for reader in (
            partial(division_tables.points_table, season, division, {}),
            partial(division_tables.points_by_round, season),
            lambda: [list(table.rows) for table in exported(season, ignore)],
        ):
            with pytest.raises(PluginError, match=message):
                reader()
