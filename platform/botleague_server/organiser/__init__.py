"""Organiser pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague_server.organiser.league_creation import CREATION_ENDPOINTS, NEW_LEAGUE_PAGE, LeagueCreation
    from botleague_server.organiser.organiser_views import (
        ORGANISER_ENDPOINTS,
        ORGANISER_PAGES,
        OrganiserViews,
    )

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
