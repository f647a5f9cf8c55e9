"""All that is stored of a person: to be handed to them, or to be erased.

A person is an account and the *owners* that stand for it: those whose bots are theirs. Whatever names the account, such
an owner, or one of these bots or versions is of that person; so a table that is added later needs no line here, but for
what of it is secret, or no plain value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import in_portions, select_among
from botleague_storage.schema.league_tables import (
    announcement,
    bot,
    event,
    extension,
    fixture,
    journal,
    league,
    season,
    version,
)
from botleague_storage.schema.people_tables import (
    account,
    decision,
    invite,
    likeness,
    login_address,
    one_time_code,
    practice,
    role,
    session,
    team,
    token,
    upload,
)
from botleague_storage.schema.schema import metadata

SECRET = frozenset(
    {("account", "password"), *((name, "digest") for name in ("invite", "one_time_code", "session", "token"))}
)
"""Columns that even their owner is not shown: hashes of what lets people in."""


class Whose(msgspec.Struct, frozen=True):
    """Identifiers of a person's rows.

    Attributes:
        account: its id, None for an owner without an account.
        owners: in small letters.
        bots, versions: all of these owners.
    """

    account: int | None
    owners: tuple[str, ...]
    bots: tuple[int, ...]
    versions: tuple[int, ...]


class ErasedCounts(msgspec.Struct, frozen=True):
    """Numbers of versions without their source, and of deleted journals and uploads."""

    sources: int
    journals: int
    uploads: int


def whose(connection: Connection, account_id: int | None, owners: Collection[str]) -> Whose:
    """Find what stands for a person.

    Args:
        owners: of the bots that are theirs.
    """
    folded = tuple(sorted({owner.lower() for owner in owners}))
    mine = sa.func.lower(bot.c.owner).in_(folded)
    versions = sa.select(version.c.id).join(bot, bot.c.id == version.c.bot_id).where(mine)
    return Whose(
        account_id,
        folded,
        tuple(connection.scalars(sa.select(bot.c.id).where(mine).order_by(bot.c.id))),
        tuple(connection.scalars(versions.order_by(version.c.id))),
    )


def rows(connection: Connection, who: Whose) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (table, row) of everything that is stored of a person, but secrets and what is no plain value.

    A row of a season has the name of the league and the number of the season, and its match has
    its number there: ids of matches count over leagues, and so would reveal hidden ones.
    """
    titles = {
        row.id: {"league": row.name, "season": row.number}
        for row in connection.execute(
            sa.select(season.c.id, league.c.name, season.c.number).join(
                league, league.c.id == season.c.league_id
            )
        )
    }
    for table in metadata.sorted_tables:
        query = _readable(table)
        for condition in _of(table, who):
            for row in connection.execute(query.where(condition)):
                values = {name: value for name, value in row._mapping.items() if name != "fixture_id"}
                yield table.name, {**titles.get(values.pop("season_id", None) or 0, {}), **values}


def _readable(table: sa.Table) -> sa.Select[Any]:
    """Return the query for the rows of a table by their keys, without secrets and what is no plain value."""
    query = sa.select(
        *(
            column
            for column in table.c
            if (table.name, column.name) not in SECRET and not isinstance(column.type, sa.LargeBinary)
            # The ids of what is of a season count over leagues, too.
            if column.name != "id" or "season_id" not in table.c
        )
    )
    if "fixture_id" in table.c:
        query = query.add_columns((fixture.c.ordinal + 1).label("match"))
        query = query.outerjoin(fixture, fixture.c.id == table.c.fixture_id)
        if "season_id" not in table.c:
            query = query.add_columns(fixture.c.season_id)
    return query.order_by(*table.primary_key)


def journals(connection: Connection, who: Whose) -> Iterator[tuple[str, int, int, int, bytes]]:
    """Yield (league, season, number of the match, seat, content) of the journals of a person's bots."""
    query = (
        sa.select(league.c.name, season.c.number, fixture.c.ordinal, journal.c.seat, journal.c.content)
        .join(fixture, fixture.c.id == journal.c.fixture_id)
        .join(season, season.c.id == fixture.c.season_id)
        .join(league, league.c.id == season.c.league_id)
        .order_by(journal.c.fixture_id, journal.c.seat)
    )
    for row in select_among(connection, query, journal.c.bot_id, who.bots):
        yield row.name, row.number, row.ordinal + 1, row.seat, row.content


def practice_journals(connection: Connection, who: Whose) -> Iterator[tuple[int, bytes]]:
    """Yield (number, content) of the journals of a person's unrated matches."""
    mine = sa.and_(sa.func.lower(practice.c.owner).in_(who.owners), practice.c.journal != b"")
    for row in connection.execute(
        sa.select(practice.c.id, practice.c.journal).where(mine).order_by(practice.c.id)
    ):
        yield row.id, row.journal


def waiting(connection: Connection, who: Whose) -> list[int]:
    """Return the numbers of a person's uploads that are not checked yet."""
    (mine,) = _of(upload, who)
    query = sa.select(upload.c.id).where(mine, upload.c.state == "waiting").order_by(upload.c.id)
    return list(connection.scalars(query))


def erase(
    connection: Connection, who: Whose, handle: str, alias: str, teams: Collection[int]
) -> ErasedCounts:
    """Empty an account, replace its handle wherever it stands, and let go of sources, journals and uploads.

    Results, ratings and digests stay, and with them the names of bots. Needs a write transaction; what was deleted is
    out of the file only after :meth:`botleague_storage.Database.compact`.

    Args:
        handle: the person's present handle.
        alias: the new handle, which must be unused.
        teams: ids of teams to delete with the person, because they have no other members.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("pragma secure_delete=on")
    sources = journals = uploads = 0
    for some in in_portions(who.versions):
        mine = sa.and_(version.c.id.in_(some), version.c.source != b"")
        sources += connection.execute(version.update().where(mine).values(source=b"", entry="")).rowcount
        # Waiting matches of other people against an erased bot can no longer be played.
        to_come = sa.and_(practice.c.opponent_id.in_(some), practice.c.state == "waiting")
        connection.execute(practice.delete().where(to_come))
    for some in in_portions(who.bots):
        journals += connection.execute(journal.delete().where(journal.c.bot_id.in_(some))).rowcount
    connection.execute(practice.delete().where(sa.func.lower(practice.c.owner).in_(who.owners)))
    owned = sa.func.lower(upload.c.owner).in_(who.owners)
    uploads += connection.execute(upload.delete().where(owned)).rowcount
    connection.execute(bot.update().where(sa.func.lower(bot.c.owner).in_(who.owners)).values(owner=alias))
    connection.execute(extension.delete().where(extension.c.owner.in_(who.owners)))
    connection.execute(likeness.delete())  # names owners, and can be found again
    for gone in {handle.lower(), *who.owners}:
        _rename_in_logs(connection, gone, alias)
    if who.account is not None:
        _empty(connection, who.account, alias, teams)
    return ErasedCounts(sources, journals, uploads)


def _empty(connection: Connection, account_id: int, alias: str, teams: Collection[int]) -> None:
    for table in (role, one_time_code, session, token, login_address):
        connection.execute(table.delete().where(table.c.account_id == account_id))
    names = {"handle": alias, "folded": alias.lower()}
    own = connection.execute(team.insert().values(**names, created_at=0.0).returning(team.c.id)).scalar_one()
    emptied = {
        **names,
        "team_id": own,
        "name": "",
        "email": "",
        "password": "",
        "failures": 0,
        "locked_until": 0.0,
        "created_at": 0.0,
        "asked_at": None,
    }
    connection.execute(account.update().where(account.c.id == account_id).values(emptied))
    connection.execute(invite.delete().where(invite.c.team_id.in_(teams)))
    connection.execute(team.delete().where(team.c.id.in_(teams)))


def _rename_in_logs(connection: Connection, handle: str, alias: str) -> None:
    """Replace a handle in the texts of decisions and announcements: owners of bots, and what people wrote.

    No link of a hash chain covers either.
    """
    word = re.compile(rf"(?<![\w.-]){re.escape(handle)}(?![\w-]|\.[\w-])", re.IGNORECASE)

    def without(name: str, value: Any) -> Any:
        if name in ("owner", "before"):  # whole names, of which another may begin with this one
            return alias if str(value).lower() == handle.lower() else value
        return word.sub(alias, value) if name in ("reason", "command") else value

    for table in (event, decision):
        may_name = sa.func.lower(table.c.content).contains(handle, autoescape=True)
        query = sa.select(table.c.id, table.c.content).where(may_name)
        for row in connection.execute(query).all():
            content: Mapping[str, Any] = json.loads(row.content)
            renamed = {name: without(name, value) for name, value in content.items()}
            if renamed != content:
                text = json.dumps(renamed, sort_keys=True)
                connection.execute(table.update().where(table.c.id == row.id).values(content=text))
    for row in connection.execute(sa.select(announcement)).all():
        if (text := word.sub(alias, row.text)) != row.text:
            mine = (announcement.c.league_id == row.league_id, announcement.c.number == row.number)
            connection.execute(announcement.update().where(*mine).values(text=text))


def _of(table: sa.Table, who: Whose) -> Iterator[sa.ColumnElement[bool]]:
    """Yield conditions of which each finds rows of a table that are of a person, none of them twice."""
    columns = table.c
    own_team = sa.select(account.c.team_id).where(account.c.id == who.account)
    conditions = [column == who.account for column in columns if column.references(account.c.id)]
    if table is account:
        conditions.append(columns.id == who.account)
    elif table is team:
        conditions.append(columns.id.in_(own_team))
    elif "team_id" in columns:
        conditions.append(columns.team_id.in_(own_team))
    if "owner" in columns:
        conditions.append(sa.func.lower(columns.owner).in_(who.owners))
    if conditions:
        yield sa.or_(*conditions)
    elif table is event:
        # Also who is not in the season may be named.
        named = [
            sa.func.lower(columns.content).contains(f'"{owner}"', autoescape=True) for owner in who.owners
        ]
        about = [columns.version_id.in_(some) for some in in_portions(who.versions)]
        yield sa.or_(*named, *about)
    elif "version_id" in columns:
        yield from (columns.version_id.in_(some) for some in in_portions(who.versions))
    elif "bot_id" in columns:
        yield from (columns.bot_id.in_(some) for some in in_portions(who.bots))
