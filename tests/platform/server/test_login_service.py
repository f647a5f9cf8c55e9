"""Guessing at the logins: what is locked is not looked at, and costs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from botleague.application import Workspace
from botleague.application.decisions import DecisionContext, decide
from botleague.errors import UsageError
from botleague.people import FREE_IN_ALL, Passwords, keyed_digest, network_of
from botleague_server.accounts.account_decisions import OfAccount, unlock
from botleague_server.accounts.account_service import Person, make_account, make_invite
from botleague_server.accounts.login_service import (
    MAX_REGISTRATIONS,
    LoginFailed,
    LoginService,
    TooManyAttempts,
)
from botleague_storage import Database, accounts, credentials, server_notes

RIGHT = "the right password"


class Counting(Passwords):
    """Notes what it is asked, and compares texts as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def are_same(self, text: str, stored: str) -> bool:
        self.asked.append(stored)
        return text == stored


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(Database(str(tmp_path / "people.db"))) as database:
        with database.writing() as connection:
            account = make_account(connection, Person("ann"), 0.0)
            accounts.set_password(connection, account.id, RIGHT)
        yield database


@pytest.mark.parametrize("handle", ["ann", "nobody"])
def test_ten_thousand_guesses_are_nearly_all_refused_unseen(database: Database, handle: str) -> None:
    passwords, now = Counting(), 1000.0
    logins = LoginService(database, passwords, lambda: now)
    locked = 0
    for number in range(10_000):
        now += 0.05
        try:
            logins.log_in(handle, f"guess {number}", "192.0.2.1", "a script")
        except TooManyAttempts:
            locked += 1
        except LoginFailed:
            pass
    assert locked == 10_000 - len(passwords.asked)
    # Eight minutes: the first five, and one after each of 1, 2 and 4 minutes.
    assert passwords.asked == [RIGHT if handle == "ann" else ""] * 8
    with pytest.raises(TooManyAttempts):
        logins.log_in(handle, RIGHT, "192.0.2.1", "a script")
    assert len(passwords.asked) == 8, "the right one is not looked at either"


def tries(logins: LoginService, text: str, *places: str) -> list[str]:
    """Return what becomes of logins from several addresses."""
    outcomes = []
    for place in places:
        try:
            logins.log_in("ann", text, place, "a script")
        except (LoginFailed, TooManyAttempts) as error:
            outcomes.append(type(error).__name__)
        else:
            outcomes.append("in")
    return outcomes


HOME, AWAY, ELSEWHERE = "192.0.2.1", "2001:db8:1::1", "198.51.100.7"


def test_nobody_locks_a_handle_out_of_the_address_it_logged_in_from(database: Database) -> None:
    now = 1000.0
    logins = LoginService(database, Counting(), lambda: now)
    assert tries(logins, RIGHT, HOME) == ["in"]
    for _ in range(3):
        assert "TooManyAttempts" in tries(logins, "a guess", *[ELSEWHERE] * 6)
        assert tries(logins, RIGHT, AWAY) == ["in"], "a new address, too"
        now += 60
    # Whoever guesses from many addresses locks new ones, and still none from which the account was logged in to.
    guesses = tries(logins, "a guess", *(f"203.0.113.{number}" for number in range(200)))
    assert guesses.count("LoginFailed") == FREE_IN_ALL - 1, "one was looked at above"
    assert tries(logins, RIGHT, "198.51.100.8", HOME, AWAY, "2001:db8:1::ffff") == [
        "TooManyAttempts",
        "in",
        "in",
        "in",
    ]
    # The same limits hold at home.
    assert tries(logins, "a guess", *[HOME] * 6) == ["LoginFailed"] * 5 + ["TooManyAttempts"]
    assert tries(logins, RIGHT, HOME, AWAY) == ["TooManyAttempts", "in"]
    with database.writing() as connection:
        assert accounts.find(connection, "ann").locked_until > now
        decide(unlock, OfAccount("ann"), DecisionContext(connection, Workspace()))
        assert accounts.find(connection, "ann").locked_until == 0
    assert tries(logins, RIGHT, HOME, "198.51.100.8") == ["in", "in"]


def test_guesses_from_as_many_addresses_are_nearly_all_refused_unseen(
    database: Database,
) -> None:
    passwords, now = Counting(), 1000.0
    logins = LoginService(database, passwords, lambda: now)
    for number in range(2_000):
        now += 0.05
        tries(logins, "a guess", f"2001:db8:{number:x}::1")
    assert len(passwords.asked) == FREE_IN_ALL + 1


def test_an_address_is_a_keyed_hash_for_thirty_days(database: Database) -> None:
    now = 1000.0
    logins = LoginService(database, Counting(), lambda: now)
    assert tries(logins, RIGHT, HOME) == ["in"]
    with database.reading() as connection:
        (digest,) = connection.exec_driver_sql("select digest from login_address").scalars()
        key = server_notes.find(connection, "address-key")
    assert digest == keyed_digest(key, f"1 {HOME}")
    assert len(key) > 40
    tries(logins, "a guess", *(f"203.0.113.{number}" for number in range(FREE_IN_ALL)))
    now += 30 * 86_400
    assert tries(logins, "a guess", *(f"203.0.113.{number}" for number in range(9))) != ["LoginFailed"] * 9
    assert tries(logins, RIGHT, HOME) == ["TooManyAttempts"], "it has not logged in for a month"
    now += 86_400
    assert tries(logins, RIGHT, ELSEWHERE) == ["in"]
    with database.reading() as connection:
        assert connection.exec_driver_sql("select count(*) from login_address").scalar() == 1


def test_mapped_addresses_are_distinguished() -> None:
    assert network_of("::ffff:192.0.2.1") == network_of("192.0.2.1") != network_of("::ffff:192.0.2.2")
    assert network_of("2001:db8::1") == network_of("2001:db8::2") != network_of("2001:db8:0:1::1")


def test_registrations_from_one_address_are_limited_per_hour(database: Database) -> None:
    now = 1000.0
    logins = LoginService(database, Counting(), lambda: now)
    with pytest.raises(LoginFailed, match="Registration is closed"):
        logins.register(1, "bob", RIGHT, "192.0.2.1", "a script")
    with database.writing() as connection:
        number, _ = make_invite(
            connection, now, role="author", league=None, team=None, uses=9, days=1, is_public=True
        )
    for name in ("Admin", "organiser", "ROOT_1", "s.t.a.f.f", "erased-7"):
        with pytest.raises(UsageError, match="only an organiser can assign it"):
            logins.register(number, name, "four plain words here", "192.0.2.9", "a script")
        with database.writing() as connection:
            make_account(connection, Person(name), now)
    for place in range(MAX_REGISTRATIONS):
        now += 1
        with pytest.raises(UsageError, match="password"):
            logins.register(number, "bob", "short", f"2001:db8::{place:x}", "a script")
    with pytest.raises(TooManyAttempts) as refused:
        logins.register(number, "bob", RIGHT, "2001:db8::1", "a script")
    assert refused.value.wait_s == 3600 - (MAX_REGISTRATIONS - 1)
    assert logins.register(number, "eve", "four plain words here", "192.0.2.1", "a script")
    now += refused.value.wait_s
    assert logins.register(number, "bob", "four plain words here", "2001:db8::1", "a script")
    now += 86_400
    with pytest.raises(LoginFailed, match="Registration is closed"):
        logins.register(number, "carl", RIGHT, "192.0.2.1", "a script")


def test_registration_makes_nobody_more_than_an_author(database: Database) -> None:
    for role, team in (("helper", None), ("organiser", None), ("author", "ann")):
        with database.writing() as connection, pytest.raises(UsageError, match="Without an invite"):
            make_invite(
                connection,
                0.0,
                role=role,  # type: ignore[arg-type]
                league=None,
                team=team,
                uses=1,
                days=1,
                is_public=True,
            )


@pytest.mark.parametrize("is_public", [True, False])
def test_nobody_comes_in_by_what_is_closed_while_their_password_is_computed(
    database: Database, *, is_public: bool
) -> None:
    with database.writing() as connection:
        number, code = make_invite(
            connection, 0.0, role="author", league=None, team=None, uses=9, days=1, is_public=is_public
        )

    class Closing(Passwords):
        """Takes so long that an organiser withdraws the invite meanwhile."""

        def stored(self, text: str) -> str:
            with database.writing() as connection:
                credentials.withdraw(connection, number)
            return super().stored(text)

    logins = LoginService(database, Closing(), lambda: 1000.0)
    come_in = partial(logins.register, number) if is_public else partial(logins.join, code)
    with pytest.raises(LoginFailed):
        come_in("bob", "four plain words here", "192.0.2.1", "a script")
    with database.reading() as connection:
        assert not accounts.is_taken(connection, "bob")
        assert [invite.uses_left for invite in credentials.invites(connection)] == [0]
