"""Where the time of a bot's turns goes is counted beside it, told once, and changes nothing that it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from botleague_sandbox import Answer, Bot, Deadline, Failure, Limits, Program, Request, Sandbox
from botleague_sandbox.inside.turn_profile import FUNCTIONS, SLOWEST, SLOWEST_FUNCTIONS

AMPLE = Deadline.cpu(10_000)


@pytest.fixture
def start(sandbox: Sandbox, program: Callable[..., Program]) -> Iterator[Callable[[str], Bot]]:
    """Start a bot of which the turns are profiled."""
    bots: list[Bot] = []

    def begin(source: str) -> Bot:
        (bot,) = sandbox.run_together([Request(program(source), profiled=True)])
        assert isinstance(bot, Bot), bot
        bots.append(bot)
        return bot

    yield begin
    for bot in bots:
        bot.close()


def profile_of(bot: Bot) -> Any:
    content = bot.profile(AMPLE)
    assert len(content) < Limits().reply_bytes
    return msgspec.msgpack.decode(content)


def test_functions_are_reported_with_lines_calls_and_times(start: Callable[[str], Bot]) -> None:
    bot = start(
        """
        def spin(times):
            return sum(i * i for i in range(times))
        def move(o):
            spin(o)
            return [spin(10) for _ in range(3)] and o
        """
    )
    for number in (1_000, 200_000, 10):
        assert all(isinstance(bot.ask(number, AMPLE), Answer) for _ in range(2))
    turns, took_ms, functions, slowest = profile_of(bot)
    assert turns == 6
    calls_of = {(file, name): (line, calls) for file, line, name, calls, _, _ in functions}
    assert calls_of["bot.py", "spin"] == (2, 24)
    assert calls_of["bot.py", "move"] == (4, 6)
    assert sum(own for *_, own, _ in functions) == pytest.approx(took_ms, rel=0.05)
    assert len(functions) <= FUNCTIONS
    assert [number for number, _, _ in slowest[:2]] in ([2, 3], [3, 2])
    assert len(slowest) == SLOWEST
    assert all(len(inner) <= SLOWEST_FUNCTIONS for _, _, inner in slowest)
    # No path of the host is in it.
    assert not any("/" in file for file, *_ in functions)


def test_a_turn_that_raises_or_is_interrupted_is_counted_and_the_next_one_goes_on(
    start: Callable[[str], Bot],
) -> None:
    bot = start(
        """
        def loop():
            while True:
                pass
        def move(o):
            if o == 0:
                raise ValueError
            if o == 1:
                loop()
            return o
        """
    )
    assert isinstance(bot.ask(0, AMPLE), Failure)
    late = bot.ask(1, Deadline.cpu(100, 1000))
    assert isinstance(late, Failure)
    assert late.kind == "timeout"
    assert isinstance(bot.ask(2, AMPLE), Answer)
    turns, _, functions, slowest = profile_of(bot)
    assert turns == 3
    assert slowest[0][0] == 1
    assert {name for _, _, name, *_ in functions} >= {"move", "loop"}


def test_unprofiled_bot_has_no_profile_and_plays_on(
    sandbox: Sandbox, program: Callable[..., Program]
) -> None:
    with sandbox.run(program("def move(o):\n    return o\n")) as bot:
        assert isinstance(bot.ask(1, AMPLE), Answer)
        assert bot.profile(AMPLE) == b""
        assert isinstance(bot.ask(1, AMPLE), Answer)
