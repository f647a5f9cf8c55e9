"""People: accounts in teams, roles, and what lets them in.

Revision ID: 0010
Revises: 0009
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _table(
        "team",
        sa.Column("id", Id, nullable=False),
        sa.Column("handle", sa.String(32), nullable=False),
        sa.Column("folded", sa.String(32), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        unique=["folded"],
    )
    _table(
        "account",
        sa.Column("id", Id, nullable=False),
        sa.Column("team_id", Id, nullable=False),
        sa.Column("handle", sa.String(32), nullable=False),
        sa.Column("folded", sa.String(32), nullable=False),
        sa.Column("name", sa.String(128), server_default="", nullable=False),
        sa.Column("email", sa.String(254), server_default="", nullable=False),
        sa.Column("password", sa.String(256), server_default="", nullable=False),
        sa.Column("failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("locked_until", sa.Float(), server_default="0", nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        unique=["folded"],
        refers=["team"],
    )
    _table(
        "role",
        sa.Column("id", Id, nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("league_id", Id, nullable=True),
        sa.Column("role", sa.String(16), nullable=False),
        unique=["account_id", "league_id"],
        refers=["account", "league"],
    )
    _table(
        "one_time_code",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("expires_at", sa.Float(), nullable=False),
        key="digest",
        refers=["account"],
    )
    _table(
        "invite",
        sa.Column("id", Id, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("league_id", Id, nullable=True),
        sa.Column("team_id", Id, nullable=True),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("uses_left", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("expires_at", sa.Float(), nullable=False),
        unique=["digest"],
        refers=["league", "team"],
    )
    _table(
        "session",
        sa.Column("id", Id, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("agent", sa.String(80), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("seen_at", sa.Float(), nullable=False),
        sa.Column("expires_at", sa.Float(), nullable=False),
        unique=["digest"],
        refers=["account"],
    )
    _table(
        "token",
        sa.Column("id", Id, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("account_id", Id, nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("scopes", sa.String(64), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("expires_at", sa.Float(), nullable=False),
        sa.Column("used_at", sa.Float(), nullable=True),
        unique=["digest"],
        refers=["account"],
    )
    op.create_index("ix_account_team_id", "account", ["team_id"])
    for table in ("one_time_code", "session", "token"):
        op.create_index(f"ix_{table}_account_id", table, ["account_id"])


def _table(
    name: str,
    *columns: sa.Column[Any],
    key: str = "id",
    unique: Sequence[str] = (),
    refers: Sequence[str] = (),
) -> None:
    constraints: list[sa.Constraint] = [
        sa.ForeignKeyConstraint([f"{other}_id"], [f"{other}.id"], name=op.f(f"fk_{name}_{other}_id_{other}"))
        for other in refers
    ]
    if unique:
        constraints.append(sa.UniqueConstraint(*unique, name=op.f(f"uq_{name}_{'_'.join(unique)}")))
    op.create_table(name, *columns, *constraints, sa.PrimaryKeyConstraint(key, name=op.f(f"pk_{name}")))
