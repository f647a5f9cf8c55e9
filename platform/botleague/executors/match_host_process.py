"""Match hosts as child processes with queues of orders."""

from __future__ import annotations

import fcntl
import sys
import termios
from collections import deque

import msgspec

from botleague.executors.match_orders import MatchOrder, MatchOutcome
from botleague.workers import ChildProcess, HostSetup, frame_of, write_frame


class HostProcess(ChildProcess):
    """One match host with its queue of orders.

    Attributes:
        orders: the order under way, then the orders waiting in its pipe, so that it need not wait for its owner.

    Raises:
        MachineryError: the process cannot be started.
    """

    def __init__(self, setup: HostSetup) -> None:
        super().__init__("botleague.executors.match_worker", setup)
        self.setup = setup
        self.orders = deque[MatchOrder]()
        # Pages of a pipe are at least half full for any size of frames.
        self._room = fcntl.fcntl(self._orders, fcntl.F_GETPIPE_SZ) // 2

    def submit(self, order: MatchOrder) -> bool:
        """Send an order; return False if the host is busy and its pipe is full.

        Raises:
            OSError: the process has ended.
        """
        frame = frame_of(order)
        # A busy host may be about to write a long outcome: waiting for it to read could block both sides.
        if self.orders and self._unread() + len(frame) > self._room:
            return False
        write_frame(self._orders, frame)
        self.orders.append(order)
        return True

    def receive(self) -> MatchOutcome | None:
        """Wait for the outcome of the first order; None if the process has ended, which leaves ``orders`` unchanged."""
        frame = self.read()
        if frame is None:
            return None
        self.orders.popleft()
        return msgspec.msgpack.decode(frame, type=MatchOutcome)

    def _unread(self) -> int:
        counted = fcntl.ioctl(self._orders, termios.FIONREAD, bytes(4))
        return int.from_bytes(counted, sys.byteorder)
