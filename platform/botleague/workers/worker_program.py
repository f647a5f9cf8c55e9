"""Main loop of worker programs: orders from standard input, answers to standard output.

A program is started by :mod:`botleague.workers.child_process` with an environment that holds nothing of the league. It
ends when its input does, and dies with the process that started it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import msgspec

from botleague.workers.framing import frame_of, read_frame, write_frame
from botleague.workers.worker_setup import HostSetup

PR_SET_PDEATHSIG = 1


class Owner:
    """The process that started this one.

    Attributes:
        setup: how it wants this one to work.

    Raises:
        SystemExit: it is gone.
    """

    def __init__(self) -> None:
        # An interrupt of the whole process group is not for this process: its owner decides when to stop.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        self._orders, self._answers = os.dup(0), os.dup(1)
        # Nothing that a library prints may get into the frames.
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)
        setup = read_frame(self._orders)
        if setup is None:
            raise SystemExit
        self.setup = msgspec.msgpack.decode(setup, type=HostSetup)

    def serve(self, order_type: Any, carry_out: Callable[[Any], msgspec.Struct]) -> None:
        """Answer orders until the input ends.

        Args:
            order_type: of the orders, or the union of their types.
            carry_out: returns the answer to an order.
        """
        decoder = msgspec.msgpack.Decoder(order_type)
        # A closed pipe means that the owner was killed: the answer has no receiver.
        with contextlib.suppress(OSError):
            while (frame := read_frame(self._orders)) is not None:
                write_frame(self._answers, frame_of(carry_out(decoder.decode(frame))))
