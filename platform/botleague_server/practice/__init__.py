"""Unrated matches on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague_server.practice.practice_service import opponents, remaining_matches
    from botleague_server.practice.practice_views import PRACTICE_ENDPOINTS, PRACTICE_PAGES

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
