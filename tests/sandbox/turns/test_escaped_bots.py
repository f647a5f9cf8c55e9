"""What a bot can do after an escape from the language layer, and out of its turn."""

from __future__ import annotations

import os
import subprocess

import msgspec
import pytest

from botleague_sandbox import Answer, Crashed, Deadline, Finding, Limits, Sandbox
from botleague_sandbox.host.sandbox import _findings

from .replies import AMPLE, MakeProgram, Start, answered, failed


@pytest.mark.parametrize(
    ("deed", "kind"),
    [
        ("os._exit(0)", "crash"),
        ("os.fork()", "crash"),
        ("os.close(4); time.sleep(9)", "crash"),
        ("os.write(4, b'x' * 100)", "garbage"),
        ("os.write(4, b'\\1\\0\\0\\0\\xc0')", "garbage"),
        ("os.write(4, b'\\xff\\xff\\xff\\x7f')", "garbage"),
        ("os.write(4, b'\\5\\0'); time.sleep(9)", "garbage"),
        ("forge(4, 6, 0)", "garbage"),
        ("forge(4, 6, 1)", "garbage"),
        ("forge(4, 1, 1); forge(4, 1, 1)", "garbage"),
        ("forge(4, 8, 1)", "garbage"),
        ("forge(4, 19, 1)", "garbage"),
        ("while True: forge(4, 3, 1)", "garbage"),
        ("while True: forge(4, 2, 1)", "garbage"),
    ],
)
def test_an_escaped_bot_harms_only_its_own_turn(
    unrestricted: Sandbox, program: MakeProgram, deed: str, kind: str
) -> None:
    source = f"""
        import os, sys, time, msgspec
        def forge(fd, kind, step):
            body = msgspec.msgpack.encode([kind, sys.stdout._wire.n + step - 1, None, ""])
            os.write(fd, len(body).to_bytes(4, "little") + body)
        def move(o):
            {deed}
            return 1
        """
    waits = "sleep" in deed or "while" in deed
    deadline = Deadline(cpu_ms=500, wall_ms=700, grace_ms=100) if waits else AMPLE
    with unrestricted.run(program(source)) as bot:
        failed(bot.ask(0, deadline, int), kind)


def test_bytes_that_were_sent_before_a_question_are_garbage(
    unrestricted: Sandbox, program: MakeProgram
) -> None:
    source = """
        import os, sys, msgspec
        wire = sys.stdout._wire
        def move(o):
            def say(kind, value, output="", drawn=b""):
                body = msgspec.msgpack.encode([1, wire.n + 1, 9, ""])
                early = len(body).to_bytes(4, "little") + body
                frame = type(wire).say(wire, kind, value, output, drawn)
                return frame + early
            sys.stdout._wire = type("W", (), {"say": staticmethod(say), "state": "asked", "receive": wire.receive})
            return 1
        """
    with unrestricted.run(program(source)) as bot:
        failed(bot.ask(0, AMPLE, int), "garbage")
        assert not bot.is_alive


def test_a_bot_that_computes_out_of_turn_is_stopped(unrestricted: Sandbox, program: MakeProgram) -> None:
    source = """
        import sys, os, time
        def move(o):
            agent = sys.stdout
            receive = agent._wire.receive
            os.write(4, agent._wire.say(1, 5))
            spent = time.process_time() + 0.1
            while time.process_time() < spent: pass
            agent._wire.state = "asked"
            agent.send = None
            time.sleep(9)
        """
    with unrestricted.run(program(source)) as bot:
        assert answered(bot.ask(0, AMPLE, int)) == 5
        while (
            bot.channel.process.is_running() and bot.channel.process.cpu_s() - bot.channel.cpu_at_rest < 0.05
        ):
            pass
        assert "not its turn" in failed(bot.ask(0, AMPLE, int), "crash").detail


def test_a_little_computing_out_of_turn_adds_up_over_a_match(
    unrestricted: Sandbox, program: MakeProgram
) -> None:
    source = """
        import sys, time
        agent = sys.modules["botleague_sandbox.inside.agent"]
        write = agent._write
        def then_compute(frame):
            write(frame)
            spent = time.process_time() + 0.012
            while time.process_time() < spent: pass
        def move(o):
            agent._write = then_compute
            return o
        """
    with unrestricted.run(program(source)) as bot:
        for _ in range(50):
            reply = bot.ask(0, AMPLE, int)
            if not isinstance(reply, Answer):
                break
            while bot.channel.account.is_runnable():
                pass
        assert "not its turn" in failed(reply, "crash").detail


def test_a_pause_of_the_whole_machine_is_charged_to_nobody(start: Start) -> None:
    bot = start(
        """
        import time
        def move(o):
            last = time.monotonic()
            while last + 0.4 > (last := time.monotonic()): pass
            return 1
        """
    )
    both = f"{bot.channel.process.pid} {os.getpid()}"
    pausing = f"sleep 0.2; kill -STOP {both}; sleep 0.6; kill -CONT {both}"
    with subprocess.Popen(["sh", "-c", pausing]):
        reply = bot.ask(0, Deadline.cpu(5000))
    assert isinstance(reply, Answer), reply
    assert reply.wall_ms - reply.used_ms >= 400
    assert reply.used_ms - reply.cpu_ms < 50
    assert not reply.is_undecided


@pytest.mark.parametrize("text", ["\\0" * 10_000, "x" * 10_000, ""])
def test_a_flood_of_output_is_not_looked_at_for_ever(
    text: str, unrestricted: Sandbox, program: MakeProgram
) -> None:
    source = f"""
        import os, sys
        def move(o):
            frame = sys.stdout._wire.say(3, None, "{text}")
            while True:
                sent = 0
                while sent < len(frame): sent += os.write(4, frame[sent:])
        """
    with unrestricted.run(program(source)) as bot:
        assert "more output" in failed(bot.ask(0, AMPLE, int), "garbage").detail
        assert len(bot.output) <= 2 * Limits().turn_output_bytes


def test_a_bot_that_prints_little_by_little_loses_nothing(start: Start) -> None:
    source = """
        import time
        def move(o):
            for number in range(o):
                print(number)
                time.sleep(0.022)
            return 1
        """
    bot = start(source)
    assert answered(bot.ask(80, Deadline.wall(30_000), int)) == 1
    assert bot.output.split() == [str(number) for number in range(80)]


def test_a_generator_inside_an_answer_cannot_compute_after_it(start: Start) -> None:
    bot = start(
        """
        from dataclasses import dataclass
        @dataclass
        class Move:
            turn: int
        def late(turn):
            try: yield
            finally: print("late", turn)
        def move(o):
            made = Move(o)
            made.more = late(o)
            next(made.more)
            print("turn", o)
            return made
        """
    )
    for turn in range(3):
        assert answered(bot.ask(turn, AMPLE)) == {"turn": turn}
    # what goes away with an answer does so in the next turn, at the bot's cost
    assert bot.output.split("\n")[:-1] == ["turn 0", "late 0", "turn 1", "late 1", "turn 2"]


def test_a_bot_that_runs_cannot_say_that_its_source_is_refused(
    unrestricted: Sandbox, program: MakeProgram
) -> None:
    source = """
        import sys, os, time, msgspec
        body = msgspec.msgpack.encode([7, sys.stdout._wire.n, [["bot.py", 1, 1, "no", "", "name"]], ""])
        os.write(4, len(body).to_bytes(4, "little") + body)
        time.sleep(9)
        """
    with pytest.raises(Crashed, match="garbage"):
        unrestricted.run(program(source))


def test_a_forged_refusal_has_places_that_a_source_can_have() -> None:
    forged = msgspec.msgpack.encode([["bot.py\nx", 2**63, -5, "no", "\n", "name"]])
    assert _findings(msgspec.Raw(forged)) == (Finding("bot.py x", 0, 0, "no", " ", kind="name"),)
