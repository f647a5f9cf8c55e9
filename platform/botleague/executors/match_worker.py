"""The program of a match host process: reads orders from its standard input, writes outcomes to its standard output.

Started by :mod:`botleague.workers.child_process` with an environment that holds nothing of the league. It ends when
its input does, and dies with the process that started it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TypeVar

import msgspec

from botleague.executors.match_hosting import MatchHost
from botleague.executors.match_orders import MatchOrder, MatchOutcome
from botleague.workers import HostSetup, frame_of, read_frame, write_frame

PR_SET_PDEATHSIG = 1

Order = TypeVar("Order", bound=msgspec.Struct)


def serve(
    order_type: type[Order],
    open_host: Callable[[HostSetup], AbstractContextManager[Callable[[Order], msgspec.Struct]]],
) -> None:
    """Serve orders until the input ends.

    Args:
        order_type: of the orders.
        open_host: gives what carries out an order and returns the answer, for as long as orders come.
    """
    # Whoever interrupts every process of a kind does not mean this one: its owner decides when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    orders, outcomes = os.dup(0), os.dup(1)
    # Nothing that a library prints may get into the frames.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    setup = read_frame(orders)
    if setup is None:
        return
    configured = msgspec.msgpack.decode(setup, type=HostSetup)
    # An end that is gone is an owner that was killed; nobody is left to be told.
    with open_host(configured) as carry_out, contextlib.suppress(OSError):
        while (frame := read_frame(orders)) is not None:
            write_frame(outcomes, frame_of(carry_out(msgspec.msgpack.decode(frame, type=order_type))))


@contextlib.contextmanager
def _match_host(setup: HostSetup) -> Iterator[Callable[[MatchOrder], MatchOutcome]]:
    with MatchHost(setup) as host:
        yield host.hold


def main() -> None:
    """Hold matches."""
    serve(MatchOrder, _match_host)


if __name__ == "__main__":
    main()
