"""Check of the sandbox on this machine, with real attacks."""

from __future__ import annotations

import logging
import time
from pathlib import Path

import typer

from botleague.cli.kit.shared_options import Json
from botleague.cli.printing.json_output import print_json
from botleague.cli.printing.tables import show
from botleague.cli.printing.texts import print_text
from botleague.listing import Column, table_of
from botleague_sandbox import diagnose
from botleague_sandbox.host.isolation_check import Diagnosis

logger = logging.getLogger(__name__)

NAP_S = 0.005
LATE_MS = 20.0
"""Milliseconds of delay at which a machine is too busy for wall-clock limits of a few milliseconds."""

VERDICTS = {
    "strong": "Untrusted bots can run safely on this machine.",
    "weak": "Only bots of authors you trust can run on this machine, with --sandbox weak.",
    "none": "Bots cannot be isolated on this machine. Run only your own bots, with --sandbox none.",
    None: "Bots cannot run on this machine. The sandbox needs Linux on x86-64 or aarch64; a virtual machine works too.",
}


def doctor(json: Json = False) -> None:
    """Report how safely bots can run on this machine: test the layers of the sandbox and run built-in attacks.

    Examples:

        botleague doctor

        botleague doctor --json
    """
    for problem in clock_problems(keeps_account(), lateness_ms()):
        logger.warning("%s", problem)
    diagnosis = diagnose()
    if json:
        print_json([diagnosis])
    else:
        _show(diagnosis)
    if diagnosis.profile != "strong":
        raise typer.Exit(1)


def clock_problems(keeps_account: bool, late_ms: float) -> list[str]:
    """Return the reasons why clocks are unreliable on this machine, one sentence each.

    Args:
        keeps_account: whether the kernel reports how long a process has waited for a CPU.
        late_ms: delay of wake-ups of this process, in milliseconds.
    """
    problems = []
    if not keeps_account:
        problems.append(
            "The kernel does not report how long a process waits for a CPU (/proc/<pid>/schedstat), so bots that sleep "
            "are not charged for it. Use a kernel with CONFIG_SCHED_INFO."
        )
    if late_ms >= LATE_MS:
        problems.append(
            f"This machine is busy: a process woke up {late_ms:.0f} ms late. Wall-clock limits below "
            f"{10 * late_ms:.0f} ms are unreliable. Use the CPU clock (the default), or fewer jobs."
        )
    return problems


def keeps_account() -> bool:
    """Return whether the kernel reports how long a process has waited for a CPU."""
    return Path("/proc/self/schedstat").exists()


def lateness_ms() -> float:
    """Return the longest delay of twenty wake-ups of this process, in milliseconds."""
    worst = 0.0
    for _ in range(20):
        begun = time.monotonic()
        time.sleep(NAP_S)
        worst = max(worst, time.monotonic() - begun - NAP_S)
    return worst * 1000


def _show(diagnosis: Diagnosis) -> None:
    print_text(f"{diagnosis.system}, Python {diagnosis.python}, Landlock ABI {diagnosis.landlock_abi}")
    layers = {
        "layer": Column("layer"),
        "active": Column("state", ("missing", "active").__getitem__),
        "required": Column("required", ("no", "yes").__getitem__),
        "reason": Column("reason"),
        "advice": Column("advice"),
    }
    show(table_of(object, diagnosis.layers, layers))
    tiers = {
        "tier": Column("imports"),
        "available": Column("state", ("not available", "available").__getitem__),
        "reason": Column("reason"),
    }
    show(table_of(object, diagnosis.tiers, tiers))
    if diagnosis.attacks:
        attacks = {
            "name": Column("attack"),
            "contained": Column("result", ("NOT CONTAINED", "contained").__getitem__),
            "detail": Column("details"),
        }
        show(table_of(object, diagnosis.attacks, attacks))
    print_text(VERDICTS[diagnosis.profile], "bold")
