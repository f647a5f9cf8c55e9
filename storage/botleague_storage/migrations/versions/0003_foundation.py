"""The tables as they were when the schema was first published; every later change is a migration after this one.

Revision ID: 0003
Revises:
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "bot",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("owner", sa.String(length=128), server_default="", nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bot")),
        sa.UniqueConstraint("game", "name", name=op.f("uq_bot_game_name")),
    )
    op.create_table(
        "variant",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("game", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_variant")),
        sa.UniqueConstraint("name", "digest", name=op.f("uq_variant_name_digest")),
    )
    op.create_table(
        "league",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("variant_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["variant_id"], ["variant.id"], name=op.f("fk_league_variant_id_variant")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_league")),
        sa.UniqueConstraint("name", name=op.f("uq_league_name")),
    )
    op.create_table(
        "version",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("bot_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("entry", sa.Text(), nullable=False),
        sa.Column("source", sa.LargeBinary(), nullable=False),
        sa.Column("submitted_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_version_bot_id_bot")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_version")),
        sa.UniqueConstraint("bot_id", "digest", name=op.f("uq_version_bot_id_digest")),
        sa.UniqueConstraint("bot_id", "number", name=op.f("uq_version_bot_id_number")),
    )
    op.create_table(
        "season",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("league_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Float(), nullable=False),
        sa.Column("settled", sa.Integer(), server_default="0", nullable=False),
        sa.Column("fold_version", sa.Integer(), server_default="1", nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["league.id"], name=op.f("fk_season_league_id_league")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_season")),
        sa.UniqueConstraint("league_id", "number", name=op.f("uq_season_league_id_number")),
    )
    op.create_table(
        "entrant",
        sa.Column("season_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_entrant_season_id_season")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_entrant_version_id_version")),
        sa.PrimaryKeyConstraint("season_id", "number", name=op.f("pk_entrant")),
        sa.UniqueConstraint("season_id", "version_id", name=op.f("uq_entrant_season_id_version_id")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "fixture",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("season_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("group", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(length=64), server_default="", nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("versions", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=8), server_default="planned", nullable=False),
        sa.Column("epoch", sa.Integer(), server_default="0", nullable=False),
        sa.Column("claimed_by", sa.String(length=128), nullable=True),
        sa.Column("lease_until", sa.Float(), nullable=True),
        sa.Column("void", sa.Integer(), server_default="0", nullable=False),
        sa.CheckConstraint("status in ('planned', 'claimed', 'done')", name=op.f("ck_fixture_status")),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_fixture_season_id_season")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fixture")),
        sa.UniqueConstraint("season_id", "ordinal", name=op.f("uq_fixture_season_id_ordinal")),
    )
    op.create_index("ix_fixture_open", "fixture", ["season_id", "status", "ordinal"], unique=False)
    op.create_index("ix_fixture_round", "fixture", ["season_id", "round", "ordinal"], unique=False)
    op.create_index("ix_fixture_group", "fixture", ["season_id", "group"], unique=False)
    op.create_index(
        "ix_fixture_claimed_by",
        "fixture",
        ["claimed_by"],
        unique=False,
        sqlite_where=sa.text("claimed_by is not null"),
        postgresql_where=sa.text("claimed_by is not null"),
    )
    op.create_table(
        "rating",
        sa.Column("season_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("through", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_rating_season_id_season")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_rating_version_id_version")),
        sa.PrimaryKeyConstraint("season_id", "version_id", name=op.f("pk_rating")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rating_event",
        sa.Column("season_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("before", sa.Float(), nullable=False),
        sa.Column("after", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_rating_event_season_id_season")),
        sa.ForeignKeyConstraint(
            ["version_id"], ["version.id"], name=op.f("fk_rating_event_version_id_version")
        ),
        sa.PrimaryKeyConstraint("season_id", "version_id", "ordinal", name=op.f("pk_rating_event")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "record",
        sa.Column("fixture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["fixture_id"], ["fixture.id"], name=op.f("fk_record_fixture_id_fixture")),
        sa.PrimaryKeyConstraint("fixture_id", name=op.f("pk_record")),
    )
    op.create_table(
        "result",
        sa.Column("fixture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("layers", sa.Text(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("wall_ms", sa.Float(), nullable=False),
        sa.Column("recorded_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["fixture_id"], ["fixture.id"], name=op.f("fk_result_fixture_id_fixture")),
        sa.PrimaryKeyConstraint("fixture_id", name=op.f("pk_result")),
    )
    op.create_table(
        "seat",
        sa.Column("fixture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("forfeit", sa.Integer(), nullable=False),
        sa.Column("faults", sa.Text(), nullable=False),
        sa.Column("cpu_ms", sa.Float(), nullable=False),
        sa.Column("wall_ms", sa.Float(), nullable=False),
        sa.Column("peak_memory", sa.BigInteger(), nullable=False),
        sa.Column("output", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["fixture_id"], ["fixture.id"], name=op.f("fk_seat_fixture_id_fixture")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_seat_version_id_version")),
        sa.PrimaryKeyConstraint("fixture_id", "seat", name=op.f("pk_seat")),
    )
    op.create_index("ix_seat_version", "seat", ["version_id", "fixture_id"], unique=False)
    op.create_table(
        "standing",
        sa.Column("season_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("forfeits", sa.Integer(), nullable=False),
        sa.Column("faults", sa.Text(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("cpu_ms", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_standing_season_id_season")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_standing_version_id_version")),
        sa.PrimaryKeyConstraint("season_id", "version_id", name=op.f("pk_standing")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "void",
        sa.Column("fixture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["fixture_id"], ["fixture.id"], name=op.f("fk_void_fixture_id_fixture")),
        sa.PrimaryKeyConstraint("fixture_id", "epoch", name=op.f("pk_void")),
    )
    op.create_table(
        "season_start",
        sa.Column("season_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("state", sa.Text(), nullable=True),
        sa.Column("value", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_season_start_season_id_season")),
        sa.ForeignKeyConstraint(
            ["version_id"], ["version.id"], name=op.f("fk_season_start_version_id_version")
        ),
        sa.PrimaryKeyConstraint("season_id", "version_id", name=op.f("pk_season_start")),
    )
    op.create_table(
        "event",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("season_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("version_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("fixture_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("content", sa.Text(), server_default="{}", nullable=False),
        sa.Column("recorded_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_event_season_id_season")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_event_version_id_version")),
        sa.ForeignKeyConstraint(["fixture_id"], ["fixture.id"], name=op.f("fk_event_fixture_id_fixture")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
        sa.UniqueConstraint("season_id", "number", name=op.f("uq_event_season_id_number")),
    )
