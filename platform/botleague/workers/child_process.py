"""A process that works for us, and the pipes to it; and the one that is a match host.

Used by the local executor, by cluster workers, and where films are made.
"""

from __future__ import annotations

import fcntl
import signal
import subprocess
import sys
import termios
from collections import deque

import msgspec

from botleague import python_process
from botleague.errors import MachineryError
from botleague.executors.match_orders import HostSetup, MatchOrder, MatchOutcome
from botleague.workers.framing import frame_of, read_frame, write_frame

__all__ = ["ChildProcess", "HostProcess"]

# All that a host inherits: where Python and its packages are, and in which language to speak.
KEPT_ENVIRONMENT = ("PATH", "PYTHONPATH", "PYTHONHASHSEED", "VIRTUAL_ENV", "LANG", "LC_ALL", "TMPDIR")


class ChildProcess:
    """One process that answers frames with frames. It dies with the process that started it.

    Args:
        program: the module that it runs, see :func:`~botleague.executors.match_worker.serve`.
        setup: what it is told first.

    Raises:
        MachineryError: no process can be started.
    """

    def __init__(self, program: str, setup: HostSetup) -> None:
        try:
            # Not a multiprocess worker: what is inherited is a short list in one place, and messages are no pickles.
            self._process = python_process.start(
                program,
                kept=KEPT_ENVIRONMENT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                # Ctrl-C at the terminal is for us: it may come before the process could say that it ignores it.
                process_group=0,
            )
        except OSError as error:
            raise MachineryError(f"A host cannot be started: {error}.") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._orders = self._process.stdin.fileno()
        self._outcomes = self._process.stdout.fileno()
        try:
            write_frame(self._orders, frame_of(setup))
        except OSError as error:
            self.end()
            raise MachineryError(f"A host did not start: {self.death()}") from error

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when an answer, or the end of the process, can be received."""
        return self._outcomes

    def write(self, order: msgspec.Struct) -> None:
        """Hand over an order.

        Raises:
            OSError: the process is gone.
        """
        write_frame(self._orders, frame_of(order))

    def read(self) -> bytes | None:
        """Wait for the answer; None when the process is gone."""
        return read_frame(self._outcomes)

    def end(self) -> None:
        """Kill the process, and its bots with it. Somebody who waits for its answer gets none."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def death(self) -> str:
        """Return in one sentence how the process ended. Call :meth:`end` first."""
        code = self._process.wait()  # another thread may be ending it
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"The process that held the match died ({how})."


class HostProcess(ChildProcess):
    """One match host, with the orders that it has.

    Attributes:
        setup: how it works.
        orders: what it works on, and after that what waits in its pipe, so that it need not wait for its owner.

    Raises:
        MachineryError: no process can be started.
    """

    def __init__(self, setup: HostSetup) -> None:
        super().__init__("botleague.executors.match_worker", setup)
        self.setup = setup
        self.orders = deque[MatchOrder]()
        # However frames are cut, pages of a pipe are half full at least.
        self._room = fcntl.fcntl(self._orders, fcntl.F_GETPIPE_SZ) // 2

    def submit(self, order: MatchOrder) -> bool:
        """Hand over an order; return False if the host has others and its pipe no room for it.

        Raises:
            OSError: the process is gone.
        """
        frame = frame_of(order)
        # A host that works may be about to write a long outcome: nobody may wait for it to read.
        if self.orders and self._unread() + len(frame) > self._room:
            return False
        write_frame(self._orders, frame)
        self.orders.append(order)
        return True

    def receive(self) -> MatchOutcome | None:
        """Wait for the outcome of the first order; None when the process is gone, the orders then stay."""
        frame = self.read()
        if frame is None:
            return None
        self.orders.popleft()
        return msgspec.msgpack.decode(frame, type=MatchOutcome)

    def _unread(self) -> int:
        counted = fcntl.ioctl(self._orders, termios.FIONREAD, bytes(4))
        return int.from_bytes(counted, sys.byteorder)
