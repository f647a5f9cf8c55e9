"""A match host: a child process, with the orders that it has."""

from __future__ import annotations

import fcntl
import sys
import termios
from collections import deque

import msgspec

from botleague.executors.match_orders import MatchOrder, MatchOutcome
from botleague.workers import ChildProcess, HostSetup, frame_of, write_frame


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
