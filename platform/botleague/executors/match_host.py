"""The program of a match host process: reads orders from its standard input, writes outcomes to its standard output.

Started by :mod:`botleague.executors.local` with an environment that holds nothing of the league. It ends when its input
does, and dies with the runner.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

import msgspec

from botleague.executors.frames import read_frame, write_frame
from botleague.executors.hosting import MatchHost
from botleague.executors.orders import HostSetup, MatchOrder

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Serve orders until the input ends."""
    # Whoever interrupts every process of a kind does not mean a match: the runner decides when to stop.
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
    # An end that is gone is a runner that was killed; nobody is left to be told.
    with MatchHost(configured) as host, contextlib.suppress(OSError):
        while (frame := read_frame(orders)) is not None:
            write_frame(outcomes, host.hold(msgspec.msgpack.decode(frame, type=MatchOrder)))


if __name__ == "__main__":
    main()
