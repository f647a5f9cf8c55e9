"""What pages cost: made, served and published. Everything is measured in one run, so that figures can be compared.

Run ``python benchmarks/web.py [--bots 10000] [--matches 100000] [--db FILE] [--site LEAGUE]``. The unit is a bare
answer of starlette, sent by the same server. Matches are drawn from known strengths, as in ``benchmarks/league.py``.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import http.client
import itertools
import runpy
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

BARE = """
import asyncio, sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
async def hello(request): return PlainTextResponse("hello")
config = uvicorn.Config(Starlette(routes=[Route("/", hello)]), port=int(sys.argv[1]), log_level="error")
uvicorn.Server(config).run()
"""

REQUESTS = 300
STREAMS = 200
STREAMED_S = 10.0


def main() -> None:
    """Measure, and print one line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=10_000)
    parser.add_argument("--matches", type=int, default=100_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small.db", Path(folder) / "large.db"
        fill(small, 100, 2_000)
        fill(large, asked.bots, asked.matches)
        with serving([sys.executable, "-c", BARE, "8391"], 8391):
            unit = request_ms(8391, "/")
        print(f"bare answer {unit:.2f} ms: the unit", flush=True)
        with serving(program(small, 8392), 8392) as server:
            page = "/leagues/ladder/seasons/1/"
            warm = request_ms(8392, page)
            weight = len(gzip.compress(fetch(8392, page)))
            print(f"table of 100 bots {warm / unit:.1f} units (12), {weight / 1024:.0f} KiB compressed (60)")
            cold = [once_ms(8392, f"{page}?from={number}") for number in range(1, 30)]
            print(f"  made anew {statistics.median(cold) / unit:.1f} units")
            late, sent = streams(8392, page, small)
            print(f"{STREAMS} streams: {sent} states, the latest {late:.2f} s after its result (1)")
            print(f"  memory {memory_mib(server.pid):.0f} MiB (150)", flush=True)
        with serving(program(large, 8393), 8393) as server:
            for what, path in (("table", ""), ("matches", "matches/"), ("queue", "queue/")):
                taken = [
                    once_ms(8393, f"/leagues/ladder/seasons/1/{path}?from={n}&before={n + 10_000}")
                    for n in range(1, 12)
                ]
                print(
                    f"{asked.bots} bots, {asked.matches} matches: {what} {statistics.median(taken):.0f} ms (150)"
                )
            print(f"  memory {memory_mib(server.pid):.0f} MiB (150)", flush=True)


def fill(file: Path, bots: int, matches: int) -> None:
    """Make a ladder of so many bots with about so many results."""
    league = runpy.run_path(str(Path(__file__).with_name("league.py")))
    league["measure"](str(file), bots, matches, league["silent_journal"]())


def program(file: Path, port: int) -> list[str]:
    """Return the command of a server."""
    command = "from botleague.cli import main; main()"
    return [sys.executable, "-c", command, "serve", "--db", str(file), "--port", str(port)]


@contextmanager
def serving(command: list[str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Give a server that answers."""
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with suppress(OSError):
                fetch(port, "/")
                break
            time.sleep(0.1)
        yield server
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


def fetch(port: int, path: str) -> bytes:
    """Return what is answered."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse().read()
    connection.close()
    return answer


def once_ms(port: int, path: str) -> float:
    """Return the milliseconds of one request."""
    started = time.perf_counter()
    fetch(port, path)
    return 1000 * (time.perf_counter() - started)


def request_ms(port: int, path: str) -> float:
    """Return the median time of a request over a connection that is kept."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    taken = []
    for _ in range(REQUESTS):
        started = time.perf_counter()
        connection.request("GET", path)
        connection.getresponse().read()
        taken.append(time.perf_counter() - started)
    connection.close()
    return 1000 * statistics.median(taken)


def streams(port: int, page: str, file: Path) -> tuple[float, int]:
    """Return how late the latest state came after a change that all streams were to show, and how many came."""
    arrivals: list[list[float]] = [[] for _ in range(STREAMS)]

    def change(over: threading.Event) -> None:
        import sqlite3

        number = 0
        with sqlite3.connect(file, timeout=30) as database:
            while not over.wait(0.1):
                number += 1
                database.execute("update bot set owner = ? where id = 1", (f"owner {number}",))
                database.commit()

    async def listen(number: int, until: float) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        writer.write(f"GET {page}events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        while time.perf_counter() < until:
            try:
                event = await asyncio.wait_for(reader.readuntil(b"\n\n"), until - time.perf_counter())
            except TimeoutError:
                break
            if b"\nid: " in event:
                arrivals[number].append(time.perf_counter())
        writer.close()

    async def all_of_them(until: float) -> None:
        await asyncio.gather(*(listen(number, until) for number in range(STREAMS)))

    over = threading.Event()
    writer = threading.Thread(target=change, args=(over,))
    writer.start()
    began = time.perf_counter()
    until = began + STREAMED_S
    asyncio.run(all_of_them(until))
    over.set()
    writer.join()
    # With a change every 100 ms a stream is as late as the time between two states is long.
    gaps = [
        later - earlier for found in arrivals for earlier, later in itertools.pairwise((began, *found, until))
    ]
    return max(gaps), sum(map(len, arrivals))


def memory_mib(process: int) -> float:
    """Return the most memory that a process has had."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


if __name__ == "__main__":
    main()
