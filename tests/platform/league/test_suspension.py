"""Versions that fail again and again are suspended by the same match however many run."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from botleague.executors import MatchOutcome
from botleague.league import Penalties
from botleague.league.decisions import season_decisions
from botleague.league.results.new_versions import enter_newest
from botleague.league.season.hash_chain import fingerprint
from botleague.league.verification.export_verification import check_export
from botleague.plugins import PluginHost
from botleague.referee.record import StoredReply
from botleague_server.team.team_page import bot_state
from botleague_storage import Database, bots, events, fixtures, matches, problems, results

from .scripted_league import (
    MakeLeague,
    ScriptedHosts,
    ScriptedLeague,
    by_chance,
    digest_of,
    entered,
    hand_in,
    handed_in,
    until,
)


def test_a_suspended_bot_comes_back_with_a_new_version_that_is_measured_whole(
    tmp_path: Path, opened: MakeLeague
) -> None:
    accounts = []
    for capacity in (1, 3):
        database = Database(str(tmp_path / f"{capacity}.db"))
        league = opened(
            database, "abcd", format="gauntlet", format_options={"rounds": 2}, new_versions="replace"
        )
        league.play(ScriptedHosts(capacity, broken="a"))
        row = league.rows()["a"]
        assert (row.status, row.matches, row.newest) == ("suspended", 3, None)
        hand_in(database, "a", "mended")
        league.play(ScriptedHosts(capacity, by_chance))
        row = league.rows()["a"]
        whole = league.rows(kind="points")["a"]
        assert (row.version, row.status, row.matches, row.forfeits) == (2, "", 12, 0)
        assert (whole.matches, whole.forfeits) == (15, 3)
        # Broken once more, it is suspended by its own failures, and what the mended version has played stands.
        hand_in(database, "a", "broken again")
        league.play(ScriptedHosts(capacity, broken="a"))
        row = league.rows()["a"]
        assert (row.version, row.status, row.matches) == (2, "", 12)
        accounts.append(league.account()[0])
        database.close()
    assert accounts[0] == accounts[1]


@pytest.mark.parametrize(
    ("form", "terms"),
    [
        ("round-robin", {"format_options": {"rounds": 3}}),
        ("ladder", {"format_options": {"rounds": 9}, "table": "batch", "rating": "elo"}),
        ("swiss", {"format_options": {"rounds": 6}}),
        ("gauntlet", {"format_options": {"challengers": 2, "rounds": 2}}),
    ],
)
def test_the_version_before_plays_on_for_a_suspended_one_the_same_however_many_run(
    tmp_path: Path,
    opened: MakeLeague,
    form: str,
    terms: dict[str, Any],
) -> None:
    """Two new versions that never load enter at the same match; however many matches run, their suspensions do too."""
    broken = {digest_of("broken a"), digest_of("broken c")}
    accounts, has_set_aside = [], False
    for capacity in (1, 2, 6, 15):
        database = Database(str(tmp_path / f"{capacity}.db"))
        league = opened(database, "abcdef", format=form, new_versions="replace", **terms)
        hosts = ScriptedHosts(1, by_chance)
        league.play(hosts, is_over=until(hosts, 4))
        for bot in "ac":
            hand_in(database, bot, f"broken {bot}")
        league.play(ScriptedHosts(capacity, by_chance, broken_digests=broken))
        with database.reading() as connection:
            season = league.open(connection)
            season_print = fingerprint(season)
            has_set_aside = has_set_aside or bool(list(results.replaced(connection, season.id)))
            suspended = [row.content for row in events.events(connection, season.id, ["suspended"])]
            assert sorted(row["back"] for row in suspended) == [1, 3]
            played = [
                (version, match.ordinal)
                for match in matches.matches(connection, season.id)
                if match.places and not match.is_void
                for version in match.versions
            ]
            assert Counter(version for version, _ in played if version > 6) == {7: 3, 8: 3}
            if form != "gauntlet":
                last = dict(played)
                assert last[1] > last[7], "the version before has played since"
        accounts.append([str(season_print), *league.account()])
        assert league.export_findings() == []
        rows = league.rows()
        assert [(rows[bot].version, rows[bot].status, rows[bot].newest) for bot in "ac"] == [
            (1, "", None)
        ] * 2
        assert problems(database) == []
        league.assert_stays_when_recomputed()
        database.close()
    assert accounts[0] == accounts[1] == accounts[2] == accounts[3]
    assert has_set_aside == (form == "round-robin")


FIRST_REPLIES = {
    "never loads": None,
    "stumbles over its briefing": StoredReply(fault="exception", asked=False),
    "crashes": StoredReply(fault="crash"),
    "times out": StoredReply(fault="timeout"),
}


@pytest.mark.parametrize("failure", FIRST_REPLIES)
def test_export_of_a_league_with_a_bot_that_forfeits_every_match_is_undamaged(
    database: Database,
    plugins: PluginHost,
    opened: MakeLeague,
    tmp_path: Path,
    failure: str,
) -> None:
    """Whether three forfeits in a row suspend depends on how the bot failed, which only the record says."""
    league = opened(database, "abcd", table="points")
    league.play(ScriptedHosts(broken="d", first=FIRST_REPLIES[failure]))
    is_suspended = failure in ("never loads", "stumbles over its briefing")
    assert league.rows()["d"].status == ("suspended" if is_suspended else "")
    league.account()
    league.write_export(tmp_path)
    assert list(check_export(tmp_path, plugins)) == []

    with (tmp_path / "seats.csv").open(newline="") as file:
        seats = list(csv.DictReader(file))
    marked = [row for row in seats if row["not_started"] == "1"]
    assert [row["bot"] for row in marked] == ["d"] * (3 if is_suspended else 0)
    write_rows(tmp_path / "seats.csv", [{**row, "not_started": row["forfeit"]} for row in seats])
    export_problems = list(check_export(tmp_path, plugins))
    assert bool(export_problems) != is_suspended, "who never started must be suspended"

    old = [{name: cell for name, cell in row.items() if name != "not_started"} for row in seats]
    write_rows(tmp_path / "seats.csv", old)
    assert list(check_export(tmp_path, plugins)) == [], "older exports lack the column"


def test_a_new_version_of_a_retired_bot_is_not_announced_to_play(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abc", new_versions="replace")
    with database.writing() as connection:
        handed_in(connection, "a", "better")
        assert bot_state(league.open(connection), "a").coming != ""
        season_decisions.retire(league.open(connection), entered(connection, "a"), "")
        state = bot_state(league.open(connection), "a")
    assert (state.status, state.newest, state.coming) == ("retired", 2, "")


def write_rows(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def test_failures_of_a_version_that_was_replaced_meanwhile_are_its_own(
    database: Database, opened: MakeLeague
) -> None:
    """The failures of the version before are counted only when the new one has entered."""
    league = opened(
        database, "abcdefgh", format="gauntlet", format_options={"rounds": 1}, new_versions="replace"
    )
    with database.writing() as connection:
        season = league.open(connection)
        fixtures.claim(connection, season.id, "r", 10**12, 8)
        handed_in(connection, "a", "mended")
        assert enter_newest(season)
        fixtures.release(connection, ["r"])
        (event,) = events.events(connection, season.id, ["updated"])
        assert event.content["ordinal"] == 8
    hosts = ScriptedHosts(1, by_chance, broken_digests={bots.Source({"bot.py": b"a"}, "bot.py").digest})
    league.play(hosts)
    league.account()
    with league.reading() as season:
        member = season.roster.member(1)
        assert (member.status, member.absences, member.annulled) == ("", [(3, 8)], [(3, 8)])
    assert league.rows()["a"].matches == 14
    assert league.rows(kind="points")["a"].matches == 17


@pytest.mark.parametrize(
    ("first", "status"),
    [
        (StoredReply(fault="timeout"), ""),
        (StoredReply(fault="exception"), ""),
        (StoredReply(fault="timeout", asked=False), "suspended"),
    ],
    ids=["too-late-for-the-first-question", "raised-at-the-first-question", "hung-in-its-briefing"],
)
def test_a_fault_at_a_question_is_not_a_failure_to_load(
    database: Database,
    opened: MakeLeague,
    first: StoredReply,
    status: str,
) -> None:
    league = opened(database, "abc", format_options={"rounds": 2})
    league.play(ScriptedHosts(broken="c", first=first))
    assert league.rows()["c"].status == status


@pytest.mark.parametrize("broken", ["d", "cf", "bdf"])
def test_a_bot_that_fails_to_load_is_suspended_by_the_same_match_however_many_run(
    tmp_path: Path, opened: MakeLeague, broken: str
) -> None:
    accounts = []
    for capacity in (1, 2, 6, 15):
        database = Database(str(tmp_path / f"{capacity}.db"))
        league = opened(database, "abcdef", format_options={"rounds": 2})
        league.play(ScriptedHosts(capacity, by_chance, broken=broken))
        accounts.append(league.proof())
        table = league.rows()
        for name in broken:
            assert (table[name].forfeits, table[name].matches) == (3, 3)
            assert table[name].status == "suspended"
            assert table[name].reason == "failed to load in 3 matches in a row"
        failed = [1 + "abcdef".index(name) for name in broken]
        assert table["a"].matches == 4 * (5 - len(broken)) + sum(
            _against(league, 1, other) for other in failed
        )
        assert problems(database) == []
        league.assert_stays_when_recomputed()
        database.close()
    assert accounts[0] == accounts[1] == accounts[2] == accounts[3]


def _against(league: ScriptedLeague, one: int, other: int) -> int:
    """How many matches of two versions count."""
    with league.reading() as season:
        return sum(
            not match.is_void and {one, other} == set(match.versions)
            for match in matches.matches(season.connection, season.id)
        )


def test_failures_that_waited_for_a_disqualified_bots_matches_suspend_at_once(
    database: Database, opened: MakeLeague
) -> None:
    league = opened(database, "abcd", format_options={"rounds": 1})

    class Reluctant(ScriptedHosts):
        """Matches of d take longest."""

        def wait(self, timeout_s: float) -> list[MatchOutcome]:
            self._orders.sort(key=lambda order: all(player.name != "d" for player in order.players))
            order = self._orders.pop()
            self.held.append(order)
            return [MatchOutcome(order.fixture, order.epoch, self._report(order))]

    hosts = Reluctant(12, broken="c")
    league.play(hosts, is_over=until(hosts, 6))
    assert league.rows()["c"].status == ""
    with league.writing() as season:
        season_decisions.disqualify(season, 4, "cheated")
    table = league.rows()
    assert (table["c"].status, table["c"].forfeits) == ("suspended", 3)
    league.assert_stays_when_recomputed()
    assert problems(database) == []


def test_a_suspension_that_is_undone_gives_the_bot_as_many_tries_again_however_it_was_played(
    tmp_path: Path, opened: MakeLeague
) -> None:
    accounts = []
    for capacity in (1, 2, 6, 15):
        database = Database(str(tmp_path / f"{capacity}.db"))
        league = opened(database, "abcdef", format_options={"rounds": 2})
        league.play(ScriptedHosts(capacity, by_chance, broken="c"))
        with league.writing() as season:
            assert season.roster.member(3).status == "suspended"
            season_decisions.undo(season, 1, "the disk was full")
        league.play(ScriptedHosts(capacity, by_chance, broken="c"))
        row = league.rows()["c"]
        assert (row.status, row.matches, row.forfeits) == ("suspended", 6, 6)
        accounts.append(league.account())
        assert problems(database) == []
        database.close()
    assert accounts[0] == accounts[1] == accounts[2] == accounts[3]


def test_crashes_in_a_row_suspend_as_the_league_says(database: Database, opened: MakeLeague) -> None:
    terms = Penalties(crashes=2, failures=0)
    league = opened(database, "abc", format_options={"rounds": 2}, penalties=terms)
    league.play(ScriptedHosts(broken="c"))
    table = league.rows()
    assert (table["c"].matches, table["c"].reason) == (2, "crashed in 2 matches in a row")
