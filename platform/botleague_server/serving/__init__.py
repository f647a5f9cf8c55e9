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

__all__ = [
    "DESK",
    "IDLE_S",
    "INSIDE",
    "LATE_RULE",
    "MATCH",
    "PRIVATE",
    "ROUTE",
    "SAFE",
    "SEASON",
    "Answer",
    "Asked",
    "Cache",
    "Connections",
    "Endpoint",
    "Gate",
    "Guard",
    "Heartbeat",
    "HttpConnection",
    "JsonLines",
    "LimitLog",
    "Live",
    "MaySee",
    "Method",
    "Monitoring",
    "Owned",
    "PageReader",
    "Player",
    "Private",
    "PrivatePages",
    "Streams",
    "TooMany",
    "Vitals",
    "calendar_of",
    "counts_at",
    "fields",
    "raised_file_limit",
    "reading_form",
    "response",
    "streamed",
    "wants_json",
    "who_asks",
]

__getattr__ = late(
    __name__,
    {
        "access_rules": "DESK Endpoint Gate INSIDE MATCH Method Owned ROUTE SAFE SEASON wants_json",
        "availability": "LATE_RULE calendar_of counts_at",
        "connections": "Connections HttpConnection IDLE_S LimitLog raised_file_limit",
        "event_streams": "MaySee Streams TooMany",
        "form_body": "fields reading_form",
        "health": "JsonLines Monitoring Vitals",
        "heartbeat": "Heartbeat",
        "live_streams": "Live",
        "middleware": "Guard",
        "page_cache": "Answer Cache PageReader",
        "private_pages": "Private PrivatePages who_asks",
        "responses": "PRIVATE response streamed",
        "runner_process": "Player",
        "url_lookup": "Asked",
    },
)
