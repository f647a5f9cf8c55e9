"""Upload limits of a league: how many and how large the uploads of an owner are."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.errors import UsageError
from botleague.league.submission import MAX_TOTAL_BYTES
from botleague_server.accounts.account_service import DAY_S, Person, make_account
from botleague_server.serving import LimitReached
from botleague_server.uploads.upload_service import receive, remaining_quota
from botleague_storage import Database, NotFound, leagues, uploads
from botleague_storage.people_rows.uploads import Limits

NOON = 1_000_000.0
BOT = [("bot.py", b"def move(observation): return 5\n")]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Two leagues with limits of three uploads a day and 100 seconds between two."""
    with closing(Database(str(tmp_path_factory.mktemp("quota") / "league.db"))) as database:
        with database.writing() as connection:
            make_account(connection, Person("ann"), 0.0)
            variant = leagues.variant_id(
                connection, "guessing", "guessing", hashlib.sha256(b"{}").hexdigest(), "{}"
            )
            for name in ("cup", "ladder"):
                leagues.create(connection, name, variant, "{}")
                limits = Limits(a_day=3, gap_s=100.0, size=1_000)
                uploads.set_limits(connection, leagues.find(connection, name).id, limits)
        yield database


owners = (f"team-{number}" for number in itertools.count())
"""Nobody has uploaded anything before."""


def upload(
    connection: Any,
    owner: str,
    now: float,
    league: str = "cup",
    files: Sequence[tuple[str, bytes]] = BOT,
    **names: str,
) -> int:
    return receive(connection, league, 1, owner, files, now, **names)


@settings(max_examples=50, deadline=None)
@given(pauses=st.lists(st.integers(0, 50_000) | st.integers(0, 150), max_size=12))
def test_no_day_has_more_uploads_than_allowed_and_waiting_is_enough(
    database: Database, pauses: list[int]
) -> None:
    owner, now, times = next(owners), NOON, list[float]()
    with database.writing() as connection:
        for pause in pauses:
            now += pause
            try:
                upload(connection, owner, now)
            except LimitReached as refused:
                now += refused.wait_s
                upload(connection, owner, now)
            times.append(now)
    assert all(later - earlier >= 100 for earlier, later in itertools.pairwise(times))
    assert all(fourth - first >= DAY_S for first, fourth in zip(times, times[3:], strict=False))


def test_quota_is_counted_per_owner_and_league(database: Database) -> None:
    owner, other = next(owners), next(owners)
    with database.writing() as connection:
        cup, ladder = (leagues.find(connection, name).id for name in ("cup", "ladder"))
        for number in range(3):
            upload(connection, owner, NOON + 1000 * number)
        with pytest.raises(LimitReached, match=r"3 of 3 times within 24 hours.* in 24 h") as refused:
            upload(connection, owner, NOON + 3000)
        assert refused.value.wait_s == DAY_S - 3000
        quotas = [
            remaining_quota(connection, league, who, NOON + 3000)
            for league, who in ((cup, owner), (cup, other), (ladder, owner))
        ]
        assert [(quota.today, quota.wait_s) for quota in quotas] == [(0, DAY_S - 3000), (3, 0.0), (3, 0.0)]


@pytest.mark.parametrize(
    ("files", "names", "message"),
    [
        ([], {}, "No files"),
        ([("bot.py", b"")], {}, "No files"),
        ([("bot.py", b"#" * 1_001)], {}, "at most 1 kB"),
        ([(f"{number}.py", b"#") for number in range(1000)], {}, "These are 1000 files"),
        (BOT, {"entry": "x" * 257}, "entry module"),
        (BOT, {"entry": "a\nb"}, "entry module"),
        (BOT, {"bot": "../up"}, r"\.\./up"),
        (BOT, {"league": "cpu"}, "Did you mean 'cup'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refused_upload_is_not_stored_and_uses_no_quota(
    database: Database, files: Sequence[tuple[str, bytes]], names: dict[str, str], message: str
) -> None:
    owner = next(owners)
    with database.writing() as connection:
        cup = leagues.find(connection, "cup").id
        with pytest.raises((UsageError, NotFound), match=message):
            upload(connection, owner, NOON, files=files, **names)
        assert uploads.received(connection, cup, owner, 0.0) == []
        assert remaining_quota(connection, cup, owner, NOON).today == 3


def test_size_limit_is_at_most_that_of_a_bot(database: Database) -> None:
    with database.writing() as connection:
        cup = leagues.find(connection, "cup").id
        limits = uploads.limits(connection, cup)
        uploads.set_limits(connection, cup, Limits(size=10 * MAX_TOTAL_BYTES))
        assert remaining_quota(connection, cup, "ann", NOON).limits.size == MAX_TOTAL_BYTES
        uploads.set_limits(connection, cup, limits)


def test_upload_before_the_clock_was_set_back_delays_none(database: Database) -> None:
    owner = next(owners)
    with database.writing() as connection:
        upload(connection, owner, NOON)
        upload(connection, owner, NOON - 8000)
        with pytest.raises(LimitReached) as refused:
            upload(connection, owner, NOON - 7998)
    assert refused.value.wait_s == 98.0
