"""What of a season exists for whoever looks at it. Everything that pages, files and streams read takes this value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from botleague.league import Season
from botleague_storage import ratings

__all__ = ["PUBLIC", "Viewer", "Visible", "visible"]


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks.

    Attributes:
        role: what may be seen; everybody may see what is settled.
    """

    role: Literal["public"] = "public"


PUBLIC = Viewer()
"""Whoever comes along."""


@dataclass(frozen=True, slots=True)
class Visible:
    """What exists for a viewer.

    Attributes:
        end: matches with ordinal numbers below it, and what follows from them.
    """

    end: int


def visible(viewer: Viewer, season: Season) -> Visible:
    """Return what of a season exists for a viewer: today, for everybody, what is settled."""
    settled, _ = ratings.coverage(season.connection, season.id)
    return Visible(settled if season.end is None else min(season.end, settled))
