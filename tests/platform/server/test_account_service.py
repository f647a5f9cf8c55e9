"""One-time codes and invites: until when they work, and what they may grant."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from botleague.errors import UsageError
from botleague.people import Role
from botleague_server.accounts.account_service import (
    CODE_DAYS,
    DAY_S,
    Person,
    invited,
    make_account,
    make_code,
    make_invite,
    person_of_code,
)
from botleague_storage import Database, credentials

NOON = 1_000_000.0


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(str(tmp_path / "people.db"))) as database:
        yield database


def test_code_works_until_it_expires_or_another_replaces_it(database: Database) -> None:
    with database.writing() as connection:
        account = make_account(connection, Person("ann"), NOON).id
        first = make_code(connection, account, NOON)
        last = NOON + CODE_DAYS * DAY_S
        assert [person_of_code(connection, first, now) for now in (NOON, last - 1, last + 1)] == [
            *("ann", "ann"),
            None,
        ]
        assert person_of_code(connection, first.lower().replace("-", " "), NOON) == "ann", "as people type it"
        second = make_code(connection, account, NOON)
        assert [person_of_code(connection, code, NOON) for code in (first, second)] == [None, "ann"]
        assert [person_of_code(connection, text, NOON) for text in ("", "-", "0000-0000-0000-0000")] == [
            None
        ] * 3


def test_invite_works_until_it_expires_is_used_up_or_revoked(database: Database) -> None:
    with database.writing() as connection:

        def invite(uses: int, days: float = 1) -> tuple[int, str]:
            return make_invite(connection, NOON, role="author", league=None, team=None, uses=uses, days=days)

        number, code = invite(2)
        assert [bool(invited(connection, code, NOON + days * DAY_S)) for days in (0, 0.99, 1.01)] == [
            *(True, True),
            False,
        ]
        credentials.use_invite(connection, number)
        assert invited(connection, code, NOON)
        credentials.use_invite(connection, number)
        assert invited(connection, code, NOON) is None
        number, code = invite(9)
        credentials.withdraw(connection, number)
        assert invited(connection, code, NOON) is None
        assert invited(connection, "no code", NOON) is None


@pytest.mark.parametrize(
    ("role", "team"), [("helper", None), ("organiser", None), ("author", "gold")], ids=str
)
def test_open_registration_grants_no_role_beyond_author_and_no_team(
    database: Database, role: Role, team: str | None
) -> None:
    with database.writing() as connection:
        with pytest.raises(UsageError, match="can only be an author or a spectator, in a team of one"):
            make_invite(connection, NOON, role=role, league=None, team=team, uses=1, days=1, is_public=True)
        assert credentials.invites(connection) == []


def test_invite_names_no_team_that_its_users_cannot_join(database: Database) -> None:
    with database.writing() as connection:
        make_account(connection, Person("ann"), NOON)
        with pytest.raises(UsageError, match="'ann' is the handle of an account and of its own team"):
            make_invite(connection, NOON, role="author", league=None, team="ann", uses=1, days=1)
        assert credentials.invites(connection) == []
