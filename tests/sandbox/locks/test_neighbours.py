"""After whatever a bot did, the machine and the next bot are as before; and when the host dies, so does everything."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from botleague_sandbox import (
    Answer,
    Bot,
    Crashed,
    Deadline,
    Limits,
    MachineryFailure,
    Program,
    Rejected,
    Sandbox,
)
from botleague_sandbox.host.zygote_pool import BOOT, ISOLATED, ProcessSpec, Zygote
from botleague_sandbox.language import Language
from botleague_sandbox.testing.sandbox_conformance import HARNESS, PlainHarness
from botleague_sandbox.wire.protection_layers import Recipe
from botleague_sandbox.wire.spawn_orders import Preloaded
from botleague_sandbox.zygote.zygote import Common, _start_bots, agents_of

from ...conftest import PATIENCE_S

MakeProgram = Callable[..., Program]
HONEST = "def move(o): return o"
BRIEF = Deadline(cpu_ms=40, wall_ms=200, grace_ms=30)

MATCHES = {
    "a good match": HONEST,
    "a refused source": "import os",
    "a crash while loading": "1 / 0",
    "an exception": "def move(o): 1 / 0",
    "garbage": "def move(o): return float('nan')",
    "a loop": "def move(o):\n    while True: pass",
    "a loop in C": "import itertools\ndef move(o): return sum(itertools.count())",
    "output": "def move(o):\n    for _ in range(3000): print('x' * 1000)",
}


def children() -> set[int]:
    """Return the ids of all processes below this one."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    descendants = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in descendants} - descendants:
        descendants |= more
    return descendants - {os.getpid()}


def world() -> tuple[int, set[int]]:
    return len(os.listdir("/proc/self/fd")), children()


def play(sandbox: Sandbox, program: Program) -> None:
    try:
        with sandbox.run(program, load=Deadline.cpu(1000)) as bot:
            for _ in range(2):
                bot.ask(1, BRIEF, int)
    except (Rejected, Crashed):
        pass


@pytest.mark.parametrize("what", MATCHES)
def test_nothing_is_left_behind_and_the_next_bot_plays_as_usual(
    what: str, sandbox: Sandbox, program: MakeProgram
) -> None:
    sandbox.preload("strict", HARNESS)
    before = world()
    for _ in range(3):
        play(sandbox, program(MATCHES[what]))
    assert world() == before
    with sandbox.run(program(HONEST)) as bot:
        reply = bot.ask(7, Deadline.cpu(5000), int)
        assert isinstance(reply, Answer)
        assert reply.value == 7


def test_memory_of_the_host_stays_flat_over_many_matches(sandbox: Sandbox, program: MakeProgram) -> None:
    def resident_kib() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024

    talking = program("def move(o):\n    print('x' * 5000)\n    return o")
    for _ in range(20):
        play(sandbox, talking)
    before = resident_kib()
    for _ in range(100):
        play(sandbox, talking)
    assert resident_kib() - before < 1024


def test_one_sandbox_serves_several_threads(sandbox: Sandbox, program: MakeProgram) -> None:
    replies: list[object] = []

    def match(number: int) -> None:
        with sandbox.run(program(HONEST)) as bot:
            reply = bot.ask(number, Deadline.cpu(5000), int)
            replies.append(reply.value if isinstance(reply, Answer) else reply)

    threads = [threading.Thread(target=match, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(replies, key=str) == list(range(8))


def test_when_a_warm_process_dies_the_match_is_void_and_the_next_one_starts(program: MakeProgram) -> None:
    with Sandbox() as sandbox:
        bot = sandbox.run(program("def move(o):\n    while True: pass"))
        parent = int(bot.channel.process.status()["PPid"])
        os.kill(parent, signal.SIGKILL)
        with pytest.raises(MachineryFailure, match="the zygote of a bot died"):
            bot.ask(1, Deadline.cpu(60_000), int)  # the parent's death takes the bot along
        bot.close()
        with pytest.raises(MachineryFailure):
            sandbox.run(program(HONEST))
        with sandbox.run(program(HONEST)) as following:
            assert isinstance(following.ask(1, Deadline.cpu(5000), int), Answer)


CROWDED = """
import os, resource, sys
sys.path[:0] = {path!r}
from botleague_sandbox import *
from botleague_sandbox.testing.sandbox_conformance import HARNESS, PlainHarness
program = Program("x", {{"bot.py": b"def move(o): return o"}}, "bot.py", HARNESS)
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
def crowd(room):
    open_now = max(int(fd) for fd in os.listdir("/proc/self/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (open_now + room, hard))
def attempt(sandbox):
    try:
        sandbox.run(program).close()
        print("ran")
    except MachineryFailure as error:
        print("void:", error)
with Sandbox() as sandbox:
    crowd(1)
    attempt(sandbox)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    attempt(sandbox)
    first = sandbox.run(program)
    crowd(3)
    attempt(sandbox)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    print(first.ask(5, Deadline.cpu(5000), int).value)
    attempt(sandbox)
"""


def test_a_host_without_descriptors_voids_matches_and_goes_on_when_it_has_some() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CROWDED.format(path=sys.path)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert [line.partition(":")[0] for line in lines] == ["void", "ran", "void", "5", "ran"]
    assert "no process for bots can be started" in lines[0]
    assert "ulimit -n" in lines[2]
    assert "Traceback" not in done.stderr


def test_a_zygote_that_cannot_fork_says_so_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs, open(os.devnull) as null:
        zygote = Zygote(ours, Preloaded(False, "", ""))
        spec = ProcessSpec(Limits(), msgspec.msgpack.encode({}))
        zygote.prepare([spec])
        ends = zygote._request(spec)
        ours.shutdown(socket.SHUT_WR)
        monkeypatch.setattr(os, "fork", no_room)
        fd = null.fileno()
        make_agent = agents_of("strict", Language)
        _start_bots(theirs, Common(Recipe(), "strict", make_agent, PlainHarness, range(0), fd, fd, False))
        zygote._take_in_spares()  # nobody asked for the spare one
        with pytest.raises(MachineryFailure, match="Resource temporarily unavailable"):
            zygote._newborn(ends)


def test_the_kernel_ends_a_bot_before_its_host_when_memory_runs_out(start: Callable[..., Bot]) -> None:
    def adjustment(process: int) -> int:
        return int(Path(f"/proc/{process}/oom_score_adj").read_text())

    bot = start(HONEST)
    assert adjustment(bot.channel.process.pid) == max(900, adjustment(os.getpid()))


HOST = """
import os, signal, sys
sys.path[:0] = {path!r}
from botleague_sandbox import *
from botleague_sandbox.testing.sandbox_conformance import HARNESS, PlainHarness
sandbox = Sandbox()
program = Program("x", {{"bot.py": b"def move(o):\\n    while True: pass"}}, "bot.py", HARNESS)
bot = sandbox.run(program)
print(bot.channel.process.pid, sandbox._pool._process.pid, bot.channel.process.status()["PPid"], flush=True)
bot.ask(0, Deadline.wall(100_000))
"""


@pytest.fixture
def host() -> Iterator[subprocess.Popen[str]]:
    """A host in the middle of a turn that never ends."""
    source = HOST.format(path=sys.path)
    with subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def test_when_the_host_is_killed_nothing_of_the_sandbox_survives(host: subprocess.Popen[str]) -> None:
    assert host.stdout is not None
    pidfds = [os.pidfd_open(int(pid)) for pid in host.stdout.readline().split()]
    host.kill()
    host.wait()
    for pidfd in pidfds:  # readable as soon as the process is dead
        try:
            assert select.select([pidfd], [], [], 20)[0]
        finally:
            os.close(pidfd)


def test_process_whose_host_is_killed_before_it_begins_ends_without_traceback() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.close()
    with theirs:
        done = subprocess.run(
            [sys.executable, *ISOLATED, "-c", BOOT, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            capture_output=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, b"")


# Temporary folders of its own, whatever the environment says: what is left in them was left by this host.
ALONE_WITH_TEMPORARY_FOLDERS = """
import os, select, subprocess, sys
from pathlib import Path
sys.path[:0] = {path!r}
from botleague_sandbox.locks import syscalls
uid, gid, needed = os.geteuid(), os.getegid(), [sys.prefix, sys.base_prefix, *filter(None, sys.path)]
syscalls.unshare(syscalls.CLONE_NEWNS | (syscalls.CLONE_NEWUSER if uid else 0))
if uid:
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{{uid}} {{uid}} 1")
    Path("/proc/self/gid_map").write_text(f"{{gid}} {{gid}} 1")
syscalls.mount("none", "/", None, syscalls.MS_REC | syscalls.MS_PRIVATE)
folders = [Path(name) for name in ("/tmp", "/var/tmp", "/dev/shm") if Path(name).is_dir()]
for folder in folders:
    inside = [path for path in needed if folder in Path(path).parents and Path(path).is_dir()]
    inside = [(path, os.open(path, os.O_PATH)) for path in inside]
    syscalls.mount("tmpfs", str(folder), "tmpfs", 0, "mode=1777")
    for path, fd in inside:
        Path(path).mkdir(parents=True, exist_ok=True)
        syscalls.mount(f"/proc/self/fd/{{fd}}", path, None, 4096)  # MS_BIND
def listed():
    return sorted(str(path) for folder in folders for path in folder.iterdir())
before = listed()
host = subprocess.Popen([sys.executable, "-c", {host!r}], stdout=subprocess.PIPE, text=True)
pidfds = [os.pidfd_open(int(pid)) for pid in host.stdout.readline().split()]
if {killed!r}:
    host.kill()
else:
    host.communicate()
host.wait()
for pidfd in pidfds:
    assert select.select([pidfd], [], [], 20)[0]
assert host.returncode == (-9 if {killed!r} else 0), host.returncode
print(sorted(set(listed()) - set(before)))
"""
ENDING = HOST.replace("bot.ask(0, Deadline.wall(100_000))", "bot.ask(0, Deadline.wall(10))\nsandbox.close()")


@pytest.mark.parametrize("killed", [False, True])
def test_nothing_is_left_in_temporary_folders(killed: bool) -> None:
    host = (HOST if killed else ENDING).format(path=sys.path)
    source = ALONE_WITH_TEMPORARY_FOLDERS.format(path=sys.path, host=host, killed=killed)
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_bots_are_not_in_the_hosts_process_group(sandbox: Sandbox, program: MakeProgram) -> None:
    with sandbox.run(program(HONEST)) as bot:  # Ctrl-C in a terminal must reach the host alone
        assert isinstance(bot, Bot)
        assert os.getpgid(bot.channel.process.pid) != os.getpgid(0)
        assert os.getsid(bot.channel.process.pid) != os.getsid(0)
