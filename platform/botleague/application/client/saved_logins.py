"""Logins to servers, saved on this machine with a token each, in a file that only its user can read."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import msgspec
import platformdirs

from botleague.application.client.server_client import Server
from botleague.errors import UsageError, did_you_mean


class NotLoggedIn(UsageError):
    """No server is saved."""

    code = "login"


class KnownServer(msgspec.Struct, frozen=True):
    """A server, the user's handle there, and the token."""

    url: str
    handle: str
    token: str

    @property
    def server(self) -> Server:
        """The client of this server."""
        return Server(self.url, self.token)


class _Servers(msgspec.Struct, frozen=True):
    servers: list[KnownServer] = []


def file() -> Path:
    """Return the path of the file with the saved logins."""
    return Path(platformdirs.user_config_dir("botleague")) / "servers.json"


def known() -> list[KnownServer]:
    """Return the saved servers, the latest login at the end.

    Raises:
        UsageError: the file cannot be read, or is damaged.
    """
    try:
        return msgspec.json.decode(file().read_bytes(), type=_Servers).servers
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"{file()} cannot be read: {error.strerror}.") from error
    except (msgspec.MsgspecError, ValueError) as error:
        raise UsageError(f"{file()} is damaged: {error}. Delete it, and log in again.") from error


def latest() -> KnownServer:
    """Return the server of the latest login.

    Raises:
        NotLoggedIn: no server is saved.
    """
    servers = known()
    if not servers:
        raise NotLoggedIn("You are not logged in to a server. Run `botleague login URL` first.")
    return servers[-1]


def remember(server: KnownServer) -> None:
    """Save a server as the one of the latest login.

    Raises:
        UsageError: the file cannot be written.
    """
    _write([*(one for one in known() if one.url != server.url), server])


def forget(url: str) -> KnownServer:
    """Remove a server, and return it.

    Raises:
        UsageError: the server is not saved, or the file cannot be written.
    """
    servers = known()
    removed = next((one for one in servers if one.url == url), None)
    if removed is None:
        near = did_you_mean(url, [one.url for one in servers])
        raise UsageError(f"You are not logged in to {url}.{near}")
    _write([one for one in servers if one.url != url])
    return removed


def _write(servers: list[KnownServer]) -> None:
    """Replace the whole file; it is private from its first byte on."""
    place = file()
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        number, name = tempfile.mkstemp(dir=place.parent, prefix=place.name)
        try:
            with os.fdopen(number, "wb") as out:
                out.write(msgspec.json.format(msgspec.json.encode(_Servers(servers))) + b"\n")
            Path(name).replace(place)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UsageError(f"{place} cannot be written: {error.strerror}.") from error
