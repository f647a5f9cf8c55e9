"""What is told of a bot's exceptions, and what is kept of its output."""

from __future__ import annotations

import pytest

from botleague_sandbox import Limits, Sandbox

from .replies import AMPLE, SHORT, MakeProgram, Start, answered, failed


def test_exception_is_reported_and_the_bot_lives_on(start: Start) -> None:
    bot = start("def move(o): return 1 // o")
    assert "ZeroDivisionError" in failed(bot.ask(0, AMPLE), "exception").detail
    assert answered(bot.ask(1, AMPLE)) == 1


@pytest.mark.parametrize(
    "raising", ["raise SystemExit(0)", "raise KeyboardInterrupt", "return f(0)", "return [0] * 10 ** 9"]
)
def test_exits_recursion_and_memory_are_exceptions(start: Start, raising: str) -> None:
    bot = start(f"def f(n): return f(n + 1)\ndef move(o):\n    if o: return 1\n    {raising}")
    failed(bot.ask(0, AMPLE), "exception")
    assert answered(bot.ask(1, AMPLE)) == 1


def test_an_error_whose_text_raises_or_never_ends_is_contained(start: Start) -> None:
    bot = start(
        """
        class Evil(Exception):
            def __str__(self): raise Evil()
        class Endless(Exception):
            def __str__(self):
                while True: pass
        def move(o): raise [Evil, Endless][o]()
        """
    )
    failed(bot.ask(0, AMPLE), "exception")
    assert bot.ask(1, SHORT) != bot.ask(0, AMPLE)
    assert bot.is_alive


def test_the_text_of_an_error_is_bounded_and_printable(start: Start) -> None:
    reply = start("def move(o): raise ValueError('\\x1b[31m' + 'x' * 10_000_000)").ask(0, AMPLE)
    detail = failed(reply, "exception").detail
    assert len(detail.encode()) <= Limits().error_bytes
    assert "\x1b" not in detail


def test_output_is_captured_even_from_a_turn_that_never_ends(start: Start) -> None:
    bot = start("print('loading')\ndef move(o):\n    print('thinking\\x1b[2J')\n    while o: pass")
    bot.ask(0, AMPLE)
    assert bot.output == "loading\nthinking[2J\n"
    bot.ask(1, SHORT)
    assert bot.output.count("thinking") == 2


def test_output_is_cut_per_turn_and_per_match(sandbox: Sandbox, program: MakeProgram) -> None:
    limits = Limits(turn_output_bytes=1000, match_output_bytes=2500)
    with sandbox.run(program("def move(o):\n    for _ in range(500): print('é' * 99)"), limits=limits) as bot:
        sizes = []
        for _ in range(4):
            bot.ask(0, AMPLE)
            sizes.append(len(bot.output.encode()))
    assert sizes[0] in (999, 1000)
    assert sizes[1] in range(1998, 2001)
    assert sizes[3] <= 2500


def test_output_of_a_bot_is_text_whatever_its_parts_claim(start: Start) -> None:
    bot = start(
        """
        class S(str):
            def join(self, parts): return 5
            def __add__(self, other): return 5
            def __getitem__(self, at): return 5
            def __str__(self): return self
        def move(o):
            print(S("a"), 1, sep=S("-"), end=S("!"))
            raise ValueError(S("b"))
        """
    )
    assert failed(bot.ask(0, AMPLE), "exception").detail.endswith("ValueError: b")
    assert bot.output == "a-1!"


def test_an_error_that_nobody_can_catch_is_printed_without_the_machines_paths(start: Start) -> None:
    bot = start(
        """
        import heapq
        def lost():
            try: yield
            finally: heapq.nsmallest(1, [1, 2], key=lambda n: n / 0)
        def move(o):
            going = lost()
            next(going)
            del going
            return 1
        """
    )
    assert answered(bot.ask(0, AMPLE)) == 1
    assert "ZeroDivisionError" in bot.output
    assert "heapq.py" not in bot.output
    assert "bot.py, line 5" in bot.output
