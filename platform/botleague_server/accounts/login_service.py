"""Logins by password, code or invite, and the users of sessions and tokens.

Blocking, and safe in several threads. A wrong password and an unknown handle are refused with the same words after the
same time. Only after too many attempts does the message show a remaining wait.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO, Generic, NamedTuple, TypeVar

import msgspec
from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.league.season import horizons
from botleague.names import label
from botleague.people import (
    FREE_IN_ALL,
    NOBODY,
    OPEN,
    ROLES,
    SCOPES,
    Attempts,
    CurrentUser,
    Passwords,
    Scope,
    check_password,
    digest,
    is_at_least,
    keyed_digest,
    network_of,
    new_secret,
    plain_code,
)
from botleague_server.accounts import privacy_service
from botleague_server.accounts.account_service import (
    DAY_S,
    Person,
    invited,
    make_account,
    person_of_code,
    viewer_of,
)
from botleague_server.serving import LimitReached
from botleague_storage import (
    Database,
    StorageError,
    accounts,
    credentials,
    leagues,
    login_addresses,
    server_notes,
)
from botleague_storage.people_rows.credentials import InviteRow, SessionRow, TokenRow

logger = logging.getLogger(__name__)

T = TypeVar("T")

SESSION_DAYS = 30
TOKEN_DAYS = 365

MAX_SESSIONS = 50
"""Sessions of one account; the oldest one ends."""

MAX_TOKENS = 20

SEEN_EVERY_S = 3600.0
"""Seconds between stored times of use of a session or token: each one is a transaction."""

EXPORT_IN_MEMORY = 1 << 20
"""Bytes of an archive in memory; a larger one is a temporary file."""

ADDRESSES = 10_000
"""Addresses whose attempts are remembered."""

MAX_REGISTRATIONS = 30
"""Attempts to register within an hour from one address: a class may share one."""

MAX_LINK_REQUESTS = 30
"""Requests for a login link within an hour from one address."""

HOUR_S = 3600.0

CLOSED = "Registration is closed. Ask an organiser for an invite."

TOKEN_MARK = "blt_"


class LoginFailed(UsageError):
    """Wrong handle, password or code."""

    code = "login"


class TooManyAttempts(LimitReached):
    """Lockout after too many attempts."""

    def __init__(self, wait_s: float) -> None:
        wait = f"{wait_s:.0f} seconds" if wait_s < 100 else f"{wait_s / 60:.0f} minutes"
        super().__init__(
            f"Too many attempts. Try again in {wait}. If you forgot your password, request a login link.",
            wait_s,
        )


class UserLogins(NamedTuple):
    """Leagues to which a user may submit; open sessions and tokens, the newest first."""

    leagues: list[str]
    sessions: list[SessionRow]
    tokens: list[TokenRow]


class LoginService:
    """Logins, sessions and tokens.

    Args:
        database: opened for writing.
        passwords: computes and compares them.
        clock: seconds since the epoch.
        only: names of the leagues that the server shows; empty for all.
    """

    def __init__(
        self,
        database: Database,
        passwords: Passwords,
        clock: Callable[[], float] = time.time,
        only: Collection[str] = (),
    ) -> None:
        self._database = database
        self._only = only
        self._passwords = passwords
        self._clock = clock
        # Attempts with the handle of an account are counted by account: a whole class may share an address.
        self._unknown_logins = _AttemptsByAddress(OPEN, _one_more)
        self._registrations = _AttemptsByAddress[Sequence[float]](
            (), partial(_one_more_in_hour, MAX_REGISTRATIONS)
        )
        self._link_requests = _AttemptsByAddress[Sequence[float]](
            (), partial(_one_more_in_hour, MAX_LINK_REQUESTS)
        )

    def log_in(self, handle: str, text: str, address: str, agent: str) -> str:
        """Return the secret of a new session.

        Args:
            text: password, or one-time code of the account.
            address: of the client.
            agent: user agent of the browser.

        Raises:
            CodeGiven: the text is the one-time code, which allows choosing a password.
            LoginFailed: wrong password or unknown handle.
            TooManyAttempts: locked out; the password was not compared.
        """
        now = self._clock()
        with self._database.writing() as connection:
            row = accounts.password(connection, handle)
            if row is not None:
                self._count_as_wrong(connection, row[0], address, now)
        account, stored = row or (0, "")
        if not account:
            self._unknown_logins.count(address, now)
        if account and (code := self._code_of(handle, text, now)):
            with self._database.writing() as connection:
                self._forgive(connection, account, address, now)
            raise CodeGiven(code)
        if not self._passwords.are_same(text, stored):
            raise LoginFailed("Wrong handle or password.")
        with self._database.writing() as connection:
            return self._open(connection, account, address, agent, now)

    def handle_of_code(self, code: str, address: str) -> str:
        """Return the handle of the account of a one-time code, without using the code up.

        Raises:
            LoginFailed: unknown or expired code.
            TooManyAttempts: too many wrong codes.
        """
        what = (
            "This link or code is invalid or has expired. If you already have a password, log in with it; "
            "otherwise ask the organiser for a new link."
        )
        return self._named_by(person_of_code, code, address, what)

    def welcome(self, code: str, password: str, address: str, agent: str) -> str:
        """Use up a one-time code: store the chosen password, end all sessions, return the secret of a new one.

        Raises:
            LoginFailed, TooManyAttempts: see :meth:`handle_of_code`.
            UsageError: the password is not valid.
        """
        handle = self.handle_of_code(code, address)
        stored = self._passwords.stored(check_password(password, handle))
        now = self._clock()
        with self._database.writing() as connection:
            account = credentials.use_code(connection, digest(plain_code(code)), now)
            if account is None:  # another request was quicker
                raise LoginFailed("This link or code has just been used.")
            accounts.set_password(connection, account, stored)
            credentials.end_all(connection, account)
            return self._open(connection, account, address, agent, now)

    def invite_of_code(self, code: str, address: str) -> InviteRow:
        """Return the invite of a code, without using it.

        Raises:
            LoginFailed: unknown or expired invite.
            TooManyAttempts: too many wrong codes.
        """
        what = "This invite is invalid or has expired. Ask the person who sent it for a new one."
        return self._named_by(invited, code, address, what)

    def _named_by(
        self, find: Callable[[Connection, str, float], T | None], code: str, address: str, refusal: str
    ) -> T:
        """Return what a code stands for; count a wrong one and refuse it."""
        now = self._clock()
        with self._database.reading() as connection:
            match = find(connection, code, now)
        if match is None:
            self._unknown_logins.count(address, now)
            raise LoginFailed(refusal)
        return match

    def join(self, code: str, handle: str, password: str, address: str, agent: str) -> str:
        """Create an account with an invite, and return the secret of its first session.

        Raises:
            LoginFailed, TooManyAttempts: see :meth:`invite_of_code`.
            UsageError: the handle is taken, or handle or password are not valid.
        """
        self.invite_of_code(code, address)
        stored = self._passwords.stored(check_password(password, handle))
        now = self._clock()
        with self._database.writing() as connection:
            invite = invited(connection, code, now)
            if invite is None:
                raise LoginFailed(
                    "This invite has just been used up. Ask the person who sent it for a new one."
                )
            return self._admit(connection, invite, handle, stored, address, agent, now)

    def registrations(self) -> list[InviteRow]:
        """Return the public invites that can be used now."""
        with self._database.reading() as connection:
            invites = credentials.public_invites(connection, self._clock())
        return [one for one in invites if one.league is None or self._shows(one.league)]

    def _shows(self, league: str) -> bool:
        return not self._only or league in self._only

    def register(self, number: int, handle: str, password: str, address: str, agent: str) -> str:
        """Create an account without an invite, and return the secret of its first session.

        Args:
            number: id of one of :meth:`registrations`.

        Raises:
            LoginFailed: registration is closed.
            TooManyAttempts: too many attempts from the address.
            UsageError: the handle is taken, or handle or password are not valid.
        """
        if number not in (invite.id for invite in self.registrations()):
            raise LoginFailed(CLOSED)
        self._registrations.count(address, self._clock())
        stored = self._passwords.stored(check_password(password, handle))
        now = self._clock()
        with self._database.writing() as connection:
            invites = credentials.public_invites(connection, now)
            invite = next((one for one in invites if one.id == number), None)
            if invite is None:
                raise LoginFailed(CLOSED)
            return self._admit(connection, invite, handle, stored, address, agent, now)

    def count_link_request(self, address: str) -> None:
        """Count a request for a login link, before its handle is looked at; raises TooManyAttempts."""
        self._link_requests.count(address, self._clock())

    def ask_for_link(self, handle: str) -> None:
        """Store a request for a login link, if there is such an account and no open request of it.

        After the answer, whose time then shows nothing: a failure is only logged.
        """
        try:
            with self._database.writing() as connection:
                accounts.ask_for_link(connection, handle, self._clock())
        except StorageError as error:
            logger.error("A request for a login link was not stored: %s", error)

    def _admit(
        self,
        connection: Connection,
        invite: InviteRow,
        handle: str,
        stored: str,
        address: str,
        agent: str,
        now: float,
    ) -> str:
        """Create an invited user's account in the transaction that counts the invite; return a session's secret."""
        account = make_account(
            connection,
            Person(handle, invite.team or ""),
            now,
            role=next(role for role in ROLES if role == invite.role),
            league=invite.league,
            is_self_chosen=True,
        )
        accounts.set_password(connection, account.id, stored)
        credentials.use_invite(connection, invite.id)
        return self._open(connection, account.id, address, agent, now)

    def user_of_session(self, secret: str) -> CurrentUser:
        """Return the user of a session, :data:`NOBODY` for an unknown or ended one."""
        now = self._clock()
        with self._database.reading() as connection:
            session = credentials.find_session(connection, digest(secret), now)
            if session is None:
                return NOBODY
            viewer = viewer_of(accounts.by_id(connection, session.account_id))
        if now - session.seen_at > SEEN_EVERY_S:
            with self._database.writing() as connection:
                credentials.note_seen(connection, session.id, now)
        return CurrentUser(viewer, session.account_id, session=session.id)

    def user_of_token(self, secret: str) -> CurrentUser:
        """Return the user of a token, :data:`NOBODY` for an unknown or revoked one."""
        now = self._clock()
        with self._database.reading() as connection:
            token = credentials.find_token(connection, digest(secret), now)
            if token is None:
                return NOBODY
            account = accounts.by_id(connection, token.account_id)
        if token.used_at is None or now - token.used_at > SEEN_EVERY_S:
            with self._database.writing() as connection:
                credentials.note_used(connection, token.id, now)
        scopes = tuple(scope for scope in SCOPES if scope in token.scopes)
        return CurrentUser(viewer_of(account, scopes), token.account_id, token=token.id)

    def log_out(self, who: CurrentUser) -> None:
        """End the session, and revoke the token, of a request."""
        if who.session is not None:
            self.end_session(who, who.session)
        if who.token is not None:
            self.end_token(who, who.token)

    def end_session(self, who: CurrentUser, number: int) -> None:
        """End a session of a user."""
        with self._database.writing() as connection:
            credentials.end_session(connection, who.account, number)

    def end_token(self, who: CurrentUser, number: int) -> None:
        """Revoke a token of a user."""
        with self._database.writing() as connection:
            credentials.end_token(connection, who.account, number)

    def logins_of(self, who: CurrentUser) -> UserLogins:
        """Return the leagues, sessions and tokens of a user."""
        now = self._clock()
        with self._database.reading() as connection:
            names = leagues.names(connection)
            return UserLogins(
                [
                    name
                    for name in names
                    if self._shows(name) and is_at_least(who.viewer.role_in(name), "author")
                ],
                credentials.sessions(connection, who.account, now),
                credentials.tokens(connection, who.account, now),
            )

    def change_password(self, who: CurrentUser, old: str, new: str, address: str) -> None:
        """Store a new password; all other sessions end, tokens stay.

        Raises:
            LoginFailed: the old password is wrong.
            TooManyAttempts: locked out; the old password was not compared.
            UsageError: the new password is not valid.
        """
        now = self._clock()
        check_password(new, who.viewer.handle)
        with self._database.writing() as connection:
            row = accounts.password(connection, who.viewer.handle)
            self._count_as_wrong(connection, who.account, address, now)
        if row is None or not self._passwords.are_same(old, row[1]):
            raise LoginFailed("The old password is wrong.")
        stored = self._passwords.stored(new)
        with self._database.writing() as connection:
            accounts.set_password(connection, who.account, stored)
            self._forgive(connection, who.account, address, now)
            credentials.end_all(connection, who.account, but=who.session, tokens_too=False)

    def export(self, who: CurrentUser, site: str) -> IO[bytes]:
        """Return an archive of a user's data, as far as seasons are visible to them. The caller closes it."""
        limits = partial(horizons, viewer=who.viewer, now=self._clock())
        with ExitStack() as stack:
            archive = stack.enter_context(SpooledTemporaryFile(max_size=EXPORT_IN_MEMORY))
            with self._database.reading(limits) as connection:
                privacy_service.export(
                    connection, privacy_service.find(connection, who.viewer.handle), site, archive
                )
            stack.pop_all()
        return archive

    def make_token(self, who: CurrentUser, name: str, scopes: Sequence[str]) -> str:
        """Return a new token; it is shown once.

        Raises:
            UsageError: invalid name, no scope, an unknown scope, or too many tokens.
        """
        chosen: tuple[Scope, ...] = tuple(scope for scope in SCOPES if scope in scopes)
        if not chosen or set(scopes) - set(SCOPES):
            raise UsageError(f"Choose at least one scope: {', '.join(SCOPES)}.")
        label(name, "token")
        secret, now = f"{TOKEN_MARK}{new_secret()}", self._clock()
        with self._database.writing() as connection:
            credentials.forget_expired(connection, now)
            if len(credentials.tokens(connection, who.account, now)) >= MAX_TOKENS:
                raise UsageError(f"You have {MAX_TOKENS} tokens, which is the maximum. Revoke one first.")
            credentials.add_token(
                connection, who.account, digest(secret), name, chosen, now, now + TOKEN_DAYS * DAY_S
            )
        return secret

    def _code_of(self, handle: str, text: str, now: float) -> str:
        """Return a text in the form of a one-time code if it is this account's, else ""."""
        if not plain_code(text):
            return ""
        with self._database.reading() as connection:
            owner = person_of_code(connection, text, now)
        return plain_code(text) if owner is not None and owner.lower() == handle.lower() else ""

    def _count_as_wrong(self, connection: Connection, account: int, address: str, now: float) -> None:
        """Count an attempt as wrong before the password is compared.

        An address from which the account was logged in to has a count of its own, which other addresses cannot use up.
        Each of those has a count, too, and they share one, against guesses from many addresses.

        Raises:
            TooManyAttempts: locked out.
        """
        place = self._place(connection, account, address)
        row, in_all = (
            login_addresses.find(connection, account, place),
            Attempts(*accounts.lock(connection, account)),
        )
        here, is_known = Attempts(row.failures, row.locked_until), row.is_known(now)
        if wait := max(here.wait_s(now), 0.0 if is_known else in_all.wait_s(now)):
            raise TooManyAttempts(wait)
        here = here.failed(now)
        tried = msgspec.structs.replace(row, failures=here.failures, locked_until=here.locked_until)
        login_addresses.store(connection, account, place, tried, now)
        if not is_known:
            in_all = in_all.failed(now, FREE_IN_ALL)
            accounts.set_lock(connection, account, in_all.failures, in_all.locked_until)

    def _forgive(self, connection: Connection, account: int, address: str, now: float, **more: float) -> None:
        """Reset the wrong attempts that count for an address."""
        place = self._place(connection, account, address)
        row = login_addresses.find(connection, account, place)
        if not row.is_known(now):
            accounts.set_lock(connection, account, 0, 0.0)
        login_addresses.store(
            connection,
            account,
            place,
            msgspec.structs.replace(row, failures=0, locked_until=0.0, **more),
            now,
        )

    def _place(self, connection: Connection, account: int, address: str) -> str:
        """Return the stored form of an address, a different one for each account."""
        key = server_notes.find(connection, "address-key")
        if not key:
            key = new_secret()
            server_notes.store(connection, "address-key", key)
        return keyed_digest(key, f"{account} {network_of(address)}")

    def _open(self, connection: Connection, account: int, address: str, agent: str, now: float) -> str:
        secret = new_secret()
        credentials.forget_expired(connection, now)
        login_addresses.forget(connection, now)
        self._forgive(connection, account, address, now, logged_in_at=now)
        accounts.close_request(connection, account)
        for old in credentials.sessions(connection, account, now)[MAX_SESSIONS - 1 :]:
            credentials.end_session(connection, account, old.id)
        credentials.add_session(
            connection, account, digest(secret), _browser(agent), now, now + SESSION_DAYS * DAY_S
        )
        return secret


class CodeGiven(Exception):
    """Login with a one-time code: the user has to choose a password."""

    def __init__(self, code: str) -> None:
        super().__init__("Choose a password.")
        self.code = code


class _AttemptsByAddress(Generic[T]):
    """Attempts by network of the client's address; those of the newest networks.

    Args:
        none: a network without attempts.
        one_more: returns it with an attempt at a time, or raises :class:`TooManyAttempts`.
    """

    def __init__(self, none: T, one_more: Callable[[T, float], T]) -> None:
        self._none = none
        self._one_more = one_more
        self._networks: OrderedDict[str, T] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, address: str, now: float) -> None:
        """Count an attempt, or raise :class:`TooManyAttempts`."""
        place = network_of(address)
        with self._lock:
            self._networks[place] = self._one_more(self._networks.get(place, self._none), now)
            self._networks.move_to_end(place)
            while len(self._networks) > ADDRESSES:
                self._networks.popitem(last=False)


def _one_more(attempts: Attempts, now: float) -> Attempts:
    if wait := attempts.wait_s(now):
        raise TooManyAttempts(wait)
    return attempts.failed(now)


def _one_more_in_hour(most: int, times: Sequence[float], now: float) -> Sequence[float]:
    times = [at for at in times if at > now - HOUR_S]
    if len(times) >= most:
        raise TooManyAttempts(times[0] + HOUR_S - now)
    return [*times, now]


BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Macintosh", "CrOS", "Linux")


def _browser(agent: str) -> str:
    """Return the stored description of a browser: enough for its user to recognise it, too little to track people."""
    name = next((name for mark, name in BROWSERS if mark in agent), "another program")
    system = next((name for name in SYSTEMS if name in agent), "")
    return f"{name} on {system}" if system else name
