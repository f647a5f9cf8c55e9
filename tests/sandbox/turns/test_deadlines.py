"""Turns that last too long."""

from __future__ import annotations

import pytest

from botleague_sandbox import Answer, Deadline

from .replies import AMPLE, SHORT, SHORT_WALL, Start, answered, failed

# --- deadlines ----------------------------------------------------------------------------------------------

STUBBORN = {
    "a loop": "while True: pass",
    "sleep": "time.sleep(3600)",
    "a handler around a loop": """
            while True:
                try:
                    while True: pass
                except BaseException: pass""",
    "a bare handler": """
            while True:
                try:
                    while True: pass
                except: continue""",
    "finally and continue": """
            while True:
                try:
                    while True: pass
                finally: continue""",
    "a context that swallows": """
            while True:
                with contextlib.suppress(BaseException):
                    while True: pass""",
    "its own context that swallows": """
            while True:
                with Swallow():
                    while True: pass""",
    "a regular expression": 're.match(r"(a|aa)+$", "a" * 60 + "b")',
}


@pytest.mark.parametrize("how", STUBBORN)
@pytest.mark.parametrize("deadline", [SHORT, SHORT_WALL], ids=["by CPU", "by the wall"])
def test_the_interrupt_cannot_be_swallowed_and_the_bot_lives_on(
    start: Start, how: str, deadline: Deadline
) -> None:
    source = (
        "import time, re, contextlib\n"
        "class Swallow:\n"
        "    def __enter__(self): return self\n"
        "    def __exit__(self, *error): return True\n"
        f"def move(o):\n        if o: return 1\n        else:\n            {STUBBORN[how].strip()}\n"
    )
    bot = start(source)
    reply = failed(bot.ask(0, deadline), "timeout")
    assert "60 ms" in reply.detail
    assert bot.is_alive
    assert answered(bot.ask(1, AMPLE)) == 1


def test_a_loop_in_c_is_killed_and_every_later_question_answered_at_once(start: Start) -> None:
    bot = start("import itertools\ndef move(o): return sum(itertools.count())")
    failed(bot.ask(0, Deadline(cpu_ms=50, wall_ms=2000, grace_ms=50)), "timeout")
    assert not bot.is_alive
    later = failed(bot.ask(0, AMPLE), "crash")
    assert "killed" in later.detail
    assert later.wall_ms == 0
    failed(bot.brief(0, AMPLE), "crash")


def test_a_late_answer_is_never_taken_for_the_next_one(start: Start) -> None:
    bot = start(
        """
        import time
        def move(o):
            try:
                if o == 0: time.sleep(3600)
            except BaseException: return "late"
            return o
        """
    )
    for number in range(3):
        failed(bot.ask(0, SHORT_WALL), "timeout")
        assert answered(bot.ask(number + 1, AMPLE)) == number + 1


def test_sleep_is_charged_like_computing(start: Start) -> None:
    bot = start("import time\ndef move(o):\n    time.sleep(o)\n    return 1")
    reply = bot.ask(0.15, AMPLE)
    assert isinstance(reply, Answer)
    assert reply.cpu_ms < 100 < reply.used_ms
    assert "100 ms of CPU time and sleep" in failed(bot.ask(9, Deadline.cpu(100)), "timeout").detail


def test_record_of_a_bot_that_computes_does_not_depend_on_a_little_sleep(start: Start) -> None:
    """A busy machine makes some milliseconds look like sleep."""
    bot = start("import time\ndef move(o):\n    time.sleep(o)\n    while True: pass")
    details = {failed(bot.ask(slept_s, Deadline.cpu(300)), "timeout").detail for slept_s in (0, 0.05)}
    assert details == {"no answer within 300 ms of CPU time"}


def test_time_of_a_bot_is_cpu_time_since_the_question(start: Start) -> None:
    bot = start("import stage, time\ndef move(o):\n    time.sleep(0.3)\n    return stage.elapsed_ms()")
    on_cpu, on_wall = (answered(bot.ask(0, limit, float)) for limit in (AMPLE, Deadline.wall(5000)))
    assert isinstance(on_cpu, float)
    assert isinstance(on_wall, float)
    assert on_cpu < 200
    assert on_wall >= 300
