"""Team pages: bots, versions and matches of a team."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague_server.team.team_views import RECORDS, TEAM_ENDPOINTS, TEAM_PAGES

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
