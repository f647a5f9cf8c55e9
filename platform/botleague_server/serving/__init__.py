"""HTTP: access control, caches, streams and connections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague_server.serving.access_rules import ROUTE, is_from_this_machine
    from botleague_server.serving.connections import (
        IDLE_S,
        Connections,
        HttpConnection,
        QuietLog,
        raised_file_limit,
    )
    from botleague_server.serving.event_streams import Streams
    from botleague_server.serving.form_body import fields, reading_form
    from botleague_server.serving.live_streams import Live
    from botleague_server.serving.middleware import Guard
    from botleague_server.serving.page_cache import Answer, PageReader
    from botleague_server.serving.public_endpoints import PUBLIC_ENDPOINTS
    from botleague_server.serving.responses import redirect, refusal, wants_json
    from botleague_server.serving.routes import error_handlers, route_list, rules
    from botleague_server.serving.server import (
        Endpoint,
        Server,
        address_of,
        bound,
        current_user,
        file,
        query_of,
        requested_league,
    )
    from botleague_server.serving.stored_requests import LimitReached, form_again, stored, with_wait

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
