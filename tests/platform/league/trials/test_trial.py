"""Trials of bots: what their authors get to read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from botleague.league.trials.trial import MAX_OUTPUT, try_out
from botleague.referee import Player
from botleague.rules import Variant
from botleague_sandbox import Sandbox


@pytest.mark.parametrize(
    "source",
    ["{}\n1 / 0\n", "def move(observation):\n    {}\n    1 / 0\n"],
    ids=["while it loads", "in its first turn"],
)
def test_reasons_of_a_refusal_end_with_the_last_output_of_the_bot(
    guessing: Variant, sandbox: Sandbox, bot: Callable[[str], Player], source: str
) -> None:
    printing = source.format(f"print('x' * {MAX_OUTPUT}); print('crash: \\x1b[31mred')")
    (problem,) = try_out(bot(printing), guessing, sandbox).problems
    reason, output = problem.split("\noutput:\n")
    assert "ZeroDivisionError" in reason
    # Indented: the start of a line names the kind of a fault.
    assert output == f"    {'x' * (MAX_OUTPUT - 15)}\n    crash: [31mred"
