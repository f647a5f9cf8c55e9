"""Processes in waiting: the next bot finds one ready, and none outlives its sandbox."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator

import pytest

from botleague_sandbox import Bot, Deadline, Limits, Program, Request, Sandbox
from botleague_sandbox.testing.sandbox_conformance import HARNESS

PROGRAM = Program("x", {"bot.py": b"def move(o): return o"}, "bot.py", HARNESS)
OTHER_LIMITS = Limits(open_files=20)


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(spares=True) as opened:
        yield opened


@pytest.fixture
def waiting(sandbox: Sandbox) -> Callable[[], list[int]]:
    """Returns the ids of the processes in waiting."""

    def ids() -> list[int]:
        (zygote,) = sandbox._zygotes.values()
        with zygote._lock:
            zygote._take_in_spares()
            return [spare.pid for _, spare in zygote._spares]

    return ids


def answers(bot: Bot) -> bool:
    reply = bot.ask(5, Deadline.cpu(1000), int)
    bot.close()
    return getattr(reply, "value", None) == 5


def exists(process: int) -> bool:
    return os.path.exists(f"/proc/{process}")


def test_the_next_bot_gets_the_process_in_waiting(sandbox: Sandbox, waiting: Callable[[], list[int]]) -> None:
    first = sandbox.run(PROGRAM)
    (spare,) = waiting()
    assert spare != first.channel.process.pid
    assert answers(first)
    second = sandbox.run(PROGRAM)
    assert second.channel.process.pid == spare
    assert second.layers == first.layers
    assert answers(second)


def test_as_many_wait_as_were_last_started(sandbox: Sandbox, waiting: Callable[[], list[int]]) -> None:
    bots = sandbox.run_together([Request(PROGRAM)] * 3)
    spares = waiting()
    assert len(spares) == 3
    for bot in bots:
        assert isinstance(bot, Bot)
        assert answers(bot)
    assert [
        bot.channel.process.pid
        for bot in sandbox.run_together([Request(PROGRAM)] * 3)
        if isinstance(bot, Bot)
    ] == spares


def test_one_that_waits_under_other_limits_is_not_used_and_goes(
    sandbox: Sandbox, waiting: Callable[[], list[int]]
) -> None:
    assert answers(sandbox.run(PROGRAM))
    (spare,) = waiting()
    other = sandbox.run(PROGRAM, limits=OTHER_LIMITS)
    assert other.channel.process.pid != spare
    assert not exists(spare)
    assert answers(other)


def test_one_that_died_waiting_is_replaced(sandbox: Sandbox, waiting: Callable[[], list[int]]) -> None:
    assert answers(sandbox.run(PROGRAM))
    (spare,) = waiting()
    os.kill(spare, signal.SIGKILL)
    # Its own descriptor says when it is dead; nothing else has to be waited for.
    (zygote,) = sandbox._zygotes.values()
    assert zygote._spares[0][1]._is_dead_within(10)
    assert answers(sandbox.run(PROGRAM))


def test_none_outlives_its_sandbox() -> None:
    before = len(os.listdir("/proc/self/fd"))
    with Sandbox(spares=True) as sandbox:
        assert answers(sandbox.run(PROGRAM))
        (zygote,) = sandbox._zygotes.values()
        with zygote._lock:
            zygote._take_in_spares()
        (spare,) = [process.pid for _, process in zygote._spares]
    assert not exists(spare)
    assert len(os.listdir("/proc/self/fd")) == before


def test_long_wait_for_a_first_bot_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("botleague_sandbox.host.zygote_pool.SLOW_S", 0.0)
    messages: list[str] = []
    with Sandbox(tell=messages.append) as sandbox:
        for _ in range(2):
            sandbox.run(PROGRAM).close()
    assert len(messages) == 1
    assert "strict tier" in messages[0]
