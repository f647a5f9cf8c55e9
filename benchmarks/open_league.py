"""An open league before its deadline: authors hand in within one minute, spectators follow, and the league plays on.

Run ``python benchmarks/open_league.py [--authors 200] [--spectators 500] [--minute 60] [--kills 0] [--db URL]``. The
server, its runner and all they start are processes of their own; every request is made by another one, over loopback.
The unit is a bare answer of starlette in the same run. With ``--kills`` processes of every kind are killed at random
moments while it goes on, but not those of bots that play: a bot that dies has lost.

Each author has a bot in the league before, so that planning and playing are the same in peace and under load. Besides
rates, which others on the machine change as well, it tells how much of the processors each part of the server used, and
the process that makes requests: spectators have processors of their own, so matches are compared with those that were
played on what that process left.

It prints one line for each figure, with what it should be in parentheses, and ends with 1 if anything was lost,
doubled or decided out of order.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import random
import runpy
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from botleague.league import LeagueSettings, create_league
from botleague.people import digest
from botleague.plugins import PluginHost
from botleague_server.accounts.account_service import Person, make_account
from botleague_storage import Database, accounts, bots, credentials, leagues, uploads
from botleague_storage.league_rows.bots import Source
from botleague_storage.people_rows.uploads import Limits

WEB = runpy.run_path(str(Path(__file__).with_name("web.py")))
COMMAND = [sys.executable, "-c", "from botleague.cli import main; main()"]

BOT = """
import random
from sample_players import DataPlayer

class CustomPlayer(DataPlayer):
    '''The bot of author {0}, upload {1}.'''

    def get_action(self, state):
        self.queue.put(random.choice(state.actions()))
"""

AGAIN = 5
"""Every so many authors hand in twice."""

WRONG = 10
"""Every so many hand in what the language refuses."""

WATCHED = ("", "matches/", "queue/", "bots/bot0/")
PAGES_A_SECOND = 20
LOOK_S = 2.0
"""How often the page of an upload asks again by itself."""

FLUSHED = b"\0\0\xff\xff"
"""What ends each piece of a compressed stream. Source: the manual of zlib, ``Z_FULL_FLUSH``."""

RETRY_S = 0.25
STARTED_S = 20.0
ALL_LEVELS = 4
"""Server, runner, match host, launcher, zygote: what is below the server."""

DECIDED_S = 3600.0
"""So long for all games of all checks."""


class Load(msgspec.Struct):
    """What the process that makes requests is to do."""

    port: int
    league: str
    tokens: list[str]
    spectators: int
    minute: float
    seed: int


class Seen(msgspec.Struct):
    """What it saw.

    Attributes:
        acknowledged: (author, which of theirs, upload).
        verdicts: seconds from when an upload was acknowledged to when its author read what the language says.
        pages: milliseconds of each page.
        streams: how many were opened, and how many events came in them.
        used_s: CPU seconds of the process.
    """

    acknowledged: list[tuple[int, int, int]]
    verdicts: dict[int, float]
    pages: list[float]
    refused: dict[str, int]
    streams: int
    events: int
    used_s: float = 0.0


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--authors", type=int, default=200)
    parser.add_argument("--spectators", type=int, default=500)
    parser.add_argument("--minute", type=float, default=60.0, help="seconds in which all hand in")
    parser.add_argument(
        "--quiet", type=float, default=20.0, help="seconds of playing in peace, before and after"
    )
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--db", default="", help="default: a SQLite file in a new folder")
    parser.add_argument("--variant", default="isolation-5x5")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--load", default="", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.load:
        print(
            msgspec.json.encode(
                asyncio.run(make_requests(msgspec.json.decode(asked.load, type=Load)))
            ).decode()
        )
        return
    with tempfile.TemporaryDirectory() as name:
        run = Run(Path(name), asked)
        try:
            run.measure()
        finally:
            run.end()
    sys.exit(1 if run.wrong else 0)


@dataclass
class Phase:
    """What the server did for some time.

    Attributes:
        used_s: CPU seconds of each part of it.
    """

    seconds: float = 0.0
    results: int = 0
    used_s: dict[str, float] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Matches a second."""
        return self.results / self.seconds

    @property
    def match_ms(self) -> float:
        """CPU time of a match, from its planning to its record."""
        return 1000 * (self.used_s["recording"] + self.used_s["matches"]) / max(1, self.results)


class Run:
    """One server and what is done to it."""

    def __init__(self, folder: Path, asked: argparse.Namespace) -> None:
        self.folder, self.asked = folder, asked
        self.url = asked.db or str(folder / "league.db")
        self.rng = random.Random(asked.seed)
        self.wrong: list[str] = []
        self.killed: Counter[str] = Counter()
        self.port = free_port()
        self.environment = {**os.environ, "HOME": str(folder), "NO_COLOR": "1"}
        plugins = PluginHost.load()
        self.database = Database(self.url)
        with self.database.writing() as connection:
            self.tokens = [self.author(connection, number) for number in range(asked.authors)]
            entrants = [self.earlier(connection, number) for number in range(asked.authors)]
            settings = LeagueSettings(format="ladder", seed=asked.seed)
            create_league(connection, plugins, "ladder", plugins.variant(asked.variant), settings, entrants)
            self.league = leagues.find(connection, "ladder").id
            uploads.set_limits(connection, self.league, Limits(gap_s=0.0))
        self.command("organise", "calendar", "ladder", "--ends", "2099-01-01 00:00")  # until then it plays
        self.server = self.start()

    def command(self, *arguments: str) -> str:
        """Run a command on the database."""
        done = subprocess.run(
            [*COMMAND, *arguments, "--db", self.url],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            sys.exit(f"botleague {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    def author(self, connection: Any, number: int) -> str:
        """Make an account, and return a token of it."""
        secret = f"blt_{self.rng.randbytes(16).hex()}"
        make_account(connection, Person(f"author{number}"), 0.0)
        account = accounts.find(connection, f"author{number}").id
        scopes = ("submit", "read-own")
        credentials.add_token(connection, account, digest(secret), "t", scopes, 0.0, time.time() + 86_400)
        return secret

    def earlier(self, connection: Any, number: int) -> int:
        """Store what an author handed in earlier, and return the version."""
        source = Source({f"bot{number}.py": BOT.format(number, "earlier").encode()}, f"bot{number}.py")
        version, _ = bots.submit(connection, "isolation", f"bot{number}", f"author{number}", source)
        return version.id

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server, and wait until it listens."""
        log = (self.folder / "server.log").open("ab")
        server = subprocess.Popen(
            [*COMMAND, "serve", "--open", "--play", "--port", str(self.port), "--db", self.url],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=log,
        )
        assert server.stdout is not None
        if not server.stdout.readline():
            sys.exit((self.folder / "server.log").read_text())
        return server

    def end(self) -> None:
        """End what was started."""
        self.server.send_signal(signal.SIGTERM)
        self.server.wait()
        self.database.close()

    def measure(self) -> None:
        """Hand in, look, and compare."""
        bare = free_port()
        with WEB["serving"]([sys.executable, "-c", WEB["BARE"], str(bare)], bare):
            unit = WEB["request_ms"](bare, "/")
        print(f"bare answer {unit:.2f} ms: the unit", flush=True)
        self.wait_for_results()
        peace = [self.in_peace()]
        load = Load(
            self.port, "ladder", self.tokens, self.asked.spectators, self.asked.minute, self.asked.seed
        )
        requests = subprocess.Popen(
            [sys.executable, __file__, "--load", msgspec.json.encode(load).decode()], stdout=subprocess.PIPE
        )
        try:
            with self.measured("under load") as meanwhile:
                self.disturb(requests)
                out, _ = requests.communicate()
        finally:
            requests.kill()
        seen = msgspec.json.decode(out, type=Seen)
        self.tell_of_language(seen)
        self.tell_of_pages(seen, unit)
        self.wait_until_decided(seen)
        peace.append(self.in_peace())
        usual = statistics.mean(one.rate for one in peace)
        requests_s = seen.used_s / meanwhile.seconds
        left = 1 - requests_s / len(os.sched_getaffinity(0))
        print(
            f"rated matches {meanwhile.rate:.1f} a second meanwhile, {peace[0].rate:.1f} before and "
            f"{peace[1].rate:.1f} after: {100 * (1 - meanwhile.rate / usual):.0f} % fewer; whoever made the requests "
            f"used {requests_s:.2f} processors, and on what was left {100 * (1 - meanwhile.rate / usual / left):.0f} % "
            "fewer were played (10)"
        )
        self.end()
        self.judge(seen)
        for what in self.wrong:
            print(f"WRONG: {what}")
        if said := (self.folder / "server.log").read_text().strip():
            print(f"The server said:\n{said}")

    def results(self) -> int:
        """Return how many matches have a result."""
        with self.database.reading() as connection:
            return int(connection.exec_driver_sql("select count(*) from result").scalar_one())

    def in_peace(self) -> Phase:
        """Return what a league does that is left alone."""
        with self.measured("in peace") as phase:
            time.sleep(self.asked.quiet)
        return phase

    @contextlib.contextmanager
    def measured(self, what: str) -> Iterator[Phase]:
        """Give what the server does meanwhile, known at the end, and print it."""
        phase, results, used, begun = Phase(), self.results(), self.used_s(), time.monotonic()
        yield phase
        phase.seconds = time.monotonic() - begun
        phase.results = self.results() - results
        phase.used_s = {part: of_it - used[part] for part, of_it in self.used_s().items()}
        if self.asked.kills:  # what was killed has taken along what it used
            return
        parts = ", ".join(f"{part} {of_it / phase.seconds:.2f}" for part, of_it in phase.used_s.items())
        print(
            f"{what}: {phase.rate:.1f} rated matches a second, each with {phase.match_ms:.1f} ms of CPU time; "
            f"processors used: {parts}",
            flush=True,
        )

    def wait_for_results(self) -> None:
        """Wait until matches are played at their usual pace."""
        while self.results() < 5 * self.asked.authors:
            time.sleep(0.2)

    def disturb(self, requests: subprocess.Popen[bytes]) -> None:
        """Kill processes at random moments of the load, and start the server again."""
        moments = sorted(self.rng.uniform(0.0, self.asked.minute) for _ in range(self.asked.kills))
        begun, most = time.monotonic(), 0
        for moment in moments:
            with contextlib.suppress(subprocess.TimeoutExpired):
                requests.wait(max(0.0, begun + moment - time.monotonic()))
            self.wait_for_processes()
            kind, victim = self.victim()
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
                self.killed[kind] += 1
            if victim == self.server.pid:
                self.server.wait()
                self.server = self.start()
            now = self.results()
            if now < most:
                self.wrong.append(f"{most - now} results are gone after a {kind} was killed")
            most = max(most, now)
        if moments:
            print(
                f"killed: {', '.join(f'{count} {kind}' for kind, count in self.killed.items())}", flush=True
            )

    def wait_for_processes(self) -> None:
        """Wait until the server has started all that it starts, or others would never be killed."""
        begun = time.monotonic()
        while len(list(levels(self.server.pid))) < ALL_LEVELS and time.monotonic() - begun < STARTED_S:
            time.sleep(0.05)

    def used_s(self) -> dict[str, float]:
        """Return the CPU seconds of each part of the server so far."""
        pages = cpu_s(self.server.pid, with_children=False)
        used = {"pages": pages, "recording": 0.0, "matches": 0.0, "checks": 0.0}
        for child in children(self.server.pid):
            command = command_of(child)
            if "runner" in command:
                used["recording"] += cpu_s(child, with_children=False)
                used["matches"] += sum(map(tree_s, children(child)))
            elif "upload_worker" in command:
                used["checks"] += tree_s(child)
        return used

    def victim(self) -> tuple[str, int]:
        """Return a process to be killed, of a kind that is drawn first."""
        found: dict[str, list[int]] = defaultdict(list)
        found["server"].append(self.server.pid)
        for child in children(self.server.pid):
            command = command_of(child)
            if "runner" in command:
                found["runner"].append(child)
                for host in children(child):
                    found["match host"].append(host)
                    # What is below the first two is bots, and a bot that dies has lost.
                    found["zygote of matches"] += [
                        one for level in itertools.islice(levels(host), 2) for one in level
                    ]
            elif "upload_worker" in command:
                found["upload worker"].append(child)
                found["zygote or jailed checker"] += [one for level in levels(child) for one in level]
        kind = self.rng.choice([kind for kind, some in found.items() if some])
        return kind, self.rng.choice(found[kind])

    def tell_of_language(self, seen: Seen) -> None:
        """Print how long authors waited for what the language says."""
        with self.database.reading() as connection:
            query = "select checked_at - received_at from upload where checked_at is not null"
            waited = sorted(connection.exec_driver_sql(query).scalars())
        read = sorted(seen.verdicts.values())
        print(
            f"{len(seen.acknowledged)} uploads; language verdict after {middle(waited):.2f} s in the median, "
            f"{last(waited):.2f} s at most (10); read by authors, who look every {LOOK_S:g} s, "
            f"after {last(read):.2f} s at most",
            flush=True,
        )
        if not self.asked.kills and last(waited) > 10:
            self.wrong.append("a language verdict came late")

    def tell_of_pages(self, seen: Seen, unit: float) -> None:
        """Print what pages took."""
        pages = sorted(seen.pages)
        late = pages[int(0.99 * len(pages))]
        print(
            f"{len(pages)} pages: {middle(pages):.0f} ms in the median ({middle(pages) / unit:.1f} units), "
            f"{late:.0f} ms at the 99th percentile (1000), {last(pages):.0f} ms at most; "
            f"refused: {seen.refused or 'none'}"
        )
        print(f"{seen.streams} streams opened, {seen.events} events sent", flush=True)

    def wait_until_decided(self, seen: Seen) -> None:
        """Wait until all uploads are decided."""
        begun = time.monotonic()
        waiting = -1
        while waiting and time.monotonic() - begun < DECIDED_S:
            with self.database.reading() as connection:
                query = "select count(*) from upload where state = 'waiting'"
                waiting = int(connection.exec_driver_sql(query).scalar_one())
            time.sleep(0.5)
        if waiting:
            self.wrong.append(f"{waiting} uploads are not decided")
        print(
            f"all games of all checks over {time.monotonic() - begun:.0f} s after the last verdict",
            flush=True,
        )

    def judge(self, seen: Seen) -> None:
        """Look whether anything was lost, doubled or decided out of order."""
        with (
            contextlib.closing(Database(self.url, create=False)) as database,
            database.reading() as connection,
        ):
            stored = {
                row.id: row
                for row in connection.exec_driver_sql(
                    "select upload.id, upload.owner, upload.state, upload.report, version.number from upload "
                    "left join version on version.id = upload.version_id order by upload.id"
                )
            }
            versions: dict[str, int] = dict(
                connection.exec_driver_sql(
                    "select bot.owner, count(*) from version join bot on bot.id = bot_id group by bot.owner"
                ).all()
            )
            entered = set(
                connection.exec_driver_sql(
                    "select distinct bot.owner from entrant join version on version.id = version_id join bot on "
                    "bot.id = bot_id"
                ).scalars()
            )
        wanted_uploads = sum(1 if author % AGAIN else 2 for author in range(self.asked.authors))
        if len(seen.acknowledged) < wanted_uploads:
            self.wrong.append(f"{len(seen.acknowledged)} of {wanted_uploads} uploads were acknowledged")
        if len(seen.verdicts) < len(seen.acknowledged) and not self.asked.kills:
            self.wrong.append(f"{len(seen.verdicts)} of {len(seen.acknowledged)} verdicts were read")
        if seen.streams < self.asked.spectators or (self.asked.spectators and not seen.events):
            self.wrong.append(f"{seen.streams} streams had {seen.events} events")
        if sum(self.killed.values()) < self.asked.kills:
            self.wrong.append(f"{sum(self.killed.values())} of {self.asked.kills} processes were killed")
        numbers: dict[str, list[int]] = defaultdict(list)
        for author, which, upload in seen.acknowledged:
            row = stored.get(upload)
            wanted = "refused" if is_wrong(author) else "accepted"
            if row is None:
                self.wrong.append(f"upload {upload} is lost")
            elif row.state != wanted and not (self.asked.kills and row.state == "unchanged"):
                self.wrong.append(
                    f"upload {upload} ({which} of author {author}) is {row.state}: {row.report[:300]}"
                )
        for row in stored.values():
            if row.state == "accepted":
                numbers[row.owner].append(row.number)
        for owner, found in numbers.items():
            if found != list(range(2, len(found) + 2)) or versions[owner] != len(found) + 1:
                self.wrong.append(f"{owner} has versions {found}, in the order of uploads")
            if owner not in entered:
                self.wrong.append(f"{owner}'s bot did not enter")
        print(self.command("verify", "ladder").strip().splitlines()[-1])
        print(self.command("db", "check").strip().splitlines()[-1])


async def make_requests(load: Load) -> Seen:
    """Hand in, look at uploads and pages, and follow streams."""
    seen, rng = Seen([], {}, [], {}, 0, 0), random.Random(load.seed)
    client = Client(load.port, seen)
    page = f"/leagues/{load.league}/seasons/1/"
    spectators = [
        asyncio.create_task(client.follow(number, f"{page}{WATCHED[number % len(WATCHED)]}"))
        for number in range(load.spectators)
    ]
    begun = time.monotonic()
    looking = asyncio.create_task(client.look(page, rng))
    async with asyncio.TaskGroup() as group:
        for number, token in enumerate(load.tokens):
            moments = sorted(rng.uniform(0.0, load.minute) for _ in range(1 if number % AGAIN else 2))
            group.create_task(client.hand_in(load.league, number, token, [begun + at for at in moments]))
    await asyncio.sleep(max(0.0, begun + load.minute - time.monotonic()))
    for task in (looking, *spectators):
        task.cancel()
    await asyncio.gather(looking, *spectators, return_exceptions=True)
    seen.used_s = time.process_time()
    return seen


class Client:
    """Makes requests, and notes what they took."""

    def __init__(self, port: int, seen: Seen) -> None:
        self.port, self.seen = port, seen

    async def ask(self, sent: bytes, address: str = "127.0.0.1") -> tuple[int, bytes]:
        """Send a request, and return status and content; 0 where nothing was answered."""
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))
        except OSError:
            return 0, b""
        try:
            writer.write(sent)
            await writer.drain()
            head, _, content = (await reader.read(-1)).partition(b"\r\n\r\n")
        except OSError:
            return 0, b""
        finally:
            writer.close()
        return (int(head.split()[1]) if head else 0), content

    async def page(self, sent: bytes, address: str) -> bytes:
        """Ask for a page, and note what it took; "" where there is none."""
        begun = time.monotonic()
        status, content = await self.ask(sent, address)
        if status in (0, 200):
            self.seen.pages += [1000 * (time.monotonic() - begun)] if status else []
            return content
        self.seen.refused[str(status)] = self.seen.refused.get(str(status), 0) + 1
        return b""

    async def look(self, page: str, rng: random.Random) -> None:
        """Look at pages as people do who come and go."""
        async with asyncio.TaskGroup() as group:
            while True:
                path, address = f"{page}{rng.choice(WATCHED)}", f"127.0.1.{rng.randrange(1, 250)}"
                group.create_task(self.page(request("GET", path), address))
                await asyncio.sleep(rng.expovariate(PAGES_A_SECOND))

    async def follow(self, number: int, page: str) -> None:
        """Follow a page for ever."""
        sent = request("GET", f"{page}events")
        while True:
            await asyncio.sleep(number % 100 / 20)  # not all in one moment
            with contextlib.suppress(OSError):
                address = (f"127.0.2.{1 + number % 250}", 0)
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=address)
                with contextlib.closing(writer):
                    writer.write(sent)
                    self.seen.streams += 1
                    while piece := await reader.read(1 << 16):
                        self.seen.events += piece.count(FLUSHED)

    async def hand_in(self, league: str, author: int, token: str, moments: Sequence[float]) -> None:
        """Hand in at some moments, until each is acknowledged, and look until its language is judged."""
        looking = []
        for which, moment in enumerate(moments):
            await asyncio.sleep(max(0.0, moment - time.monotonic()))
            source = BOT.format(author, which) + ("import os\n" if is_wrong(author) else "")
            body = WEB_FORM.format(author, source).encode()
            kind = "multipart/form-data; boundary=xyz"
            sent = request("POST", f"/leagues/{league}/hand-in/", token, body, kind)
            status, content = await self.ask(sent)
            while status in (0, 503):
                await asyncio.sleep(RETRY_S)
                status, content = await self.ask(sent)
            if status != 202:
                self.seen.refused[f"upload {status}"] = self.seen.refused.get(f"upload {status}", 0) + 1
                continue
            upload = int(json.loads(content)["upload"])
            self.seen.acknowledged.append((author, which, upload))
            looking.append(asyncio.create_task(self.await_verdict(upload, token)))
        await asyncio.gather(*looking)

    async def await_verdict(self, upload: int, token: str) -> None:
        """Look at an upload until its language is judged."""
        begun = time.monotonic()
        while True:
            content = await self.page(request("GET", f"/uploads/{upload}/index.json", token), "127.0.0.1")
            if content and json.loads(content)["state"] != "waiting":
                self.seen.verdicts[upload] = time.monotonic() - begun
                return
            await asyncio.sleep(LOOK_S)


WEB_FORM = (
    '--xyz\r\nContent-Disposition: form-data; name="file"; filename="bot{0}.py"\r\n\r\n{1}\r\n--xyz--\r\n'
)


def request(method: str, path: str, token: str = "", body: bytes = b"", kind: str = "text/plain") -> bytes:
    """Return a request as it is sent."""
    shown = f"Authorization: Bearer {token}\r\n" if token else ""
    lines = (
        "Host: 127.0.0.1\r\nConnection: close\r\nAccept-Encoding: gzip\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n{shown}"
    )
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + body


def is_wrong(author: int) -> bool:
    """Return whether what an author hands in is refused by the language."""
    return author % WRONG == WRONG - 1


def children(process: int) -> list[int]:
    """Return the processes that any thread of ``process`` started."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
    return found


def levels(process: int) -> Iterator[list[int]]:
    """Yield what a process started, what that did, and so on."""
    found = children(process)
    while found:
        yield found
        found = [child for one in found for child in children(one)]


TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def cpu_s(process: int, *, with_children: bool = True) -> float:
    """Return the CPU seconds of a process, and of the children it has waited for; 0 if it is gone."""
    with contextlib.suppress(OSError):
        counts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:15]
        return TICK_S * sum(map(int, counts if with_children else counts[:2]))
    return 0.0


def tree_s(process: int) -> float:
    """Return the CPU seconds of a process and all below it."""
    return cpu_s(process) + sum(cpu_s(one) for level in levels(process) for one in level)


def command_of(process: int) -> str:
    """Return the command line of a process, "" if it is gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def middle(values: Sequence[float]) -> float:
    """Return the median, 0 of nothing."""
    return statistics.median(values) if values else 0.0


def last(values: Sequence[float]) -> float:
    """Return the last value, 0 of nothing."""
    return values[-1] if values else 0.0


if __name__ == "__main__":
    main()
