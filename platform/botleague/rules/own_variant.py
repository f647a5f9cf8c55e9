"""A variant of a project's own: one table of its configuration."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["OwnVariant"]


class OwnVariant(msgspec.Struct, frozen=True):
    """One table, as it was read.

    Attributes:
        name: of the variant.
        table: its keys and values, plain data that nobody judged yet.
        origin: the file that says so.
    """

    name: str
    table: dict[str, Any]
    origin: str
