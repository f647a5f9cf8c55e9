"""The doctor proves what this machine can do, and says what is missing on a lesser one."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from botleague_sandbox import Diagnosis, diagnose

from ...conftest import PATIENCE_S

DENY_AND_DIAGNOSE = """
import json, struct, sys
sys.path[:0] = {path!r}
import msgspec
from botleague_sandbox import diagnose
from botleague_sandbox.locks import syscalls
syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
program = [(0x20, 0, 0, 0)]
for number in (444, 445, 446):
    program += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050001)]
program.append((0x06, 0, 0, 0x7fff0000))
syscalls.set_seccomp_filter(b"".join(struct.pack("<HBBI", *one) for one in program))
print(json.dumps(msgspec.to_builtins(diagnose())))
"""


@pytest.fixture(scope="module")
def diagnosis() -> Diagnosis:
    return diagnose()


def test_a_machine_that_runs_our_tests_isolates_bots(diagnosis: Diagnosis) -> None:
    assert diagnosis.is_strong
    active = {state.layer for state in diagnosis.layers if state.active}
    assert {"limits", "rights", "seccomp", "landlock"} <= active
    assert ("uid" in active) == (os.getuid() == 0)
    assert [tier.tier for tier in diagnosis.tiers if tier.available] == ["strict", "scientific", "wasm"]


def test_every_built_in_attack_is_contained_and_reported(diagnosis: Diagnosis) -> None:
    assert len(diagnosis.attacks) >= 12
    assert [attack.name for attack in diagnosis.attacks if not attack.contained] == []
    assert all(attack.detail for attack in diagnosis.attacks)


def test_a_missing_layer_has_a_reason_and_advice(diagnosis: Diagnosis) -> None:
    for state in diagnosis.layers:
        assert state.active == (state.reason == "")
        assert state.active == (state.advice == "")


def test_without_landlock_only_the_weak_profile_is_left() -> None:
    source = DENY_AND_DIAGNOSE.format(path=sys.path)
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=PATIENCE_S, check=True
    )
    report = json.loads(done.stdout)
    assert report["profile"] == "weak"
    (landlock,) = (state for state in report["layers"] if state["layer"] == "landlock")
    assert not landlock["active"]
    assert landlock["required"]
    assert "Landlock" in landlock["reason"]
    assert "lsm=" in landlock["advice"]
