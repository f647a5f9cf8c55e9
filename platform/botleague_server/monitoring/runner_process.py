"""The runner process of a server, which plays its leagues: started, watched, restarted, and ended with the server.

Web processes run neither plugins nor bots, so matches need another process. It ends when its standard input closes,
even if this process is killed.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Sequence
from contextlib import suppress

from botleague import python_process
from botleague.errors import counted

logger = logging.getLogger(__name__)

FIRST_PAUSE_S = 1.0
MAX_PAUSE_S = 60.0
"""Seconds before a dead process is restarted; doubled each time."""

GOOD_S = 60.0
"""Seconds after which a process counts as healthy, so that its end resets the pause."""

END_S = 7.0
"""Seconds that it gets to return its matches."""


class RunnerProcess:
    """Keeps one runner process running.

    Args:
        arguments: of the command ``botleague runner``.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self._arguments = arguments
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start it. Needs a running loop."""
        self._task = asyncio.create_task(self._keep())

    @property
    def is_alive(self) -> bool:
        """Whether the process runs, rather than waits for a restart."""
        return self._process is not None and self._process.returncode is None

    async def stop(self) -> None:
        """End the process, which returns its matches."""
        if self._task is None:
            return
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        process = self._process
        if process is None or process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            await asyncio.wait_for(process.wait(), END_S)
        except TimeoutError:
            logger.warning(
                "The runner did not exit within %d seconds and is killed; its matches are played again.",
                END_S,
            )
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _keep(self) -> None:
        pause = FIRST_PAUSE_S
        while True:
            begun = time.monotonic()
            self._process = await python_process.start_async(
                "botleague",
                "runner",
                "--with-parent",
                *self._arguments,
                stdin=asyncio.subprocess.PIPE,
                process_group=0,  # Ctrl-C at the terminal is for us
            )
            code = await self._process.wait()
            if time.monotonic() - begun > GOOD_S:
                pause = FIRST_PAUSE_S
            logger.error(
                "The runner ended (%s). It is restarted in %s.",
                _reason(code),
                counted(round(pause), "second"),
            )
            await asyncio.sleep(pause)
            pause = min(MAX_PAUSE_S, 2 * pause)


def _reason(code: int) -> str:
    return f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
