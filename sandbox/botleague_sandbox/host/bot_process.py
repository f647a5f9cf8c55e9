"""A bot's process as its host holds it: two pipe ends, a process descriptor, and the clocks of the kernel.

Everything here works on descriptors, so that a process id that the kernel has given to someone else in the
meantime is never touched.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import time
from typing import Protocol

import msgspec

from botleague_sandbox.wire.sandbox_errors import MachineryFailure
from botleague_sandbox.wire.spawn_orders import OUT_OF_MEMORY, Reaped

MAX_PROC_BYTES = 1 << 14

SECONDS_TO_DIE = 10.0  # SIGKILL takes milliseconds; only a machine in deep trouble needs longer


class Usage(msgspec.Struct, frozen=True):
    """Resources that a bot's process has used.

    Attributes:
        cpu_ms: CPU milliseconds.
        wall_ms: milliseconds since it was started.
        peak_memory_bytes: largest resident size, shared pages included.
    """

    cpu_ms: float
    wall_ms: float
    peak_memory_bytes: int


class Collecting(Protocol):
    """Collector of dead processes."""

    def reap(self, pid: int) -> Reaped:
        """Collect a dead process, by the id that it has in its own PID namespace."""
        ...

    def leave(self, pid: int) -> None:
        """Have a process collected that is about to die, without waiting for it."""
        ...


class BotProcess:
    """One process; the methods never block except :meth:`end`, which waits for a killed process.

    Attributes:
        pid: its id as the host sees it.
        offered: digest of the names that its harness offers.
        clock: id of its CPU clock for ``time.clock_gettime``; good until the process is reaped.
        is_orphaned: whether the process that collects it was gone when it had died.
    """

    __slots__ = (
        "_inner_pid",
        "_reaped",
        "_started",
        "_zygote",
        "clock",
        "is_orphaned",
        "offered",
        "pid",
        "pidfd",
        "question_fd",
        "reply_fd",
    )

    def __init__(
        self, inner_pid: int, offered: bytes, pidfd: int, question_fd: int, reply_fd: int, zygote: Collecting
    ) -> None:
        """Take charge of a process that its zygote knows as ``inner_pid``.

        Raises:
            MachineryFailure: the host cannot see the process.
        """
        self.pid = pid = _seen_pid(pidfd)
        self._inner_pid = inner_pid
        self.offered = offered
        self.pidfd = pidfd
        self.question_fd = question_fd
        self.reply_fd = reply_fd
        self.clock = (~pid << 3) | 2  # the CPU clock of another process: clock_getcpuclockid(3)
        self._started = time.monotonic()
        self._zygote = zygote
        self._reaped: tuple[Reaped, float] | None = None
        self.is_orphaned = False

    def cpu_s(self) -> float:
        """Return the CPU seconds used so far."""
        if self._reaped is not None:
            return self._reaped[0].cpu_ms / 1000
        try:
            return time.clock_gettime(self.clock)
        except OSError:
            return 0.0

    def interrupt(self) -> None:
        """Tell the process that its turn is over."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGUSR1)

    def begin(self) -> None:
        """Count the wall time from now on: the process may have waited as a spare one."""
        self._started = time.monotonic()

    def is_running(self) -> bool:
        """Whether it has not died."""
        return self._reaped is None and not self._is_dead_within(0.0)

    def move_to(self, core: int) -> None:
        """Have the process run on one CPU from now on."""
        with contextlib.suppress(OSError):  # it has just died, which the next question will tell
            os.sched_setaffinity(self.pid, {core})

    def kill(self) -> None:
        """Kill the process without waiting for its death."""
        if self._reaped is None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def status(self) -> dict[str, str]:
        """Return the lines of ``/proc/<pid>/status``, empty when the process is gone."""
        try:
            return _lines(f"/proc/{self.pid}/status")
        except OSError:
            return {}

    def usage(self) -> Usage:
        """Return what was used up to now, or up to the end."""
        if self._reaped is not None:
            reaped, wall_s = self._reaped
            return Usage(reaped.cpu_ms, wall_s * 1000, reaped.peak_bytes)
        peak = self.status().get("VmHWM", "0 kB").split()[0]
        return Usage(self.cpu_s() * 1000, (time.monotonic() - self._started) * 1000, int(peak) * 1024)

    def end(self, patience_s: float = 0.0) -> int:
        """Make sure that the process is dead and collected, close every descriptor, return its wait status.

        Args:
            patience_s: how long it may take to die by itself before it is killed.
        """
        if self._reaped is not None:
            return self._reaped[0].status
        if not self._is_dead_within(patience_s):
            self.kill()
            if not self._is_dead_within(SECONDS_TO_DIE):
                raise MachineryFailure(f"the process {self.pid} of a bot does not die")
        wall_s = time.monotonic() - self._started
        try:
            reaped = self._zygote.reap(self._inner_pid)
        except MachineryFailure:  # the zygote is gone: init collects its children
            reaped = Reaped(signal.SIGKILL, 0.0, 0)
            self.is_orphaned = True
        self._reaped = (reaped, wall_s)
        self._close()
        return reaped.status

    def leave(self) -> None:
        """Kill the process, close every descriptor, and let its zygote collect it; its peak of memory is not known."""
        if self._reaped is not None:
            return
        wall_s = time.monotonic() - self._started
        self.kill()
        self._reaped = (Reaped(signal.SIGKILL, self.cpu_s() * 1000, 0), wall_s)
        with contextlib.suppress(MachineryFailure):  # the zygote is gone, and its bots with it
            self._zygote.leave(self._inner_pid)
        self._close()

    def _close(self) -> None:
        for fd in (self.question_fd, self.reply_fd, self.pidfd):
            os.close(fd)

    def _is_dead_within(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return bool(poll.poll(seconds * 1000))


def _seen_pid(pidfd: int) -> int:
    """Return the id that the process has in the PID namespace of this one; see proc_pid_fdinfo(5)."""
    try:
        pid = int(_lines(f"/proc/self/fdinfo/{pidfd}")["Pid"])
    except (OSError, KeyError) as error:
        raise MachineryFailure(f"/proc does not say the id of a bot's process: {error!r}") from error
    if pid <= 0:
        raise MachineryFailure("a bot's process is in no PID namespace that the host can see")
    return pid


def told(path: str) -> bytes:
    """Return the content of a file of ``/proc``; a file object would need five more system calls."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, MAX_PROC_BYTES)
    finally:
        os.close(descriptor)


def _lines(path: str) -> dict[str, str]:
    """Return the lines of such a file by their names."""
    return dict(re.findall(r"(?m)^(\w+):\t(.*)", told(path).decode()))


def describe_end(status: int) -> str:
    """Return a wait status in words."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        meanings: dict[int, str] = {
            signal.SIGSYS: "it made a system call that bots may not make",
            signal.SIGSEGV: "it touched memory that is not its own, or its stack overflowed",
            signal.SIGKILL: "it was killed",
            signal.SIGXCPU: "it used all CPU time of the match",
            signal.SIGABRT: "it aborted",
        }
        name = signal.Signals(number).name if number in signal.valid_signals() else f"signal {number}"
        meaning = meanings.get(number)
        return f"the bot's process died of {name}" + (f": {meaning}" if meaning else "")
    code = os.waitstatus_to_exitcode(status)
    meaning = ": it had no memory left for the next question" if code == OUT_OF_MEMORY else ""
    return f"the bot's process ended by itself with exit code {code}{meaning}"
