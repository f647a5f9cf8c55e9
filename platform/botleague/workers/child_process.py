"""A process that works for us, and the pipes to it.

Used by the local executor, by cluster workers, and for rendering replays.
"""

from __future__ import annotations

import select
import signal
import subprocess

import msgspec

from botleague import python_process
from botleague.errors import MachineryError
from botleague.workers.framing import frame_of, read_frame, write_frame
from botleague.workers.worker_setup import HostSetup

# All environment variables that a worker inherits: the location of Python and its packages, and the language.
KEPT_ENVIRONMENT = ("PATH", "PYTHONPATH", "PYTHONHASHSEED", "VIRTUAL_ENV", "LANG", "LC_ALL", "TMPDIR")


class ChildProcess:
    """One process that answers frames with frames. It dies with the process that started it.

    Args:
        program: the module to run, see :class:`~botleague.workers.worker_program.Owner`.
        setup: the first message to the process.

    Raises:
        MachineryError: the process cannot be started.
    """

    def __init__(self, program: str, setup: HostSetup) -> None:
        try:
            # Not a multiprocessing worker: the inherited state is one short list, and messages are not pickles.
            self._process = python_process.start(
                program,
                kept=KEPT_ENVIRONMENT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                # Ctrl-C at the terminal is for this process: it may arrive before the child can ignore it.
                process_group=0,
            )
        except OSError as error:
            raise MachineryError(f"Cannot start a worker process: {error}.") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._orders = self._process.stdin.fileno()
        self._outcomes = self._process.stdout.fileno()
        try:
            write_frame(self._orders, frame_of(setup))
        except OSError as error:
            self.end()
            raise MachineryError(f"A worker process did not start: {self.death()}") from error

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when an answer or the end of the process arrives."""
        return self._outcomes

    def write(self, order: msgspec.Struct) -> None:
        """Send an order.

        Raises:
            OSError: the process has ended.
        """
        write_frame(self._orders, frame_of(order))

    def has_answer(self, timeout_s: float) -> bool:
        """Wait some seconds; return whether the answer, or the end of the process, has arrived."""
        # Not select.select, which supports the first 1,024 files only: a server may have more connections.
        outcomes = select.poll()
        outcomes.register(self, select.POLLIN)
        return bool(outcomes.poll(1000 * timeout_s))

    def read(self) -> bytes | None:
        """Wait for the answer; None if the process has ended."""
        return read_frame(self._outcomes)

    def end(self) -> None:
        """Kill the process and its bots. A thread that waits for the answer gets None."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def death(self) -> str:
        """Return in one sentence how the process ended. Call :meth:`end` first."""
        code = self._process.wait()  # Another thread may be ending it.
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"The worker process died ({how})."
