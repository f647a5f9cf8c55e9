"""Index of events by match, for the removal of planned matches.

Revision ID: 0024
Revises: 0023
"""

from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.create_index("ix_event_fixture", "event", ["fixture_id"])
