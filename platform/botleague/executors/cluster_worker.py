"""Tasks of a cluster worker: they pass each order to a match host process, as the local executor does.

Rules, referee and sandboxes thus run apart from the worker, its threads and its environment. Match hosts wait for
the next order of their runner, because starting one takes longer than many matches. They end with their runner: on its
request, or after a time without a sign of life, because the end of a killed runner is not reported.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache

import msgspec

from botleague.executors.match_host_process import HostProcess
from botleague.executors.match_orders import MatchOrder, MatchOutcome
from botleague.python_process import leave_working_directory
from botleague.referee import quiet_cores
from botleague.workers import HostSetup

LOOKS = 8
"""Number of consecutive checks without a sign of life after which the runner counts as dead."""


def hold(runner: str, setup: bytes, order: bytes, slot: int, lifeline_s: float) -> bytes:
    """Play a match in a worker; the task.

    Args:
        runner: id of the executor; each executor has its own match hosts.
        setup, order: as MessagePack, like the returned outcome; see :mod:`botleague.executors.match_orders`.
        slot: number of the place.
        lifeline_s: seconds without a sign of life after which the runner's match hosts are ended.
    """
    leave_working_directory()
    decoded = msgspec.msgpack.decode(order, type=MatchOrder)
    host = _take_host(runner, setup, slot, lifeline_s)
    try:
        host.submit(decoded)
    except OSError:
        # It died while idle. A new one takes the order.
        _end(host)
        host = _take_host(runner, setup, slot, lifeline_s)
        host.submit(decoded)
    outcome = host.receive()
    if outcome is None:
        _end(host)
        return msgspec.msgpack.encode(MatchOutcome(decoded.fixture, decoded.epoch, failure=host.death()))
    with _LOCK:
        if host in _HOSTS:
            _HOSTS[host] = _Use(runner, slot, is_idle=True)
    return msgspec.msgpack.encode(outcome)


def keep_hosts(runner: str) -> None:
    """Record a sign of life of an executor."""
    with _LOCK:
        if runner in _LIFELINES:
            _LIFELINES[runner].hear()


def end_hosts(runner: str) -> None:
    """End all match hosts of an executor on this worker, busy or not."""
    with _LOCK:
        lifeline = _LIFELINES.pop(runner, None)
        hosts = [host for host, use in _HOSTS.items() if use.runner == runner]
        for host in hosts:
            del _HOSTS[host]
    if lifeline is not None:
        lifeline.cut()
    for host in hosts:
        host.end()


class _Lifeline:
    """Ends the match hosts of a runner without signs of life."""

    def __init__(self, runner: str, lifeline_s: float) -> None:
        self._runner = runner
        self._look_s = lifeline_s / LOOKS
        self._heard = threading.Event()
        self._is_cut = False
        threading.Thread(target=self._watch, name=f"lifeline of {runner}", daemon=True).start()

    def hear(self) -> None:
        self._heard.set()

    def cut(self) -> None:
        self._is_cut = True
        self._heard.set()

    def _watch(self) -> None:
        unheard = 0
        # Checks are counted, not seconds: a stopped worker cannot receive signs of life.
        while unheard < LOOKS:
            unheard = 0 if self._heard.wait(self._look_s) else unheard + 1
            self._heard.clear()
            if self._is_cut:
                return
        end_hosts(self._runner)


@dataclass(frozen=True, slots=True)
class _Use:
    """Use of a match host: its runner, its place, and whether it is idle."""

    runner: str
    slot: int
    is_idle: bool


_HOSTS: dict[HostProcess, _Use] = {}
"""Match hosts of this worker process; tasks share nothing else."""

_LIFELINES: dict[str, _Lifeline] = {}
"""Lifelines of all runners with match hosts in this process."""

_LOCK = threading.Lock()


def _take_host(runner: str, setup: bytes, slot: int, lifeline_s: float) -> HostProcess:
    with _LOCK:
        for host, use in _HOSTS.items():
            if use == _Use(runner, slot, is_idle=True):
                _HOSTS[host] = _Use(runner, slot, is_idle=False)
                _LIFELINES[runner].hear()
                return host
    cores = _cores()
    configured = msgspec.msgpack.decode(setup, type=HostSetup)
    host = HostProcess(msgspec.structs.replace(configured, core=cores[slot % len(cores)]))
    with _LOCK:
        _HOSTS[host] = _Use(runner, slot, is_idle=False)
        if runner not in _LIFELINES:
            _LIFELINES[runner] = _Lifeline(runner, lifeline_s)
        _LIFELINES[runner].hear()
    return host


@cache
def _cores() -> list[int] | list[None]:
    """Return the order of processors for the slots of this worker, least busy first at the start."""
    return quiet_cores() or [None]


def _end(host: HostProcess) -> None:
    with _LOCK:
        use = _HOSTS.pop(host, None)
    if use is not None:
        host.end()
