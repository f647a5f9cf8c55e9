"""The queues of uploads: fair to owners, each upload taken once, and in the order in which its owner handed in."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy.engine import Connection

from botleague_storage import Database, accounts, uploads
from botleague_storage.people_rows.uploads import Limits, Stage


@pytest.fixture
def hand_in(database: Database, season: int) -> Callable[[Connection, str], int]:
    """Stores an upload of an owner."""
    with database.writing() as connection:
        account = accounts.add(connection, "flood", accounts.add_team(connection, "flood", 0.0), 0.0)
    return lambda connection, owner: uploads.add(
        connection, 1, account, owner, "b", "", [("b.py", b"x")], 1.0
    )


def taken(connection: Connection, stage: Stage, now: float, holder: str = "me") -> int | None:
    row = uploads.claim(connection, stage, holder, now, 60.0)
    return None if row is None else row.id


def test_a_flood_of_one_owner_delays_nobody(
    database: Database, hand_in: Callable[[Connection, str], int]
) -> None:
    with database.writing() as connection:
        flood = [hand_in(connection, "flood") for _ in range(5)]
        calm = hand_in(connection, "calm")
        assert uploads.before(connection, uploads.find(connection, calm)) == 1
        order = [taken(connection, "language", 10.0 + n) for n in range(6)]
        assert order == [flood[0], calm, *flood[1:]]
        assert taken(connection, "language", 20.0) is None
        assert uploads.content(connection, calm) == [("b.py", b"x")]
        again = uploads.claim(connection, "language", "me", 71.0, 60.0)
        assert again is not None
        assert (again.id, again.tries) == (calm, 2), "its lease was over; it was not the flood's turn"
        assert uploads.finish(connection, calm, "refused", {"problems": ["no"]})
        assert not uploads.finish(connection, calm, "accepted", {}), "it has been decided"
        assert uploads.content(connection, calm) == []
        assert uploads.limits(connection, 1) == Limits()
        uploads.set_limits(connection, 1, Limits(1, 2.0, 3, 4))
        assert uploads.limits(connection, 1) == Limits(1, 2.0, 3, 4)
        assert uploads.received(connection, 1, "flood", 0.5) == [1.0] * 5


def test_games_wait_for_the_language_and_for_what_came_before(
    database: Database, hand_in: Callable[[Connection, str], int]
) -> None:
    with database.writing() as connection:
        first, second, other = (hand_in(connection, owner) for owner in ("flood", "flood", "calm"))
        assert not uploads.is_any_waiting(connection, "games", 5.0, 60.0)
        for number in (second, other):
            uploads.let_through(connection, [number], 6.0)
        row = uploads.find(connection, second)
        assert (row.state, row.is_open, uploads.before(connection, row)) == ("checked", True, 1)
        assert [taken(connection, "games", 10.0), taken(connection, "games", 11.0)] == [other, None]
        uploads.let_through(connection, [first], 12.0)
        uploads.let_through(connection, [first], 13.0)  # the answer to the first time was lost
        assert [taken(connection, "games", 14.0), taken(connection, "games", 15.0)] == [first, None]
        assert uploads.finish(connection, first, "accepted", {})
        assert taken(connection, "games", 16.0) == second
        uploads.let_through(connection, [second], 17.0)
        assert taken(connection, "games", 18.0) is None, "nobody takes away what is being tried"


def test_claims_of_the_dead_are_taken_at_once_and_failed_ones_later(
    database: Database, hand_in: Callable[[Connection, str], int]
) -> None:
    with database.writing() as connection:
        lost, failed = hand_in(connection, "flood"), hand_in(connection, "calm")
        assert [taken(connection, "language", 1.0, "dead"), taken(connection, "language", 2.0)] == [
            lost,
            failed,
        ]
        assert uploads.claimants(connection) == {"dead", "me"}
        uploads.release(connection, ["dead"])
        assert uploads.find(connection, lost).tries == 0, "that was not its doing"
        uploads.postpone(connection, failed, 10.0)
        assert uploads.claimants(connection) == set()
        assert [taken(connection, "language", 3.0), taken(connection, "language", 4.0)] == [lost, None]
        assert taken(connection, "language", 10.0) == failed


def test_clock_that_is_set_back_delays_no_check(
    database: Database, hand_in: Callable[[Connection, str], int]
) -> None:
    with database.writing() as connection:
        held, failed = hand_in(connection, "calm"), hand_in(connection, "other")
        assert [taken(connection, "language", 7300.0, "gone"), taken(connection, "language", 7301.0)] == [
            held,
            failed,
        ]
        uploads.postpone(connection, failed, 7400.0)
        flood = [hand_in(connection, "flood") for _ in range(3)]
        assert uploads.is_any_waiting(connection, "language", 100.0, 60.0)
        order = [taken(connection, "language", 100.0 + n) for n in range(5)]
        assert order == [held, failed, *flood], "whose turn was by the former clock has the first"
        assert not uploads.is_any_waiting(connection, "language", 105.0, 60.0)
        assert taken(connection, "language", 105.0) is None, "leases by the clock as it is now hold"
