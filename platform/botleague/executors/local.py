"""Holds matches in processes of this machine, one match at a time in each. The default."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

import msgspec

from botleague.errors import MachineryError, UsageError
from botleague.executors.frames import read_frame, write_frame
from botleague.executors.orders import HostSetup, MatchOrder, MatchOutcome

__all__ = ["LocalProcesses"]

# All that a match host inherits: where Python and its packages are, and in which language to speak.
KEPT_ENVIRONMENT = ("PATH", "PYTHONPATH", "PYTHONHASHSEED", "VIRTUAL_ENV", "LANG", "LC_ALL", "TMPDIR")


class LocalProcesses:
    """An executor of ``jobs`` match hosts.

    Raises:
        UsageError: ``jobs`` is below 1.
    """

    def __init__(self, setup: HostSetup, jobs: int = 1) -> None:
        if jobs < 1:
            raise UsageError(f"--jobs {jobs}: at least one match has to be played at a time.")
        self._selector = selectors.DefaultSelector()
        cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [None]
        # A host and its bots talk all the time: on one processor that is several times faster than on two.
        self._setups = [replace_core(setup, cores[number % len(cores)]) for number in range(jobs)]
        self._hosts: list[_Host] = []
        try:
            for host_setup in self._setups:
                self._hosts.append(self._start(host_setup))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> LocalProcesses:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    @property
    def capacity(self) -> int:
        """How many matches can be under way at once."""
        return len(self._setups)

    def submit(self, order: MatchOrder) -> None:
        """Give an order to a host that is free."""
        for place, host in enumerate(self._hosts):
            if host.order is None:
                try:
                    write_frame(host.orders, order)
                except OSError:
                    # It died while idle. A fresh one takes the order.
                    host = self._replace(place)
                    write_frame(host.orders, order)
                host.order = order
                return
        raise RuntimeError("more orders than match hosts")

    def wait(self, timeout_s: float) -> Sequence[MatchOutcome]:
        """Return what has come in; a host that died reports its match as failed and is replaced."""
        outcomes = []
        for key, _ in self._selector.select(timeout_s):
            host: _Host = key.data
            frame = read_frame(host.outcomes)
            order, host.order = host.order, None
            if frame is not None:
                outcomes.append(msgspec.msgpack.decode(frame, type=MatchOutcome))
                continue
            self._replace(self._hosts.index(host))
            if order is not None:
                outcomes.append(MatchOutcome(order.fixture, order.epoch, failure=_death(host.process)))
        return outcomes

    def close(self) -> None:
        """Kill all hosts, and their bots with them."""
        for host in self._hosts:
            self._end(host)
        self._hosts = []
        self._selector.close()

    def _start(self, setup: HostSetup) -> _Host:
        environment = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "botleague.executors.match_host"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                bufsize=0,
            )
        except OSError as error:
            raise MachineryError(f"A match host cannot be started: {error}.") from error
        assert process.stdin is not None
        assert process.stdout is not None
        host = _Host(process, process.stdin.fileno(), process.stdout.fileno(), setup)
        write_frame(host.orders, setup)
        self._selector.register(host.outcomes, selectors.EVENT_READ, host)
        return host

    def _replace(self, place: int) -> _Host:
        old = self._hosts[place]
        self._end(old)
        self._hosts[place] = self._start(old.setup)
        return self._hosts[place]

    def _end(self, host: _Host) -> None:
        self._selector.unregister(host.outcomes)
        host.process.kill()
        host.process.wait()
        for pipe in (host.process.stdin, host.process.stdout):
            if pipe is not None:
                pipe.close()


@dataclass(slots=True, eq=False)
class _Host:
    """A match host process, its pipe ends, and the order it works on."""

    process: subprocess.Popen[bytes]
    orders: int
    outcomes: int
    setup: HostSetup
    order: MatchOrder | None = None


def replace_core(setup: HostSetup, core: int | None) -> HostSetup:
    """Return ``setup`` for a host on another processor."""
    return msgspec.structs.replace(setup, core=core)


def _death(process: subprocess.Popen[bytes]) -> str:
    code = process.returncode
    how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return f"The process that held the match died ({how})."
