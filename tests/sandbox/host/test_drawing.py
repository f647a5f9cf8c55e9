"""What bots draw comes back with their answers as bytes, whatever they pass, and never costs them a match."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from botleague_sandbox import Answer, Bot, Deadline, Failure, Limits, Program, Sandbox
from botleague_sandbox.inside.botdraw import CIRCLE, CUT, LINE, POLYGON, RECT, SHAPES, TAG, TEXT

MakeProgram = Callable[..., Program]
Start = Callable[..., Bot]
AMPLE = Deadline.cpu(10_000)


def drawn(bot: Bot) -> list[list[Any]]:
    notes = bot.take_notes()
    assert notes is not None
    assert len(notes.drawn) <= Limits().drawing_bytes
    pictures: list[list[Any]] = msgspec.msgpack.decode(notes.drawn)
    return pictures


def test_shapes_come_back_with_the_answer_of_their_turn(start: Start) -> None:
    bot = start(
        """
        import botdraw
        from botdraw import circle, rect
        def move(o):
            if o == 2:
                return 2
            rect(1, 2.5, 3, 4, "#ff0000")
            botdraw.clear()
            botdraw.line(0, 0, o, 1)
            circle(o, 1, 0.5, stroke="#00ff00")
            botdraw.polygon([(0, 0), (1, 1), (0, 1)], fill="#0000ff")
            botdraw.text(3, 3, "here")
            botdraw.tag("rush")
            return o
        """
    )
    for number in range(2):
        bot.ask(number, AMPLE)
        assert drawn(bot) == [
            [LINE, 0, 0, number, 1, "#d6549b", 0.1],
            [CIRCLE, number, 1, 0.5, None, "#00ff00"],
            [POLYGON, [[0, 0], [1, 1], [0, 1]], "#0000ff", None],
            [TEXT, 3, 3, "here", 0.8, "#222222"],
            [TAG, "rush"],
        ]
    bot.ask(2, AMPLE)
    assert bot.take_notes() is None


@pytest.mark.parametrize("room", ["sandbox", "unrestricted"])
def test_drawing_works_with_and_without_the_language_layer(
    room: str, request: pytest.FixtureRequest, program: MakeProgram
) -> None:
    sandbox: Sandbox = request.getfixturevalue(room)
    source = "import botdraw\ndef move(o):\n    botdraw.rect(1, 2, 3, 4)\n    return o"
    with sandbox.run(program(source)) as bot:
        assert isinstance(bot.ask(1, AMPLE), Answer)
        assert drawn(bot) == [[RECT, 1, 2, 3, 4, None, None]]


def test_numbers_of_numpy_are_drawn_as_numbers(sandbox: Sandbox, program: MakeProgram) -> None:
    source = """
        import botdraw
        import numpy as np
        def move(o):
            botdraw.circle(np.int64(3), np.float32(0.5), 1)
            botdraw.polygon(np.array([[0, 0], [1, 2]]))
        """
    with sandbox.run(program(source, tier="scientific")) as bot:
        assert isinstance(bot.ask(1, AMPLE), Answer)
        assert drawn(bot) == [
            [CIRCLE, 3.0, 0.5, 1, None, None],
            [POLYGON, [[0.0, 0.0], [1.0, 2.0]], None, None],
        ]


def test_drawings_of_an_interrupted_or_failed_turn_are_stored(start: Start) -> None:
    bot = start(
        """
        import botdraw
        def move(o):
            botdraw.circle(1, 1, 1)
            if o:
                raise ValueError("lost")
            while True: pass
        """
    )
    for question, kind in ((1, "exception"), (0, "timeout")):
        reply = bot.ask(question, Deadline(cpu_ms=100, wall_ms=3000, grace_ms=1000))
        assert isinstance(reply, Failure)
        assert reply.kind == kind
        assert drawn(bot) == [[CIRCLE, 1, 1, 1, None, None]]


HOSTILE = {
    "objects": "botdraw.rect(object(), o, move, botdraw)",
    "a class of its own": """
            class N:
                def __float__(self): raise KeyboardInterrupt
                def __iter__(self): raise KeyboardInterrupt
            botdraw.rect(N(), 1, 2, 3)""",
    "millions": "for n in range(1_000_000): botdraw.circle(n, n, n)",
    "giants": "botdraw.text(1, 2, 'x' * 10_000_000); botdraw.rect(2 ** 4000, 1, 1, 1)",
    "endless points": """
            def points():
                for n in range(200_000): yield n, n
            botdraw.polygon(points()); botdraw.polygon([points()])""",
    "itself": "l = []; l.append(l); botdraw.polygon(l); botdraw.text(1, 1, l)",
    "not numbers": "botdraw.circle('a', None, b'x', {}, [])",
    "surrogates": "botdraw.text(1, 1, '\\ud800')",
}


@pytest.mark.parametrize("how", HOSTILE)
def test_no_drawing_costs_an_answer(start: Start, how: str) -> None:
    bot = start(
        f"""
        import botdraw
        def move(o):
            {HOSTILE[how].strip()}
            return 7
        """
    )
    reply = bot.ask(1, AMPLE)
    assert isinstance(reply, Answer), reply
    assert reply.value == 7
    notes = bot.take_notes()
    if notes is not None:
        assert len(notes.drawn) <= Limits().drawing_bytes
        if notes.drawn:
            shapes: list[Any] = msgspec.msgpack.decode(notes.drawn)
            assert len(shapes) <= SHAPES + 1
    assert isinstance(bot.ask(1, AMPLE), Answer)


def test_the_latest_shapes_are_kept_and_marked_as_cut(start: Start) -> None:
    bot = start(
        "import botdraw\ndef move(o):\n    for n in range(o): botdraw.circle(n, 0, 1)\n    botdraw.rect(1, 1, 1, 1)"
    )
    bot.ask(SHAPES - 1, AMPLE)
    shapes = drawn(bot)
    assert len(shapes) == SHAPES
    assert [CUT] not in shapes
    bot.ask(500, AMPLE)
    shapes = drawn(bot)
    assert shapes[-2:] == [[RECT, 1, 1, 1, 1, None, None], [CUT]]
    assert shapes[0][:2] == [CIRCLE, 501 - SHAPES]


@pytest.mark.parametrize(
    ("message", "detail"),
    [
        ("say(1, None, '', b'x' * 4097)", "more drawings"),
        ("say(3, None, '', b'x')", "more drawings"),
    ],
)
def test_a_process_that_forges_drawings_breaks_the_protocol(
    unrestricted: Sandbox, program: MakeProgram, message: str, detail: str
) -> None:
    source = f"""
        import os, sys
        def move(o):
            frame = sys.stdout._wire.{message}
            while frame: frame = frame[os.write(4, frame):]
        """
    with unrestricted.run(program(source)) as bot:
        reply = bot.ask(0, AMPLE, int)
        assert isinstance(reply, Failure)
        assert detail in reply.detail


def test_forged_drawings_within_the_limit_are_bytes_like_any(
    unrestricted: Sandbox, program: MakeProgram
) -> None:
    source = """
        import sys
        def move(o):
            sys.stdout._canvas.__class__.take = lambda self: b"\\xc1" * 4096
            import botdraw
            botdraw.circle(1, 1, 1)
            return 3
        """
    with unrestricted.run(program(source)) as bot:
        assert isinstance(bot.ask(0, AMPLE, int), Answer)
        notes = bot.take_notes()
        assert notes is not None
        assert notes.drawn == b"\xc1" * 4096


def test_notes_are_those_since_the_last_time_and_say_what_was_cut(
    sandbox: Sandbox, program: MakeProgram
) -> None:
    limits = Limits(turn_output_bytes=100, match_output_bytes=250)
    source = "print('up')\ndef move(o):\n    print('x' * (o - 1))"
    with sandbox.run(program(source), limits=limits) as bot:
        notes_read = []
        for number in (5, 100, 101, 3, 500):
            bot.ask(number, AMPLE)
            notes = bot.take_notes()
            assert notes is not None
            notes_read.append((len(notes.printed), notes.is_cut))
    assert notes_read == [(8, False), (100, False), (100, True), (3, False), (39, True)]
