"""Uploads: storing, checking and showing submissions to a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague_server.uploads.upload_service import (
        UploadChecks,
        go_back,
        in_words,
        refuse_weaker_settings,
        refuse_where_unsafe,
    )
    from botleague_server.uploads.upload_views import UPLOAD_ENDPOINTS, UPLOAD_PAGES, UploadPages

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
