"""The client of a server: saved logins, uploads, unrated matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.application.client.practice_match import PracticeMatch, UnratedSet, unrated_set
    from botleague.application.client.saved_logins import KnownServer
    from botleague.application.client.server_client import (
        LeagueThere,
        Server,
        ServerError,
        Upload,
        is_readable,
        server_url,
    )
    from botleague.application.client.upload_request import choose_league, pack_up

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
