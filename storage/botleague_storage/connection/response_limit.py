"""Connections to PostgreSQL that end if the server does not respond in time.

No limit of the server or of TCP does this: the machine of a server that is stopped, or that waits for its disk,
acknowledges all requests, and the server executes none.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

T = TypeVar("T")

logger = logging.getLogger(__name__)


def connect_within(
    limit_s: float, is_over: Callable[[], bool] | None
) -> Callable[..., psycopg.Connection[Any]]:
    """Return a handler of SQLAlchemy's event ``do_connect``, whose connections end after a time without a response.

    Args:
        limit_s: that time, in seconds.
        is_over: wait longer, with one warning, until this returns True; None to wait no longer.
    """

    class Limited(psycopg.Connection[Any]):
        def wait(self, gen: PQGen[T], *arguments: Any, **options: Any) -> T:
            """Wait for a response."""
            return super().wait(_limited(self, gen, limit_s, is_over), *arguments, **options)

    return lambda _dialect, _record, arguments, options: Limited.connect(*arguments, **options)


def _limited(
    connection: psycopg.Connection[Any], steps: PQGen[T], limit_s: float, is_over: Callable[[], bool] | None
) -> PQGen[T]:
    """Yield what the driver waits for; it resumes the steps several times per second, without a result or with one."""
    is_reported = False
    try:
        awaited, end = next(steps), time.monotonic() + limit_s
        while True:
            if result := (yield awaited):
                end = time.monotonic() + limit_s
            elif time.monotonic() >= end:
                if is_over is None or is_over():
                    connection.close()
                    raise psycopg.OperationalError(
                        f"connection timeout: no response within {limit_s:g} seconds"
                    )
                if not is_reported:
                    logger.warning("The database server has not responded for %g s. Waiting for it.", limit_s)
                is_reported = True
            awaited = steps.send(result)
    except StopIteration as done:
        value: T = done.value
        return value
