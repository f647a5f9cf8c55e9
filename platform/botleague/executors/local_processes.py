"""Executor that plays matches in processes of this machine, one match at a time in each. The default."""

from __future__ import annotations

import math
import selectors
import time
from collections import deque
from collections.abc import Sequence

import msgspec

from botleague.errors import UsageError, counted
from botleague.executors.match_host_process import HostProcess
from botleague.executors.match_orders import MatchOrder, MatchOutcome
from botleague.referee import quiet_cores
from botleague.workers import HostSetup

GATHER_S = 0.5
"""Seconds in which outcomes are collected before they are returned, while every host is busy.

Recording one match takes nearly as long as recording ten, and longer than many matches. Standings are updated
later by this time.
"""

MAX_AHEAD = 128
"""Maximum number of waiting orders per host, and of matches in a group of a cluster."""

HANDED_S = 0.1
"""Seconds of work that a host has in its own queue, so that it continues while the runner records outcomes."""

MAX_HOSTS_PER_CORE = 16
"""Maximum number of match hosts per processor; more would fill the memory."""


class LocalProcesses:
    """An executor of ``jobs`` match hosts.

    Raises:
        UsageError: ``jobs`` is below 1, or too large for this machine's processors.
    """

    def __init__(self, setup: HostSetup, jobs: int = 1) -> None:
        if jobs < 1:
            raise UsageError(f"--jobs must be 1 or more, not {jobs}.")
        cores: list[int] | list[None] = quiet_cores() or [None]
        if jobs > MAX_HOSTS_PER_CORE * len(cores):
            raise UsageError(
                f"--jobs {jobs}: each concurrent match needs a process and its memory. "
                f"With {counted(len(cores), 'processor')}, the maximum is {MAX_HOSTS_PER_CORE * len(cores)}."
            )
        self._selector = selectors.DefaultSelector()
        self._hosts: list[HostProcess] = []
        self._waiting = deque[MatchOrder]()
        self._usual_s = math.inf
        try:
            for number in range(jobs):
                # A host and its bots communicate constantly: one processor is several times faster than two.
                self._hosts.append(
                    self._start(msgspec.structs.replace(setup, core=cores[number % len(cores)]))
                )
        except BaseException:
            self.close()
            raise

    @property
    def capacity(self) -> int:
        """Maximum number of orders under way: one per host, plus waiting ones if matches are short.

        Long matches do not wait here, because another runner may have an idle host.
        """
        ahead = min(MAX_AHEAD, int(2 * GATHER_S / self._usual_s))
        return len(self._hosts) * (1 + ahead)

    def submit(self, order: MatchOrder) -> None:
        """Assign an order to the first free host."""
        self._waiting.append(order)
        self._hand_out()

    def wait(self, timeout_s: float) -> Sequence[MatchOutcome]:
        """Return arrived outcomes; a dead host's match is reported as failed, and the host is replaced."""
        outcomes = self._receive(timeout_s)
        end = time.monotonic() + GATHER_S
        while outcomes and (least := min(len(host.orders) for host in self._hosts)):
            if (left := end - time.monotonic()) <= 0:
                break
            # While every host has a queue, collect outcomes rather than wake up for each.
            time.sleep(min(left, (least - 1) * min(self._usual_s, GATHER_S) / 2))
            outcomes += self._receive(left)
        return outcomes

    def close(self) -> None:
        """Kill all hosts and their bots."""
        for host in self._hosts:
            self._end(host)
        self._hosts = []
        self._selector.close()

    def _receive(self, timeout_s: float) -> list[MatchOutcome]:
        outcomes = []
        while ready := self._selector.select(timeout_s):
            timeout_s = 0.0
            for key, _ in ready:
                host: HostProcess = key.data
                outcome = host.receive()
                if outcome is not None:
                    outcomes.append(outcome)
                    if outcome.report is not None:
                        self._usual_s = max(outcome.report.wall_ms, 1.0) / 1000
                    continue
                self._replace(self._hosts.index(host))
                if host.orders:
                    order = host.orders.popleft()
                    outcomes.append(MatchOutcome(order.fixture, order.epoch, failure=host.death()))
                    self._waiting.extendleft(reversed(host.orders))  # The host had not started them.
            self._hand_out()
        return outcomes

    def _hand_out(self) -> None:
        """Give every host one order, then further orders if matches are short and enough orders are left.

        The last orders go to the hosts that are free first.
        """
        for handed in range(1 + int(min(HANDED_S / self._usual_s, MAX_AHEAD))):
            for place, host in enumerate(self._hosts):
                is_due = len(host.orders) == handed and len(self._waiting) > handed * len(self._hosts)
                if is_due and self._submit(place, self._waiting[0]):
                    self._waiting.popleft()

    def _submit(self, place: int, order: MatchOrder) -> bool:
        try:
            return self._hosts[place].submit(order)
        except OSError:
            if self._hosts[place].orders:
                return False  # It died at work, which its end of the pipe reports.
            return self._replace(place).submit(order)  # It died while idle; a new one takes the order.

    def _start(self, setup: HostSetup) -> HostProcess:
        host = HostProcess(setup)
        self._selector.register(host, selectors.EVENT_READ, host)
        return host

    def _replace(self, place: int) -> HostProcess:
        old = self._hosts[place]
        self._end(old)
        self._hosts[place] = self._start(old.setup)
        return self._hosts[place]

    def _end(self, host: HostProcess) -> None:
        self._selector.unregister(host)
        host.end()
