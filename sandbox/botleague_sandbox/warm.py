"""The host's end of the warm processes: starts the nursery, hatches zygotes, has bots started and reaped.

Sockets between host, nursery and zygotes carry MessagePack with fixed types and descriptors; none of the three ever
runs a bot's code.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading

import msgspec

from botleague_sandbox.errors import MachineryFailure
from botleague_sandbox.layers import Recipe
from botleague_sandbox.nursery import BOOT, Hatch
from botleague_sandbox.process import BotProcess
from botleague_sandbox.program import Limits, Tier
from botleague_sandbox.zygote import MESSAGE_BYTES, Reap, Reaped, Start, Warmth

__all__ = ["Nursery", "Zygote"]

# What -I does, short of ignoring the only variable there is: with one seed for hashes a bot that goes through a set
# of strings does so in the same order every time, and a match can be repeated.
ISOLATED = ["-s", "-P"]
ENVIRONMENT = {"PYTHONHASHSEED": "0"}

SECONDS_TO_WARM_UP = 120.0
SECONDS_TO_START = 30.0
SECONDS_TO_END = 5.0


class Zygote:
    """One warm zygote; thread-safe."""

    def __init__(self, channel: socket.socket, warmth: Warmth) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self.warmth = warmth

    def start(self, limits: Limits) -> BotProcess:
        """Fork a bot process.

        Raises:
            MachineryFailure: the zygote is gone.
        """
        question_read, question_write = os.pipe()
        reply_read, reply_write = os.pipe()
        ours, theirs = (question_write, reply_read), (question_read, reply_write)
        try:
            for fd in ours:
                os.set_blocking(fd, False)
            with self._lock:
                socket.send_fds(self._channel, [msgspec.msgpack.encode(Start(limits))], list(theirs))
                data, fds, _, _ = socket.recv_fds(self._channel, MESSAGE_BYTES, 1)
            if not data or not fds:
                raise MachineryFailure("the zygote ended while it started a bot")
        except BaseException as error:
            for fd in ours:
                os.close(fd)
            if isinstance(error, OSError):
                raise MachineryFailure(f"the zygote is gone: {error}") from error
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        pid = msgspec.msgpack.decode(data, type=int)
        return BotProcess(pid, fds[0], question_write, reply_read, self)

    def reap(self, pid: int) -> Reaped:
        """Collect a dead bot process.

        Raises:
            MachineryFailure: the zygote is gone.
        """
        try:
            with self._lock:
                self._channel.send(msgspec.msgpack.encode(Reap(pid)))
                data = self._channel.recv(MESSAGE_BYTES)
        except OSError as error:
            raise MachineryFailure(f"the zygote is gone: {error}") from error
        if not data:
            raise MachineryFailure("the zygote has ended")
        return msgspec.msgpack.decode(data, type=Reaped)

    def close(self) -> None:
        """Let the zygote end, and its bots with it."""
        self._channel.close()


class Nursery:
    """The clean process below which everything else lives."""

    def __init__(self) -> None:
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
        path = [os.path.abspath(entry) for entry in sys.path if entry]
        ours.send(json.dumps(path).encode())

    def hatch(self, recipe: Recipe, tier: Tier, harness: str, cores: tuple[int, ...] = ()) -> Zygote:
        """Start a zygote and wait until it is warm.

        Raises:
            MachineryFailure: it did not come up; the text says why.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            ours.settimeout(SECONDS_TO_WARM_UP)
            with theirs:
                order = msgspec.msgpack.encode(Hatch(recipe, tier, harness, cores))
                socket.send_fds(self._channel, [order], [theirs.fileno()])
                self._channel.settimeout(SECONDS_TO_WARM_UP)
                started = self._channel.recv(64)
            data = ours.recv(MESSAGE_BYTES) if started else b""
            if not data:
                raise MachineryFailure(f"the warm process for {harness} ({tier}) did not come up")
            warmth = msgspec.msgpack.decode(data, type=Warmth)
            if warmth.error:
                raise MachineryFailure(f"the warm process for {harness} ({tier}) failed: {warmth.error}")
            ours.settimeout(SECONDS_TO_START)
        except BaseException as error:
            ours.close()
            if isinstance(error, OSError):
                raise MachineryFailure(
                    f"the warm process for {harness} ({tier}) did not come up: {error}"
                ) from error
            raise
        return Zygote(ours, warmth)

    def close(self) -> None:
        """End everything below."""
        self._channel.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(SECONDS_TO_END)
            return
        self._process.kill()
        self._process.wait()
