"""What is charged for a turn: looks at clocks as values, and a kernel's account as a value."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botleague_sandbox.host.turn_clocks import LATE_S, LOOK_S, PAUSE_S, UNSEEN_S, Meter, ProcessAccount

Doing = Literal["runs", "waits", "sleeps"]
MS = 0.001


@dataclass
class Kernel:
    """A process and its account. A wait is booked when it ends, as in Linux."""

    now: float = 100.0
    cpu: float = 5.0
    booked: float = 3.0
    waiting: float = 0.0
    doing: Doing = "sleeps"

    def spend(self, doing: Doing, seconds: float) -> None:
        self.now += seconds
        self.doing = doing
        if doing == "waits":
            self.waiting += seconds
        else:
            self.booked, self.waiting = self.booked + self.waiting, 0.0
        if doing == "runs":
            self.cpu += seconds

    def waited_s(self) -> float | None:
        return self.booked

    def is_runnable(self) -> bool:
        return self.doing != "sleeps"


class NoAccount(Kernel):
    def waited_s(self) -> float | None:
        return None


def started(kernel: Kernel) -> Meter:
    return Meter(kernel, kernel.now, kernel.cpu)


def watch(meter: Meter, kernel: Kernel, doing: Doing, ms: int) -> None:
    """Let time pass, with a look every ten milliseconds."""
    while ms > 0:
        step = min(ms, 10)
        kernel.spend(doing, step * MS)
        meter.look(kernel.now, kernel.cpu)
        meter.next_look_s(1.0)
        ms -= step


def test_computing_is_charged_as_cpu_time() -> None:
    kernel = Kernel()
    meter = started(kernel)
    watch(meter, kernel, "runs", 105)
    assert meter.charged_s() == pytest.approx(0.105)


def test_sleep_is_charged_but_for_what_no_look_has_seen() -> None:
    kernel = Kernel()
    meter = started(kernel)
    watch(meter, kernel, "runs", 20)
    watch(meter, kernel, "sleeps", 100)
    assert 0.105 <= meter.charged_s() <= 0.120


def test_process_waiting_for_a_cpu_is_not_charged() -> None:
    kernel = Kernel()
    meter = started(kernel)
    for _ in range(5):
        watch(meter, kernel, "runs", 20)
        watch(meter, kernel, "waits", 200)
    assert meter.charged_s() == pytest.approx(0.100)
    assert meter.stretched_s() <= 0.130
    watch(meter, kernel, "runs", 5)
    assert meter.charged_s() == pytest.approx(0.105)


def test_always_runnable_process_cannot_sleep_between_looks() -> None:
    kernel = Kernel()
    meter = started(kernel)
    for _ in range(20):
        kernel.spend("sleeps", 9 * MS)
        kernel.spend("runs", 1 * MS)
        meter.look(kernel.now, kernel.cpu)
        meter.next_look_s(1.0)
    assert meter.charged_s() >= 0.170


@pytest.mark.parametrize("gap", [LATE_S + 0.001, 0.1, PAUSE_S + 0.001, 6.0])
def test_a_gap_that_the_host_saw_is_charged_to_nobody(gap: float) -> None:
    kernel = Kernel()
    meter = started(kernel)
    watch(meter, kernel, "runs", 50)
    kernel.spend("runs", 10 * MS)
    kernel.now += gap  # nobody runs, and nobody waits
    meter.look(kernel.now, kernel.cpu)
    assert meter.charged_s() == pytest.approx(0.060)
    assert meter.wall_s == pytest.approx(0.060, abs=LOOK_S)
    assert meter.is_paused == (gap > PAUSE_S)
    assert not meter.is_undecided(0.150, by_cpu=True)


def test_a_process_that_stands_still_while_the_host_does_not_is_asleep() -> None:
    kernel = Kernel()
    meter = started(kernel)
    watch(meter, kernel, "runs", 10)
    watch(meter, kernel, "sleeps", 6000)  # stopped, frozen or asleep: it neither runs nor waits
    assert not meter.is_paused
    assert meter.charged_s() >= 5.9


def test_without_an_account_cpu_time_counts_and_the_wall_clock_goes_on() -> None:
    kernel = NoAccount()
    meter = started(kernel)
    watch(meter, kernel, "sleeps", 300)
    watch(meter, kernel, "runs", 10)
    assert meter.charged_s() == pytest.approx(0.010)
    assert meter.stretched_s() == pytest.approx(0.310)


def test_a_host_that_was_kept_waiting_for_the_answer_charges_nobody_for_it() -> None:
    kernel = Kernel()
    meter = started(kernel)
    for _ in range(5):
        watch(meter, kernel, "runs", 10)
        watch(meter, kernel, "waits", 50)
    kernel.spend("runs", 3 * MS)
    kernel.spend("sleeps", 19 * MS)  # it has answered; somebody else has the CPU
    meter.look(kernel.now, kernel.cpu)
    assert meter.charged_s(has_answered=True) == pytest.approx(0.053)


def test_turn_during_a_pause_stays_undecided() -> None:
    kernel = Kernel()
    meter = started(kernel)
    watch(meter, kernel, "runs", 50)
    kernel.spend("runs", 6.0)  # a virtual machine stood still, and booked it to whoever was about to run
    meter.look(kernel.now, kernel.cpu)
    assert meter.is_undecided(0.150, by_cpu=True)
    assert not meter.is_undecided(0.040, by_cpu=True), "its limit had passed before"
    assert not meter.is_undecided(7.0, by_cpu=True)


def test_by_the_wall_clock_a_paused_turn_is_undecided_once_the_bots_own_clock_has_passed_the_limit() -> None:
    kernel = Kernel()
    meter = started(kernel)
    watch(meter, kernel, "runs", 50)
    kernel.now += 6.0
    meter.look(kernel.now, kernel.cpu)
    assert meter.wall_s < 0.150
    assert meter.is_undecided(0.150, by_cpu=False)
    assert not meter.is_undecided(7.0, by_cpu=False)


@given(st.lists(st.tuples(st.sampled_from(["runs", "waits", "sleeps"]), st.integers(1, 60)), max_size=30))
def test_the_charge_is_cpu_time_and_sleep(acts: list[tuple[Doing, int]]) -> None:
    kernel = Kernel()
    meter = started(kernel)
    total = {"runs": 0, "waits": 0, "sleeps": 0}
    for doing, ms in [*acts, ("runs", 1)]:
        watch(meter, kernel, doing, ms)
        total[doing] += ms
    charged = meter.charged_s()
    true_ms = (total["runs"] + total["sleeps"]) * MS
    assert charged <= true_ms + 1e-9
    unseen = UNSEEN_S + 2 * LOOK_S
    assert charged >= max(total["runs"] * MS, true_ms - unseen) - 1e-9


def test_the_kernel_keeps_an_account_of_this_process() -> None:
    account = ProcessAccount(os.getpid())
    waited = account.waited_s()
    assert waited is not None
    assert waited > 0
    assert account.is_runnable()
    gone = ProcessAccount(2**22 + 1)  # above the largest id of a process
    assert gone.waited_s() is None
    assert not gone.is_runnable()
