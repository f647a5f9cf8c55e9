"""Slow uploads and half-open connections beside an honest author: whom do they keep waiting?

Run ``python benchmarks/slow_clients.py [--slow 45] [--teams 1] [--half-open 3000] [--seconds 60] [--files 0]``. One or
several teams send uploads a byte at a time, and thousands of connections send half of their headers and nothing more;
what the server closes is opened again. Meanwhile one author submits every few seconds and looks at the verdict, and
visitors look at pages. ``--files`` is the server's limit of open files, 0 for the usual one.

It prints one line for each figure, with what it should be in parentheses. It ends with 1 if a figure is wrong, or if
the attack did not take place.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import runpy
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from botleague.league import LeagueSettings, create_league
from botleague.plugins import PluginHost
from botleague_storage import Database, leagues, uploads
from botleague_storage.people_rows.uploads import Limits

OPEN = runpy.run_path(str(Path(__file__).with_name("open_league.py")))
COMMAND = OPEN["COMMAND"]

PAGE = "/leagues/ladder/seasons/1/"
OPENED_S = 60.0
"""For opening all connections for the first time."""

HONEST_S = 5.0
"""Between two uploads of the honest author."""


class Attack(msgspec.Struct):
    """What the process that attacks is to do, and what became of it.

    Attributes:
        opened, most: half-open connections in all, and at a time.
        answers: of slow uploads, by status; 0 where the connection was closed without one.
    """

    port: int
    tokens: list[str]
    slow: int
    half_open: int
    opened: int = 0
    most: int = 0
    answers: dict[str, int] = {}


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slow", type=int, default=45, help="slow uploads at a time")
    parser.add_argument("--teams", type=int, default=1, help="teams that send them")
    parser.add_argument("--half-open", type=int, default=3000, help="half-open connections at a time")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--files", type=int, default=0, help="the server's limit of open files")
    parser.add_argument("--attack", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.attack:
        asyncio.run(attack(msgspec.json.decode(asked.attack, type=Attack)))
        return
    with tempfile.TemporaryDirectory() as name:
        wrong = measure(Path(name), asked)
    for what in wrong:
        print(f"WRONG: {what}")
    sys.exit(1 if wrong else 0)


def measure(folder: Path, asked: argparse.Namespace) -> list[str]:
    """Serve, attack and ask; print the figures, and return what is wrong."""
    url, port, rng = str(folder / "league.db"), OPEN["free_port"](), random.Random(1)
    plugins, database = PluginHost.load(), Database(url)
    maker = argparse.Namespace(rng=rng)
    with database.writing() as connection:
        tokens = [OPEN["Run"].author(maker, connection, number) for number in range(asked.teams + 1)]
        entrants = [OPEN["Run"].earlier(maker, connection, number) for number in range(8)]
        settings = LeagueSettings(format="ladder", seed=1)
        create_league(connection, plugins, "ladder", plugins.variant("isolation-5x5"), settings, entrants)
        uploads.set_limits(connection, leagues.find(connection, "ladder").id, Limits(a_day=10_000, gap_s=0.0))
    limited = ["sh", "-c", f'ulimit -n {asked.files}; exec "$@"', "sh"] if asked.files else []
    server = subprocess.Popen(
        [
            *limited,
            *(*COMMAND, "serve", "--open", "--play", "--log", "server.log"),
            *("--port", str(port), "--db", url),
        ],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=(folder / "errors").open("wb"),
    )
    assert server.stdout is not None
    if not server.stdout.readline():
        sys.exit((folder / "errors").read_text())
    order = Attack(port, tokens[1:], asked.slow, asked.half_open)
    attacking = subprocess.Popen(
        [sys.executable, __file__, "--attack", msgspec.json.encode(order).decode()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert attacking.stdout is not None
        attacking.stdout.readline()  # once all have been opened
        seen = asyncio.run(be_honest(port, tokens[0], asked.seconds))
        out, _ = attacking.communicate(b"")
    finally:
        attacking.kill()
        if server.poll() is not None:
            sys.exit(f"The server ended by itself ({server.returncode}): {(folder / 'errors').read_text()}")
        memory = Path(f"/proc/{server.pid}/status").read_text().partition("VmHWM:")[2].split()[0]
        server.send_signal(signal.SIGTERM)
        server.wait()
        database.close()
    lines = (folder / "server.log").read_text().splitlines()
    told = [line for line in lines if json.loads(line)["event"] != "request"]
    return judge(
        asked, seen, msgspec.json.decode(out, type=Attack), told, (folder / "errors").read_text(), memory
    )


def judge(
    asked: argparse.Namespace, seen: Any, done: Attack, told: list[str], errors: str, memory: str
) -> list[str]:
    """Print the figures, and return what is wrong."""
    pages, verdicts = sorted(seen.pages), sorted(seen.verdicts.values())
    late = pages[int(0.99 * len(pages))]
    print(f"half-open connections: {done.most} at a time, {done.opened} in all")
    print(f"slow uploads by answer: {done.answers}")
    print(
        f"{len(pages)} pages: {OPEN['middle'](pages):.0f} ms in the median, {late:.0f} ms at the 99th percentile (1000)"
    )
    print(
        f"{len(verdicts)} verdicts of an honest author: {OPEN['middle'](verdicts):.1f} s in the median, "
        f"{OPEN['last'](verdicts):.1f} s at most (10)"
    )
    print(f"the server: {int(memory) // 1000} MB at most, {len(told)} lines of log besides requests")
    wrong = []
    most = asked.half_open if not asked.files else asked.files // 2
    if done.most < 0.9 * most or done.opened < asked.half_open:
        wrong.append("the half-open connections were not opened")
    # Of a team two are in progress, until they are cut off as too slow; all others are refused.
    if sum(done.answers.values()) < asked.slow or not done.answers.get("408", done.answers.get("0")):
        wrong.append("the slow uploads were not sent")
    if late > 1000 or len(pages) < asked.seconds:
        wrong.append("pages were late")
    if not verdicts or len(verdicts) < len(seen.acknowledged) or verdicts[-1] > 10:
        wrong.append("verdicts were late")
    if seen.refused:
        wrong.append(f"the honest author was refused: {seen.refused}")
    if "Traceback" in errors or len(told) > 10:
        wrong.append(f"the log is long: {told[:3]} {errors[:300]}")
    return wrong


async def be_honest(port: int, token: str, seconds: float) -> Any:
    """Submit and look at pages, as an author and visitors do."""
    seen = OPEN["Seen"]([], {}, [], {}, 0, 0)
    client, begun = OPEN["Client"](port, seen), time.monotonic()
    looking = asyncio.create_task(client.look(PAGE, random.Random(2)))
    await client.hand_in("ladder", 0, token, [begun + HONEST_S * n for n in range(int(seconds / HONEST_S))])
    looking.cancel()
    await asyncio.gather(looking, return_exceptions=True)
    return seen


async def attack(order: Attack) -> None:
    """Open connections, and open again what is closed, until the standard input ends; then tell what was done."""
    answers: Counter[str] = Counter()
    open_now = 0
    all_open = asyncio.Event()

    async def half(number: int) -> None:
        nonlocal open_now
        while True:
            try:
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", order.port, local_addr=(f"127.0.3.{1 + number % 250}", 0)
                )
            except OSError:
                await asyncio.sleep(0.1)
                continue
            order.opened, open_now = order.opened + 1, open_now + 1
            order.most = max(order.most, open_now)
            if order.opened >= order.half_open:
                all_open.set()
            with contextlib.suppress(OSError):
                writer.write(b"GET / HTTP/1.1\r\nHost: ")
                await reader.read()
            open_now -= 1
            writer.close()

    async def slow(number: int) -> None:
        head = (
            "POST /leagues/ladder/hand-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n"
            "Content-Type: multipart/form-data; boundary=xyz\r\n"
            f"Authorization: Bearer {order.tokens[number % len(order.tokens)]}\r\n\r\n"
            '--xyz\r\nContent-Disposition: form-data; name="file"; filename="a.py"\r\n\r\n'
        )
        while True:
            answer = b""
            with contextlib.suppress(OSError):
                reader, writer = await asyncio.open_connection("127.0.0.1", order.port)
                writer.write(head.encode())
                reading = asyncio.create_task(reader.read(4096))
                while not (await asyncio.wait([reading], timeout=0.5))[0]:
                    writer.write(b"x")
                writer.close()
                answer = await reading
            answers[answer.split()[1].decode() if answer else "0"] += 1
            await asyncio.sleep(1.0)

    tasks = [asyncio.create_task(half(number)) for number in range(order.half_open)]
    tasks += [asyncio.create_task(slow(number)) for number in range(order.slow)]
    with contextlib.suppress(TimeoutError):  # then too few were opened, and that is a figure
        await asyncio.wait_for(all_open.wait(), OPENED_S if order.half_open else 0)
    print("open", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    order.answers = dict(answers)
    print(msgspec.json.encode(order).decode(), flush=True)
    os._exit(0)  # thousands of tasks, each of which would end by itself


if __name__ == "__main__":
    main()
