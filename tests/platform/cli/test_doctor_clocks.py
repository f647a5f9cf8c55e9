"""What the doctor says of a machine that cannot keep a clock."""

from __future__ import annotations

from botleague.cli.commands.doctor_command import clock_problems


def test_a_quiet_machine_with_an_account_keeps_every_clock() -> None:
    assert clock_problems(True, 1.0) == []


def test_a_busy_machine_or_one_without_an_account_is_named() -> None:
    assert "below 350 ms" in clock_problems(True, 35.0)[0]
    assert "schedstat" in clock_problems(False, 1.0)[0]
