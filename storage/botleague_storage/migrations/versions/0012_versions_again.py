"""A bot goes back to an earlier source: two of its versions may have the same one.

Revision ID: 0012
Revises: 0011
"""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    with op.batch_alter_table("version") as version:
        version.drop_constraint(op.f("uq_version_bot_id_digest"), type_="unique")
