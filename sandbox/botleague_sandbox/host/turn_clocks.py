"""Time used by a bot: arithmetic over clock readings of the host, with no clock of its own.

A seat is charged the CPU time of its process and the time that the process slept of its own will: wall time less the
time on the CPU, less the time that it waited for one, less gaps that the host itself saw. So no bot is charged for a
busy machine, and no bot gains by sleeping.

A gap is the host's own: a look at the clocks that comes much later than it was meant to. A process that stands still
while the host does not is asleep, whatever the reason: no bot can claim that the machine was paused.

The kernel's account of a process is read only when its wall and CPU time differ: an ordinary turn pays nothing for
it. Sleep of less than :data:`UNSEEN_S` at either end of a turn is not seen and not charged. SANDBOX.md, section 9.
"""

from __future__ import annotations

from typing import Protocol

from botleague_sandbox.host.bot_process import told

UNSEEN_S = 0.005
"""Smallest difference between wall and CPU time of a turn that counts as sleep, in seconds."""

LOOK_S = 0.010
"""Seconds between the host's looks at the clocks of a thinking bot; a shorter pause may remain unseen."""

LATE_S = 0.020
"""Delay of a look, in seconds, that counts as a gap: the host itself was kept from running. A bot on the same CPU
cannot cause that: the kernel does not let a process that has slept wait that long for a single other one."""

PAUSE_S = 0.200
"""Delay of a look, in seconds, after which the machine stalled: all of the time since the last look is a gap."""


class Account(Protocol):
    """Times that the kernel books for one process."""

    def waited_s(self) -> float | None:
        """Return how long it was able to run and got no CPU, since its start; None where no account is kept."""
        ...

    def is_runnable(self) -> bool:
        """Return whether it runs or waits for a CPU now. A wait is booked when it ends."""
        ...


class ProcessAccount:
    """The account of a process of this machine; good until it is collected.

    Args:
        pid: as the host sees it.
    """

    __slots__ = ("_pid",)

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def waited_s(self) -> float | None:
        """Return the second number of ``/proc/<pid>/schedstat``, in seconds."""
        try:
            return int(told(f"/proc/{self._pid}/schedstat").split()[1]) / 1e9
        except (OSError, IndexError):  # a kernel without this account, or without /proc
            return None

    def is_runnable(self) -> bool:
        """Return whether the kernel says R in ``/proc/<pid>/stat``."""
        try:
            return told(f"/proc/{self._pid}/stat").rpartition(b") ")[2][:1] == b"R"
        except OSError:
            return False


class Meter:
    """Measures one question. All times in seconds: ``now`` of the host's clock, ``cpu`` of the process's.

    Attributes:
        is_paused: whether the machine stood still during the question.
    """

    __slots__ = (
        "_account",
        "_asked",
        "_booked_in_pauses",
        "_cpu",
        "_cpu_0",
        "_gaps",
        "_looked",
        "_looked_before",
        "_ran_after",
        "_since",
        "_started",
        "is_paused",
    )

    def __init__(self, account: Account, now: float, cpu: float) -> None:
        self._account = account
        self._started = self._looked = self._looked_before = now
        self._ran_after = now  # the look before the last one at which CPU time had passed
        self._cpu_0 = self._cpu = cpu
        self._asked = UNSEEN_S
        self._gaps = 0.0
        self._booked_in_pauses = 0.0
        # Wall time less gaps, CPU time, time waited: sleep counts from here.
        self._since: tuple[float, float, float] | None = None
        self.is_paused = False

    def look(self, now: float, cpu: float) -> None:
        """Take note of both clocks; how late this look is shows whether the host could run."""
        late = now - self._looked - self._asked
        if late >= PAUSE_S:
            self.is_paused = True
            self._gaps += now - self._looked
            # A virtual machine may book its own pause to the process that was about to run.
            self._booked_in_pauses += max(0.0, cpu - self._cpu - self._asked)
        elif late >= LATE_S:
            self._gaps += late
        if cpu > self._cpu:
            self._ran_after = self._looked
        self._looked_before, self._looked, self._cpu = self._looked, now, cpu
        self._asked = 0.0
        if self._since is None and self.wall_s - self.cpu_s > UNSEEN_S:
            waited = self._account.waited_s()
            if waited is not None:
                self._since = self.wall_s, self.cpu_s, waited

    def next_look_s(self, left: float) -> float:
        """Return how long to wait until the next look, ``left`` seconds before a limit can be reached."""
        self._asked = max(0.0, min(left, LOOK_S))
        return self._asked

    @property
    def wall_s(self) -> float:
        """Wall time up to the last look, without gaps."""
        return self._looked - self._started - self._gaps

    @property
    def cpu_s(self) -> float:
        """CPU time up to the last look."""
        return max(0.0, self._cpu - self._cpu_0)

    def charged_s(self, has_answered: bool = False) -> float:
        """Return CPU time and sleep.

        Args:
            has_answered: the last look found the answer; when it was given since the look before is not known, and
                the process has slept since.
        """
        if self._since is None:
            return self.cpu_s
        wall, cpu, waited = self._since
        unbooked = self._looked - self._looked_before if has_answered else self._unbooked_s()
        slept = self.wall_s - unbooked - wall - (self.cpu_s - cpu) - self._waited_since(waited)
        return self.cpu_s + max(0.0, slept)

    def stretched_s(self) -> float:
        """Return wall time without gaps and without the time for which the process waited for a CPU."""
        if self._since is None:
            return self.wall_s
        return self.wall_s - self._unbooked_s() - self._waited_since(self._since[2])

    def is_undecided(self, limit_s: float, by_cpu: bool) -> bool:
        """Whether a pause leaves open if a limit was kept.

        By the CPU clock it does if what was booked to the process during the pause makes the difference; by the wall
        clock, if the bot's own clock, which knows nothing of gaps, says that the limit has passed.
        """
        if not self.is_paused:
            return False
        if by_cpu:
            return self.cpu_s >= limit_s > self.cpu_s - self._booked_in_pauses
        return self._looked - self._started >= limit_s

    def _unbooked_s(self) -> float:
        """Return of how much time up to the last look it is not known yet whether it was waited for a CPU."""
        return self._looked - self._ran_after if self._account.is_runnable() else 0.0

    def _waited_since(self, waited: float) -> float:
        now = self._account.waited_s()
        return 0.0 if now is None else now - waited
