"""Logins: who may come in by password, code or invite, and whom a session or a token belongs to.

Blocking, and safe in several threads. A wrong password and a handle that nobody has are refused in the same words and
the same time; only where too much was tried it is said how long nothing more is looked at.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO

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
from botleague_storage import Database, accounts, credentials, leagues, login_addresses, server_notes
from botleague_storage.people_rows.credentials import InviteRow, SessionRow, TokenRow

SESSION_DAYS = 30
TOKEN_DAYS = 365

MOST_SESSIONS = 50
"""Of one account; the oldest ends."""

MOST_TOKENS = 20

SEEN_EVERY_S = 3600.0
"""A session that is used is noted so often: each note is a transaction."""

EXPORT_IN_MEMORY = 1 << 20
"""Bytes of an archive that are held in memory; a larger one is a temporary file."""

ADDRESSES = 10_000
"""Addresses that are remembered for having tried what is not there."""

NEWCOMERS = 30
"""So many may try to register within an hour from one address: a class sits behind one."""

HOUR_S = 3600.0

CLOSED = "Nobody can register here, or not any more. Ask an organiser for an invite."

TOKEN_MARK = "blt_"


class Wrong(UsageError):
    """Handle and password, or a code, do not let anybody in."""


class TooManyTries(LimitReached):
    """So much was tried that nothing is looked at for a while."""

    def __init__(self, wait_s: float) -> None:
        wait = f"{wait_s:.0f} seconds" if wait_s < 100 else f"{wait_s / 60:.0f} minutes"
        super().__init__(
            f"Too many tries: nothing is looked at for {wait}. Whoever has forgotten a password asks the organiser for "
            "a new link.",
            wait_s,
        )


class LoginService:
    """Lets people in.

    Args:
        database: opened for writing.
        passwords: computes them.
        clock: seconds since the epoch.
    """

    def __init__(
        self, database: Database, passwords: Passwords, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._passwords = passwords
        self._clock = clock
        self._strangers = _Strangers()
        self._newcomers = _Newcomers()

    def log_in(self, handle: str, text: str, address: str, agent: str) -> str:
        """Return the secret of a new session.

        Args:
            text: the password, or the account's one-time code.
            address: where it comes from.
            agent: what the browser says of itself.

        Raises:
            CodeGiven: it is the one-time code, with which a password can be chosen.
            Wrong: it is neither, or nobody has the handle.
            TooManyTries: it was not looked at.
        """
        now = self._clock()
        with self._database.writing() as connection:
            found = accounts.password(connection, handle)
            if found is not None:
                self._count_as_wrong(connection, found[0], address, now)
        account, stored = found or (0, "")
        if not account:
            self._strangers.count_as_wrong(address, now)
        if account and (code := self._code_of(handle, text, now)):
            with self._database.writing() as connection:
                self._forgive(connection, account, address, now)
            raise CodeGiven(code)
        if not self._passwords.are_same(text, stored):
            raise Wrong("Handle and password do not fit together.")
        with self._database.writing() as connection:
            return self._open(connection, account, address, agent, now)

    def who_is_welcome(self, code: str, address: str) -> str:
        """Return the handle of the account that a one-time code is for; the code stays good.

        Raises:
            Wrong: it is void, or never was one.
            TooManyTries: that was so too often.
        """
        now = self._clock()
        with self._database.reading() as connection:
            handle = person_of_code(connection, code, now)
        if handle is None:
            self._strangers.count_as_wrong(address, now)
            raise Wrong(
                "This link or code cannot be used, or not any more. Ask the organiser for a new one; if you have "
                "chosen a password already, log in with it."
            )
        return handle

    def welcome(self, code: str, password: str, address: str, agent: str) -> str:
        """Use a one-time code up: store the password that was chosen, end all sessions, return that of a new one.

        Raises:
            Wrong, TooManyTries: as of :meth:`who_is_welcome`.
            UsageError: this cannot be a password.
        """
        handle = self.who_is_welcome(code, address)
        stored = self._passwords.stored(check_password(password, handle))
        now = self._clock()
        with self._database.writing() as connection:
            account = credentials.use_code(connection, digest(plain_code(code)), now)
            if account is None:  # somebody else was quicker
                raise Wrong("This link or code was used a moment ago.")
            accounts.set_password(connection, account, stored)
            credentials.end_all(connection, account)
            return self._open(connection, account, address, agent, now)

    def who_is_invited(self, code: str, address: str) -> InviteRow:
        """Return the invite of a code; it is not used by that.

        Raises:
            Wrong: it cannot be used, or not any more.
            TooManyTries: it was not looked at.
        """
        now = self._clock()
        with self._database.reading() as connection:
            found = invited(connection, code, now)
        if found is None:
            self._strangers.count_as_wrong(address, now)
            raise Wrong("This invite cannot be used, or not any more. Ask whoever sent it for another.")
        return found

    def join(self, code: str, handle: str, password: str, address: str, agent: str) -> str:
        """Make an account with an invite, and return the secret of its first session.

        Raises:
            Wrong, TooManyTries: as of :meth:`who_is_invited`.
            UsageError: the handle is taken or cannot be one, or the password cannot.
        """
        self.who_is_invited(code, address)
        stored = self._passwords.stored(check_password(password, handle))
        now = self._clock()
        with self._database.writing() as connection:
            invite = invited(connection, code, now)
            if invite is None:
                raise Wrong("This invite was used up a moment ago. Ask whoever sent it for another.")
            return self._admit(connection, invite, handle, stored, address, agent, now)

    def registrations(self) -> list[InviteRow]:
        """Return what anybody can register for now."""
        with self._database.reading() as connection:
            return credentials.public_invites(connection, self._clock())

    def register(self, number: int, handle: str, password: str, address: str, agent: str) -> str:
        """Make an account without an invite, and return the secret of its first session.

        Args:
            number: one of :meth:`registrations`.

        Raises:
            Wrong: nobody can register for that, or not any more.
            TooManyTries: too many tried from there; nothing was looked at.
            UsageError: the handle is taken or cannot be one, or the password cannot.
        """
        if number not in (invite.id for invite in self.registrations()):
            raise Wrong(CLOSED)
        self._newcomers.count(address, self._clock())
        stored = self._passwords.stored(check_password(password, handle))
        now = self._clock()
        with self._database.writing() as connection:
            found = credentials.public_invites(connection, now)
            invite = next((one for one in found if one.id == number), None)
            if invite is None:
                raise Wrong(CLOSED)
            return self._admit(connection, invite, handle, stored, address, agent, now)

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
        """Make the account of whoever uses an invite, in the transaction that counts it; return a session's secret."""
        account = make_account(
            connection,
            Person(handle, invite.team or ""),
            now,
            role=next(role for role in ROLES if role == invite.role),
            league=invite.league,
            is_chosen_by_stranger=True,
        )
        accounts.set_password(connection, account.id, stored)
        credentials.use_invite(connection, invite.id)
        return self._open(connection, account.id, address, agent, now)

    def whose_session(self, secret: str) -> CurrentUser:
        """Return who has a session, :data:`NOBODY` where it is none or has ended."""
        now = self._clock()
        with self._database.reading() as connection:
            found = credentials.find_session(connection, digest(secret), now)
            if found is None:
                return NOBODY
            viewer = viewer_of(accounts.by_id(connection, found.account_id))
        if now - found.seen_at > SEEN_EVERY_S:
            with self._database.writing() as connection:
                credentials.note_seen(connection, found.id, now)
        return CurrentUser(viewer, found.account_id, session=found.id)

    def whose_token(self, secret: str) -> CurrentUser:
        """Return in whose name a token acts, :data:`NOBODY` where it is none or is void."""
        now = self._clock()
        with self._database.reading() as connection:
            found = credentials.find_token(connection, digest(secret), now)
            if found is None:
                return NOBODY
            account = accounts.by_id(connection, found.account_id)
        if found.used_at is None or now - found.used_at > SEEN_EVERY_S:
            with self._database.writing() as connection:
                credentials.note_used(connection, found.id, now)
        scopes = tuple(scope for scope in SCOPES if scope in found.scopes)
        return CurrentUser(viewer_of(account, scopes), found.account_id, token=found.id)

    def log_out(self, who: CurrentUser) -> None:
        """End the session or the token that was shown."""
        if who.session is not None:
            self.end_session(who, who.session)
        if who.token is not None:
            self.end_token(who, who.token)

    def end_session(self, who: CurrentUser, number: int) -> None:
        """End one of somebody's sessions."""
        with self._database.writing() as connection:
            credentials.end_session(connection, who.account, number)

    def end_token(self, who: CurrentUser, number: int) -> None:
        """Void one of somebody's tokens."""
        with self._database.writing() as connection:
            credentials.end_token(connection, who.account, number)

    def leagues_of(self, who: CurrentUser) -> list[str]:
        """Return the names of the leagues to which somebody may hand in."""
        with self._database.reading() as connection:
            names = leagues.names(connection)
        return [name for name in names if is_at_least(who.viewer.role_in(name), "author")]

    def sessions(self, who: CurrentUser) -> list[SessionRow]:
        """Return somebody's open sessions, the newest first."""
        with self._database.reading() as connection:
            return credentials.sessions(connection, who.account, self._clock())

    def tokens(self, who: CurrentUser) -> list[TokenRow]:
        """Return somebody's tokens, the newest first."""
        with self._database.reading() as connection:
            return credentials.tokens(connection, who.account, self._clock())

    def change_password(self, who: CurrentUser, old: str, new: str, address: str) -> None:
        """Store another password; all other sessions end, tokens stay.

        Raises:
            Wrong: the old one is not theirs.
            TooManyTries: it was not looked at.
            UsageError: the new one cannot be one.
        """
        now = self._clock()
        check_password(new, who.viewer.handle)
        with self._database.writing() as connection:
            found = accounts.password(connection, who.viewer.handle)
            self._count_as_wrong(connection, who.account, address, now)
        if found is None or not self._passwords.are_same(old, found[1]):
            raise Wrong("The old password is not right.")
        stored = self._passwords.stored(new)
        with self._database.writing() as connection:
            accounts.set_password(connection, who.account, stored)
            self._forgive(connection, who.account, address, now)
            credentials.end_all(connection, who.account, but=who.session, tokens_too=False)

    def export(self, who: CurrentUser, site: str) -> IO[bytes]:
        """Return an archive of all that is stored of somebody, as far as seasons go for them; the caller closes it."""
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
            UsageError: the name cannot be one, no scope or an unknown one is asked for, or there are too many.
        """
        chosen: tuple[Scope, ...] = tuple(scope for scope in SCOPES if scope in scopes)
        if not chosen or set(scopes) - set(SCOPES):
            raise UsageError(f"Choose what the token is for: one or more of {', '.join(SCOPES)}.")
        label(name, "token")
        secret, now = f"{TOKEN_MARK}{new_secret()}", self._clock()
        with self._database.writing() as connection:
            credentials.forget_expired(connection, now)
            if len(credentials.tokens(connection, who.account, now)) >= MOST_TOKENS:
                raise UsageError(f"There are {MOST_TOKENS} tokens already. Void one first.")
            credentials.add_token(
                connection, who.account, digest(secret), name, chosen, now, now + TOKEN_DAYS * DAY_S
            )
        return secret

    def _code_of(self, handle: str, text: str, now: float) -> str:
        """Return the one-time code that a text is, if it is this account's; else ""."""
        if not plain_code(text):
            return ""
        with self._database.reading() as connection:
            whose = person_of_code(connection, text, now)
        return plain_code(text) if whose is not None and whose.lower() == handle.lower() else ""

    def _count_as_wrong(self, connection: Connection, account: int, address: str, now: float) -> None:
        """Count an attempt as wrong before it is looked at.

        An address from which the account was logged in to has a count of its own, which nobody elsewhere can use up.
        All others have one each, and one together: guesses from many addresses end, too.

        Raises:
            TooManyTries: it is not to be looked at.
        """
        place = self._place(connection, account, address)
        row, in_all = (
            login_addresses.find(connection, account, place),
            Attempts(*accounts.lock(connection, account)),
        )
        here, is_known = Attempts(row.failures, row.locked_until), row.is_known(now)
        if wait := max(here.wait_s(now), 0.0 if is_known else in_all.wait_s(now)):
            raise TooManyTries(wait)
        here = here.failed(now)
        tried = replace(row, failures=here.failures, locked_until=here.locked_until)
        login_addresses.store(connection, account, place, tried, now)
        if not is_known:
            in_all = in_all.failed(now, FREE_IN_ALL)
            accounts.set_lock(connection, account, in_all.failures, in_all.locked_until)

    def _forgive(self, connection: Connection, account: int, address: str, now: float, **more: float) -> None:
        """Forget the wrong attempts that count for an address."""
        place = self._place(connection, account, address)
        row = login_addresses.find(connection, account, place)
        if not row.is_known(now):
            accounts.set_lock(connection, account, 0, 0.0)
        login_addresses.store(
            connection, account, place, replace(row, failures=0, locked_until=0.0, **more), now
        )

    def _place(self, connection: Connection, account: int, address: str) -> str:
        """Return what is stored of an address: another value for each account."""
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
        for old in credentials.sessions(connection, account, now)[MOST_SESSIONS - 1 :]:
            credentials.end_session(connection, account, old.id)
        credentials.add_session(
            connection, account, digest(secret), _browser(agent), now, now + SESSION_DAYS * DAY_S
        )
        return secret


class CodeGiven(Exception):
    """Somebody logged in with their one-time code: they are to choose a password."""

    def __init__(self, code: str) -> None:
        super().__init__("Choose a password.")
        self.code = code


class _Strangers:
    """Tries on handles and codes that are not there, by address.

    Where somebody has the handle the account counts them: a whole class may sit behind one address.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[str, Attempts] = OrderedDict()
        self._lock = threading.Lock()

    def count_as_wrong(self, address: str, now: float) -> None:
        """Count a try, or raise :class:`TooManyTries`."""
        place = network_of(address)
        with self._lock:
            state = self._known.get(place, OPEN)
            if wait := state.wait_s(now):
                raise TooManyTries(wait)
            self._known[place] = state.failed(now)
            self._known.move_to_end(place)
            while len(self._known) > ADDRESSES:
                self._known.popitem(last=False)


class _Newcomers:
    """Tries to register, by address, of the last hour."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, address: str, now: float) -> None:
        """Count a try, or raise :class:`TooManyTries`."""
        place = network_of(address)
        with self._lock:
            tries = [at for at in self._known.get(place, ()) if at > now - HOUR_S]
            if len(tries) >= NEWCOMERS:
                raise TooManyTries(tries[0] + HOUR_S - now)
            self._known[place] = [*tries, now]
            self._known.move_to_end(place)
            while len(self._known) > ADDRESSES:
                self._known.popitem(last=False)


BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = ("Android", "iPhone", "iPad", "Windows", "Macintosh", "CrOS", "Linux")


def _browser(agent: str) -> str:
    """Return what is kept of how a browser describes itself: enough to know one's own, not to recognise people by."""
    name = next((name for mark, name in BROWSERS if mark in agent), "another program")
    system = next((name for name in SYSTEMS if name in agent), "")
    return f"{name} on {system}" if system else name
