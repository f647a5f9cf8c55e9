"""Options of the whole suite: other folders of golden games and of hostile bots; and a PostgreSQL server.

The server is a private one on a socket in a folder of its own, started by the first test that is marked
``postgresql``. On a machine without PostgreSQL those tests are deselected, and the first lines of the report say so;
likewise those that are marked ``chromium``.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import itertools
import json
import os
import pwd
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from botleague_sandbox.locks import syscalls

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# How long an example takes says something about the machine, nothing about the code.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

HERE = Path(__file__).parent
PATIENCE_S = 600
"""Seconds until a test takes a process for one that hangs: on a busy machine much takes long."""

SLOWEST = (
    "e2e/running/test_term.py",
    "e2e/server/test_course.py",
    "attacks/test_wasm_corpus.py",
    "e2e/running/test_kill.py",
    "e2e/authors/test_author_program.py",
    "platform/league/freeze/test_hidden_results.py",
    "plugins/openspiel/test_openspiel_bots.py",
)
"""Files with a test of half a minute, which would keep one worker at the end of a run while the others are idle."""

JUDGES = ("test_corpus", "attack_that_must_be_rejected")
FINDINGS = {
    "escaped": "left the language layer (ESCAPED) and were contained by the layers around their process",
    "accepted": "were accepted, as no promise excludes them; what they do when they run must be contained",
}
"""What tests of attacks record as properties of attacks that did no harm, and what it means."""


class CommandServer:
    """Runs commands of the command line, each in a process of its own that need not import anything first.

    Args:
        first: what the process that they are forked from does before it begins.
    """

    def __init__(self, first: Callable[[], None] | None = None) -> None:
        self._process = subprocess.Popen(
            [sys.executable, HERE / "command_server.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=first,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # threads do not survive a fork
        )

    def run(
        self,
        commands: Sequence[Sequence[str]],
        folder: Path,
        environment: Mapping[str, str],
        *,
        alone: bool = False,
        program: str = "",
    ) -> tuple[int, str, str]:
        """Run commands and return the code and what was printed.

        Args:
            alone: there is one command, and it prints as it always does.
            program: run this in place of commands, with the words of one command as its arguments.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
            for file in (out, err):
                os.chmod(file.name, 0o666)  # of somebody else's process, it may be
            order = {
                "commands": list(map(list, commands)),
                "folder": str(folder),
                "environment": dict(environment),
                "out": out.name,
                "err": err.name,
                "alone": alone,
                "program": program,
            }
            self._process.stdin.write(json.dumps(order) + "\n")
            self._process.stdin.flush()
            code = int(self._process.stdout.readline())
            return code, out.read().decode(), err.read().decode()

    def close(self) -> None:
        """End the process that commands are forked from."""
        self._process.communicate()


@pytest.fixture(scope="session")
def command_server() -> Iterator[CommandServer]:
    server = CommandServer()
    yield server
    server.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--golden",
        type=Path,
        default=HERE / "golden",
        help="folder of golden games: one sub-folder per game (default: tests/golden)",
    )
    parser.addoption(
        "--attacks",
        type=Path,
        default=HERE / "attacks" / "corpus",
        help="folder of hostile bots (default: tests/attacks/corpus)",
    )


def pytest_configure(config: pytest.Config) -> None:
    # Else each of the hundreds of processes that tests start would compile the whole project.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if (
        signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    ):  # begun in the background, where nobody presses Ctrl-C
        signal.signal(
            signal.SIGINT, signal.default_int_handler
        )  # but tests do, and what they start would not hear
    config.addinivalue_line("markers", "postgresql: needs the programs of a PostgreSQL server")
    config.addinivalue_line("markers", "chromium: needs the distribution's Chromium")


def pytest_report_header(config: pytest.Config) -> str:
    programs = {"postgresql": postgresql_programs(), "chromium": chromium()}
    return "\n".join(
        f"{name}: {where or f'not installed, its tests are deselected (apt-get install {name})'}"
        for name, where in programs.items()
    )


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Report whether all attacks were contained, and list those that the language layer alone does not stop."""
    passed, failed = (
        [
            one
            for kind in kinds
            for one in terminalreporter.getreports(kind)
            if any(judge in one.nodeid for judge in JUDGES)
        ]
        for kinds in (["passed"], ["failed", "error"])
    )
    if not passed and not failed:
        return
    if failed:
        terminalreporter.line(f"attacks: {len(failed)} tests failed, see above", red=True)
    else:
        terminalreporter.line(f"attacks: all contained, none did any harm ({len(passed)} tests passed)")
    for finding, meaning in FINDINGS.items():
        names = {value for one in passed for name, value in one.user_properties if name == finding}
        if names:
            terminalreporter.line(f"attacks: of these, {len(names)} {meaning}: {' '.join(sorted(names))}")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without looking for garbage: modules and tests stay to the end.

    They are not frozen: on Python 3.14, Hypothesis looks for the holder of its random numbers among what is collected.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def slowest_first(items: Sequence[pytest.Item]) -> Iterator[pytest.Item]:
    """Yield the tests so that each worker, which gets a contiguous part of them, begins with some of the slowest."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    slowest = [HERE / name for name in SLOWEST]
    others = (item for item in items if item.path not in slowest)
    for worker in range(workers):
        mine = [item for path in slowest[worker::workers] for item in items if item.path == path]
        yield from mine
        part = len(items) * (worker + 1) // workers - len(items) * worker // workers
        yield from itertools.islice(others, max(0, part - len(mine)))
    yield from others


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items[:] = slowest_first(items)
    missing = [
        name
        for name, where in (("postgresql", postgresql_programs()), ("chromium", chromium()))
        if where is None
    ]
    without = [item for item in items if any(map(item.get_closest_marker, missing))]
    if without:
        items[:] = [item for item in items if item not in without]
        config.hook.pytest_deselected(items=without)


FLAGS = [
    *("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]


def chromium() -> str | None:
    """Return the program of Chromium, if possible that without windows: it needs two thirds of the processor time."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The distribution's Chromium; tests that use it are marked ``chromium``."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield browser
        browser.close()


def postgresql_programs() -> Path | None:
    """Return the folder of ``initdb`` and ``pg_ctl``, the newest version's; None if there is none."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    if pg_config := shutil.which("pg_config"):
        answer = subprocess.run([pg_config, "--bindir"], capture_output=True, text=True, check=True)
        folders.insert(0, Path(answer.stdout.strip()))
    if on_path := shutil.which("pg_ctl"):
        folders.append(Path(on_path).parent)
    return next((path for path in reversed(folders) if (path / "initdb").exists()), None)


@pytest.fixture(scope="session", autouse=True)
def a_user_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing of who runs the tests is read or written: no settings, no database, no films."""
    home = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        for what in ("DATA", "CONFIG", "CACHE", "STATE"):
            patch.setenv(f"XDG_{what}_HOME", str(home / what.lower()))
        yield


@pytest.fixture(scope="session")
def run_all(command_server: CommandServer) -> Callable[..., list[Any]]:
    """Runs many commands in one process and returns (code, out, err) of each."""

    def run(
        commands: Sequence[Sequence[str]],
        folder: Path,
        environment: Mapping[str, str],
        first: Callable[[], None] | None = None,
    ) -> list[Any]:
        with contextlib.ExitStack() as stack:
            server = command_server
            if first is not None:
                server = stack.enter_context(contextlib.closing(CommandServer(first)))
            # As processes of bots have it: a command that needs it would start its process again, and lose the others.
            code, out, errors = server.run(commands, folder, {"PYTHONHASHSEED": "0", **environment})
        assert code == 0, errors
        return [json.loads(line) for line in out.splitlines()]

    return run


MadeOnce = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """Makes a folder for all processes of a run: the first that asks makes it, the others wait for it."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent

    def once(name: str, make: Callable[[Path], None]) -> Path:
        folder, unfinished = shared / name, shared / f"{name}.new"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                shutil.rmtree(unfinished, ignore_errors=True)
                make(unfinished)
                unfinished.rename(folder)
        return folder

    return once


@pytest.fixture(scope="session")
def wait_until() -> Callable[[subprocess.Popen[Any], Callable[[], object]], bool]:
    """Waits, without taking a core from it, until a process has come so far; false where it has ended before."""

    def wait(process: subprocess.Popen[Any], reached: Callable[[], object]) -> bool:
        while not reached():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.01)
                return bool(reached())
        return True

    return wait


@pytest.fixture(scope="session")
def full_disk() -> Callable[[int], contextlib.AbstractContextManager[None]]:
    """Makes a block in which this process, and each that it starts, can write only some bytes to a file."""

    @contextlib.contextmanager
    def limited(room: int) -> Iterator[None]:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        with pytest.MonkeyPatch.context() as patch:
            # Before 3.12.8 and 3.13.1, Python would cut the compiled modules that it stores.
            patch.setattr(sys, "dont_write_bytecode", True)
            patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
            try:
                yield
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return limited


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """A running server; gives the URL of its maintenance database."""
    programs = postgresql_programs()
    assert programs is not None, "tests that start a server are marked postgresql"
    # The server refuses to run as root.
    user = None if os.geteuid() else pwd.getpwnam("nobody").pw_uid
    with tempfile.TemporaryDirectory(prefix="postgresql-") as name:
        folder = Path(name)
        if user is not None:
            os.chown(folder, user, -1)

        def call(*arguments: str | Path) -> None:
            # Into a file: a server keeps a pipe open, and waiting for its end would last as long as the server.
            with (folder / "log").open("ab") as log:
                done = subprocess.run(arguments, cwd=folder, user=user, stdout=log, stderr=log, check=False)
            assert done.returncode == 0, (folder / "log").read_text()

        data = folder / "data"
        call(
            programs / "initdb",
            "-D",
            data,
            "-U",
            "botleague",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "-N",
        )
        terms = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        call(programs / "pg_ctl", "-D", data, "-w", "-o", terms, "start")
        try:
            yield f"postgresql://botleague@/postgres?host={folder}"
        finally:
            call(programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


@pytest.fixture(scope="session")
def new_postgresql_url(postgresql_server: str) -> Callable[[], str]:
    """Makes empty databases on the server and gives their URLs."""
    import psycopg

    numbers = itertools.count()

    def make() -> str:
        name = f"league_{next(numbers)}"
        with psycopg.connect(postgresql_server, autocommit=True) as connection:
            connection.execute(f"create database {name}".encode())
        return postgresql_server.replace("/postgres?", f"/{name}?")

    return make


@pytest.fixture(scope="session")
def as_a_guest() -> Callable[[], None]:
    """What a child process calls to be bound by permission bits, as root is not: it gives up the right to pass them."""
    capabilities = (1, 2, 3)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER

    def give_up() -> None:
        if os.geteuid() == 0:
            for number in capabilities:
                syscalls.prctl(24, number)  # PR_CAPBSET_DROP; the next program has what is left

    return give_up


@pytest.fixture(scope="session")
def with_read_only() -> Callable[[Path], Callable[[], None]]:
    """Makes what a child process calls to see a folder as a read-only file system."""

    def make(folder: Path) -> Callable[[], None]:
        def mount() -> None:
            uid, gid = os.geteuid(), os.getegid()
            syscalls.unshare(syscalls.CLONE_NEWNS | (syscalls.CLONE_NEWUSER if uid else 0))
            if uid:
                Path("/proc/self/setgroups").write_text("deny")
                Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
                Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
            syscalls.mount("none", "/", None, syscalls.MS_REC | syscalls.MS_PRIVATE)
            bind, flags_kept = 4096, os.statvfs(folder).f_flag & 14  # MS_BIND; MS_NOSUID, MS_NODEV, MS_NOEXEC
            syscalls.mount(str(folder), str(folder), None, bind)
            flags = bind | syscalls.MS_REMOUNT | syscalls.MS_RDONLY | flags_kept
            syscalls.mount(str(folder), str(folder), None, flags)

        return mount

    return make
