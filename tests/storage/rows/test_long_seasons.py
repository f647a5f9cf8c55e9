"""What a runner and pages ask takes the same work in a season that is twenty times as long, or has more bots."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage import (
    Database,
    bots,
    events,
    fixtures,
    history_queries,
    leagues,
    matches,
    page_queries,
    ratings,
    results,
    server_metrics,
)
from botleague_storage.league_rows.ratings import RatingChange

ROUND = 20
"""Matches of a round."""

QUESTIONS: dict[str, Callable[..., object]] = {
    "claim": lambda connection, last: fixtures.claim(connection, 1, "a runner", 10.0, 5),
    "window of a ladder": lambda connection, last: matches.window_start(connection, 1, 3),
    "matches of the window": lambda connection, last: matches.matches(connection, 1, last - 3 * ROUND),
    "round": lambda connection, last: matches.of_round(connection, 1, last // ROUND - 2, 3),
    "mirrored set": lambda connection, last: matches.of_group(connection, 1, last // 2 - 5),
    "match": lambda connection, last: matches.find(connection, 1, last - 30),
    "numbered match": lambda connection, last: matches.at(connection, 1, last - 30),
    "first match to come": lambda connection, last: matches.first_not_done(connection, 1, last - ROUND),
    "open matches": lambda connection, last: fixtures.is_open(connection, 1),
    "start ratings": lambda connection, last: ratings.starts(connection, 1, range(1, 99)),
    "ratings at rounds": lambda connection, last: page_queries.values_at(
        connection, 1, [1, 2], [9, last // 2]
    ),
    "newest rated matches": lambda connection, last: page_queries.newest_rated(
        connection, 1, [1, 2], last, 5
    ),
    "ends of rounds": lambda connection, last: page_queries.round_ends(connection, 1, [2, 8], last),
    "list of matches": lambda connection, last: page_queries.listed(connection, 1, last, 20),
    "a bot's matches": lambda connection, last: page_queries.listed(connection, 1, last, 9, versions=[3]),
    "a frequent bot's matches": lambda connection, last: page_queries.listed(
        connection, 1, last, 9, versions=[1]
    ),
    "a bot's faults": lambda connection, last: page_queries.faulty_seats(connection, 1, [3], last, 5),
    "a bot's times": lambda connection, last: page_queries.result_times(connection, 1, last, [3]),
    "a bot's meetings": lambda connection, last: page_queries.meetings(connection, 1, [3], last, 9),
    "a bot's history": lambda connection, last: history_queries.history(connection, "chess", "cat", 9),
    "sandbox": lambda connection, last: page_queries.newest_layers(connection, 1, last),
    "failed attempts": lambda connection, last: results.voids(connection, 1),
    "a bot's last results": lambda connection, last: matches.latest_of(connection, 1, [(3, 0, last)], 3),
    "a bot's counting matches": lambda connection, last: matches.counting_of(connection, 1, 3, 0),
    "a bot's newest void matches": lambda connection, last: matches.void(connection, 1, 2, last - 30),
    "figures of leagues": lambda connection, last: server_metrics.of_leagues(connection),
    "queue": lambda connection, last: page_queries.queue(connection, 1, 9, last - ROUND),
}

PLAYED = (
    "update fixture set status = 'done' where ordinal < :until",
    "update season set settled = :until",
    "insert into result (fixture_id, epoch, reason, layers, turns, wall_ms, recorded_at)"
    " select id, 1, 'won', '[]', 9, 1.0, ordinal from fixture where status = 'done'",
    "insert into seat (fixture_id, seat, version_id, place, score, forfeit, faults, cpu_ms, wall_ms, peak_memory)"
    " select fixture_id, seat, version_id, seat + 1, 0, 0, iif(seat, '{\"timeout\": 1}', '{}'), 1.0, 1.0, 0"
    " from fixture_seat join result using (fixture_id)",
    "update fixture set void = 1 where ordinal % 10 = 0 and status = 'done'",
    "insert into void (fixture_id, epoch, reason, recorded_at)"
    " select id, 0, 'lost', 0.0 from fixture where ordinal < 3",
)


@pytest.fixture(scope="module")
def seasons(tmp_path_factory: pytest.TempPathFactory) -> Iterable[list[tuple[Database, int]]]:
    """Databases with a short and a long season, all but the last round done; and their numbers of matches.

    Two bots play every match but those of the first round, in which a third one plays.
    """
    made = []
    for rounds in (10, 200):
        database = Database(str(tmp_path_factory.mktemp("season") / "league.db"))
        with database.writing() as connection:
            for name in ("ann", "bob", "cat"):
                bots.submit(connection, "chess", name, "", bots.Source({"bot.py": name.encode()}, "bot.py"))
            variant = leagues.variant_id(connection, "chess", "chess", "", "{}")
            season = leagues.create(connection, "cup", variant, "{}").id
            leagues.add_entrants(connection, season, [1, 2, 3])
            count = rounds * ROUND
            coming = [
                fixtures.Planned(n // ROUND, n // 2, 7, (1, 2 if n >= ROUND else 3)) for n in range(count)
            ]
            fixtures.plan(connection, season, coming)
            for statement in PLAYED:
                connection.execute(
                    sa.text(statement), {"until": count - ROUND} if ":until" in statement else {}
                )
            rated = itertools.product((1, 2), range(count - ROUND))
            changes = [RatingChange(ordinal, version, 1500.0, 1501.0) for version, ordinal in rated]
            ratings.add_changes(connection, season, changes)
        made.append((database, count))
    yield made
    for database, _ in made:
        database.close()


def steps(database: Database, work: Callable[[Connection], object]) -> int:
    """Return how many steps of its machine SQLite takes for something."""
    number = 0

    def step() -> None:
        nonlocal number
        number += 1

    with database.writing() as connection:
        raw = connection.connection.dbapi_connection
        assert raw is not None
        raw.set_progress_handler(step, 1)
        answer = work(connection)
        if isinstance(answer, Iterable):
            assert list(answer)
        raw.set_progress_handler(None, 1)
    return number


@pytest.mark.parametrize("what", QUESTIONS)
def test_work_does_not_grow_with_a_season(seasons: list[tuple[Database, int]], what: str) -> None:
    short, long = (steps(database, partial(QUESTIONS[what], last=last)) for database, last in seasons)
    assert 0 < long < 1.5 * short


OF_MANY_BOTS: dict[str, Callable[[Connection], object]] = {
    "league": lambda connection: leagues.find(connection, "cup"),
    "leagues": leagues.leagues,
    "number of bots": lambda connection: leagues.bots_of_season(connection, 1),
    "versions of some bots": lambda connection: page_queries.entered_versions(
        connection, 1, "chess", ["bot-1", "bot-9", "bot-5"]
    ),
}


@pytest.mark.parametrize("what", OF_MANY_BOTS)
def test_work_does_not_grow_with_the_number_of_bots(tmp_path: Path, what: str) -> None:
    taken = []
    for number in (20, 400):
        with closing(Database(str(tmp_path / f"{number}.db"))) as database:
            with database.writing() as connection:
                variant = leagues.variant_id(connection, "chess", "chess", "", "{}")
                season = leagues.create(connection, "cup", variant, "{}").id
                for one in range(number):
                    source = bots.Source({"bot.py": b"%d" % one}, "bot.py")
                    bots.submit(connection, "chess", f"bot-{one}", "", source)
                leagues.add_entrants(connection, season, range(1, number + 1))
            taken.append(steps(database, OF_MANY_BOTS[what]))
    few, many = taken
    assert 0 < many < 1.5 * few


def test_a_bot_counts_once_with_all_versions_that_replaced_others(database: Database, season: int) -> None:
    with database.writing() as connection:
        before = leagues.bots_of_season(connection, season)
        newer, _ = bots.submit(connection, "chess", "ann", "", bots.Source({"bot.py": b"2"}, "bot.py"))
        leagues.add_entrants(connection, season, [newer.id])
        assert leagues.bots_of_season(connection, season) == before + 1  # both versions play
        content = {"predecessor": 1, "ordinal": 0, "round": 0}
        events.append(connection, season, "updated", version_id=newer.id, content=content)
        assert leagues.bots_of_season(connection, season) == before
        (league,) = leagues.leagues(connection)
        assert league.entrants == before
