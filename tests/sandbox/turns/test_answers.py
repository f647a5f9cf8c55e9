"""What bots answer, one alone or several at once: a value of the type that was asked for, or a fault."""

from __future__ import annotations

import pytest

from botleague_sandbox import Answer, Deadline, MachineryFailure, ask_together

from .replies import AMPLE, OBEDIENT, Start, answered, failed


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
