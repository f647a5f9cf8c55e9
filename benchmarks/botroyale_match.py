"""What a Bot Royale match of twelve sandboxed bots costs beyond the bots' own thinking, and its memory.

    python benchmarks/botroyale_match.py

Bots are asked one after another, so what their turns take beyond the CPU time that their processes were charged for
is overhead: messages, rules and record. They are started and loaded at the same time, on as many cores as there are,
where wall time less CPU time would mean nothing; so that is told apart. The proportional set size (PSS) of each bot's
process is read once from the host in the middle of the last match (Linux; it needs the right to look at them, so run it
as root).
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from pathlib import Path

from botleague.referee import Event, Player, Turn, play
from botleague_botroyale import botleague_bots, botleague_variants
from botleague_sandbox import Sandbox

MATCHES = 7
VARIANT = "botroyale-classic"


def pss_mib(pid: int) -> float | None:
    """Return the proportional set size of a process in MiB, None if it cannot be read."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def descendants(pid: int) -> list[int]:
    """Return the processes below ``pid``."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text(encoding="utf-8")
            except OSError:
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    below = [child for child, parent in parents.items() if parent == pid]
    return below + [deeper for child in below for deeper in descendants(child)]


def main() -> None:
    """Play and print."""
    variant = next(offered for offered in botleague_variants() if offered.name == VARIANT)
    bundled = [(bot.name, Path(bot.path).read_bytes()) for bot in botleague_bots()]
    players = [
        Player(name, name, {"bot.py": source}, "bot.py")
        for name, source in (bundled * 12)[: variant.seats.least]
    ]
    starts: list[float] = []
    overheads: list[float] = []
    memory: list[float] = []
    ends: list[float] = []
    thinking_ms = 0.0

    def look(event: Event) -> None:
        nonlocal thinking_ms
        if not isinstance(event, Turn):
            return
        ends.append(time.perf_counter())
        if len(ends) > 1:
            thinking_ms += sum(reply.cpu_ms for reply in event.replies.values())
        if len(ends) == 60 and seed == MATCHES:
            sizes = (pss_mib(pid) for pid in descendants(os.getpid()))
            memory.extend(sorted(size for size in sizes if size is not None))

    with Sandbox() as sandbox:
        for seed in range(MATCHES + 1):
            ends.clear()
            thinking_ms = 0.0
            begun = time.perf_counter()
            report = play(variant, seed, players, sandbox, look)
            if any(seat.faults for seat in report.seats):
                sys.exit(f"a bot did not play: {[seat.faults for seat in report.seats]}")
            start_ms, turns_ms = 1000 * (ends[0] - begun), 1000 * (ends[-1] - ends[0])
            if 0 < seed < MATCHES:  # the first match starts the zygote, the last one is looked at
                starts.append(start_ms)
                overheads.append(turns_ms - thinking_ms)
            print(
                f"match {seed}: {report.turns} turns, {report.wall_ms:.0f} ms; {start_ms:.0f} ms to the first turn, "
                f"{turns_ms:.0f} ms of turns, of which the bots thought {thinking_ms:.0f} ms"
            )
    print(f"\na match of {len(players)} (medians): {statistics.median(starts):.0f} ms to the first turn")
    print(f"overhead of its turns: {statistics.median(overheads):.0f} ms")
    if memory:
        seats = memory[-len(players) :]
        print(
            f"memory of a seat: {statistics.median(seats):.1f} MiB PSS (median), {seats[-1]:.1f} MiB (most)"
        )


if __name__ == "__main__":
    main()
