"""Leases of runners, judged without comparing clocks of different machines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from botleague.league.running.leases import LEASE_S, RENEW_S, Leases


class Steady:
    """A steady clock that a test moves by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


PAUSES_S = st.lists(st.floats(0.1, LEASE_S - 1), min_size=1, max_size=30)
"""Shorter than a lease by more than sums are rounded; after a longer pause a runner starts to watch anew."""
ENDS = st.lists(st.floats(-1e6, 1e6), min_size=30, max_size=30, unique=True)
"""Ends of leases by a clock that is set between any two renewals."""


@given(pauses=PAUSES_S, ends=ENDS)
def test_renewed_lease_never_runs_out_whatever_its_clock_shows(
    pauses: list[float], ends: list[float]
) -> None:
    steady = Steady()
    leases = Leases(steady)
    for pause, end in zip(pauses, ends, strict=False):
        steady.now += pause
        assert leases.run_out({"b": end}) == []


@given(pauses=PAUSES_S, end=st.floats(-1e6, 1e6))
def test_lease_runs_out_after_a_minute_without_renewal(pauses: list[float], end: float) -> None:
    steady = Steady()
    leases = Leases(steady)
    assert leases.run_out({"b": end}) == []
    first = steady.now
    for number, pause in enumerate(pauses):
        steady.now += pause
        expected = ["b"] if steady.now - first > LEASE_S else []
        assert leases.run_out({"b": end, "c": float(number)}) == expected


def test_runner_that_was_stopped_takes_nobody_for_dead() -> None:
    steady = Steady()
    leases = Leases(steady)
    assert leases.run_out({"b": 1.0}) == []
    steady.now += LEASE_S + 1
    assert leases.run_out({"b": 1.0}) == [], "both were stopped, it may be"
    for _ in range(int(LEASE_S / RENEW_S)):
        steady.now += RENEW_S
        assert leases.run_out({"b": 1.0}) == []
    steady.now += RENEW_S
    assert leases.run_out({"b": 1.0}) == ["b"]
    assert leases.run_out({}) == []
    assert leases.run_out({"b": 1.0}) == [], "it holds something again"
