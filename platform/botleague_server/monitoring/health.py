"""Health and metrics of the server, and its server log, with a line per request.

Metrics include matches that are hidden from others, so they are for this machine and for organisers. A line of the log
contains no possible secret: no query, no one-time code, no content of a request, and no user.

Source: https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

import json
import logging
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

import anyio.to_thread
from sqlalchemy.engine import Connection
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from botleague.people import is_at_least
from botleague.site import EVERYBODY, AccessRule
from botleague_server.serving import ROUTE, Endpoint, PageReader, is_from_this_machine
from botleague_storage import StorageError, server_metrics
from botleague_storage.connection.database import HEAD

requests = logging.getLogger("botleague.requests")

Vitals = Callable[[], Mapping[str, bool]]
"""Returns the state of each part of the server other than the database. Called in a thread."""

BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

SECRET = frozenset({"code"})
"""Parts of addresses that grant access."""

UNKNOWN = "(none)"
"""Route of a request to an unknown address, which may be a mistyped one-time link."""


class Monitoring:
    """Counts requests, and answers monitoring programs.

    Args:
        reader: of the database.
        vitals: of the other parts of the server.
    """

    def __init__(self, reader: PageReader, vitals: Vitals) -> None:
        self._reader = reader
        self._vitals = vitals
        self._began: dict[tuple[str, str], list[int]] = {}
        self._seconds: dict[tuple[str, str], float] = {}
        self._statuses: Counter[int] = Counter()

    def watch(self, app: ASGIApp) -> ASGIApp:
        """Return the application with each request counted and logged."""

        async def watched(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            begun, status, answered = time.perf_counter(), 500, 0.0

            async def note(message: Message) -> None:
                nonlocal status, answered
                if message["type"] == "http.response.start":
                    status, answered = message["status"], time.perf_counter() - begun
                await send(message)

            try:
                await app(scope, receive, note)
            finally:
                self._count(scope, status, answered or time.perf_counter() - begun)

        return watched

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope.get(ROUTE, UNKNOWN)
        # The method comes from the client, too.
        key = (route, scope["method"] if route != UNKNOWN else UNKNOWN)
        buckets = self._began.setdefault(key, [0] * (len(BOUNDS_S) + 1))
        buckets[bisect_left(BOUNDS_S, seconds)] += 1
        self._seconds[key] = self._seconds.get(key, 0.0) + seconds
        self._statuses[status] += 1
        if requests.isEnabledFor(logging.INFO):
            is_logged = route != UNKNOWN and not SECRET & scope.get("path_params", {}).keys()
            fields = {
                "method": key[1],
                "route": route,
                "path": scope["path"] if is_logged else None,
                "status": status,
                "ms": round(1000 * seconds, 1),
            }
            requests.info("request", extra={"told": fields})

    async def health(self, request: Request) -> Response:
        """Return the health of the server; organisers and programs on this machine also get its parts."""
        vitals = {
            "database": await anyio.to_thread.run_sync(self._can_read),
            **await anyio.to_thread.run_sync(self._vitals),
        }
        is_well = all(vitals.values())
        report: dict[str, object] = {"status": "ok" if is_well else "not ok"}
        viewer = request.state.who.viewer
        if is_from_this_machine(request) or is_at_least(viewer.role, "organiser"):
            report |= {
                "schema": HEAD,
                "parts": {name: "ok" if well else "not ok" for name, well in vitals.items()},
            }
        return JSONResponse(report, 200 if is_well else 503, {"Cache-Control": "no-store"})

    async def metrics(self, request: Request) -> Response:
        """Return the metrics in the format of Prometheus."""
        lines = await anyio.to_thread.run_sync(self._reader.read, _of_database, None)
        text = "".join(f"{line}\n" for line in [*lines, *self._of_requests()])
        media_type = "text/plain; version=0.0.4; charset=utf-8"
        return PlainTextResponse(text, headers={"Cache-Control": "no-store"}, media_type=media_type)

    def _can_read(self) -> bool:
        try:
            self._reader.read(server_metrics.uploads_waiting, None)
        except StorageError:
            return False
        return True

    def _of_requests(self) -> Iterator[str]:
        yield from _head("botleague_responses_total", "counter", "Responses by status.")
        for status, number in sorted(self._statuses.items()):
            yield _line("botleague_responses_total", number, status=str(status))
        name = "botleague_request_seconds"
        yield from _head(name, "histogram", "Time to first byte of a response, by route.")
        for (route, method), buckets in sorted(self._began.items()):
            through = 0
            for bound, number in zip([*map(str, BOUNDS_S), "+Inf"], buckets, strict=True):
                through += number
                yield _line(f"{name}_bucket", through, route=route, method=method, le=bound)
            yield _line(f"{name}_sum", self._seconds[route, method], route=route, method=method)
            yield _line(f"{name}_count", through, route=route, method=method)


MONITORING_ENDPOINTS = (
    # Others only get the overall health.
    Endpoint("GET", "/healthz", Monitoring.health, EVERYBODY),
    Endpoint(
        "GET", "/metrics", Monitoring.metrics, AccessRule("organiser", ("organise",), is_for_machine=True)
    ),
)


def _of_database(connection: Connection) -> list[str]:
    rows = server_metrics.of_leagues(connection)
    lines = [
        *_head("botleague_uploads_waiting", "gauge", "Uploads without a verdict."),
        _line("botleague_uploads_waiting", server_metrics.uploads_waiting(connection)),
        *_head("botleague_matches", "gauge", "Matches by state, of all seasons of a league."),
    ]
    lines += [
        _line("botleague_matches", number, league=one.name, state=state)
        for one in rows
        for state, number in one.matches.items()
    ]
    lines += _head("botleague_faults_total", "counter", "Faults of bots by kind.")
    lines += [
        _line("botleague_faults_total", number, league=one.name, kind=kind)
        for one in rows
        for kind, number in sorted(one.faults.items())
    ]
    lines += _head("botleague_void_total", "counter", "Match attempts that failed because of the machine.")
    return lines + [_line("botleague_void_total", one.void, league=one.name) for one in rows]


def _head(name: str, kind: str, what: str) -> list[str]:
    return [f"# HELP {name} {what}", f"# TYPE {name} {kind}"]


def _line(name: str, value: float, **labels: str) -> str:
    pairs = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
    return f"{name}{{{pairs}}} {value}" if pairs else f"{name} {value}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


class JsonLines(logging.Formatter):
    """Formats log records as JSON, one line each: time, level, logger and event, and the fields of a request."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        fields: Mapping[str, object] = getattr(record, "told", {})
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "event": record.getMessage(),
        }
        return json.dumps({**line, **fields})
