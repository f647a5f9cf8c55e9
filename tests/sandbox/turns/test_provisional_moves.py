"""Provisional moves: the newest counts where no final one comes."""

from __future__ import annotations

import pytest

from botleague_sandbox import Answer, Deadline, Sandbox

from .replies import AMPLE, MakeProgram, Start, answered, failed


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
