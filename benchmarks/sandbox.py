"""What the sandbox costs beside its turns: starting, loading, deadlines, ending, memory; and a soak run.

    python benchmarks/sandbox.py [--repeat N]
    python benchmarks/sandbox.py --soak 10000

Milliseconds are medians of one run on one core, with the fork of a Python process of the same kind as the yardstick;
the budgets are those of an idle core. The soak plays whole matches of two bots (a few turns each, some with a bot that
has to be killed) in this one process and prints descriptors, processes and memory as it goes: they must stay flat.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from botleague_sandbox import Answer, Bot, Deadline, Failure, Program, Request, Sandbox, Tier, ask_together
from botleague_sandbox.testing.sandbox_conformance import HARNESS

OBEDIENT = "def move(observation): return observation\n"
STUBBORN = """
def move(o):
    while True:
        try:
            while True: pass
        except BaseException: pass
"""
IN_C = "import itertools\ndef move(o): return sum(itertools.count())\n"
BUDGETS_MS = {"strict": 3.0, "scientific": 4.0}
MEMORY_MIB = {"strict": 10.0, "scientific": 16.0}


def program(source: str, tier: Tier = "strict") -> Program:
    return Program("measured", {"bot.py": source.encode()}, "bot.py", HARNESS, tier)


def hundred_lines() -> str:
    """Return an ordinary bot of about a hundred lines: classes, search, comprehensions."""
    method = """
    def search_{n}(self, board, depth):
        best, best_move = -1000, None
        for move in [(x, y) for x in range(3) for y in range(3) if (x, y) not in board]:
            value = -depth if depth > {n} else self.score(board | {{move}}, depth + 1)
            if value > best:
                best, best_move = value, move
        return best, best_move
"""
    methods = "".join(method.format(n=n) for n in range(11))
    return (
        "import math, random\nfrom collections import deque\n\n\nclass Player:\n    def __init__(self):\n"
        "        self.seen = deque(maxlen=9)\n\n    def score(self, board, depth):\n"
        "        return math.sqrt(len(board)) + depth\n"
        f"{methods}\n\nplayer = Player()\ndef move(observation):\n    return observation\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=40)
    parser.add_argument("--soak", type=int, metavar="MATCHES", default=0)
    wanted = parser.parse_args()
    core = min(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    with Sandbox(core=core) as sandbox:
        if wanted.soak:
            soak(sandbox, wanted.soak)
            return
        print(
            f"{'fork and reap of this process (yardstick)':44} {median_ms(fork_and_reap, wanted.repeat):7.2f} ms"
        )
        tiers: tuple[Tier, ...] = ("strict", "scientific")
        for tier in tiers:
            measure_starts(sandbox, tier, wanted.repeat)
        measure_deadlines(sandbox, max(5, wanted.repeat // 4))
        for tier in tiers:
            measure_memory(sandbox, tier)


def show(what: str, value: float, budget: float, unit: str = "ms") -> None:
    print(f"{what:44} {value:7.2f} {unit}   budget {budget:g} {unit}   {'' if value <= budget else 'OVER'}")


def median_ms(action: Callable[[], object], repeat: int) -> float:
    spent = []
    for _ in range(repeat):
        start = time.perf_counter()
        action()
        spent.append((time.perf_counter() - start) * 1000)
    return statistics.median(spent)


def fork_and_reap() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def measure_starts(sandbox: Sandbox, tier: Tier, repeat: int) -> None:
    """Start to ready, and what loading adds."""
    print(
        f"{tier + ': a zygote, once per host':44} {median_ms(lambda: sandbox.preload(tier, HARNESS), 1):7.0f} ms"
    )
    ready, loaded, ended, first = [], [], [], []
    short, long = Request(program(OBEDIENT, tier)), Request(program(hundred_lines(), tier))
    for number in range(repeat):
        start = time.perf_counter()
        sandbox.run(program(f"{hundred_lines()}\n# {number}\n", tier)).close()
        first.append(time.perf_counter() - start)
        start = time.perf_counter()
        bot = sandbox._start(short)  # the parts of a start have no public name
        sandbox._await_ready(bot)
        ready.append(time.perf_counter() - start)
        start = time.perf_counter()
        bot.close()
        ended.append(time.perf_counter() - start)
        start = time.perf_counter()
        sandbox.run(long.program).close()  # the first of these is checked, and the median leaves it out
        loaded.append(time.perf_counter() - start - ready[-1] - ended[-1])
    show(f"{tier}: start to ready", statistics.median(ready) * 1000, BUDGETS_MS[tier])
    # A new source is checked in a process of its own first.
    twice = 2 * (statistics.median(ready) + statistics.median(ended))
    show(f"{tier}: check and load a bot of 100 lines", (statistics.median(first) - twice) * 1000, 10)
    show(f"{tier}: load it from kept code", statistics.median(loaded) * 1000, 1.5)
    show(f"{tier}: kill and reap an idle bot", statistics.median(ended) * 1000, 5)


def measure_deadlines(sandbox: Sandbox, repeat: int) -> None:
    late, reaped = [], []
    for _ in range(repeat):
        with sandbox.run(program(STUBBORN)) as bot:
            reply = bot.ask(0, Deadline.wall(30))
            assert isinstance(reply, Failure)
            assert reply.kind == "timeout", reply
            assert bot.is_alive
            late.append(reply.wall_ms - 30)
        with sandbox.run(program(IN_C)) as bot:
            reply = bot.ask(0, Deadline.wall(30, grace_ms=10))
            assert isinstance(reply, Failure)
            assert reply.kind == "timeout", reply
            assert not bot.is_alive
            reaped.append(reply.wall_ms - 40)
    show("deadline to reply, interrupt swallowed", statistics.median(late), 2)
    show("end of the grace to killed and reaped", statistics.median(reaped), 10)


def measure_memory(sandbox: Sandbox, tier: Tier) -> None:
    """Proportional share of memory of one bot among eight; only root may read it."""
    if os.geteuid() != 0:
        print(f"{tier}: memory of a bot can only be read by root")
        return
    bots = [sandbox.run(program(OBEDIENT, tier)) for _ in range(8)]
    try:
        for bot in bots:
            assert isinstance(bot.ask(1, Deadline.cpu(1000)), Answer)
        sizes = [proportional_mib(bot) for bot in bots]
    finally:
        for bot in bots:
            bot.close()
    show(f"{tier}: memory per bot (PSS, 8 bots)", statistics.mean(sizes), MEMORY_MIB[tier], "MiB")


def proportional_mib(bot: Bot) -> float:
    text = Path(f"/proc/{bot.channel.process.pid}/smaps_rollup").read_text()
    found = re.search(r"^Pss: +(\d+) kB", text, re.MULTILINE)
    assert found
    return int(found[1]) / 1024


def soak(sandbox: Sandbox, matches: int) -> None:
    """Play matches and print what the process holds, ten times in the run."""
    sources = [OBEDIENT, "seen = []\ndef move(o):\n    seen.append(o)\n    return len(seen)\n"]
    deadline = Deadline.cpu(2000)
    start = time.perf_counter()
    print(
        f"{'matches':>8} {'seconds':>8} {'descriptors':>11} {'processes':>9} {'host MiB':>9} {'all below MiB':>13}"
    )
    for number in range(matches + 1):
        if number % max(1, matches // 10) == 0:
            print(
                f"{number:8} {time.perf_counter() - start:8.0f} {len(os.listdir('/proc/self/fd')):11} "
                f"{len(below()):9} {resident_mib(os.getpid()):9.1f} {sum(map(resident_mib, below())):13.1f}",
                flush=True,
            )
        second = IN_C if number % 500 == 499 else sources[number % 2]
        started = sandbox.run_together([Request(program(source)) for source in (sources[0], second)])
        bots = [bot for bot in started if isinstance(bot, Bot)]
        assert len(bots) == 2, started
        for turn in range(3):
            limit = Deadline.wall(20, grace_ms=5) if second is IN_C else deadline
            replies = ask_together([(bot, turn, limit, int) for bot in bots])
            assert isinstance(replies[0], Answer)
            ends = {0: "timeout", 1: "crash", 2: "crash"}[turn] if second is IN_C else ""
            assert getattr(replies[1], "kind", "") == ends, replies[1]
        for bot in bots:
            bot.close()


def below() -> list[int]:
    """Return the ids of all processes of this session's sandbox."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = {int(pid): int(parent) for pid, parent in (line.split() for line in listed.splitlines())}
    found: set[int] = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return [pid for pid in found - {os.getpid()} if Path(f"/proc/{pid}").exists()]


def resident_mib(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
    except OSError:
        return 0.0


if __name__ == "__main__":
    main()
