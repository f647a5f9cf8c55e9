"""Plays every file of an attack corpus in one mode and prints what happened, one JSON object a line.

    python duel.py DIR [--os-only] [--without LAYER ...] [--user] [--quick] [--only NAME ...]

A process of its own: it is the host that the attacks are after, with secrets in its environment and memory, canaries
around it, and an honest bot that must play as usual after each attack. See ``corpus/README.md`` for the rules.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import multiprocess

from botleague_sandbox import (
    Bot,
    Crashed,
    Deadline,
    Failure,
    Imports,
    Limits,
    Program,
    Rejected,
    Sandbox,
    Tier,
)
from botleague_sandbox.locks import syscalls

MIB = 1 << 20
NOBODY = 65534
MS_BIND = 4096  # linux/mount.h
MEMORY = 512 * MIB
LIMITS = Limits(memory_bytes=MEMORY, address_space_bytes=1024 * MIB, reply_bytes=64 * 1024)
# Beside what RLIMIT_DATA counts: libraries and the stack; page tables, one for each of the kernel's 65,530 mappings.
MOST_RESIDENT = MEMORY + 128 * MIB
MOST_PAGE_TABLES = 257 * MIB
LEGAL = [["move", [0, 1]], ["move", [1, 0]], ["pass"]]
# What may end in a timeout is not worth waiting for; everything else gets time enough on any machine.
MOVE = {True: Deadline(cpu_ms=250, wall_ms=500, grace_ms=150), False: Deadline(cpu_ms=10_000, wall_ms=20_000)}
LOAD = {
    True: Deadline(cpu_ms=500, wall_ms=2000, grace_ms=150),
    False: Deadline(cpu_ms=10_000, wall_ms=20_000),
}
HONEST = Program(
    "honest",
    {"bot.py": b"def move(observation):\n    return observation['legal'][0]\n"},
    "bot.py",
    "attack_harness:Duel",
)
HOST_SECRETS = {"password": "ARENA-SECRET-2"}


@dataclass
class Canaries:
    """What an attack might harm."""

    file: Path
    folder: Path
    listener: socket.socket
    sleeper: subprocess.Popen[bytes]
    connections: list[object] = field(default_factory=list)

    def observed(self) -> dict[str, Any]:
        return {
            "file": str(self.file),
            "dir": str(self.folder),
            "port": self.listener.getsockname()[1],
            "pid": self.sleeper.pid,
            "env": "ARENA_CANARY",
            "authkey": bytes(multiprocess.current_process().authkey).hex(),
        }

    def harm(self) -> Iterator[str]:
        """Yield what was done to them."""
        if self.file.read_text() != "the secret":
            yield "the canary file was changed"
        if any(self.folder.iterdir()):
            yield "something was written into the canary folder"
        if self.sleeper.poll() is not None:
            yield "the canary process is dead"
        if self.connections:
            yield "somebody connected"


@contextmanager
def canaries() -> Iterator[Canaries]:
    os.environ["ARENA_CANARY"] = "ARENA-SECRET-1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "folder"
        folder.mkdir()
        folder.chmod(0o777)
        Path(name).chmod(0o755)
        file = Path(name) / "canary"
        file.write_text("the secret")
        with (
            socket.create_server(("127.0.0.1", 0)) as listener,
            subprocess.Popen(["sleep", "600"]) as sleeper,
        ):
            found = Canaries(file, folder, listener, sleeper)
            threading.Thread(target=_record_connections, args=(found,), daemon=True).start()
            try:
                yield found
            finally:
                sleeper.kill()


def _record_connections(found: Canaries) -> None:
    while True:
        try:
            found.connections.append(found.listener.accept())
        except OSError:
            return


@dataclass(frozen=True)
class World:
    """What must be the same after an attack."""

    processes: frozenset[int]
    descriptors: int
    shared_memory: frozenset[str]

    @classmethod
    def now(cls) -> World:
        return cls(
            frozenset(_descendants(os.getpid())),
            len(os.listdir("/proc/self/fd")),
            frozenset(os.listdir("/dev/shm")) if Path("/dev/shm").is_dir() else frozenset(),
        )

    def changes(self, later: World) -> Iterator[str]:
        if later.processes - self.processes:
            yield f"processes were left behind: {sorted(later.processes - self.processes)}"
        if later.descriptors > self.descriptors:
            yield f"descriptors were left behind: {later.descriptors - self.descriptors}"
        if any("arena_attack" in name for name in later.shared_memory - self.shared_memory):
            yield "shared memory was left behind"


def _descendants(pid: int) -> Iterator[int]:
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parents[int(entry)] = int(
                    Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1]
                )
            except OSError:
                continue
    below = {pid}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    yield from below - {pid}


def header(source: str) -> dict[str, str]:
    """Return the ``key: value`` comment lines at the top of an attack."""
    found = {}
    for line in source.splitlines():
        match = re.match(r"#\s*(\w+):\s*(.*)", line)
        if not match:
            break
        found[match[1]] = match[2]
    return found


def may_time_out(told: dict[str, str]) -> bool:
    return "timeout" in told.get("verdict", "")


def is_slow(told: dict[str, str]) -> bool:
    """Whether a file rests on clocks and memory limits, which no privilege changes."""
    return may_time_out(told) or told.get("attack") == "memory"


def memory_harm(bot: Bot) -> Iterator[str]:
    """Yield what a bot held beyond its limits, by the kernel's account."""
    resident = bot.usage.peak_memory_bytes
    if resident > MOST_RESIDENT:
        yield f"it held {resident // MIB} MiB"
    page_tables = int(bot.channel.process.status().get("VmPTE", "0 kB").split()[0]) * 1024
    if page_tables > MOST_PAGE_TABLES:
        yield f"it held {page_tables // MIB} MiB of page tables"


def play(sandbox: Sandbox, path: Path, canary: Canaries) -> dict[str, Any]:
    """Play one attack and return what the host saw of it."""
    source = path.read_bytes()
    told = header(source.decode(errors="replace"))
    hasty = may_time_out(told)
    tier: Tier = "scientific" if told.get("tier") == "scientific" else "strict"
    imports: Imports = "lenient" if told.get("imports") == "lenient" else "refuse"
    program = Program(path.stem, {"bot.py": source}, "bot.py", "attack_harness:Duel", tier, imports=imports)
    seen: dict[str, Any] = {"verdicts": [], "replies": [], "details": [], "findings": [], "harm": []}
    for match in range(2 if told.get("attack") == "state-leak" else 1):
        try:
            bot = sandbox.run(program, load=LOAD[hasty])
        except Rejected as rejected:
            seen["findings"] = [[finding.line, finding.message] for finding in rejected.findings]
            return seen
        except Crashed as crashed:
            seen["verdicts"].append(crashed.failure.kind)
            seen["details"].append(crashed.failure.detail)
            return seen
        with bot:
            for turn in range(int(told.get("turns", "2"))):
                observation = {
                    "legal": LEGAL, "turn": turn, "match": match, "you": 0, "score": [0, 0],
                    "opponent": {"name": "opponent"}, "canary": canary.observed(),
                }  # fmt: skip
                reply = bot.ask(observation, MOVE[hasty])
                if isinstance(reply, Failure):
                    seen["verdicts"].append(reply.kind)
                    seen["details"].append(reply.detail)
                else:
                    seen["verdicts"].append("move" if reply.value in LEGAL else "illegal")
                    seen["replies"].append(str(reply.value)[:200])
            seen["harm"] += memory_harm(bot)
    return seen


def honest_bot_plays(sandbox: Sandbox) -> bool:
    """Return whether a well-behaved bot gets its usual result."""
    with sandbox.run(HONEST) as bot:
        reply = bot.ask({"legal": LEGAL}, Deadline.cpu(1000))
        return not isinstance(reply, Failure) and reply.value == LEGAL[0]


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def become_nobody(*needed: Path) -> None:
    """Give up root for good; ``needed`` paths, the interpreter and its import path stay readable.

    In a mount namespace of this process alone, directories that others may not enter are covered by empty ones, and
    what is needed below is put back.
    """
    paths = {Path(sys.base_prefix), Path(sys.prefix), *(Path(entry) for entry in sys.path if entry), *needed}
    syscalls.unshare(syscalls.CLONE_NEWNS)
    syscalls.mount("none", "/", None, syscalls.MS_REC | syscalls.MS_PRIVATE)
    closed: dict[Path, list[Path]] = {}
    for path in sorted(path.resolve() for path in paths if path.exists()):
        for ancestor in reversed(path.parents):
            if not ancestor.stat().st_mode & 0o001:
                closed.setdefault(ancestor, []).append(path)
                break
    for ancestor, inside in closed.items():
        keep = Path(tempfile.mkdtemp())
        for number, path in enumerate(inside):
            _bind(path, keep / str(number))
        syscalls.mount("tmpfs", str(ancestor), "tmpfs", 0, "mode=755")
        for number, path in enumerate(inside):
            if not path.exists():
                _bind(keep / str(number), path)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    # A process that changed its ids is not dumpable, and nobody but root may then write its id maps.
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 1)
    os.environ["HOME"] = "/"


def _bind(source: Path, target: Path) -> None:
    if source.is_dir():
        target.mkdir(parents=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    syscalls.mount(str(source), str(target), None, MS_BIND | syscalls.MS_REC)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("attacks", type=Path)
    parser.add_argument("--os-only", action="store_true")
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--user", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--quick", action="store_true", help="leave out what takes long")
    wanted = parser.parse_args()
    files = sorted(
        path for path in wanted.attacks.glob("*.py") if not wanted.only or path.stem in wanted.only
    )
    if wanted.quick:
        files = [path for path in files if not is_slow(header(path.read_text(errors="replace")))]
    if wanted.user and os.geteuid() == 0:
        become_nobody(wanted.attacks, Path(__file__).parent)
    with canaries() as canary, Sandbox(LIMITS) as sandbox:
        # The one switch that the public face does not offer: taking layers away.
        sandbox._recipe = msgspec.structs.replace(
            sandbox._recipe,
            without=frozenset(wanted.without),
            language="unrestricted" if wanted.os_only else "policy",
        )
        for tier in ("strict", "scientific"):
            sandbox.preload(tier, "attack_harness:Duel")
        assert honest_bot_plays(sandbox)
        with sandbox.run(HONEST) as bot:
            layers = bot.layers
        memory = resident_bytes()
        for path in files:
            before, start = World.now(), time.monotonic()
            seen = play(sandbox, path, canary)
            seen["seconds"] = time.monotonic() - start
            seen["harm"] += [*canary.harm(), *before.changes(World.now())]
            seen["layers"] = layers
            seen["uid"] = os.getuid()
            seen["honest"] = honest_bot_plays(sandbox)
            seen["growth"] = resident_bytes() - memory
            print(json.dumps({"name": path.stem, **seen}), flush=True)
    assert HOST_SECRETS


if __name__ == "__main__":
    main()
