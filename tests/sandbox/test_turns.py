"""What bots do with their turns, in real processes: answers, faults, deadlines, provisional moves, output, death."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from botleague_sandbox import (
    Answer,
    Bot,
    Crashed,
    Deadline,
    Failure,
    Finding,
    Limits,
    MachineryFailure,
    Program,
    Rejected,
    Request,
    Sandbox,
    ask_together,
)
from botleague_sandbox.host.sandbox import _findings
from botleague_sandbox.locks.seccomp import TABLES

Start = Callable[..., Bot]
MakeProgram = Callable[..., Program]
AMPLE = Deadline.cpu(5000)
SHORT = Deadline(cpu_ms=60, wall_ms=2000, grace_ms=2000)
SHORT_WALL = Deadline.wall(60, grace_ms=2000)

OBEDIENT = "def move(observation): return observation\n"


def failed(reply: object, kind: str) -> Failure:
    assert isinstance(reply, Failure), reply
    assert reply.kind == kind, reply
    return reply


def answered(reply: object) -> object:
    assert isinstance(reply, Answer), reply
    return reply.value


# --- answers ------------------------------------------------------------------------------------------------


def test_an_answer_comes_back_as_the_type_that_was_asked_for(start: Start) -> None:
    bot = start(OBEDIENT)
    assert answered(bot.ask([3, 4], AMPLE, tuple[int, int])) == (3, 4)
    assert answered(bot.ask({"a": [1.5, None]}, AMPLE)) == {"a": [1.5, None]}
    reply = bot.ask(7, AMPLE, int)
    assert isinstance(reply, Answer)
    assert reply.cpu_ms >= 0
    assert reply.wall_ms > 0
    assert reply.warning == ""


@pytest.mark.parametrize("value", ["text", None, True, 1.5, [1]])
def test_an_answer_of_another_type_is_garbage_and_the_bot_lives_on(start: Start, value: object) -> None:
    bot = start(OBEDIENT)
    failed(bot.ask(value, AMPLE, int), "garbage")
    assert answered(bot.ask(1, AMPLE, int)) == 1


@pytest.mark.parametrize(
    "answer", ["float('nan')", "1e999", "2 ** 53 + 1", "[[[[[[[[[0]]]]]]]]]", "'x' * 5000"]
)
def test_values_outside_the_limits_are_garbage(start: Start, answer: str) -> None:
    failed(start(f"def move(o): return {answer}").ask(0, AMPLE), "garbage")


@pytest.mark.parametrize("answer", ["lambda: 1", "10 ** 400", "'\\ud800'", "'x' * 100_000", "object()"])
def test_answers_that_cannot_be_sent_are_garbage_and_the_bot_lives_on(start: Start, answer: str) -> None:
    bot = start(f"def move(o): return ({answer}) if o else 1")
    failed(bot.ask(1, AMPLE), "garbage")
    assert answered(bot.ask(0, AMPLE)) == 1


def test_an_answer_that_contains_itself_is_garbage(start: Start) -> None:
    failed(start("def move(o):\n    a = []\n    a.append(a)\n    return a").ask(0, AMPLE), "garbage")


def test_questions_larger_than_a_pipe_arrive(start: Start) -> None:
    bot = start("def move(observation): return len(observation)")
    assert answered(bot.ask("x" * 900_000, AMPLE, int)) == 900_000


def test_a_question_beyond_the_limit_is_our_failure(start: Start) -> None:
    bot = start(OBEDIENT)
    with pytest.raises(MachineryFailure, match="cannot be sent"):
        bot.ask("x" * 1_100_000, AMPLE)
    assert answered(bot.ask(1, AMPLE)) == 1


def test_a_question_that_is_not_plain_data_is_our_failure(start: Start) -> None:
    bot = start(OBEDIENT)
    with pytest.raises(MachineryFailure, match="cannot be sent"):
        bot.ask(object(), AMPLE)
    assert answered(bot.ask(1, AMPLE)) == 1


# --- starting -----------------------------------------------------------------------------------------------


def test_what_a_bot_declares_can_be_read_as_a_type(start: Start) -> None:
    bot = start("def declare(): return {'name': 'Ants', 'speed': 3}\n" + OBEDIENT)
    assert bot.declaration(dict[str, Any]) == {"name": "Ants", "speed": 3}
    with pytest.raises(Crashed) as crashed:
        bot.declaration(list[int])
    assert crashed.value.failure.kind == "garbage"


def test_a_brief_is_heard_before_the_first_turn(start: Start) -> None:
    bot = start(
        """
        told = []
        def brief(what): told.append(what)
        def move(observation): return told
        """
    )
    assert isinstance(bot.brief({"seat": 1}, AMPLE), Answer)
    assert answered(bot.ask(0, AMPLE)) == [{"seat": 1}]


def test_the_briefing_reaches_the_harness(sandbox: Sandbox, program: MakeProgram) -> None:
    source = "import stage\ndef move(o): return stage.briefing()"
    with sandbox.run(program(source), {"seat": 1, "config": {"width": 5}}) as bot:
        assert answered(bot.ask(0, AMPLE)) == {"seat": 1, "config": {"width": 5}}


def test_a_source_with_a_syntax_error_is_refused_with_its_place(
    sandbox: Sandbox, program: MakeProgram
) -> None:
    with pytest.raises(Rejected) as rejected:
        sandbox.run(program("def move(o):\n    return (1 +\n"))
    assert rejected.value.findings[0].file == "bot.py"
    assert rejected.value.findings[0].line >= 1


def test_check_returns_the_findings_and_nothing_for_a_good_program(
    sandbox: Sandbox, program: MakeProgram
) -> None:
    assert sandbox.check(program(OBEDIENT)) == ()
    findings = sandbox.check(program("import os\n" + OBEDIENT))
    assert isinstance(findings[0], Finding)
    assert findings[0].line == 1


def test_a_program_that_raises_while_loading_crashes(sandbox: Sandbox, program: MakeProgram) -> None:
    with pytest.raises(Crashed) as crashed:
        sandbox.run(program("x = 1 / 0"))
    assert crashed.value.failure.kind == "exception"
    assert "ZeroDivisionError" in crashed.value.failure.detail


def test_a_program_that_hangs_while_loading_crashes(sandbox: Sandbox, program: MakeProgram) -> None:
    with pytest.raises(Crashed) as crashed:
        sandbox.run(program("while True: pass"), load=SHORT)
    assert crashed.value.failure.kind == "timeout"


def test_several_start_together_and_each_meets_its_own_fate(sandbox: Sandbox, program: MakeProgram) -> None:
    sources = [OBEDIENT, "1 / 0", "def", "while True: pass", OBEDIENT]
    started = sandbox.run_together([Request(program(source), load=Deadline.cpu(300)) for source in sources])
    kinds = [type(one) for one in started]
    assert kinds == [Bot, Crashed, Rejected, Crashed, Bot]
    for one in started:
        if isinstance(one, Bot):
            assert answered(one.ask(5, AMPLE, int)) == 5
            one.close()


def test_a_harness_that_cannot_be_imported_is_our_failure(sandbox: Sandbox) -> None:
    with pytest.raises(MachineryFailure, match="no_such_harness"):
        sandbox.run(Program("x", {"bot.py": b""}, "bot.py", "no_such_harness:Missing"))


def test_a_harness_that_refuses_its_briefing_is_our_failure(sandbox: Sandbox) -> None:
    with pytest.raises(MachineryFailure, match="harness"):
        sandbox.run(
            Program("x", {"bot.py": b""}, "bot.py", "botleague_sandbox.testing.sandbox_conformance:Face")
        )


def test_nothing_is_remembered_between_two_runs(sandbox: Sandbox, program: MakeProgram) -> None:
    counting = program("count = [0]\ndef move(o):\n    count[0] += 1\n    return count[0]")
    for _ in range(2):
        with sandbox.run(counting) as bot:
            assert [answered(bot.ask(0, AMPLE)) for _ in range(3)] == [1, 2, 3]


def test_a_seed_makes_random_numbers_and_sets_repeat(sandbox: Sandbox, program: MakeProgram) -> None:
    source = """
        import random
        def move(o): return [random.random(), list({"ab", "cd", "ef", "gh"})]
        """
    replies = []
    for seed in (5, 5, 6):
        with Sandbox() as other, other.run(program(source, random_seed=seed)) as bot:
            replies.append(answered(bot.ask(0, AMPLE)))
    assert replies[0] == replies[1]
    assert replies[0] != replies[2]


# --- exceptions ---------------------------------------------------------------------------------------------


def test_an_exception_is_told_and_the_bot_lives_on(start: Start) -> None:
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


def test_what_a_bot_is_told_of_its_time_is_cpu_time_from_the_question_on(start: Start) -> None:
    bot = start("import stage, time\ndef move(o):\n    time.sleep(0.3)\n    return stage.elapsed_ms()")
    on_cpu, on_wall = (answered(bot.ask(0, limit, float)) for limit in (AMPLE, Deadline.wall(5000)))
    assert isinstance(on_cpu, float)
    assert isinstance(on_wall, float)
    assert on_cpu < 200
    assert on_wall >= 300


# --- provisional moves --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("afterwards", "word"),
    [
        ("while True: pass", "timeout"),
        ("1 / 0", "exception"),
        ("return 'x' * 100_000", "garbage"),
        ("sum(itertools.count())", "timeout"),
    ],
)
def test_the_last_provisional_move_counts_whatever_follows(start: Start, afterwards: str, word: str) -> None:
    bot = start(f"import stage, itertools\ndef move(o):\n    for n in o: stage.propose(n)\n    {afterwards}")
    reply = bot.ask([1, 2, 3], Deadline(cpu_ms=80, wall_ms=2000, grace_ms=100), int)
    assert answered(reply) == 3
    assert isinstance(reply, Answer)
    assert reply.warning.startswith(word)
    assert (reply.fault is None) == bot.is_alive
    assert bot.is_alive == ("count" not in afterwards)


def test_the_last_provisional_move_counts_when_the_bot_dies(
    unrestricted: Sandbox, program: MakeProgram
) -> None:
    source = "import stage, os\ndef move(o):\n    stage.propose(7)\n    os._exit(3)"
    with unrestricted.run(program(source)) as bot:
        reply = bot.ask(0, AMPLE, int)
        assert answered(reply) == 7
        assert isinstance(reply, Answer)
        assert "exit code 3" in reply.warning
        assert reply.fault == "crash"
        failed(bot.ask(0, AMPLE), "crash")


def test_a_final_move_beats_provisional_ones(start: Start) -> None:
    bot = start("import stage\ndef move(o):\n    stage.propose(1)\n    return 2")
    reply = bot.ask(0, AMPLE, int)
    assert answered(reply) == 2
    assert isinstance(reply, Answer)
    assert reply.warning == ""


def test_any_number_of_provisional_moves_can_be_made_and_the_newest_counts(start: Start) -> None:
    bot = start(
        """
        import stage
        def move(o):
            for n in range(100_000): stage.propose(n)
            raise ValueError
        """
    )
    assert answered(bot.ask(0, AMPLE, int)) == 99_999


def test_a_provisional_move_of_one_turn_does_not_count_in_the_next(start: Start) -> None:
    bot = start("import stage\ndef move(o):\n    if o: stage.propose(1)\n    1 / 0")
    assert answered(bot.ask(1, AMPLE, int)) == 1
    failed(bot.ask(0, AMPLE, int), "exception")


def test_a_provisional_move_of_the_wrong_type_is_garbage(start: Start) -> None:
    bot = start("import stage\ndef move(o):\n    stage.propose('x')\n    1 / 0")
    failed(bot.ask(0, AMPLE, int), "garbage")


def test_a_provisional_move_is_what_it_was_when_it_was_made(start: Start) -> None:
    bot = start(
        """
        import stage
        def move(o):
            path = []
            for n in range(200):
                path[:] = [n]
                stage.propose(path)
            path.clear()
            1 / 0
        """
    )
    assert answered(bot.ask(0, AMPLE, list[int])) == [199]


# --- output -------------------------------------------------------------------------------------------------


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


def test_what_a_bot_prints_is_text_whatever_its_parts_pretend_to_be(start: Start) -> None:
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


# --- simultaneous turns -------------------------------------------------------------------------------------


def test_simultaneous_questions_are_answered_in_order_and_one_cannot_delay_another(start: Start) -> None:
    bots = [
        start(source)
        for source in (
            "def move(o): return o",
            "def move(o):\n    while True: pass",
            "def move(o): 1 / 0",
            "import time\ndef move(o): time.sleep(3600)",
        )
    ]
    deadline = Deadline(cpu_ms=80, wall_ms=300, grace_ms=2000)
    replies = ask_together([(bot, number, deadline, int) for number, bot in enumerate(bots)])
    assert answered(replies[0]) == 0
    failed(replies[1], "timeout")
    failed(replies[2], "exception")
    failed(replies[3], "timeout")
    assert all(bot.is_alive for bot in bots)


def test_large_questions_go_to_several_bots_at_once(start: Start) -> None:
    bots = [start("def move(o): return len(o)") for _ in range(3)]
    replies = ask_together([(bot, "x" * 300_000, AMPLE, int) for bot in bots])
    assert [answered(reply) for reply in replies] == [300_000] * 3


def test_a_dead_bot_takes_part_in_simultaneous_turns_as_a_crash(start: Start) -> None:
    dead, alive = start(OBEDIENT), start(OBEDIENT)
    dead.close()
    replies = ask_together([(dead, 1, AMPLE, int), (alive, 1, AMPLE, int)])
    failed(replies[0], "crash")
    assert answered(replies[1]) == 1


# --- death and tricks after an escape -----------------------------------------------------------------------


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
        body = msgspec.msgpack.encode([7, sys.stdout._wire.n, [["bot.py", 1, 1, "no", ""]], ""])
        os.write(4, len(body).to_bytes(4, "little") + body)
        time.sleep(9)
        """
    with pytest.raises(Crashed, match="garbage"):
        unrestricted.run(program(source))


def test_a_forged_refusal_has_places_that_a_source_can_have() -> None:
    forged = msgspec.msgpack.encode([["bot.py\nx", 2**63, -5, "no", "\n"]])
    assert _findings(msgspec.Raw(forged)) == (Finding("bot.py x", 0, 0, "no", " "),)


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
