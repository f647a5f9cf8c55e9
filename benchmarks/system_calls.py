"""Make every system call by its number, and every allowed one with generated arguments, from inside a bot's process.

    python benchmarks/system_calls.py [--calls 1000000] [--seed 0] [--without LAYER ...]

The bot has left the language layer and calls the kernel by ctypes. Each call is judged by a few lines that know the
table of the specification and nothing of the filter: what is not in it must answer EPERM or end the process by SIGSYS,
what is in it under a condition must answer the table's error when the condition does not hold. Calls that may end or
block the process are the last ones of theirs. After each process the host looks at what the kernel says of it: threads,
memory, descriptors, and memory that is shared or executable. Prints one line of JSON; exit code 1 if anything is wrong.

Only the x86-64 numbers are known here.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import runpy
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import msgspec

from botleague_sandbox import Answer, Bot, Deadline, Failure, Limits, Program, Sandbox
from botleague_sandbox.testing.sandbox_conformance import HARNESS
from botleague_sandbox.wire.protection_layers import Layer

BOT = Path(__file__).with_name("system_calls_bot.py")
table = runpy.run_path(str(BOT))  # a script's neighbours cannot be imported everywhere
FATAL: set[int] = table["FATAL"]
PAST_FILTERS: set[int] = table["PAST_FILTERS"]
ALLOWED: dict[str, int] = table["ALLOWED"]
NUMBERS: int = table["NUMBERS"]
BATCH = 10_000
MIB = 1 << 20
LIMITS = Limits(memory_bytes=128 * MIB, address_space_bytes=512 * MIB)
LONG = Deadline(cpu_ms=30_000, wall_ms=30_000)
SHORT = Deadline(cpu_ms=200, wall_ms=400, grace_ms=30)

# Calls that end the process, or block it, however innocent: each the last of a process of its own.
LAST = [
    ("exit", 0), ("exit_group", 0), ("rt_sigreturn",), ("tgkill", 1, 1, 0), ("tgkill", -1, 1, 9), ("read", 3, 0, 100),
    ("munmap", "code", 4096), ("mprotect", "code", 4096, 3), ("madvise", "stack", 4096, 4), ("brk", 4096),
    ("close", 4), ("close", 3), ("futex", "scratch", 0x80, 0, 0), ("clock_nanosleep", 1, 0, "hour", 0),
    ("mmap", "code", 4096, 0, 0x32, -1, 0), ("munmap", "stack", 8 << 20), ("write", 4, "scratch", 4096),
]  # fmt: skip


@dataclass
class Report:
    """What came of all calls."""

    calls: int = 0
    refused: int = 0
    processes: int = 0
    killed: int = 0
    wrong: list[object] = field(default_factory=list)
    endings: Counter[str] = field(default_factory=Counter)


class Sweep:
    """Plays processes against the kernel and keeps the account."""

    def __init__(self, sandbox: Sandbox) -> None:
        source = BOT.read_bytes()
        self._program = Program("sweep", {"bot.py": source}, "bot.py", HARNESS)
        self._sandbox = sandbox
        self.report = Report()

    def start(self) -> Bot:
        self.report.processes += 1
        return self._sandbox.run(self._program, limits=LIMITS)

    def every_number(self, count: int) -> None:
        """Make each call that is not allowed ``count`` times, and each fatal one in a process of its own."""
        with self.start() as bot:
            for number in (*range(NUMBERS), 1023, 4096, 0x3FFF_FFFF):
                if number not in {*FATAL, *ALLOWED.values(), *PAST_FILTERS}:
                    self._judge(bot, {"what": "sweep", "number": number, "seed": number, "count": count})
            self._look_at(bot)
        for number in (
            *sorted(FATAL),
            *PAST_FILTERS,
            0x4000_0000,
            0x4000_0027,
            0x7FFF_FFFF,
        ):  # the last are of x32
            with self.start() as bot:
                reply = bot.ask({"what": "last", "call": [number]}, SHORT)
            self.report.calls += 1
            self.report.killed += 1
            expected = ("SIGILL", "[-1, 6]", "[-1, 1]") if number in PAST_FILTERS else ("SIGSYS",)
            if not any(one in str(reply) for one in expected):
                self.report.wrong.append([f"call {number} did not kill", str(reply)])

    def arguments(self, calls: int, seed: int) -> None:
        """Make allowed calls with generated arguments; the last of each process is one that may end it."""
        batch = max(1, min(BATCH, calls // len(LAST)))
        for number, first in enumerate(range(0, calls, batch)):
            order = {"what": "arguments", "seed": f"{seed}/{number}", "count": min(batch, calls - first)}
            last = LAST[number % len(LAST)]
            with self.start() as bot:
                self._judge(bot, {**order, "memory": LIMITS.memory_bytes})
                self._look_at(bot)
                reply = bot.ask({"what": "last", "call": list(last)}, SHORT)
                self._look_at(bot)
            self.report.calls += 1
            kind = reply.kind if isinstance(reply, Failure) else "answers"
            self.report.endings[f"{last[0]}: {kind}"] += 1

    def _judge(self, bot: Bot, order: dict[str, object]) -> None:
        reply = bot.ask(order, LONG, tuple[list[object], int])
        if isinstance(reply, Answer):
            wrong, refused = cast(tuple[list[object], int], reply.value)
            self.report.calls += int(str(order["count"]))
            self.report.refused += refused
            self.report.wrong += wrong
        else:
            self.report.wrong.append([str(order), str(reply)])

    def _look_at(self, bot: Bot) -> None:
        """Compare what the kernel says of the process with what a bot may have."""
        status = bot.channel.process.status()
        if "VmSize" not in status:  # it has ended
            return
        sizes = {name: int(status[name].split()[0]) << 10 for name in ("VmSize", "VmData", "VmStk", "VmLck")}
        limits = {"VmSize": 512 * MIB, "VmData": 128 * MIB, "VmStk": 9 * MIB, "VmLck": 0}
        self.report.wrong += [f"{name} is {size}" for name, size in sizes.items() if size > limits[name]]
        if status["Threads"] != "1":
            self.report.wrong.append(f"{status['Threads']} threads")
        if os.geteuid() == 0:  # nobody else may look
            process = Path(f"/proc/{bot.channel.process.pid}")
            descriptors = {int(fd) for fd in os.listdir(process / "fd")}
            if descriptors - set(range(5)):
                self.report.wrong.append(f"descriptors {sorted(descriptors)}")
            maps = (process / "maps").read_text()
            if re.search(r"^\S+ (\Sw\Ss|\Swx)", maps, re.MULTILINE):
                self.report.wrong.append(f"writable memory that is shared or executable: {maps}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", nargs="*", default=[])
    wanted = parser.parse_args()
    started = time.monotonic()
    without: frozenset[Layer] = frozenset(wanted.without)
    with Sandbox(LIMITS) as sandbox:
        sandbox._recipe = msgspec.structs.replace(sandbox._recipe, without=without, language="unrestricted")
        sweep = Sweep(sandbox)
        sweep.every_number(max(2, wanted.calls // 20_000))
        sweep.arguments(wanted.calls - sweep.report.calls, wanted.seed)
    report = sweep.report
    told = {
        "calls": report.calls,
        "refused": report.refused,
        "processes": report.processes,
        "killed": report.killed,
        "seconds": round(time.monotonic() - started, 1),
        "endings": dict(sorted(report.endings.items())),
        "wrong": report.wrong[:20],
    }
    print(json.dumps(told))
    sys.exit(bool(report.wrong))


if __name__ == "__main__":
    main()
