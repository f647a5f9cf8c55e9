"""The tables of leagues. They know bots, fixtures and numbers; no table mentions any game's pieces.

What a league recorded is never changed: results, seats and records are only ever added, and move to ``replaced`` when
their match is played again. The ``fixture`` table is the work queue, its claims are all that changes in it. ``rating``,
``rating_event`` and ``standing`` are a cache: a fold over the results, valid for the first ``season.settled`` fixtures;
``strength`` is a batch table of the first ``season.ranked``.

Times are seconds since the epoch, durations milliseconds. Texts that hold structure are JSON.
"""

from __future__ import annotations

from sqlalchemy import (
    DDL,
    BigInteger,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy import event as event_of

LARGEST_ORDINAL = 2**31 - 1
"""The largest number of the column."""

LABEL_LENGTH = 64

# Without the tables of people until those are imported: :mod:`.schema` has all.
metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite gives a rowid only to a column that is INTEGER and nothing else.
Id = BigInteger().with_variant(Integer, "sqlite")

bot = Table(
    "bot",
    metadata,
    Column("id", Id, primary_key=True),
    Column("game", String(64), nullable=False),
    Column("name", String(64), nullable=False),
    Column("owner", String(128), nullable=False, server_default=""),
    Column("created_at", Float, nullable=False),
    UniqueConstraint("game", "name"),
)

version = Table(
    "version",
    metadata,
    Column("id", Id, primary_key=True),
    Column("bot_id", ForeignKey("bot.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("entry", Text, nullable=False),
    Column("source", LargeBinary, nullable=False),
    Column("submitted_at", Float, nullable=False),
    # "lenient" marks a source that is accepted with lenient imports only.
    Column("imports", String(16), nullable=False, server_default="refuse"),
    UniqueConstraint("bot_id", "number"),
)

variant = Table(
    "variant",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(64), nullable=False),
    Column("game", String(64), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("config", Text, nullable=False),
    UniqueConstraint("name", "digest"),
)

league = Table(
    "league",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", String(64), nullable=False, unique=True),
    Column("variant_id", ForeignKey("variant.id"), nullable=False),
    Column("created_at", Float, nullable=False),
)

season = Table(
    "season",
    metadata,
    Column("id", Id, primary_key=True),
    Column("league_id", ForeignKey("league.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("settings", Text, nullable=False),
    Column("started_at", Float, nullable=False),
    # How many fixtures, from ordinal 0, the ratings cover.
    Column("settled", Integer, nullable=False, server_default="0"),
    # Version of the rating fold that they come from; with another one the same results may come to other bits.
    Column("fold_version", Integer, nullable=False, server_default="1"),
    # How many fixtures, from ordinal 0, the stored batch table covers, 0 if none is stored; and the last event that
    # it knows of.
    Column("ranked", Integer, nullable=False, server_default="0"),
    Column("ranked_event", Integer, nullable=False, server_default="0"),
    # Number of links in its chain. Null marks a season that was made before there were chains; only the
    # migration that added this column writes it.
    Column("links", Integer, nullable=True, server_default="0"),
    # The spread of the field in Elo as that table estimated it, null where it was not estimated.
    Column("ranked_spread", Float, nullable=True),
    UniqueConstraint("league_id", "number"),
)

entrant = Table(
    "entrant",
    metadata,
    Column("season_id", ForeignKey("season.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("version_id", ForeignKey("version.id"), nullable=False),
    UniqueConstraint("season_id", "version_id"),
    sqlite_with_rowid=False,
)

# Where a season begins, part of its record: a rating's state that was carried over, a number to seed by.
season_start = Table(
    "season_start",
    metadata,
    Column("season_id", ForeignKey("season.id"), primary_key=True),
    Column("version_id", ForeignKey("version.id"), primary_key=True),
    Column("state", Text, nullable=True),
    Column("value", Float, nullable=False),
)

# What organisers decided and what followed from the league settings, in order.
event = Table(
    "event",
    metadata,
    Column("id", Id, primary_key=True),
    Column("season_id", ForeignKey("season.id"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("version_id", ForeignKey("version.id"), nullable=True),
    Column("fixture_id", ForeignKey("fixture.id"), nullable=True),
    Column("content", Text, nullable=False, server_default="{}"),
    Column("recorded_at", Float, nullable=False),
    UniqueConstraint("season_id", "number"),
)
# A removed fixture is looked for in all events, because they refer to it.
Index("ix_event_fixture", event.c.fixture_id)

fixture = Table(
    "fixture",
    metadata,
    Column("id", Id, primary_key=True),
    Column("season_id", ForeignKey("season.id"), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    Column("group", Integer, nullable=False),
    # How many fixtures were planned in this group, whatever became of them: what they share weighs less each.
    Column("set_size", Integer, nullable=False, server_default="1"),
    Column("label", String(LABEL_LENGTH), nullable=False, server_default=""),
    Column("seed", BigInteger, nullable=False),
    Column("status", String(8), nullable=False, server_default="planned"),
    Column("epoch", Integer, nullable=False, server_default="0"),
    Column("claimed_by", String(128), nullable=True),
    Column("lease_until", Float, nullable=True),
    # 1: counts for nothing. It was cancelled before it was played (done, but without a result), or annulled since.
    Column("void", Integer, nullable=False, server_default="0"),
    CheckConstraint("status in ('planned', 'claimed', 'done')", name="status"),
    UniqueConstraint("season_id", "ordinal"),
)
Index("ix_fixture_open", fixture.c.season_id, fixture.c.status, fixture.c.ordinal)
Index("ix_fixture_round", fixture.c.season_id, fixture.c.round, fixture.c.ordinal)
Index("ix_fixture_group", fixture.c.season_id, fixture.c.group)
# The claims of one runner, among millions of unclaimed fixtures.
Index("ix_fixture_claimed_by", fixture.c.claimed_by, sqlite_where=fixture.c.claimed_by.is_not(None)).ddl_if(
    dialect="sqlite"
)
# An option of PostgreSQL would import its whole dialect into every program that only has a file.
event_of.listen(
    fixture,
    "after_create",
    DDL("create index ix_fixture_claimed_by on fixture (claimed_by) where claimed_by is not null").execute_if(  # type: ignore[no-untyped-call]
        dialect="postgresql"
    ),
)

# Planned seats. A result has seats of its own, which say how each did.
fixture_seat = Table(
    "fixture_seat",
    metadata,
    Column("fixture_id", ForeignKey("fixture.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("version_id", ForeignKey("version.id"), nullable=False),
    sqlite_with_rowid=False,
)

result = Table(
    "result",
    metadata,
    Column("fixture_id", ForeignKey("fixture.id"), primary_key=True),
    Column("epoch", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("layers", Text, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("wall_ms", Float, nullable=False),
    Column("recorded_at", Float, nullable=False),
    # Equal digests of the same bots mean the same game again; "" if it is unknown.
    Column("game_digest", String(32), nullable=False, server_default=""),
)

seat = Table(
    "seat",
    metadata,
    Column("fixture_id", ForeignKey("fixture.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("version_id", ForeignKey("version.id"), nullable=False),
    Column("place", Integer, nullable=False),
    Column("score", Float, nullable=False),
    Column("forfeit", Integer, nullable=False),
    Column("faults", Text, nullable=False),
    Column("cpu_ms", Float, nullable=False),
    Column("wall_ms", Float, nullable=False),
    Column("peak_memory", BigInteger, nullable=False),
)
Index("ix_seat_version", seat.c.version_id, seat.c.fixture_id)

record = Table(
    "record",
    metadata,
    Column("fixture_id", ForeignKey("fixture.id"), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("content", LargeBinary, nullable=False),
)

# What bots printed and drew in their matches, and what their turns took. Nothing depends on it.
journal = Table(
    "journal",
    metadata,
    Column("fixture_id", ForeignKey("fixture.id"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("season_id", ForeignKey("season.id"), nullable=False),
    Column("bot_id", ForeignKey("bot.id"), nullable=False),
    # Bytes of this bot's journals that the season has stored up to this one and with it.
    Column("through", BigInteger, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
Index("ix_journal_bot", journal.c.season_id, journal.c.bot_id, journal.c.through)

void = Table(
    "void",
    metadata,
    Column("fixture_id", ForeignKey("fixture.id"), primary_key=True),
    Column("epoch", Integer, primary_key=True),
    Column("reason", Text, nullable=False),
    Column("recorded_at", Float, nullable=False),
)

# Results that were set aside, so that their matches are played again: nothing that was recorded goes.
replaced = Table(
    "replaced",
    metadata,
    Column("fixture_id", ForeignKey("fixture.id"), primary_key=True),
    # Under which it had been recorded.
    Column("epoch", Integer, primary_key=True),
    # The rows of `result` and `seat`.
    Column("noted", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("content", LargeBinary, nullable=False),
)

# The hash chain over what was decided, by part: terms, entrants, events, matches.
chain = Table(
    "chain",
    metadata,
    Column("season_id", ForeignKey("season.id"), primary_key=True),
    Column("part", String(8), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("link", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

# The key begins with whose event it is, so that a rating's curve lies together and needs no index of its own.
rating_event = Table(
    "rating_event",
    metadata,
    Column("season_id", ForeignKey("season.id"), primary_key=True),
    Column("version_id", ForeignKey("version.id"), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("before", Float, nullable=False),
    Column("after", Float, nullable=False),
    sqlite_with_rowid=False,
)

rating = Table(
    "rating",
    metadata,
    Column("season_id", ForeignKey("season.id"), primary_key=True),
    Column("version_id", ForeignKey("version.id"), primary_key=True),
    Column("state", Text, nullable=False),
    Column("value", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("through", Integer, nullable=False),
    sqlite_with_rowid=False,
)

standing = Table(
    "standing",
    metadata,
    Column("season_id", ForeignKey("season.id"), primary_key=True),
    Column("version_id", ForeignKey("version.id"), primary_key=True),
    Column("matches", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
    Column("forfeits", Integer, nullable=False),
    Column("faults", Text, nullable=False),
    Column("score", Float, nullable=False),
    Column("cpu_ms", Float, nullable=False),
    sqlite_with_rowid=False,
)

# The batch table of a season that is played round by round, made when a round is complete.
strength = Table(
    "strength",
    metadata,
    Column("season_id", ForeignKey("season.id"), primary_key=True),
    Column("version_id", ForeignKey("version.id"), primary_key=True),
    Column("rating", Float, nullable=False),
    Column("error", Float, nullable=False),
    sqlite_with_rowid=False,
)

# Processes that play matches, as they report themselves.
runner = Table(
    "runner",
    metadata,
    Column("name", String(128), primary_key=True),
    Column("started_at", Float, nullable=False),
    Column("seen_at", Float, nullable=False),
    # Matches an hour; none in the first minute.
    Column("hourly", Float, nullable=True),
    # The last failure, and the league that was played then.
    Column("error", Text, nullable=False),
    Column("error_league", String(64), nullable=False),
    Column("error_at", Float, nullable=True),
)

# Organisers' texts on the pages of a league, numbered from 1 in it.
announcement = Table(
    "announcement",
    metadata,
    Column("league_id", ForeignKey("league.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("text", Text, nullable=False),
    Column("announced_at", Float, nullable=False),
    Column("withdrawn_at", Float, nullable=True),
)

# Later deadlines of single owners, which only they and organisers may see.
extension = Table(
    "extension",
    metadata,
    Column("season_id", ForeignKey("season.id"), primary_key=True),
    # In small letters.
    Column("owner", String(128), primary_key=True),
    Column("until", Float, nullable=False),
)
