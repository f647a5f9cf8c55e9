"""Health, metrics and outages of a server, and its runner process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague_server.monitoring.availability import LATE_RULE, counts_at
    from botleague_server.monitoring.health import MONITORING_ENDPOINTS, JsonLines, Monitoring, Vitals
    from botleague_server.monitoring.heartbeat import Heartbeat
    from botleague_server.monitoring.runner_process import RunnerProcess

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
