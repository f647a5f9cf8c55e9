"""A variant defined by a project: one table of its configuration."""

from __future__ import annotations

from typing import Any

import msgspec


class OwnVariant(msgspec.Struct, frozen=True):
    """One table of a project's configuration, as it was read.

    Attributes:
        name: of the variant.
        table: its keys and values, plain data that is not checked yet.
        origin: the file that contains it.
    """

    name: str
    table: dict[str, Any]
    origin: str
