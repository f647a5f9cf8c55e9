"""HTTP: who may use which address, caches, streams, health."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague_server.serving.access_rules import (
        DESK,
        INSIDE,
        MATCH,
        ROUTE,
        SAFE,
        SEASON,
        Endpoint,
        Gate,
        Method,
        Owned,
        wants_json,
    )
    from botleague_server.serving.availability import LATE_RULE, calendar_of, counts_at
    from botleague_server.serving.connections import (
        IDLE_S,
        Connections,
        HttpConnection,
        LimitLog,
        raised_file_limit,
    )
    from botleague_server.serving.event_streams import MaySee, Streams, TooMany
    from botleague_server.serving.form_body import fields, reading_form
    from botleague_server.serving.health import JsonLines, Monitoring, Vitals
    from botleague_server.serving.heartbeat import Heartbeat
    from botleague_server.serving.live_streams import Live
    from botleague_server.serving.middleware import Guard
    from botleague_server.serving.page_cache import Answer, Cache, PageReader
    from botleague_server.serving.private_pages import Private, PrivatePages, who_asks
    from botleague_server.serving.responses import PRIVATE, response, streamed
    from botleague_server.serving.runner_process import Player
    from botleague_server.serving.url_lookup import Asked

__getattr__ = late(__name__)
