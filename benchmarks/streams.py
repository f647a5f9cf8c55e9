"""How late event streams are while matches are recorded at full rate, and what they cost.

Run ``python benchmarks/streams.py [--streams 200 2000] [--seconds 20] [--bots 100]``; it takes a minute and a half. A
runner of its own process records drawn results as fast as it can, as in ``benchmarks/league.py``. A real server shows
the standings to streams over sockets of their own, compressed as for browsers. The lateness of a result is the time
from its commit until a stream has a state that counts it. Ends with 1 if a stream got no states, if too little was
recorded, or if a figure is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import resource
import runpy
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from botleague.league import LeagueSettings, Runner, create_league, runner_name
from botleague.plugins import PluginHost
from botleague_storage import Database, bots

LEAGUE = runpy.run_path(str(Path(__file__).with_name("league.py")))
WEB = runpy.run_path(str(Path(__file__).with_name("web.py")))
PAGE = "/leagues/ladder/seasons/1/"
PORT = 8395
REQUEST = f"GET {PAGE}events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: gzip\r\n\r\n".encode()
OPENED_AT_ONCE = 50

WANTED_S = {200: 1.0, 2000: 5.0}
"""Seconds from a result to its last stream, by number of streams."""

WANTED_SHARE = 0.2
"""Share of one processor that the server may use."""

PER_ADDRESS = 250
"""Streams from one address: a server accepts 256."""

MATCHES = 750_000
"""Matches of the league: more than a runner records meanwhile."""

LAST_S = 5.0
"""Seconds before the end in which no further results are looked at: streams may still get them."""

SETTLES_S = 5.0
"""Seconds after which all streams are open and the pace of the server has adapted."""

COUNTED = re.compile(rb'value="(\d+)" aria-label="Matches done"')


@dataclass
class Seen:
    """What the streams have got.

    Attributes:
        arrivals: for each stream, the times of its states with their counted results.
        counts: counted results by compressed state: all streams get the same bytes.
    """

    arrivals: list[list[tuple[float, int]]] = field(default_factory=list)
    counts: dict[bytes, int] = field(default_factory=dict)
    opening: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(OPENED_AT_ONCE))

    async def follow(self, number: int) -> None:
        """Open a stream, and note its states until it is cancelled."""
        arrivals: list[tuple[float, int]] = []
        self.arrivals.append(arrivals)
        async with self.opening:
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", PORT, limit=1 << 24, local_addr=(f"127.0.1.{1 + number // PER_ADDRESS}", 0)
            )
            writer.write(REQUEST)
            head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        assert b"content-encoding: gzip" in head.lower(), head
        with closing(writer):
            await chunk(reader)  # the header of the compressed stream
            while True:
                state = await chunk(reader)
                if (count := self.counted(state)) >= 0:
                    arrivals.append((time.monotonic(), count))

    def counted(self, state: bytes) -> int:
        """Return the number of results that a state counts; -1 for an event without a state."""
        if state not in self.counts:
            found = COUNTED.search(zlib.decompressobj(wbits=-zlib.MAX_WBITS).decompress(state))
            self.counts[state] = int(found[1]) if found else -1
        return self.counts[state]


async def chunk(reader: asyncio.StreamReader) -> bytes:
    """Return the next chunk of a response. Each is one event. Source: RFC 9112, chunked transfer coding."""
    size = int(await reader.readline(), 16)
    return (await reader.readexactly(size + 2))[:-2]


def create(file: str, number: int) -> None:
    """Create a league with more matches than a runner can record in a minute."""
    plugins = PluginHost.load()
    with closing(Database(file)) as database, database.writing() as connection:
        ids = []
        for one in range(number):
            source = bots.Source({"bot.py": b"%d" % one}, "bot.py")
            name = f"bot-{one}_{1200 + 600 * one // number}"
            ids.append(bots.submit(connection, "isolation", name, f"owner {one}", source)[0].id)
        rounds = 1 + MATCHES // (number * (number - 1))
        settings = LeagueSettings(format="round-robin", format_options={"rounds": rounds}, seed=1)
        create_league(connection, plugins, "ladder", plugins.variant("isolation"), settings, ids)


def record(file: str) -> None:
    """Record drawn results until the process is ended."""
    with closing(Database(file)) as database:
        executor = LEAGUE["Drawn"](journal=LEAGUE["silent_journal"]())
        Runner(database, PluginHost.load(), executor, runner_name()).run("ladder", lambda _: None)


def settled(database: sqlite3.Connection) -> int:
    """Return the number of results that are in the standings."""
    return int(database.execute("select settled from season").fetchone()[0])


async def note_commits(file: str, commits: list[tuple[float, int]]) -> None:
    """Note when results were committed, until it is cancelled."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=30)) as database:
        while True:
            if (count := settled(database)) > (commits[-1][1] if commits else 0):
                commits.append((time.monotonic(), count))
            await asyncio.sleep(0.02)


def used_s(process: int) -> float:
    """Return the seconds of processor time of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def lateness(
    commits: Sequence[tuple[float, int]], arrivals: Sequence[tuple[float, int]], until: float
) -> list[float]:
    """Return how late a stream was for each commit: seconds until its first state that counts the results."""
    states, late = iter([*arrivals, (until, sys.maxsize)]), []
    at, count = next(states)
    for committed, number in commits:
        while count < number:
            at, count = next(states)
        late.append(max(0.0, at - committed))
    return late


async def measure(file: str, server: int, number: int, seconds: float) -> list[str]:
    """Open streams, print how late they are, and return what is wrong."""
    seen, commits = Seen(), list[tuple[float, int]]()
    tasks = [asyncio.create_task(seen.follow(one)) for one in range(number)]
    while min(map(len, seen.arrivals), default=0) == 0 or len(seen.arrivals) < number:
        await asyncio.wait(tasks, timeout=0.1, return_when=asyncio.FIRST_EXCEPTION)
        for task in tasks:
            if task.done():
                task.result()  # raises the reason
    tasks.append(asyncio.create_task(note_commits(file, commits)))
    await asyncio.sleep(SETTLES_S)
    begun, before = time.monotonic(), used_s(server)
    await asyncio.sleep(seconds)
    share = (used_s(server) - before) / (time.monotonic() - begun)
    until = time.monotonic()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    measured = [(at, count) for at, count in commits if begun <= at < until - LAST_S]
    if len(measured) < seconds / 4 or min(map(len, seen.arrivals)) < 2:
        return [f"{number} streams: too few results, or a stream without states"]
    by_stream = [lateness(measured, one, until) for one in seen.arrivals]
    last = [max(times) for times in zip(*by_stream, strict=True)]
    states = statistics.median(sum(at >= begun for at, _ in one) for one in seen.arrivals)
    rate = (measured[-1][1] - measured[0][1]) / (measured[-1][0] - measured[0][0])
    wanted = next(within for most, within in WANTED_S.items() if number <= most)
    print(
        f"{number} streams beside {rate:.0f} results/s: the last stream gets a result after "
        f"{statistics.median(last):.2f} s in the median, {max(last):.2f} s at most ({wanted:g}); "
        f"{states / seconds:.1f} states/s; the server uses {share:.0%} of a core ({WANTED_SHARE:.0%})",
        flush=True,
    )
    wrong = [f"{number} streams: late"] if max(last) > wanted else []
    return wrong + ([f"{number} streams: too much CPU"] if share > WANTED_SHARE else [])


def main() -> None:
    """Measure, and print one line for each number of streams."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--streams", type=int, nargs="+", default=[*WANTED_S])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--bots", type=int, default=100)
    parser.add_argument("--record", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.record:
        record(asked.record)
        return
    files = 2 * max(asked.streams) + 100
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (files, max(files, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    )
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "league.db")
        create(file, asked.bots)
        runner = subprocess.Popen([sys.executable, __file__, "--record", file])
        try:
            with WEB["serving"](WEB["program"](Path(file), PORT), PORT) as server:
                for number in asked.streams:
                    wrong += asyncio.run(measure(file, server.pid, number, asked.seconds))
            if runner.poll() is not None:
                wrong.append("the runner ended before the measurement")
        finally:
            runner.kill()
            runner.wait()
    for what in wrong:
        print(f"WRONG: {what}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
