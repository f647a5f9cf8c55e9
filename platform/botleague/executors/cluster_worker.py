"""What a worker of a cluster does: it hands each order to a match host process, the one that the local executor uses.

Rules, referee and sandboxes thus run apart from the worker, its threads and its environment. The match hosts wait for
the next order of their runner; starting one takes longer than many a match.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from functools import cache

import msgspec

from botleague.executors.host_process import HostProcess
from botleague.executors.orders import HostSetup, MatchOrder, MatchOutcome
from botleague.python_process import leave_working_directory
from botleague.referee import quiet_cores

__all__ = ["end_hosts", "hold"]

FORGOTTEN_S = 600.0
"""After so long without an order a match host is ended when another one is started: its runner may be dead."""


def hold(runner: str, setup: bytes, order: bytes, slot: int) -> bytes:
    """Hold a match in a worker; the task.

    Args:
        runner: whose match host is to be used; each executor has its own.
        setup, order: as MessagePack, like the outcome that is returned; see :mod:`botleague.executors.orders`.
        slot: of the place.
    """
    leave_working_directory()
    asked = msgspec.msgpack.decode(order, type=MatchOrder)
    host = _take_host(runner, setup, slot)
    try:
        host.submit(asked)
    except OSError:
        # It died while idle. A fresh one takes the order.
        _end(host)
        host = _take_host(runner, setup, slot)
        host.submit(asked)
    outcome = host.receive()
    if outcome is None:
        _end(host)
        return msgspec.msgpack.encode(MatchOutcome(asked.fixture, asked.epoch, failure=host.death()))
    with _LOCK:
        if host in _HOSTS:
            _HOSTS[host] = _Use(runner, slot, time.monotonic())
    return msgspec.msgpack.encode(outcome)


def end_hosts(runner: str) -> None:
    """End all match hosts that a worker has for an executor, busy or not."""
    with _LOCK:
        hosts = [host for host, use in _HOSTS.items() if use.runner == runner]
    for host in hosts:
        _end(host)


@dataclass(frozen=True, slots=True)
class _Use:
    """Whose match host it is, and since when it is idle (None while it is not)."""

    runner: str
    slot: int
    idle_since: float | None


_HOSTS: dict[HostProcess, _Use] = {}
"""The match hosts of this worker process; tasks share nothing else."""

_LOCK = threading.Lock()


def _take_host(runner: str, setup: bytes, slot: int) -> HostProcess:
    now = time.monotonic()
    with _LOCK:
        idle = {host: use for host, use in _HOSTS.items() if use.idle_since is not None}
        for host, use in idle.items():
            if (use.runner, use.slot) == (runner, slot):
                _HOSTS[host] = _Use(runner, slot, None)
                return host
        # Of runners that were killed: nobody told us.
        forgotten = [host for host, use in idle.items() if now - (use.idle_since or now) > FORGOTTEN_S]
    for host in forgotten:
        _end(host)
    cores = _cores()
    configured = msgspec.msgpack.decode(setup, type=HostSetup)
    host = HostProcess(msgspec.structs.replace(configured, core=cores[slot % len(cores)]))
    with _LOCK:
        _HOSTS[host] = _Use(runner, slot, None)
    return host


@cache
def _cores() -> list[int] | list[None]:
    """Return the order of processors for the slots of this worker, from the one that was quietest at first."""
    return quiet_cores() or [None]


def _end(host: HostProcess) -> None:
    with _LOCK:
        known = _HOSTS.pop(host, None)
    if known is not None:
        host.end()
