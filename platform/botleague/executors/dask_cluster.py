"""Executor that plays matches on a Dask ``distributed`` cluster. Needs ``pip install 'botleague[cluster]'``.

Every thread of a worker is a place for one match at a time. Short matches travel in groups of a fifth of a second,
because a task costs the scheduler more than such a match; a place then has a second group, so that it need not
wait for its runner. A group is a task bound to its worker, so the runner knows which matches a dead worker had: they
are played again, each in a group of its own, and reported as failed if that worker dies, too.
:mod:`botleague.executors.cluster_worker` contains the tasks.

Workers need this version of botleague and the same plugins; one-file plugins must have the same path. Start workers
with ``PYTHONSAFEPATH=1``, because Dask's own processes have the working directory on their import path.
"""

from __future__ import annotations

import itertools
import logging
import math
import queue
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from statistics import fmean
from typing import Any

import msgspec

from botleague.errors import MachineryError, UsageError
from botleague.executors.cluster_worker import end_hosts, hold, keep_hosts, start_hosts
from botleague.executors.local_processes import GATHER_S, MAX_AHEAD
from botleague.executors.match_orders import MatchOrder, MatchOutcome
from botleague.workers import HostSetup

logger = logging.getLogger(__name__)

CONNECT_S = 10.0
FIRST_WORKER_S = 30.0
LOOK_S = 1.0
"""Seconds between requests for the list of workers."""

FETCH_S = 15.0
"""Maximum seconds for a worker to send a finished outcome."""

GROUP_S = 0.2
"""Seconds of short matches in a group: each group costs as much processor time as one of them."""

LIFELINE_S = 40.0
"""Seconds without a sign of life after which workers end the match hosts of an executor."""


class DaskCluster:
    """An executor on all threads of all workers of a cluster, including workers that join later.

    Args:
        setup: settings of match hosts; workers choose the processors.
        jobs: maximum number of matches at a time; None for the number of threads.
        address: of the scheduler, like ``tcp://HOST:8786``.
        lifeline_s: seconds without a sign of life after which workers end the match hosts of this executor.

    Raises:
        UsageError: ``distributed`` is not installed, the address is invalid, no scheduler answers, or ``jobs`` is
            below 1.
        MachineryError: the cluster has no workers.
    """

    def __init__(
        self, setup: HostSetup, jobs: int | None = None, address: str = "", lifeline_s: float = LIFELINE_S
    ) -> None:
        if jobs is not None and jobs < 1:
            raise UsageError(f"--jobs must be 1 or more, not {jobs}.")
        self._address = address
        self._setup = msgspec.msgpack.encode(setup)
        self._runner = secrets.token_hex(8)
        self._jobs = jobs
        self._client: Any = _connect(address)
        self._workers: dict[str, _Worker] = {}
        self._waiting = deque[MatchOrder]()
        self._lost = set[tuple[int, int]]()
        self._usual_s = math.inf
        self._finished: queue.SimpleQueue[_Group] = queue.SimpleQueue()
        self._look_at = 0.0
        self._lifeline_s = lifeline_s
        self._is_closed = threading.Event()
        # In a thread, because the caller may plan or wait for a database for longer than a lifeline.
        threading.Thread(target=self._give_signs_of_life, name="signs of life", daemon=True).start()
        try:
            self._client.wait_for_workers(1, timeout=FIRST_WORKER_S)
            self._look()
        except TimeoutError as error:
            self.close()
            raise MachineryError(
                f"The cluster at {address} has no workers. Start some with `PYTHONSAFEPATH=1 dask worker {address}`."
            ) from error
        except BaseException:
            self.close()
            raise

    @property
    def capacity(self) -> int:
        """Maximum number of orders under way with the current workers: one per place, and more if matches are short."""
        ahead = min(MAX_AHEAD, int(2 * GATHER_S / self._usual_s))
        return self._places * (1 + ahead)

    @property
    def _places(self) -> int:
        return sum(len(worker.slots) for worker in self._workers.values())

    def submit(self, order: MatchOrder) -> None:
        """Add an order to those that the next call of :meth:`wait` sends to workers."""
        self._waiting.append(order)

    def wait(self, timeout_s: float) -> Sequence[MatchOutcome]:
        """Return arrived outcomes; matches that a dead worker had twice are reported as failed."""
        outcomes: list[MatchOutcome] = []
        deadline = time.monotonic() + timeout_s
        self._send()
        while not outcomes and (left := deadline - time.monotonic()) > 0:
            outcomes += self._receive(min(left, LOOK_S))
            if time.monotonic() >= self._look_at:
                outcomes += self._look()
            self._send()
        # While orders are waiting here, collect outcomes rather than have each group recorded by itself.
        end = time.monotonic() + GATHER_S
        while self._waiting and (left := end - time.monotonic()) > 0:
            outcomes += self._receive(left)
            self._send()
        return outcomes

    def close(self) -> None:
        """Cancel running matches and disconnect from the cluster. Workers end their match hosts."""
        self._is_closed.set()
        workers, self._workers = list(self._workers.values()), {}
        try:
            if self._client.status == "running":
                self._client.cancel(
                    [group.future for worker in workers for group in worker.groups], force=True
                )
                deadline = time.monotonic() + CONNECT_S
                for worker in workers:  # Hosts that start later would not be ended.
                    with suppress(TimeoutError):
                        worker.starting.exception(timeout=max(0.0, deadline - time.monotonic()))
                # Synchronous, because a worker runs plain functions in no other way. The timeout limits the wait for a
                # stalled worker.
                self._client.run(end_hosts, self._runner, on_error="ignore", callback_timeout=CONNECT_S)
        except Exception:  # The cluster is gone; there is nothing to release.
            pass
        self._client.close(timeout=CONNECT_S)

    def _send(self) -> None:
        """Send waiting orders to the least busy workers, up to two groups per place if matches are short."""
        depth = 2 if self._usual_s <= GATHER_S else 1
        size = max(1, min(MAX_AHEAD, int(GROUP_S / self._usual_s)))
        while self._waiting and self._workers:
            worker = min(self._workers.values(), key=_Worker.busy)
            if worker.busy() >= depth:
                break
            # The last orders are spread over all places.
            number = min(size, -(-len(self._waiting) // self._places))
            group = [self._waiting.popleft()]
            while len(group) < number and not {_key(group[-1]), _key(self._waiting[0])} & self._lost:
                group.append(self._waiting.popleft())
            self._start(worker, group)

    def _start(self, worker: _Worker, orders: list[MatchOrder]) -> None:
        future = self._task(worker, hold, msgspec.msgpack.encode(orders))
        group = _Group(worker, orders, future)
        worker.groups.append(group)
        future.add_done_callback(lambda _: self._finished.put(group))

    def _task(self, worker: _Worker, function: Callable[..., object], *arguments: bytes) -> Any:
        """Start a task on a worker, and return its future."""
        try:
            # Dask must not move it to another worker: if its worker is lost, the matches are sent again.
            return self._client.submit(
                function,
                self._runner,
                self._setup,
                *arguments,
                slots=worker.slots,
                lifeline_s=self._lifeline_s,
                workers=[worker.address],
                allow_other_workers=False,
                pure=False,
                retries=0,
            )
        except Exception as error:
            raise self._gone(error) from error

    def _receive(self, timeout_s: float) -> list[MatchOutcome]:
        """Wait for a finished group, and return the outcomes of all that have finished."""
        outcomes: list[MatchOutcome] = []
        with suppress(queue.Empty):
            group = self._finished.get(timeout=timeout_s)
            while True:
                if group in group.worker.groups:
                    group.worker.groups.remove(group)
                    outcomes += self._outcomes(group)
                group = self._finished.get_nowait()
        for outcome in outcomes:
            self._lost.discard((outcome.fixture, outcome.epoch))
        if times := [outcome.report.wall_ms for outcome in outcomes if outcome.report is not None]:
            self._usual_s = max(fmean(times), 1.0) / 1000
        return outcomes

    def _give_signs_of_life(self) -> None:
        while not self._is_closed.wait(self._lifeline_s / 4):
            # Calls that wait for matches report a lost cluster.
            with suppress(Exception):
                self._client.run(
                    keep_hosts, self._runner, on_error="ignore", callback_timeout=self._lifeline_s / 4
                )

    def _look(self) -> list[MatchOutcome]:
        """Refresh the list of workers: return failed matches of dead workers, and add places of new ones."""
        try:
            threads: dict[str, int] = self._client.nthreads()
        except Exception as error:
            raise self._gone(error) from error
        self._look_at = time.monotonic() + LOOK_S
        lost = [self._workers.pop(address) for address in self._workers.keys() - threads.keys()]
        for address in sorted(threads):
            self._workers.setdefault(address, _Worker(address))
        self._share_places(threads)
        if lost and not threads:
            logger.warning("The cluster at %s has no workers left; waiting for new ones.", self._address)
        outcomes = []
        for group in [group for worker in lost for group in worker.groups]:
            self._client.cancel([group.future], force=True)
            for order in group.orders:
                if _key(order) in self._lost:
                    why = "The cluster worker of the match is gone."
                    outcomes.append(MatchOutcome(order.fixture, order.epoch, failure=why))
                else:
                    self._waiting.append(order)
                self._lost ^= {_key(order)}
        for worker in lost:
            worker.groups.clear()
        return outcomes

    def _share_places(self, threads: Mapping[str, int]) -> None:
        """Give free threads of workers places, as many as ``jobs`` allows, and start match hosts there."""
        grown = set[str]()
        while self._jobs is None or self._places < self._jobs:
            free = [
                worker for worker in self._workers.values() if len(worker.slots) < threads[worker.address]
            ]
            if not free:
                break
            worker = min(free, key=lambda worker: len(worker.slots))
            used = {
                slot
                for other in self._workers.values()
                if other.machine == worker.machine
                for slot in other.slots
            }
            worker.slots.append(next(slot for slot in itertools.count() if slot not in used))
            grown.add(worker.address)
        self._workers = {address: worker for address, worker in self._workers.items() if worker.slots}
        for address in grown:
            self._workers[address].starting = self._task(self._workers[address], start_hosts)

    def _outcomes(self, group: _Group) -> list[MatchOutcome]:
        """Return the outcomes of a finished task."""
        try:
            encoded = self._fetch(group)
        except ImportError as error:
            why = (
                f"Worker {group.worker.address} cannot import the packages of matches ({error}). "
                "Install botleague there."
            )
            is_final = True
        except Exception as error:  # any error that Dask reports for a task
            lines = str(error).strip().splitlines()
            why = lines[0] if lines else type(error).__name__
            why = f"Cluster worker {group.worker.address} could not play the match: {why}"
            is_final = False
        else:
            return msgspec.msgpack.decode(encoded, type=list[MatchOutcome])
        return [
            MatchOutcome(order.fixture, order.epoch, failure=why, is_final=is_final) for order in group.orders
        ]

    def _fetch(self, group: _Group) -> bytes:
        """Return the result of a task. Polls, because Dask would wait long for a worker that died after the task."""
        deadline = time.monotonic() + FETCH_S
        while True:
            try:
                encoded: bytes = group.future.result(timeout=LOOK_S)
                return encoded
            except TimeoutError:
                if time.monotonic() > deadline or group.worker.address not in self._client.nthreads():
                    raise

    def _gone(self, error: Exception) -> MachineryError:
        return MachineryError(
            f"The Dask scheduler at {self._address} no longer answers ({type(error).__name__}). "
            "Run the same command again when it is back: it resumes from the recorded results."
        )


class _Worker(msgspec.Struct, eq=False):
    """A worker with the numbers of its places: each place of a machine has its processor.

    Attributes:
        starting: the task that starts its match hosts.
    """

    address: str
    slots: list[int] = msgspec.field(default_factory=list)
    groups: list[_Group] = msgspec.field(default_factory=list)
    starting: Any = None

    def busy(self) -> float:
        """Return the number of groups per place."""
        return len(self.groups) / len(self.slots)

    @property
    def machine(self) -> str:
        return self.address.rpartition(":")[0]


class _Group(msgspec.Struct, frozen=True, eq=False):
    """A group of matches, the task of a worker."""

    worker: _Worker
    orders: list[MatchOrder]
    future: Any


def _key(order: MatchOrder) -> tuple[int, int]:
    return order.fixture, order.epoch


def cluster_client() -> Any:
    """Return the class of the scheduler's client.

    Raises:
        UsageError: ``distributed`` is not installed.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise UsageError(
            f"A cluster needs the package `distributed` ({error}): pip install 'botleague[cluster]'."
        ) from error
    return Client


def _connect(address: str) -> Any:
    client = cluster_client()
    try:
        return client(address, timeout=CONNECT_S, set_as_default=False, name="botleague")
    except (OSError, TimeoutError) as error:
        raise UsageError(
            f"No Dask scheduler answers at {address}. Start one with `dask scheduler` and use the printed address."
        ) from error
    except (ValueError, TypeError) as error:
        raise UsageError(
            f"{address!r} is not the address of a Dask scheduler ({error}). It looks like tcp://HOST:8786."
        ) from error
