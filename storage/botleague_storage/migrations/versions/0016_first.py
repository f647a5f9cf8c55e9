"""The tables of commit 3601da6, where migrations begin: new databases are made from the schema, not by migrations.

Revision ID: 0016
"""

revision = "0016"
down_revision = None


def upgrade() -> None:
    raise NotImplementedError("new databases are made from the schema")
