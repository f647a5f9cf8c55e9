"""The conformance kit in a process of its own: native crashes are findings, and nothing is left running."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import re
from collections.abc import Callable
from typing import Any

import pytest

from botleague.rules import Variant
from botleague.rules.testing import rules_conformance
from botleague.rules.testing.check_process import CheckProcess


@pytest.fixture
def broken(guessing: Variant) -> Callable[..., Variant]:
    """Makes the guessing game with another ``observe``."""

    def make(observe: Any) -> Variant:
        rules = type("Broken", (type(guessing.rules),), {"__slots__": (), "observe": observe})
        return dataclasses.replace(guessing, rules=rules())

    return make


def crash(self: Any, state: Any, seat: int) -> Any:
    return ctypes.string_at(0)


def leave(self: Any, state: Any, seat: int) -> Any:
    os._exit(7)


def end(self: Any, state: Any, seat: int) -> Any:
    raise SystemExit(3)


def fail(self: Any, state: Any, seat: int) -> Any:
    raise LookupError("no card")


def hang(self: Any, state: Any, seat: int) -> Any:
    while True:
        pass


@pytest.mark.parametrize(
    ("observe", "message"),
    [
        (crash, r"guessing, seed 1: the process died \(SIGSEGV\) in .*, line \d+, in "),
        (leave, r"guessing, seed 1: the process ended with exit code 7"),
        (end, r"The rules of guessing failed: SystemExit: 3 \("),
        (fail, r"The rules of guessing failed: LookupError: no card \(.*test_check_process\.py, line \d+\)"),
        (
            lambda self, state, seat: {1},
            r"guessing, seed 1, turn 0: the observation of seat 0 holds .* plain",
        ),
    ],
)
def test_every_end_of_the_process_is_a_finding(
    broken: Callable[..., Variant], observe: Any, message: str
) -> None:
    with CheckProcess(broken(observe)) as check, pytest.raises(rules_conformance.NotConforming) as failure:
        check.result()
    assert re.match(message, str(failure.value)), failure.value


def test_valid_game_has_the_same_checks_and_reports_progress(guessing: Variant) -> None:
    with CheckProcess(guessing, quick=True) as check:
        numbers = list(check)
        checked = check.result()
    assert checked == rules_conformance.check(guessing, quick=True)
    assert numbers == [(done, checked["matches"]) for done in range(checked["matches"])]


def test_quick_check_plays_fewer_matches_with_every_kind_of_check(guessing: Variant) -> None:
    titles: list[str] = []
    quick = rules_conformance.check(guessing, quick=True, progress=lambda *now: titles.append(now[2]))
    full = rules_conformance.check(guessing)
    assert set(quick) == set(full)
    assert quick["matches"] == len(titles) <= full["matches"] / 3
    assert any("in seat 0" in title and "in seat 1" in title for title in titles)


def test_process_ends_with_its_context(broken: Callable[..., Variant]) -> None:
    with CheckProcess(broken(hang)) as check:
        assert next(iter(check))[0] == 0
        pid = check._pid
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
