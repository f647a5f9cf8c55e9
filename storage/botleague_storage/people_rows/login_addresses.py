"""Wrong passwords by account and address. Addresses are stored only as keyed hashes.

Rows of addresses that logged in are kept for :data:`LOGGED_IN_S`, those of others for :data:`TRIED_S`.
"""

from __future__ import annotations

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import columns, upsert
from botleague_storage.schema.people_tables import login_address

LOGGED_IN_S = 30 * 86_400.0
"""Seconds after its last login for which an address counts as known."""

TRIED_S = 86_400.0
"""Seconds after the last wrong password for which it is kept of an address that is not known."""


class AddressRow(msgspec.Struct, frozen=True):
    """Attempts to log in to an account from an address.

    Attributes:
        failures, locked_until: wrong passwords in a row, and until when no other is checked.
        logged_in_at: time of the last login from there, 0 for never.
    """

    failures: int = 0
    locked_until: float = 0.0
    logged_in_at: float = 0.0

    def is_known(self, now: float) -> bool:
        """Return whether the account was logged in to from there lately."""
        return self.logged_in_at > max(0.0, now - LOGGED_IN_S)


def find(connection: Connection, account_id: int, digest: str) -> AddressRow:
    """Return what is stored of an address; an empty row if nothing is."""
    mine = sa.and_(login_address.c.account_id == account_id, login_address.c.digest == digest)
    query = sa.select(*columns(login_address, AddressRow)).where(mine)
    row = connection.execute(query).one_or_none()
    return AddressRow() if row is None else AddressRow(*row)


def store(connection: Connection, account_id: int, digest: str, row: AddressRow, now: float) -> None:
    """Store an attempt from an address."""
    values = {"account_id": account_id, "digest": digest, "tried_at": now, **msgspec.structs.asdict(row)}
    upsert(connection, login_address, [values])


def unlock(connection: Connection, account_id: int) -> None:
    """Forget the wrong passwords of an account, from all addresses."""
    connection.execute(
        login_address.update()
        .where(login_address.c.account_id == account_id)
        .values(failures=0, locked_until=0.0)
    )


def forget(connection: Connection, now: float) -> None:
    """Delete the rows that are too old to count."""
    connection.execute(
        login_address.delete().where(
            login_address.c.logged_in_at <= now - LOGGED_IN_S, login_address.c.tried_at <= now - TRIED_S
        )
    )
