"""The tables of people and of the server: no result depends on them, and bots name their owner, not an account."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from botleague_storage.schema.league_tables import Id, metadata

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
