"""The host's end of the zygotes: starts the launcher, has it start them, has bots started and reaped.

Sockets between host, launcher and zygotes carry MessagePack with fixed types and descriptors; none of the three ever
runs a bot's code.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

import msgspec

from botleague_sandbox.host.bot_process import BotProcess
from botleague_sandbox.wire.program import Limits, Tier
from botleague_sandbox.wire.protection_layers import Recipe
from botleague_sandbox.wire.sandbox_errors import HarnessFailure, MachineryFailure
from botleague_sandbox.wire.spawn_orders import (
    MESSAGE_BYTES,
    Born,
    Launch,
    Preloaded,
    Reap,
    Reaped,
    Start,
    Unborn,
)

# What -I does, short of ignoring the only variables there are: with one seed for hashes a bot that goes through a set
# of strings does so in the same order every time, and a match can be repeated; and a bot's process may not make memory
# executable, which Python's just-in-time compiler needs. What libraries call of each other is looked up at the start,
# once, and not in each bot's process at its first call.
ISOLATED = ["-s", "-P"]
ENVIRONMENT = {"LD_BIND_NOW": "1", "PYTHONHASHSEED": "0", "PYTHON_JIT": "0"}

# Random numbers, threads and logs register handlers for every fork, Python code that writes to many pages: a third of
# what starting a bot took. There are no other threads here, and a bot begins its random numbers when it is loaded.
# Garbage is collected once everything is loaded: what is imported stays, and looking for it again and again takes long.
#
# Nothing is pickled here, so multiprocess gets no dill: importing it takes as long as all of our modules.
#
# The host's import path comes over the socket and after the interpreter's own, so that no file in it can take the
# place of a module of the standard library. Nothing comes from a host that was killed meanwhile.
BOOT = """
import gc, os
gc.disable()
os.register_at_fork = lambda **hooks: None
import sys, socket, json
channel = socket.socket(fileno=int(sys.argv[1]))
sys.argv[1:] = []
sys.path += [path for path in json.loads(channel.recv(1 << 16) or sys.exit(1)) if path not in sys.path]
sys.modules["dill"] = None
from botleague_sandbox.zygote.launcher import main
del sys.modules["dill"]
main(channel)
"""

SECONDS_TO_PRELOAD = 120.0
SLOW_S = 1.0  # of preloading, after which people want to know what they wait for
SECONDS_TO_START = 30.0
SECONDS_TO_END = 5.0


_Ends: TypeAlias = tuple[int, int]
"""Our ends of a bot's pipes: where questions go in, and where replies come out."""


class ProcessSpec(msgspec.Struct, frozen=True):
    """Requirements of a process: its limits, and the keyword arguments of its harness as MessagePack."""

    limits: Limits
    briefing: bytes


class ZygoteGone(MachineryFailure):
    """A zygote has ended or failed: the next bot needs a new one."""


class Zygote:
    """One zygote; thread-safe.

    It answers in the order of requests. Spare processes are requested without waiting, so a caller that needs an
    answer next first takes in those that are still to come.
    """

    def __init__(self, channel: socket.socket, preloaded: Preloaded) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._asked_for: deque[tuple[ProcessSpec, _Ends]] = deque()
        self._spares: list[tuple[ProcessSpec, BotProcess]] = []
        self.preloaded = preloaded

    def start(self, spec: ProcessSpec) -> BotProcess:
        """Return a fresh bot process: a spare one, or one that is forked now.

        Raises:
            ZygoteGone: it has ended.
            HarnessFailure: the harness raised an exception.
            MachineryFailure: there are no processes or descriptors left.
        """
        with self._lock:
            self._take_in_spares()
            fitting = (pair for pair in self._spares if pair[0] == spec and pair[1].is_running())
            spare = next(fitting, None)
            if spare is None:
                process = self._newborn(self._request(spec))
            else:
                self._spares.remove(spare)
                process = spare[1]
        process.begin()
        return process

    def prepare(self, specs: Sequence[ProcessSpec]) -> None:
        """Have spare processes forked for the next bots, without waiting for them; end all others."""
        missing = list(specs)
        with self._lock, contextlib.suppress(MachineryFailure):  # the next start will report it
            self._take_in_spares()
            fitting, unfit = [], []
            for one, spare in self._spares:
                if one in missing and spare.is_running():
                    missing.remove(one)
                    fitting.append((one, spare))
                else:
                    unfit.append(spare)
            self._spares = fitting
        for spare in unfit:  # before new ones are asked for: they take up processes and descriptors
            spare.end()
        with self._lock, contextlib.suppress(MachineryFailure):
            for one in missing:
                self._asked_for.append((one, self._request(one)))

    def reap(self, pid: int) -> Reaped:
        """Collect a dead bot process.

        Raises:
            ZygoteGone: it has ended.
        """
        try:
            with self._lock:
                self._take_in_spares()
                self._channel.send(msgspec.msgpack.encode(Reap(pid, asks=True)))
                data = self._channel.recv(MESSAGE_BYTES)
        except OSError as error:
            raise ZygoteGone(f"the zygote is gone: {error}") from error
        if not data:
            raise ZygoteGone("the zygote has ended")
        return msgspec.msgpack.decode(data, type=Reaped)

    def leave(self, pid: int) -> None:
        """Have a process collected that is about to die, without waiting for it.

        Raises:
            ZygoteGone: it has ended.
        """
        try:
            with self._lock:
                self._channel.send(msgspec.msgpack.encode(Reap(pid, asks=False)))
        except OSError as error:
            raise ZygoteGone(f"the zygote is gone: {error}") from error

    def _request(self, spec: ProcessSpec) -> _Ends:
        """Ask for a process; return our ends of its pipes."""
        ours, theirs = _pipes()
        try:
            with _closed_on_failure(ours):
                for fd in ours:
                    os.set_blocking(fd, False)
                order = msgspec.msgpack.encode(Start(spec.limits, spec.briefing))
                if len(order) > MESSAGE_BYTES:
                    raise MachineryFailure(
                        f"the harness cannot be made: its briefing takes {len(order)} bytes"
                    )
                socket.send_fds(self._channel, [order], list(theirs))
        finally:
            _close(theirs)
        return ours

    def _newborn(self, ours: _Ends) -> BotProcess:
        """Take in the process whose pipe ends these are."""
        with _closed_on_failure(ours):
            data, fds, _, _ = socket.recv_fds(self._channel, MESSAGE_BYTES, 1)
            if not data:
                raise ZygoteGone("the zygote ended while it started a bot")
            born = msgspec.msgpack.decode(data, type=Born | Unborn)
            if isinstance(born, Unborn):
                raise HarnessFailure(born.why) if born.blames_harness else MachineryFailure(born.why)
            if not fds:  # the kernel had no room for it: the process exists, but without a descriptor
                raise ZygoteGone(
                    "there is no free descriptor for a bot's process; raise the limit (ulimit -n)"
                )
        return BotProcess(born.pid, born.offered, fds[0], *ours, self)

    def _take_in_spares(self) -> None:
        while self._asked_for:
            spec, ours = self._asked_for.popleft()
            try:
                self._spares.append((spec, self._newborn(ours)))
            except ZygoteGone:
                raise
            except MachineryFailure:
                continue  # one spare less: the next caller that needs a process gets the error

    def close(self) -> None:
        """Let the zygote end, and its bots with it."""
        with contextlib.suppress(MachineryFailure), self._lock:
            self._take_in_spares()
        for _, ours in self._asked_for:
            _close(ours)
        for _, spare in self._spares:
            spare.end()
        self._asked_for.clear()
        self._spares.clear()
        self._channel.close()


class ZygotePool:
    """The launcher, a clean process below which everything else lives.

    Raises:
        MachineryFailure: it cannot be started.
    """

    def __init__(self) -> None:
        try:
            self._start()
        except OSError as error:
            raise MachineryFailure(f"no process for bots can be started: {error}") from error

    def _start(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, *ISOLATED, "-c", BOOT, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env=ENVIRONMENT,
                cwd="/",
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._channel = ours
        ours.send(json.dumps(_import_path()).encode())

    def launch(
        self,
        recipe: Recipe,
        tier: Tier,
        harness: str,
        cores: tuple[int, ...] = (),
        tell: Callable[[str], object] = lambda text: None,
    ) -> Zygote:
        """Start a zygote and wait until it has preloaded its modules; call ``tell`` if that takes long.

        Raises:
            HarnessFailure: the harness cannot be imported.
            MachineryFailure: it did not come up; the text says why.
        """

        is_told = False

        def tell_if_slow(awaited: socket.socket) -> None:
            nonlocal is_told
            # Not select.select, which knows the first 1,024 files only: a server may have more connections.
            answer = select.poll()
            answer.register(awaited, select.POLLIN)
            if not is_told and not answer.poll(1000 * max(0.0, slow_at - time.monotonic())):
                is_told = True
                tell(
                    f"Loading what bots of the {tier} tier may import; the first time on a machine this takes a while."
                )

        try:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        except OSError as error:
            raise MachineryFailure(f"no zygote for {harness} ({tier}) can be started: {error}") from error
        try:
            ours.settimeout(SECONDS_TO_PRELOAD)
            slow_at = time.monotonic() + SLOW_S
            with theirs:
                order = msgspec.msgpack.encode(
                    Launch(recipe, tier, harness, cores, _import_path(), _file_of(harness))
                )
                socket.send_fds(self._channel, [order], [theirs.fileno()])
                self._channel.settimeout(SECONDS_TO_PRELOAD)
                tell_if_slow(self._channel)
                started = self._channel.recv(64)
            if started:
                tell_if_slow(ours)
            data = ours.recv(MESSAGE_BYTES) if started else b""
            if not data:
                raise MachineryFailure(f"the zygote for {harness} ({tier}) failed to start")
            preloaded = msgspec.msgpack.decode(data, type=Preloaded)
            if preloaded.blames_harness:
                raise HarnessFailure(preloaded.error)
            if preloaded.error:
                raise MachineryFailure(f"the zygote for {harness} ({tier}) failed: {preloaded.error}")
            ours.settimeout(SECONDS_TO_START)
        except BaseException as error:
            ours.close()
            if isinstance(error, OSError):
                raise MachineryFailure(
                    f"the zygote for {harness} ({tier}) failed to start: {error}"
                ) from error
            raise
        return Zygote(ours, preloaded)

    def close(self) -> None:
        """End everything below."""
        self._channel.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(SECONDS_TO_END)
            return
        self._process.kill()
        self._process.wait()


_begun: ZygotePool | None = None


def begin() -> None:
    """Start the launcher of the next pool, so that it imports what it needs while this process does the same."""
    global _begun
    with contextlib.suppress(MachineryFailure):  # the next caller that needs a pool gets the error
        _begun = _begun or ZygotePool()


def open_pool() -> ZygotePool:
    """Return the pool that has begun, else a new one.

    Raises:
        MachineryFailure: it cannot be started.
    """
    global _begun
    pool, _begun = _begun or ZygotePool(), None
    return pool


def _import_path() -> list[str]:
    """Return the host's import path without folders that were not installed.

    These are the working directory, which ``python -m`` puts on it, and the folder of the script that was started.
    """
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    left_out = {os.path.dirname(os.path.abspath(script))} if script else set()
    with contextlib.suppress(OSError):  # it was deleted
        left_out.add(os.getcwd())
    left_out -= set(os.environ.get("PYTHONPATH", "").split(os.pathsep))
    return [entry for entry in sys.path if os.path.isabs(entry) and entry not in left_out]


def _file_of(harness: str) -> str:
    """Return the file of the top-level module or package of a harness, "" if it has none."""
    try:
        spec = importlib.util.find_spec(harness.partition(":")[0].partition(".")[0])
    except ValueError:  # made by hand, or the program itself
        spec = None
    return (spec and spec.origin) or ""


def _close(fds: Iterable[int]) -> None:
    for fd in fds:
        os.close(fd)


@contextlib.contextmanager
def _closed_on_failure(ours: _Ends) -> Iterator[None]:
    """Close our ends of a bot's pipes if the conversation with the zygote fails."""
    try:
        yield
    except BaseException as error:
        _close(ours)
        if isinstance(error, OSError):
            raise ZygoteGone(f"the zygote is gone: {error}") from error
        raise


def _pipes() -> tuple[_Ends, _Ends]:
    """Return our ends and the bot's ends of two new pipes."""
    made: list[int] = []
    try:
        for _ in range(2):
            made += os.pipe()
    except OSError as error:
        _close(made)
        raise MachineryFailure(
            f"no pipe to a bot can be made: {error}; raise the limit (ulimit -n)"
        ) from error
    question_read, question_write, reply_read, reply_write = made
    return (question_write, reply_read), (question_read, reply_write)
