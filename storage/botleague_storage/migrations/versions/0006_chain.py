"""The hash chain over what was decided in a season. Of older seasons it begins when results are next counted.

Revision ID: 0006
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "chain",
        sa.Column("season_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("part", sa.String(length=8), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("link", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["season_id"], ["season.id"], name=op.f("fk_chain_season_id_season")),
        sa.PrimaryKeyConstraint("season_id", "part", "number", name=op.f("pk_chain")),
        sqlite_with_rowid=False,
    )
