"""The process beside a server that keeps its leagues playing: started, watched, started again, and ended with it.

No plugin's code and no bot runs in a web process, so matches are another process's business. It ends when its
standard input does, whatever becomes of us.
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
"""Before a process that has died is started again: twice as long each time."""

GOOD_S = 60.0
"""A process that lived so long was well, and what killed it is news."""

END_S = 7.0
"""It has so long to give back what it holds."""


class RunnerProcess:
    """Keeps one process running that plays.

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
        """Whether it runs now, and is not about to be started again."""
        return self._process is not None and self._process.returncode is None

    async def stop(self) -> None:
        """End it: it gives back what it plays."""
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
                "The runner did not end in %d seconds and is killed; its matches are played again.", END_S
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
                "The runner ended (%s). It is started again in %s.",
                _said(code),
                counted(round(pause), "second"),
            )
            await asyncio.sleep(pause)
            pause = min(MAX_PAUSE_S, 2 * pause)


def _said(code: int) -> str:
    return f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
