"""Bots and their versions. A version is immutable: its source and the SHA-256 digest of it."""

from __future__ import annotations

import functools
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from botleague_storage.schema.bulk_statements import select_among
from botleague_storage.schema.league_tables import bot, version
from botleague_storage.schema.source_files import Source as Source  # what people say: bots.Source
from botleague_storage.schema.storage_errors import NotFound, SourceErased, nearest

IS_ERASED = sa.and_(version.c.source == b"", version.c.entry == "")
"""Condition for an erased version: with a source, one of both columns is not empty."""


class BotRow(msgspec.Struct, frozen=True):
    """A bot with the number of its versions."""

    id: int
    game: str
    name: str
    owner: str
    versions: int
    created_at: float


class VersionRow(msgspec.Struct, frozen=True):
    """One version of a bot, without its source.

    Attributes:
        imports: ``lenient`` if its source is accepted with lenient imports only, else ``refuse``.
    """

    id: int
    bot: str
    owner: str
    game: str
    number: int
    digest: str
    submitted_at: float
    imports: Literal["refuse", "lenient"]

    @property
    def title(self) -> str:
        """Displayed name: the bot's name, with the number of every version but the first."""
        return self.bot if self.number == 1 else f"{self.bot}@{self.number}"


def submit(
    connection: Connection,
    game: str,
    name: str,
    owner: str,
    source: Source,
    *,
    goes_back: bool = False,
    imports: Literal["refuse", "lenient"] = "refuse",
) -> tuple[VersionRow, bool]:
    """Store ``source`` as the newest version of a bot, making the bot if it is new.

    Whether ``owner`` may is for the caller to say: here a bot that has an owner keeps it.

    Args:
        goes_back: the source of an earlier version makes a new one; else it is that version.
        imports: of a new version, see :class:`VersionRow`.

    Returns:
        The version, and whether it is new: the same source again is the version that is there.
    """
    row = connection.execute(sa.select(bot).where(bot.c.game == game, bot.c.name == name)).one_or_none()
    if row is None:
        values = {"game": game, "name": name, "owner": owner, "created_at": time.time()}
        bot_id = connection.execute(bot.insert().values(values).returning(bot.c.id)).scalar_one()
    else:
        bot_id = row.id
        if not row.owner and owner:  # stored before bots had owners
            transfer(connection, bot_id, owner)
    digest = source.digest
    stored = (
        sa.select(version.c.number, version.c.digest)
        .where(version.c.bot_id == bot_id)
        .order_by(version.c.number.desc())
    )
    rows = connection.execute(stored).all()
    is_new = digest not in [row.digest for row in (rows[:1] if goes_back else rows)]
    if is_new:
        connection.execute(
            version.insert().values(
                bot_id=bot_id,
                number=len(rows) + 1,
                digest=digest,
                entry=source.entry,
                source=zlib.compress(msgspec.msgpack.encode(dict(sorted(source.files.items())))),
                submitted_at=time.time(),
                imports=imports,
            )
        )
    return find_version(connection, game, name, digest=digest), is_new


def find(connection: Connection, game: str | None, name: str) -> BotRow:
    """Return the bot called ``name``.

    Raises:
        NotFound: no such bot, or bots of several games have that name and no game is given.
    """
    rows = bots(connection, game, name)
    if not rows:
        raise _no_bot(connection, game, name)
    if len(rows) > 1:
        raise _ambiguous(name, [row.game for row in rows])
    return rows[0]


def transfer(connection: Connection, bot_id: int, owner: str) -> None:
    """Give a bot to another owner."""
    connection.execute(bot.update().where(bot.c.id == bot_id).values(owner=owner))


def set_submitted(connection: Connection, version_id: int, at: float) -> None:
    """Store the time of a version's submission, if that was before it was stored."""
    connection.execute(version.update().where(version.c.id == version_id).values(submitted_at=at))


def find_version(
    connection: Connection,
    game: str | None,
    name: str,
    *,
    digest: str | None = None,
    number: int | None = None,
) -> VersionRow:
    """Return a version of the bot called ``name``: the one asked for, or its newest.

    Raises:
        NotFound: no such bot, or bots of several games have that name and no game is given.
    """
    query = _versions().where(bot.c.name == name).order_by(version.c.number.desc())
    if game is not None:
        query = query.where(bot.c.game == game)
    if digest is not None:
        query = query.where(version.c.digest == digest)
    if number is not None:
        query = query.where(version.c.number == number)
    rows = connection.execute(query).all()
    if not rows:
        raise _no_bot(connection, game, name)
    if len({row.game for row in rows}) > 1:
        raise _ambiguous(name, {row.game for row in rows})
    return VersionRow(**rows[0]._mapping)


def newest(connection: Connection, game: str) -> list[VersionRow]:
    """Return the newest version of each bot of a game, by name; bots whose newest version was erased are missing."""
    newer = version.alias()
    query = (
        _versions()
        .outerjoin(newer, (newer.c.bot_id == version.c.bot_id) & (newer.c.number > version.c.number))
        .where(bot.c.game == game, newer.c.id.is_(None), ~IS_ERASED)
        .order_by(bot.c.name)
    )
    return [VersionRow(**row._mapping) for row in connection.execute(query)]


def newest_of(
    connection: Connection, ids: Sequence[int], before: float | None = None
) -> dict[int, VersionRow]:
    """Return the newest version of the bot of each of these versions, by the version that was asked for.

    Bots of which it was erased are missing.

    Args:
        before: only versions submitted earlier, in seconds since the epoch; bots without one are missing.
    """
    requested, newer = version.alias(), version.alias()
    is_newer = sa.and_(newer.c.bot_id == version.c.bot_id, newer.c.number > version.c.number)
    if before is not None:
        is_newer = sa.and_(is_newer, newer.c.submitted_at < before)
    query = (
        _versions()
        .add_columns(requested.c.id.label("asked"))
        .join(requested, requested.c.bot_id == version.c.bot_id)
        .outerjoin(newer, is_newer)
        .where(newer.c.id.is_(None), ~IS_ERASED)
    )
    if before is not None:
        query = query.where(version.c.submitted_at < before)
    return {row.asked: VersionRow(*row[:-1]) for row in select_among(connection, query, requested.c.id, ids)}


def all_versions(connection: Connection, game: str, name: str) -> list[VersionRow]:
    """Return all versions of a bot, the oldest first; none for an unknown bot."""
    query = _versions().where(bot.c.game == game, bot.c.name == name).order_by(version.c.number)
    return [VersionRow(**row._mapping) for row in connection.execute(query)]


def versions_of(connection: Connection, owner: str) -> list[int]:
    """Return the ids of all versions of an owner's bots."""
    query = sa.select(version.c.id).join(bot, bot.c.id == version.c.bot_id).where(bot.c.owner == owner)
    return list(connection.scalars(query))


_LAST_VERSION = sa.select(sa.func.max(version.c.id))


def last_version(connection: Connection) -> int:
    """Return the id of the version that was stored last, 0 for none: cheap to ask whether there is another one."""
    return connection.scalar(_LAST_VERSION) or 0


def versions(connection: Connection, ids: Sequence[int]) -> dict[int, VersionRow]:
    """Return the versions with these ids, by id."""
    return {
        row.id: VersionRow(**row._mapping) for row in select_among(connection, _versions(), version.c.id, ids)
    }


def erased(connection: Connection, ids: Sequence[int]) -> list[VersionRow]:
    """Return those of some versions whose sources were erased."""
    query = _versions().where(IS_ERASED).order_by(version.c.id)
    return [VersionRow(**row._mapping) for row in select_among(connection, query, version.c.id, ids)]


def with_sources(connection: Connection, ids: Sequence[int]) -> Iterator[tuple[VersionRow, Source]]:
    """Yield the versions with these ids, with their files.

    Raises:
        SourceErased: those of one were erased.
    """
    query = _versions().add_columns(version.c.entry, version.c.source)
    for row in select_among(connection, query, version.c.id, ids):
        named = VersionRow(*row[:-2])
        yield named, _source(named.title, row.entry, row.source)


def source_of(connection: Connection, version_id: int) -> Source:
    """Return the files of a version.

    Raises:
        NotFound: there is no such version.
        SourceErased: they were erased.
    """
    for _, source in with_sources(connection, [version_id]):
        return source
    raise NotFound(f"There is no bot version {version_id}.")


def bots(connection: Connection, game: str | None = None, name: str | None = None) -> list[BotRow]:
    """Return all bots, by game and name; or only those of a game, or of a name."""
    query = (
        sa.select(
            bot.c.id,
            bot.c.game,
            bot.c.name,
            bot.c.owner,
            sa.func.count(version.c.id).label("versions"),
            bot.c.created_at,
        )
        .join(version, version.c.bot_id == bot.c.id)
        .group_by(bot.c.id)
        .order_by(bot.c.game, bot.c.name)
    )
    if game is not None:
        query = query.where(bot.c.game == game)
    if name is not None:
        query = query.where(bot.c.name == name)
    return [BotRow(**row._mapping) for row in connection.execute(query)]


def owner_by_name(connection: Connection, game: str, name: str) -> tuple[str, str] | None:
    """Return name and owner of a game's bot with a name, whatever its capitals; None without one."""
    query = sa.select(bot.c.name, bot.c.owner).where(
        bot.c.game == game, sa.func.lower(bot.c.name) == name.lower()
    )
    row = connection.execute(query).first()
    return None if row is None else (row.name, row.owner)


def _no_bot(connection: Connection, game: str | None, name: str) -> NotFound:
    of = f" for {game}" if game else ""
    query = sa.select(bot.c.name) if game is None else sa.select(bot.c.name).where(bot.c.game == game)
    names = connection.scalars(query.order_by(bot.c.name)).all()
    return NotFound(
        f"There is no bot called {name!r}{of}.{nearest(name, names)} `botleague bots` lists them."
    )


def _ambiguous(name: str, games: Iterable[str]) -> NotFound:
    return NotFound(f"Bots of several games are called {name!r}: {', '.join(sorted(games))}.")


def _source(title: str, entry: str, packed: bytes) -> Source:
    if not packed and not entry:
        raise SourceErased(title)
    return Source(msgspec.msgpack.decode(zlib.decompress(packed), type=dict[str, bytes]), entry)


@functools.cache
def _versions() -> sa.Select[tuple[int, str, str, str, int, str, float, str]]:
    return sa.select(
        version.c.id,
        bot.c.name.label("bot"),
        bot.c.owner,
        bot.c.game,
        version.c.number,
        version.c.digest,
        version.c.submitted_at,
        version.c.imports,
    ).join(bot, bot.c.id == version.c.bot_id)
