"""Executor that plays matches on a Dask ``distributed`` cluster. Needs ``pip install 'botleague[cluster]'``.

Every thread of a worker is a place for one match. A match is a task bound to its place, so the runner
knows which matches a dead worker had: they are reported as failed, and the league plays them again.
:mod:`botleague.executors.cluster_worker` contains the tasks.

Workers need this version of botleague and the same plugins; one-file plugins must have the same path. Start workers
with ``PYTHONSAFEPATH=1``, because Dask's own processes have the working directory on their import path.
"""

from __future__ import annotations

import itertools
import logging
import queue
import secrets
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from botleague.errors import MachineryError, UsageError
from botleague.executors.cluster_worker import end_hosts, hold, keep_hosts
from botleague.executors.match_orders import MatchOrder, MatchOutcome
from botleague.workers import HostSetup

logger = logging.getLogger(__name__)

CONNECT_S = 10.0
FIRST_WORKER_S = 30.0
LOOK_S = 1.0
"""Seconds between requests for the list of workers."""

FETCH_S = 15.0
"""Maximum seconds for a worker to send a finished outcome."""


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
        self,
        setup: HostSetup,
        jobs: int | None = None,
        address: str = "",
        lifeline_s: float = LIFELINE_S,
    ) -> None:
        if jobs is not None and jobs < 1:
            raise UsageError(f"--jobs must be 1 or more, not {jobs}.")
        self._address = address
        self._setup = msgspec.msgpack.encode(setup)
        self._runner = secrets.token_hex(8)
        self._jobs = jobs
        self._client: Any = _connect(address)
        self._places: list[_Place] = []
        self._finished: queue.SimpleQueue[tuple[_Place, Any]] = queue.SimpleQueue()
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
        """Maximum number of matches under way with the current workers."""
        places = len(self._places)
        return places if self._jobs is None else min(places, self._jobs)

    def submit(self, order: MatchOrder) -> None:
        """Assign an order to a free place of a least busy worker."""
        place = min(
            (place for place in self._places if place.order is None),
            key=lambda place: (self._busy(place.worker), place.slot),
        )
        place.order = order
        try:
            # Dask must not move a match to another worker: if its place is lost, the league plays it again.
            place.future = self._client.submit(
                hold,
                self._runner,
                self._setup,
                msgspec.msgpack.encode(order),
                place.slot,
                self._lifeline_s,
                workers=[place.worker],
                allow_other_workers=False,
                pure=False,
                retries=0,
            )
        except Exception as error:
            raise self._gone(error) from error
        place.future.add_done_callback(lambda future, place=place: self._finished.put((place, future)))

    def wait(self, timeout_s: float) -> Sequence[MatchOutcome]:
        """Return arrived outcomes; the matches of a dead worker are reported as failed."""
        outcomes: list[MatchOutcome] = []
        deadline = time.monotonic() + timeout_s
        while not outcomes and (left := deadline - time.monotonic()) > 0:
            try:
                finished = [self._finished.get(timeout=min(left, LOOK_S))]
                while not self._finished.empty():
                    finished.append(self._finished.get())
            except queue.Empty:
                finished = []
            for place, future in finished:
                if future is place.future and place.order is not None:
                    outcomes.append(self._outcome(place, place.order))
                    place.order = place.future = None
            if time.monotonic() >= self._look_at:
                outcomes += self._look()
        return outcomes

    def close(self) -> None:
        """Cancel running matches and disconnect from the cluster. Workers end their match hosts."""
        self._is_closed.set()
        futures = [place.future for place in self._places if place.future is not None]
        self._places = []
        try:
            if self._client.status == "running":
                self._client.cancel(futures, force=True)
                # Synchronous, because a worker runs plain functions in no other way. The timeout limits the wait for a
                # stalled worker.
                self._client.run(end_hosts, self._runner, on_error="ignore", callback_timeout=CONNECT_S)
        except Exception:  # The cluster is gone; there is nothing to release.
            pass
        self._client.close(timeout=CONNECT_S)

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
        lost = [place for place in self._places if place.worker not in threads]
        self._places = [place for place in self._places if place.worker in threads]
        workers = {place.worker for place in self._places}
        for worker in sorted(threads.keys() - workers):
            taken = {place.slot for place in self._places if place.machine == _machine(worker)}
            free = (slot for slot in itertools.count() if slot not in taken)
            self._places += [_Place(worker, slot) for slot in itertools.islice(free, threads[worker])]
        if lost and not self._places:
            logger.warning("The cluster at %s has no workers left; waiting for new ones.", self._address)
        outcomes = []
        for place in lost:
            if place.future is not None:
                self._client.cancel([place.future], force=True)
            if place.order is not None:
                why = "The cluster worker of the match is gone."
                outcomes.append(MatchOutcome(place.order.fixture, place.order.epoch, failure=why))
            place.order = place.future = None
        return outcomes

    def _outcome(self, place: _Place, order: MatchOrder) -> MatchOutcome:
        """Return the outcome of a finished task."""
        assert place.future is not None
        try:
            encoded = self._fetch(place)
        except ImportError as error:
            why = f"Worker {place.worker} cannot import the packages of matches ({error}). Install botleague there."
            return MatchOutcome(order.fixture, order.epoch, failure=why, is_final=True)
        except Exception as error:  # any error that Dask reports for a task
            lines = str(error).strip().splitlines()
            why = lines[0] if lines else type(error).__name__
            why = f"Cluster worker {place.worker} could not play the match: {why}"
            return MatchOutcome(order.fixture, order.epoch, failure=why)
        return msgspec.msgpack.decode(encoded, type=MatchOutcome)

    def _fetch(self, place: _Place) -> bytes:
        """Return the result of a task. Polls, because Dask would wait long for a worker that died after the task."""
        deadline = time.monotonic() + FETCH_S
        while True:
            try:
                encoded: bytes = place.future.result(timeout=LOOK_S)
                return encoded
            except TimeoutError:
                if time.monotonic() > deadline or place.worker not in self._client.nthreads():
                    raise

    def _busy(self, worker: str) -> int:
        return sum(place.worker == worker and place.order is not None for place in self._places)

    def _gone(self, error: Exception) -> MachineryError:
        return MachineryError(
            f"The Dask scheduler at {self._address} no longer answers ({type(error).__name__}). "
            "Run the same command again when it is back: it resumes from the recorded results."
        )


@dataclass(slots=True, eq=False)
class _Place:
    """One thread of a worker. ``slot`` numbers the places of all workers of one machine: each has its processor."""

    worker: str
    slot: int
    order: MatchOrder | None = None
    future: Any = None

    @property
    def machine(self) -> str:
        return _machine(self.worker)


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


def _machine(worker: str) -> str:
    """Return the host in a worker's address."""
    return worker.rpartition(":")[0]
