"""Bots that end, by themselves or by somebody else: they leave no process."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from botleague_sandbox import Deadline, Sandbox
from botleague_sandbox.locks.seccomp import TABLES

from .replies import AMPLE, OBEDIENT, MakeProgram, Start, answered, failed


def test_a_bot_that_answers_and_exits_has_answered(unrestricted: Sandbox, program: MakeProgram) -> None:
    source = """
        import os, sys
        def move(o):
            os.write(4, sys.stdout._wire.say(1, 5))
            os._exit(0)
        """
    with unrestricted.run(program(source)) as bot:
        assert answered(bot.ask(0, AMPLE, int)) == 5
        failed(bot.ask(0, AMPLE, int), "crash")


def test_a_bot_that_stops_itself_is_killed(unrestricted: Sandbox, program: MakeProgram) -> None:
    source = """
        import ctypes, os, signal
        def move(o):
            ctypes.CDLL(None).syscall(o, os.getpid(), os.getpid(), signal.SIGSTOP)
        """
    tgkill = TABLES[os.uname().machine].checked["tgkill"]
    with unrestricted.run(program(source)) as bot:
        failed(bot.ask(tgkill, Deadline(cpu_ms=50, wall_ms=200, grace_ms=50), int), "timeout")
        assert not bot.is_alive


def test_a_process_that_somebody_kills_is_a_crash(start: Start) -> None:
    bot = start(OBEDIENT)
    signal.pidfd_send_signal(bot.channel.process.pidfd, signal.SIGKILL)
    assert "SIGKILL" in failed(bot.ask(0, AMPLE), "crash").detail
    assert not bot.is_alive


def test_a_closed_bot_leaves_no_process_and_can_be_closed_again(start: Start) -> None:
    bot = start(OBEDIENT)
    pid = bot.channel.process.pid
    assert Path(f"/proc/{pid}").exists()
    bot.close()
    bot.close()
    assert not Path(f"/proc/{pid}").exists()
    assert not bot.is_alive
    assert bot.usage.cpu_ms > 0
    assert bot.usage.peak_memory_bytes > 1 << 20


def test_a_sandbox_ends_everything_it_started(program: MakeProgram) -> None:
    before = set(os.listdir("/proc/self/fd"))
    with Sandbox() as sandbox:
        bot = sandbox.run(program(OBEDIENT))
        pool = sandbox._pool
        assert pool is not None
        pids = [bot.channel.process.pid, pool._process.pid]
    assert not bot.is_alive
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    assert set(os.listdir("/proc/self/fd")) == before


def test_a_bot_whose_memory_is_full_dies_with_the_reason(sandbox: Sandbox, program: MakeProgram) -> None:
    source = """
        held = []
        def move(o):
            while True:
                held.append(bytearray(5000))
        """
    with sandbox.run(program(source)) as bot:
        assert "MemoryError" in failed(bot.ask(0, AMPLE), "exception").detail
        assert "no memory left" in failed(bot.ask(0, AMPLE), "crash").detail
