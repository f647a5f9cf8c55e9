"""Every system call and the arguments of the allowed ones, made by a bot: ``benchmarks/system_calls.py``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ...conftest import PATIENCE_S

SWEEP = Path(__file__).parents[3] / "benchmarks" / "system_calls.py"


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the sweep knows the numbers of x86-64 only")
@pytest.mark.parametrize(
    "without", [[], ["namespaces", "landlock", "uid"]], ids=["all layers", "seccomp alone"]
)
def test_no_call_does_more_than_its_table_says(without: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, str(SWEEP), "--calls", "15000", "--without", *without],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    report = json.loads(done.stdout)
    assert report["wrong"] == []
    assert report["calls"] >= 15_000
    assert report["killed"] >= 30
    # what a process may do to itself stays its own affair
    assert {"exit: crash", "rt_sigreturn: crash", "tgkill: crash", "read: timeout"} <= set(report["endings"])
    assert done.returncode == 0
