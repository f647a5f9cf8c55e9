"""The fixture table is a work queue in which every match is recorded exactly once."""

from __future__ import annotations

from collections.abc import Callable

from botleague_storage import Database, bots, fixtures, leagues, problems, ratings, results, summaries
from botleague_storage.results import MatchRow

MakeMatch = Callable[[tuple[int, int]], MatchRow]


def test_fixtures_are_claimed_in_order_and_only_once(database: Database, season: int) -> None:
    with database.writing() as connection:
        first = fixtures.claim(connection, season, "a", now=0, lease_s=10, number=3)
        second = fixtures.claim(connection, season, "b", now=5, lease_s=10, number=3)
    assert [claim.ordinal for claim in first] == [0, 1, 2]
    assert [claim.ordinal for claim in second] == [3]
    assert first[1].versions == (2, 1)


def test_a_lease_that_ran_out_is_taken_over_and_the_old_claim_is_refused(
    database: Database, season: int, a_match: MakeMatch
) -> None:
    with database.writing() as connection:
        (old,) = fixtures.claim(connection, season, "a", now=0, lease_s=10, number=1)
        (new,) = fixtures.claim(connection, season, "b", now=11, lease_s=10, number=1)
        assert (new.fixture_id, new.epoch) == (old.fixture_id, old.epoch + 1)
        assert not results.add(connection, old.fixture_id, old.epoch, a_match((1, 2)))
        assert results.add(connection, new.fixture_id, new.epoch, a_match((1, 2)))
        assert not results.add(connection, new.fixture_id, new.epoch, a_match((1, 2)))
    with database.reading() as connection:
        assert len(list(results.played(connection, season))) == 1
        assert fixtures.counts(connection, season) == (4, 1)


def test_a_renewed_lease_is_kept(database: Database, season: int) -> None:
    with database.writing() as connection:
        fixtures.claim(connection, season, "a", now=0, lease_s=10, number=4)
        fixtures.renew(connection, "a", until=100)
        assert fixtures.claim(connection, season, "b", now=50, lease_s=10, number=4) == []
        assert fixtures.claimants(connection, season) == {"a"}
        assert fixtures.release(connection, ["a"], keep=[1, 2, 3, 4]) == 0
        assert fixtures.release(connection, ["a"], keep=[2]) == 3
        assert fixtures.release(connection, ["a"]) == 1
        assert len(fixtures.claim(connection, season, "b", now=50, lease_s=10, number=4)) == 4


def test_a_transaction_that_fails_records_nothing(
    database: Database, season: int, a_match: MakeMatch
) -> None:
    with database.writing() as connection:
        (claim,) = fixtures.claim(connection, season, "a", now=0, lease_s=10, number=1)
    try:
        with database.writing() as connection:
            results.add(connection, claim.fixture_id, claim.epoch, a_match((1, 2)))
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    with database.reading() as connection:
        assert fixtures.counts(connection, season) == (4, 0)
        assert list(results.played(connection, season)) == []


def test_results_are_read_up_to_the_first_gap(database: Database, season: int, a_match: MakeMatch) -> None:
    with database.writing() as connection:
        claims = fixtures.claim(connection, season, "a", now=0, lease_s=10, number=4)
        for claim in (claims[0], claims[2], claims[3]):
            results.add(connection, claim.fixture_id, claim.epoch, a_match((1, 2)))
    with database.reading() as connection:
        assert [row.ordinal for row in results.played(connection, season)] == [0]
        assert [row.ordinal for row in results.played(connection, season, first=2)] == [2, 3]


def test_a_void_attempt_frees_the_fixture_and_is_noted_once(database: Database, season: int) -> None:
    with database.writing() as connection:
        for _ in range(2):
            (claim,) = fixtures.claim(connection, season, "a", now=0, lease_s=10, number=1)
            results.add_void(connection, claim.fixture_id, claim.epoch, "lost worker")
            results.add_void(connection, claim.fixture_id, claim.epoch, "said twice")
        assert results.voids(connection, season) == [(0, "lost worker"), (0, "lost worker")]


def test_totals_count_wins_losses_and_faults(database: Database, season: int, a_match: MakeMatch) -> None:
    with database.writing() as connection:
        for claim in fixtures.claim(connection, season, "a", now=0, lease_s=10, number=3):
            results.add(connection, claim.fixture_id, claim.epoch, a_match((1, 2)))
        totals = summaries.totals(connection, season)
    assert (totals[1].matches, totals[1].wins, totals[1].losses, totals[1].faults) == (3, 3, 0, {})
    assert (totals[2].wins, totals[2].losses, totals[2].faults) == (0, 3, {"exception": 3})


def test_sums_are_the_same_however_they_are_added_up_and_a_wrong_one_is_found(
    database: Database, season: int, a_match: MakeMatch
) -> None:
    with database.writing() as connection:
        for claim in fixtures.claim(connection, season, "a", now=0, lease_s=10, number=4):
            results.add(connection, claim.fixture_id, claim.epoch, a_match(claim.versions[:2]))  # type: ignore[arg-type]  # two seats
        live = summaries.totals(connection, season)
        for number, match in enumerate(results.played(connection, season)):
            tally = summaries.Tally()
            tally.load(connection, season, match.versions)
            tally.add(match)
            tally.save(connection, season)
            ratings.save(connection, season, number, {}, [])
            assert summaries.totals(connection, season) == live
        assert summaries.totals(connection, season, [2]) == {2: live[2]}
    assert problems(database) == []
    with database.writing() as connection:
        connection.exec_driver_sql("update standing set matches = matches + 1 where version_id = 2")
    (problem,) = problems(database)
    assert "does not count all matches of bot version 2" in problem


def test_a_page_of_a_table_has_its_ranks_and_names(database: Database, season: int) -> None:
    with database.writing() as connection:
        for name in ("cat", "dan"):
            source = bots.Source({"bot.py": name.encode()}, "bot.py")
            added, _ = bots.submit(connection, "chess", name, "", source)
            leagues.add_entrants(connection, season, [added.id])
        ratings.save(connection, season, 0, {4: ratings.RatingRow(4, "{}", 1600.0, 1, 0)}, [])
        whole = summaries.table(connection, season, newcomer=1500.0)
        assert [(row.rank, row.bot, row.state) for row in whole] == [
            (1, "dan", "{}"),
            (2, "ann", None),
            (2, "bob", None),
            (2, "cat", None),
        ]
        removed = summaries.table(connection, season, newcomer=1500.0, last=[1, 4])
        assert [(row.rank, row.bot) for row in removed] == [(1, "bob"), (1, "cat"), (3, "dan"), (4, "ann")]
        for first in range(5):
            assert summaries.table(connection, season, 1500.0, first, 2) == whole[first : first + 2]
            page = summaries.table(connection, season, 1500.0, first, 2, last=[1, 4])
            assert page == removed[first : first + 2]


def test_ratings_are_saved_with_their_events(database: Database, season: int) -> None:
    with database.writing() as connection:
        assert ratings.settled(connection, season) == 0
        rows = {1: ratings.RatingRow(1, "{}", 1510.0, 1, 0), 2: ratings.RatingRow(2, "{}", 1490.0, 1, 0)}
        ratings.save(
            connection, season, 0, rows, [ratings.Change(0, 1, 1500, 1510), ratings.Change(0, 2, 1500, 1490)]
        )
        assert ratings.settled(connection, season) == 1
        assert [row.version_id for row in ratings.ratings(connection, season)] == [1, 2]
        ratings.forget(connection, season, 2)
        assert (ratings.settled(connection, season), ratings.changes(connection, season)) == (0, [])
