"""All tables of the database: those of leagues, and those of people, which refer to them."""

from __future__ import annotations

import botleague_storage.schema.people_tables  # noqa: F401  # its tables are in the metadata from here on
from botleague_storage.schema.league_tables import metadata

__all__ = ["metadata"]
