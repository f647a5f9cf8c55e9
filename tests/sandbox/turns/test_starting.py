"""How bots start: their briefing and seed, and sources that are refused or fail while they load."""

from __future__ import annotations

from typing import Any

import pytest

from botleague_sandbox import (
    Answer,
    Bot,
    Crashed,
    Deadline,
    Finding,
    MachineryFailure,
    Program,
    Rejected,
    Request,
    Sandbox,
)

from .replies import AMPLE, OBEDIENT, SHORT, MakeProgram, Start, answered


def test_declared_type_of_a_bot_is_readable(start: Start) -> None:
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
