"""What pages cost: made, served and published. Everything is measured in one run, so that figures can be compared.

Run ``python benchmarks/web.py [--bots 10000] [--matches 100000] [--only PART ...]``. The unit is a bare answer of
starlette, sent by the same server. Most matches are drawn from known strengths, as in ``benchmarks/league.py``; those
of the published league are made of sample moves, so that they have films, and those beside requests are really played.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import http.client
import itertools
import json
import os
import random
import runpy
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from botleague.executors import MatchOrder, MatchOutcome
from botleague.league import LeagueSettings, Runner, create_league, runner_name
from botleague.plugins import PluginHost
from botleague.referee import MatchReport, Recorder, SeatReport, conduct
from botleague.rules import Fault, Move, Reply, Variant
from botleague_storage import Database
from botleague_storage import bots as stored
from botleague_storage.league_rows.bots import Source

BARE = """
import asyncio, contextlib, sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
async def hello(request): return PlainTextResponse("hello")
config = uvicorn.Config(Starlette(routes=[Route("/", hello)]), port=int(sys.argv[1]), log_level="error")
with contextlib.suppress(KeyboardInterrupt):
    uvicorn.Server(config).run()
"""

COMMAND = "from botleague.cli import main; main()"

PARTS = ("pages", "publish", "runner")

LARGE_PAGES = {
    "table": "",
    "rounds": "bracket/",
    "matches": "matches/",
    "queue": "queue/",
    "a bot": "bots/{bot}/",
}

ASKED_A_SECOND = 50
WINDOW_S = 5
WINDOWS = 4
"""Of each kind."""

REQUESTS = 300
STREAMS = 200
STREAMED_S = 10.0


def main() -> None:
    """Measure, and print one line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=10_000)
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in asked.only:
            if part == "pages":
                pages(folder, asked.bots, asked.matches)
            elif part == "publish":
                published(folder)
            else:
                beside(folder)


def pages(folder: Path, bots: int, matches: int) -> None:
    """Measure pages of a small and a large league, streams, and how soon a server ends."""
    small, large = folder / "small.db", folder / "large.db"
    fill(small, 100, 2_000)
    fill(large, bots, matches)
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
        print(
            f"  Ctrl-C ends it in {ended_s(server, 8392, page):.2f} s with {STREAMS} streams open (1)",
            flush=True,
        )
    with serving(program(large, 8393), 8393) as server:
        first = "/leagues/ladder/seasons/1/"
        some_bot = json.loads(fetch(8393, f"{first}index.json"))["rows"][0]["bot"]
        for what, path in LARGE_PAGES.items():
            taken = [
                once_ms(8393, f"{first}{path.format(bot=some_bot)}?from={n}&before={n + 10_000}&first={n}")
                for n in range(1, 12)
            ]
            print(f"{bots} bots, {matches} matches: {what} {statistics.median(taken):.0f} ms (150)")
        print(f"  memory {memory_mib(server.pid):.0f} MiB (150)", flush=True)


def published(folder: Path) -> None:
    """Measure how long a league with films takes to publish, and to publish again."""
    league = runpy.run_path(str(Path(__file__).with_name("league.py")))
    plugins = PluginHost.load()
    variant = plugins.variant("isolation-5x5")
    file = str(folder / "published.db")
    with closing(Database(file)) as database:
        settings = LeagueSettings(format="round-robin", format_options={"rounds": 2}, seed=1)
        with database.writing() as connection:
            ids = [
                stored.submit(
                    connection, "isolation", f"bot-{n}", f"owner {n}", Source({"bot.py": b"%d" % n}, "bot.py")
                )[0].id
                for n in range(40)
            ]
            create_league(connection, plugins, "cup", variant, settings, ids)
        executor = sampled(league["Drawn"], variant)
        Runner(database, plugins, executor, runner_name()).run("cup", lambda progress: None)
    command = [sys.executable, "-c", COMMAND, "publish", "cup", "--db", file, "--out", str(folder / "site")]
    for what in ("40 bots, their matches and 200 films published", "  and again"):
        started = time.perf_counter()
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, env={**os.environ, "HOME": str(folder)}
        )
        print(
            f"{what} in {time.perf_counter() - started:.1f} s (60): {done.stdout.splitlines()[-1]}",
            flush=True,
        )


def sampled(drawn: Any, variant: Variant) -> Any:
    """Return an executor that makes matches of sample moves."""

    class Sampled:
        """Moves as the rules offer them."""

        def __init__(self, seed: int) -> None:
            self.state: Any = None
            self._lots = random.Random(seed)

        def declare(self) -> list[object]:
            return [None, None]

        def brief(self, briefs: Mapping[int, object]) -> dict[int, Fault]:
            return {}

        def ask(self, questions: Mapping[int, object]) -> dict[int, Reply]:
            return {seat: Move(variant.rules.sample(self.state, seat, self._lots)) for seat in questions}

    class Playing(drawn):  # type: ignore[misc]  # a class of another benchmark
        def _outcome(self, order: MatchOrder) -> MatchOutcome:
            recorder, players = Recorder(variant, order.seed, order.players), Sampled(order.fixture)
            for event in conduct(variant, order.seed, players):
                recorder.note(event)
                players.state = getattr(event, "state", None)
            record = recorder.record()
            seat = SeatReport({}, 10.0, 12.0, 30 << 20)
            report = MatchReport(
                record.encode(), record.outcome, (seat, seat), ("seccomp",), len(record.turns), 120.0
            )
            return MatchOutcome(order.fixture, order.epoch, report)

    return Playing()


def beside(folder: Path) -> None:
    """Measure what a runner records while its league is looked at, against what it records in peace, turn about."""
    file = folder / "beside.db"
    command = [sys.executable, "-c", COMMAND]
    league = [*command, "run", "isolation-5x5", "random", "greedy", "--league", "ladder"]
    league += ["--format", "ladder", "--batches", "100000"]
    runner = subprocess.Popen(
        [*league, "--db", str(file), "--jobs", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while runner.poll() is None and not results(file):
            time.sleep(0.1)
        with serving(program(file, 8394), 8394):
            rates: dict[bool, list[float]] = {True: [], False: []}
            for window in range(2 * WINDOWS):
                is_watched = window % 4 in (1, 2)
                rates[is_watched].append(rate(file, 8394, ASKED_A_SECOND if is_watched else 0))
    finally:
        runner.terminate()
        runner.wait()
    lost = 1 - statistics.median(rates[True]) / statistics.median(rates[False])
    print(
        f"a runner beside {ASKED_A_SECOND} requests a second: {100 * lost:.0f} % fewer matches (5)",
        flush=True,
    )


def rate(file: Path, port: int, asked: int) -> float:
    """Return how many results a second come in while so many requests a second are made."""

    before, began = results(file), time.perf_counter()
    for number in range(max(1, asked) * WINDOW_S):
        if asked:
            fetch(port, "/leagues/ladder/seasons/1/")
        time.sleep(max(0.0, began + (number + 1) / max(1, asked) - time.perf_counter()))
    return (results(file) - before) / (time.perf_counter() - began)


def results(file: Path) -> int:
    """Return how many matches are recorded; 0 before there is a database."""
    address = f"file:{file}?mode=ro"
    with suppress(sqlite3.Error), closing(sqlite3.connect(address, uri=True, timeout=30)) as database:
        return int(database.execute("select count(*) from result").fetchone()[0])
    return 0


def ended_s(server: subprocess.Popen[bytes], port: int, page: str) -> float:
    """Return how long a server takes to end with streams open."""
    opened = [socket.create_connection(("127.0.0.1", port)) for _ in range(STREAMS)]
    for one in opened:
        one.sendall(f"GET {page}events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    for one in opened:
        one.recv(1)
    started = time.perf_counter()
    server.send_signal(signal.SIGINT)
    server.wait()
    taken = time.perf_counter() - started
    for one in opened:
        one.close()
    return taken


def fill(file: Path, bots: int, matches: int) -> None:
    """Make a ladder of so many bots with about so many results."""
    league = runpy.run_path(str(Path(__file__).with_name("league.py")))
    league["measure"](str(file), bots, matches, league["silent_journal"]())


def program(file: Path, port: int) -> list[str]:
    """Return the command of a server."""
    return [sys.executable, "-c", COMMAND, "serve", "--db", str(file), "--port", str(port)]


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
        if server.poll() is None:
            server.send_signal(signal.SIGINT)
            server.wait()


def fetch(port: int, path: str) -> bytes:
    """Return what is answered; a page that is not there is none that was measured."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    response = connection.getresponse()
    answer = response.read()
    connection.close()
    assert response.status == http.HTTPStatus.OK, f"{path}: {response.status}"
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
        response = connection.getresponse()
        response.read()
        assert response.status == http.HTTPStatus.OK, f"{path}: {response.status}"
        taken.append(time.perf_counter() - started)
    connection.close()
    return 1000 * statistics.median(taken)


def streams(port: int, page: str, file: Path) -> tuple[float, int]:
    """Return how late the latest state came after a change that all streams were to show, and how many came."""
    arrivals: list[list[float]] = [[] for _ in range(STREAMS)]

    def change(over: threading.Event) -> None:
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
