"""The queue of uploads: fair to owners, taken once, and taken again only when a lease is over."""

from __future__ import annotations

from botleague_storage import Database, accounts, uploads
from botleague_storage.uploads import Limits


def test_a_flood_of_one_owner_delays_nobody(database: Database, season: int) -> None:
    with database.writing() as connection:
        team = accounts.add_team(connection, "flood", 0.0)
        account = accounts.add(connection, "flood", team, 0.0)

        def hand_in(owner: str) -> int:
            return uploads.add(connection, 1, account, owner, "b", "", [("b.py", b"x")], 1.0)

        flood = [hand_in("flood") for _ in range(5)]
        calm = hand_in("calm")
        late = uploads.find(connection, calm)
        assert uploads.before(connection, late) == 1
        taken = []
        for now in range(10, 16):
            row = uploads.claim(connection, float(now), 60.0)
            assert row is not None
            taken.append(row.id)
        assert taken == [flood[0], calm, *flood[1:]]
        assert uploads.claim(connection, 20.0, 60.0) is None
        assert uploads.content(connection, calm) == [("b.py", b"x")]
        again = uploads.claim(connection, 71.0, 60.0)
        assert again is not None
        assert (again.id, again.tries) == (calm, 2), "its lease was over; it was not the flood's turn"
        assert uploads.finish(connection, calm, "refused", {"problems": ["no"]})
        assert not uploads.finish(connection, calm, "accepted", {}), "it has been decided"
        assert uploads.content(connection, calm) == []
        assert uploads.limits(connection, 1) == Limits()
        uploads.set_limits(connection, 1, Limits(1, 2.0, 3, 4))
        assert uploads.limits(connection, 1) == Limits(1, 2.0, 3, 4)
        assert uploads.received(connection, 1, "flood", 0.5) == [1.0] * 5
