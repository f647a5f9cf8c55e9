"""Tasks of a cluster worker: they pass groups of orders to match host processes, as the local executor does.

Rules, referee and sandboxes thus run apart from the worker, its threads and its environment. Match hosts wait for
the next order of their runner, because starting one takes longer than many matches. They end with their runner: on its
request, or after a time without a sign of life, because the end of a killed runner is not reported.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress

import msgspec

from botleague.executors.match_host_process import HostProcess
from botleague.executors.match_orders import MatchOrder, MatchOutcome
from botleague.python_process import leave_working_directory
from botleague.workers import HostSetup

LOOKS = 8
"""Number of consecutive checks without a sign of life after which the runner counts as dead."""


def hold(runner: str, setup: bytes, orders: bytes, slots: Sequence[int], lifeline_s: float) -> bytes:
    """Play the matches of a group, one after another, in a worker; the task.

    Args:
        runner: id of the executor; each executor has its own match hosts.
        setup, orders: as MessagePack, like the returned outcomes; see :mod:`botleague.executors.match_orders`.
        slots: numbers of the places of this worker, one for each task that it may execute at a time.
        lifeline_s: seconds without a sign of life after which the runner's match hosts are ended.
    """
    leave_working_directory()
    decoded = msgspec.msgpack.decode(orders, type=list[MatchOrder])
    waiting = deque(decoded)
    outcomes: list[MatchOutcome] = []
    host = _take_host(runner, setup, slots, lifeline_s)
    while len(outcomes) < len(decoded):
        # The host has its next order while it plays; if it is dead, its other pipe reports that.
        with suppress(OSError):
            while waiting and len(host.orders) < 2 and host.submit(waiting[0]):
                waiting.popleft()
        outcome = host.receive()
        if outcome is not None:
            outcomes.append(outcome)
            continue
        is_wanted = _end(host)
        order, *unstarted = host.orders or [waiting.popleft()]
        outcomes.append(MatchOutcome(order.fixture, order.epoch, failure=host.death()))
        if not is_wanted:
            break
        waiting.extendleft(reversed(unstarted))
        host = _take_host(runner, setup, slots, lifeline_s)
    with _LOCK:
        if host in _HOSTS:
            _HOSTS[host] = msgspec.structs.replace(_HOSTS[host], is_idle=True)
    return msgspec.msgpack.encode(outcomes)


def start_hosts(runner: str, setup: bytes, slots: Sequence[int], lifeline_s: float) -> None:
    """Start the match hosts of all places of a worker, which takes longer than many matches; the task before the first.

    Args:
        runner, setup, slots, lifeline_s: as for :func:`hold`.
    """
    leave_working_directory()
    with _LOCK:
        for slot in list(_free(runner, slots)):
            _start_host(runner, setup, slot, lifeline_s)


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


class _Use(msgspec.Struct, frozen=True):
    """Use of a match host: its runner, its place, and whether it is idle."""

    runner: str
    slot: int
    is_idle: bool


_HOSTS: dict[HostProcess, _Use] = {}
"""Match hosts of this worker process; tasks share nothing else."""

_LIFELINES: dict[str, _Lifeline] = {}
"""Lifelines of all runners with match hosts in this process."""

_LOCK = threading.Lock()


def _take_host(runner: str, setup: bytes, slots: Sequence[int], lifeline_s: float) -> HostProcess:
    with _LOCK:
        for host, use in list(_HOSTS.items()):
            if use.runner == runner and use.is_idle and host.has_ended:
                del _HOSTS[host]
                host.end()
        idle = (
            host for host, use in _HOSTS.items() if use.runner == runner and use.is_idle and use.slot in slots
        )
        chosen = next(idle, None) or _start_host(
            runner, setup, next(_free(runner, slots), slots[0]), lifeline_s
        )
        _HOSTS[chosen] = msgspec.structs.replace(_HOSTS[chosen], is_idle=False)
        _LIFELINES[runner].hear()
        return chosen


def _free(runner: str, slots: Sequence[int]) -> Iterator[int]:
    """Yield the places that have no match host: two on one processor would take twice as long permanently."""
    taken = {use.slot for use in _HOSTS.values() if use.runner == runner}
    return (slot for slot in slots if slot not in taken)


def _start_host(runner: str, setup: bytes, slot: int, lifeline_s: float) -> HostProcess:
    """Start an idle match host. The lock must be held; this does not wait for the process."""
    configured = msgspec.msgpack.decode(setup, type=HostSetup)
    host = HostProcess(msgspec.structs.replace(configured, core=_core(slot)))
    _HOSTS[host] = _Use(runner, slot, is_idle=True)
    if runner not in _LIFELINES:
        _LIFELINES[runner] = _Lifeline(runner, lifeline_s)
    return host


def _core(slot: int) -> int | None:
    """Return the processor of a place; None if the system allows no choice.

    All workers of a machine must agree, so the order is not by load, which each would find another.
    """
    if not hasattr(os, "sched_getaffinity"):
        return None
    cores = sorted(os.sched_getaffinity(0))
    return cores[slot % len(cores)]


def _end(host: HostProcess) -> bool:
    """End a match host; return False if its runner had already ended it."""
    with _LOCK:
        use = _HOSTS.pop(host, None)
    if use is not None:
        host.end()
    return use is not None
