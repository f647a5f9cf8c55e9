"""Holds matches in processes of this machine, one match at a time in each. The default."""

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
"""Outcomes that come in within this time are returned together, while every host has something to do.

Recording one match takes nearly as long as recording ten, and longer than many a match. Whoever looks at a table waits
longer for it to be drawn.
"""

MOST_AHEAD = 64
"""Orders that wait for each host at most."""

HANDED_S = 0.1
"""For so long a host has orders of its own: it goes on while its owner records what came in."""

MOST_A_CORE = 16
"""Match hosts for each processor; a slip of the finger must not fill the memory with them."""


class LocalProcesses:
    """An executor of ``jobs`` match hosts.

    Raises:
        UsageError: ``jobs`` is below 1, or far more than this machine's processors can serve.
    """

    def __init__(self, setup: HostSetup, jobs: int = 1) -> None:
        if jobs < 1:
            raise UsageError(f"--jobs {jobs}: at least one match has to be played at a time.")
        cores: list[int] | list[None] = quiet_cores() or [None]
        if jobs > MOST_A_CORE * len(cores):
            raise UsageError(
                f"--jobs {jobs}: each match at a time needs a process and its memory. "
                f"With {counted(len(cores), 'processor')}, give at most {MOST_A_CORE * len(cores)}."
            )
        self._selector = selectors.DefaultSelector()
        self._hosts: list[HostProcess] = []
        self._waiting = deque[MatchOrder]()
        self._usual_s = math.inf
        try:
            for number in range(jobs):
                # A host and its bots talk all the time: on one processor that is several times faster than on two.
                self._hosts.append(
                    self._start(msgspec.structs.replace(setup, core=cores[number % len(cores)]))
                )
        except BaseException:
            self.close()
            raise

    @property
    def capacity(self) -> int:
        """How many orders can be under way at once: one a host, and where matches are short some that wait.

        Long matches do not wait here: another runner may have a host that is free.
        """
        ahead = min(MOST_AHEAD, int(2 * GATHER_S / self._usual_s))
        return len(self._hosts) * (1 + ahead)

    def submit(self, order: MatchOrder) -> None:
        """Give an order to the first host that is free."""
        self._waiting.append(order)
        self._hand_out()

    def wait(self, timeout_s: float) -> Sequence[MatchOutcome]:
        """Return what has come in; a host that died reports its match as failed and is replaced."""
        outcomes = self._receive(timeout_s)
        end = time.monotonic() + GATHER_S
        while outcomes and (least := min(len(host.orders) for host in self._hosts)):
            if (left := end - time.monotonic()) <= 0:
                break
            # Where every host has orders of its own, nobody is woken by each single outcome.
            time.sleep(min(left, (least - 1) * min(self._usual_s, GATHER_S) / 2))
            outcomes += self._receive(left)
        return outcomes

    def close(self) -> None:
        """Kill all hosts, and their bots with them."""
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
                    self._waiting.extendleft(reversed(host.orders))  # it had not begun them
            self._hand_out()
        return outcomes

    def _hand_out(self) -> None:
        """Give every host an order, and then more as far as they are short, and less the fewer there are.

        The last ones are for whoever is free first.
        """
        for handed in range(1 + int(min(HANDED_S / self._usual_s, MOST_AHEAD))):
            for place, host in enumerate(self._hosts):
                is_due = len(host.orders) == handed and len(self._waiting) > handed * len(self._hosts)
                if is_due and self._submit(place, self._waiting[0]):
                    self._waiting.popleft()

    def _submit(self, place: int, order: MatchOrder) -> bool:
        try:
            return self._hosts[place].submit(order)
        except OSError:
            if self._hosts[place].orders:
                return False  # it died at work, which its end of the pipe will say
            return self._replace(place).submit(order)  # it died while idle; a fresh one takes the order

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
