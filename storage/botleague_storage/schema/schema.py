"""The tables. They know bots, leagues, fixtures and numbers; no table mentions any game's pieces.

What a league recorded is never changed: results, seats and records are only ever added, and move to ``replaced`` when
their match is played again. The ``fixture`` table is
the work queue, its claims are all that changes in it. ``rating``, ``rating_event`` and ``standing`` are a cache: a
fold over the results, valid for the first ``season.settled`` fixtures; ``strength`` is a batch table of the first
``season.ranked``. The last tables hold people: no result depends on them, and bots name their owner, not an account.

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

# Its handle is the owner of its bots. Each account is in one team, possibly alone.
team = Table(
    "team",
    metadata,
    Column("id", Id, primary_key=True),
    Column("handle", String(32), nullable=False),
    # The handle in small letters: no two differ only in that.
    Column("folded", String(32), nullable=False, unique=True),
    Column("created_at", Float, nullable=False),
)

account = Table(
    "account",
    metadata,
    Column("id", Id, primary_key=True),
    Column("team_id", ForeignKey("team.id"), nullable=False),
    Column("handle", String(32), nullable=False),
    Column("folded", String(32), nullable=False, unique=True),
    # Never public, and "" unless the person gave them.
    Column("name", String(128), nullable=False, server_default=""),
    Column("email", String(254), nullable=False, server_default=""),
    # A hash with its parameters; "" until a password is chosen.
    Column("password", String(256), nullable=False, server_default=""),
    # Wrong passwords in a row, and until when none is looked at.
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("locked_until", Float, nullable=False, server_default="0"),
    Column("created_at", Float, nullable=False),
    # When the person asked for a new login link, until they log in or get one.
    Column("asked_at", Float, nullable=True),
)
Index("ix_account_team_id", account.c.team_id)

# The role of an account in a league, or in every league if none is named.
role = Table(
    "role",
    metadata,
    Column("id", Id, primary_key=True),
    Column("account_id", ForeignKey("account.id"), nullable=False),
    Column("league_id", ForeignKey("league.id"), nullable=True),
    Column("role", String(16), nullable=False),
    UniqueConstraint("account_id", "league_id"),
)

# Of all secrets only the hash is stored.
one_time_code = Table(
    "one_time_code",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("account_id", ForeignKey("account.id"), nullable=False),
    Column("expires_at", Float, nullable=False),
)
Index("ix_one_time_code_account_id", one_time_code.c.account_id)

invite = Table(
    "invite",
    metadata,
    Column("id", Id, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("role", String(16), nullable=False),
    Column("league_id", ForeignKey("league.id"), nullable=True),
    Column("team_id", ForeignKey("team.id"), nullable=True),
    Column("uses", Integer, nullable=False),
    Column("uses_left", Integer, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
    Column("is_public", Integer, nullable=False, server_default="0"),
)

session = Table(
    "session",
    metadata,
    Column("id", Id, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("account_id", ForeignKey("account.id"), nullable=False),
    Column("agent", String(80), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("seen_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
)
Index("ix_session_account_id", session.c.account_id)

token = Table(
    "token",
    metadata,
    Column("id", Id, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("account_id", ForeignKey("account.id"), nullable=False),
    Column("name", String(64), nullable=False),
    Column("scopes", String(64), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("expires_at", Float, nullable=False),
    Column("used_at", Float, nullable=True),
)
Index("ix_token_account_id", token.c.account_id)

# Wrong passwords by address, of which it holds a keyed hash.
login_address = Table(
    "login_address",
    metadata,
    Column("account_id", ForeignKey("account.id"), primary_key=True),
    Column("digest", String(64), primary_key=True),
    Column("failures", Integer, nullable=False),
    Column("locked_until", Float, nullable=False),
    Column("tried_at", Float, nullable=False),
    # 0 for never.
    Column("logged_in_at", Float, nullable=False),
)

# What a server notes of itself, in single values.
server_note = Table(
    "server_note",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("value", Text, nullable=False),
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

# Uploads over the web. The content is stored until it has been checked; then the version holds it.
upload = Table(
    "upload",
    metadata,
    Column("id", Id, primary_key=True),
    Column("league_id", ForeignKey("league.id"), nullable=False),
    Column("account_id", ForeignKey("account.id"), nullable=False),
    Column("owner", String(32), nullable=False),
    Column("bot", String(64), nullable=False),
    Column("entry", String(256), nullable=False),
    Column("content", LargeBinary, nullable=False),
    Column("state", String(9), nullable=False),
    Column("report", Text, nullable=False, server_default="{}"),
    Column("version_id", ForeignKey("version.id"), nullable=True),
    Column("received_at", Float, nullable=False),
    Column("begun_at", Float, nullable=True),
    Column("tries", Integer, nullable=False, server_default="0"),
    # Deadline of the check; afterwards another process may claim it.
    Column("lease_until", Float, nullable=False, server_default="0"),
    # When its language check passed, and when its games last started.
    Column("checked_at", Float, nullable=True),
    Column("tried_at", Float, nullable=True),
    Column("claimed_by", String(128), nullable=True),
    CheckConstraint("state in ('waiting', 'accepted', 'unchanged', 'refused')", name="state"),
)
Index("ix_upload_state", upload.c.state, upload.c.id)
Index("ix_upload_owner", upload.c.league_id, upload.c.owner, upload.c.received_at)

upload_limit = Table(
    "upload_limit",
    metadata,
    Column("league_id", ForeignKey("league.id"), primary_key=True),
    Column("a_day", Integer, nullable=False),
    Column("gap_s", Float, nullable=False),
    Column("size", Integer, nullable=False),
    Column("bots", Integer, nullable=False),
    Column("matches", Integer, nullable=False, server_default="20"),
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

# What organisers decided that is not in the log of a season; and of what is in it, who did, and how.
decision = Table(
    "decision",
    metadata,
    Column("id", Id, primary_key=True),
    Column("season_id", ForeignKey("season.id"), nullable=False),
    # Its number in the season's log, if it has one.
    Column("event", Integer, nullable=True),
    Column("kind", String(16), nullable=False),
    # The decision's author, "" on the command line, and the person concerned.
    Column("account_id", ForeignKey("account.id"), nullable=True),
    Column("about_id", ForeignKey("account.id"), nullable=True),
    Column("content", Text, nullable=False),
    Column("recorded_at", Float, nullable=False),
)
Index("ix_decision_season_id", decision.c.season_id, decision.c.id)

# The finding of the last search for copies; it can be recomputed.
likeness = Table(
    "likeness",
    metadata,
    Column("season_id", ForeignKey("season.id"), primary_key=True),
    Column("looked_at", Float, nullable=False),
    Column("found", Text, nullable=False),
)

# Matches that a team asked for to learn from. Nothing that counts ever reads them.
practice = Table(
    "practice",
    metadata,
    Column("id", Id, primary_key=True),
    Column("league_id", ForeignKey("league.id"), nullable=False),
    Column("owner", String(32), nullable=False),
    Column("version_id", ForeignKey("version.id"), nullable=False),
    Column("opponent_id", ForeignKey("version.id"), nullable=False),
    # Where its own version sits; the opponent has all other seats.
    Column("seat", Integer, nullable=False),
    Column("seed", BigInteger, nullable=False),
    # waiting, played or failed
    Column("state", String(8), nullable=False),
    Column("asked_at", Float, nullable=False),
    Column("played_at", Float, nullable=True),
    Column("claimed_by", String(128), nullable=True),
    Column("lease_until", Float, nullable=False, server_default="0"),
    Column("tries", Integer, nullable=False, server_default="0"),
    # Why it was not played.
    Column("failure", Text, nullable=False, server_default=""),
    Column("record", LargeBinary, nullable=False),
    # Data of the own seat.
    Column("journal", LargeBinary, nullable=False),
)
Index("ix_practice_state", practice.c.state, practice.c.id)
Index("ix_practice_owner", practice.c.league_id, practice.c.owner, practice.c.asked_at)
