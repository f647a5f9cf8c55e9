"""The time that a check may take: charged to the bot, never to a bot within its limits, never for the machine."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from botleague.executors.served_time import ServedTime
from botleague.league.trials.trial import try_out
from botleague.league.trials.trial_budget import SPARE_S, Budget, BudgetUsedUp, budget_ms
from botleague.league.trials.trial_games import TooLong, try_playing
from botleague.plugins import PluginHost
from botleague.referee import Player
from botleague.referee.players.sandboxed_players import MAX_RESTARTS
from botleague.rules import Seats, TimeControl, Variant
from botleague.workers.child_process import ChildProcess
from botleague.workers.worker_setup import HostSetup
from botleague_sandbox import Sandbox
from botleague_server.uploads.upload_worker import CheckOrder, CheckResult

MakeBot = Callable[[str], Player]

BUSY = "import time\ndef burn(s):\n    end = time.process_time() + s\n    while time.process_time() < end: pass\n"

# Hostile uploads: bots that would take many times the sum of their limits, or that sleep where CPU time is counted.
DIES_IN_EVERY_TURN = f"{BUSY}burn(0.2)\nimport itertools\ndef move(o): return sum(itertools.count())\n"
LOADS_AND_SLEEPS = "import time\ntime.sleep(0.2)\ndef prepare(b): time.sleep(0.2)\ndef move(o): return 5\n"
SLOW_WITHIN_ITS_LIMITS = f"{BUSY}burn(0.3)\ndef prepare(b): burn(0.3)\ndef move(o): return 5\n"


@given(
    st.builds(
        TimeControl, **dict.fromkeys(["move_ms", "load_ms", "brief_ms", "bank_ms"], st.floats(1.0, 60_000.0))
    ),
    st.integers(1, 12),
)
def test_bot_within_its_limits_never_uses_its_budget_up(
    guessing: Variant, time: TimeControl, seats: int
) -> None:
    budget = Budget(budget_ms(replace(guessing, seats=Seats(seats), time=time)))

    def match(seats: int, turns_ms: float) -> None:
        for seat in range(seats):
            budget.charge(seat, "load", time.load_ms)
            budget.charge(seat, "brief", time.brief_ms)
            budget.charge(seat, "turn", turns_ms / seats + time.move_ms + time.bank_ms)

    match(seats, 0.0)
    match(seats, 20_000.0)
    if seats > 1:
        match(1, 20_000.0)
    with pytest.raises(
        BudgetUsedUp, match=r"loading .* s \(\d+ times\), briefings .* s \(\d+ times\), turns "
    ):
        budget.charge(0, "load", 1000 * SPARE_S)


def test_bot_that_dies_in_every_turn_is_charged_for_each_restart(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot
) -> None:
    reviving, player = replace(guessing, restart_after_death=True), bot(DIES_IN_EVERY_TURN)
    budget = Budget()
    game = try_playing(player, None, reviving, sandbox, budget=budget)
    times, used_ms = budget.used["load"]
    assert times == 2 + 2 * MAX_RESTARTS
    assert used_ms >= 200 * times
    assert game.turns == 6
    message = r"used up the 1 s that its check may take: loading 0\.\d s \(\d times\), .*Fix what ends it, or load less"
    with pytest.raises(BudgetUsedUp, match=message):
        try_playing(player, None, reviving, sandbox, budget=Budget(1000.0))


def test_sleep_is_charged_and_other_bots_are_not(guessing: Variant, sandbox: Sandbox, bot: MakeBot) -> None:
    budget = Budget()
    assert try_out(bot(LOADS_AND_SLEEPS), guessing, sandbox, budget).problems == ()
    assert [budget.used[phase][0] for phase in ("load", "brief", "turn")] == [2, 2, 2]
    assert budget.used["load"][1] >= 200
    assert budget.used["brief"][1] >= 200
    game = try_playing(
        bot("def move(o): return 5"), bot(SLOW_WITHIN_ITS_LIMITS), guessing, sandbox, budget=budget
    )
    assert game.faults == {}
    assert [budget.used[phase][0] for phase in ("load", "brief", "turn")] == [3, 3, 2 + game.turns]


def test_game_ends_after_the_time_that_its_turns_are_charged(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot
) -> None:
    player = bot(f"{SLOW_WITHIN_ITS_LIMITS}\ndef move(o):\n    burn(0.04)\n    return 5\n")
    assert try_playing(player, None, guessing, sandbox, longest_s=60.0).turns == 6
    with pytest.raises(TooLong, match=r"not over after 0\.2 seconds; [1-5] turn"):
        try_playing(player, None, guessing, sandbox, longest_s=0.2)


def test_bot_that_uses_its_budget_up_is_refused_and_not_the_machine(
    plugin_file: Path, plugins: PluginHost
) -> None:
    host = ChildProcess("botleague_server.uploads.upload_worker", HostSetup((str(plugin_file),)))
    with ExitStack() as stack:
        stack.callback(host.end)
        for budget, is_refused in ((700.0, True), (budget_ms(plugins.variant("guessing")), False)):
            files = [("bot.py", SLOW_WITHIN_ITS_LIMITS.encode())]
            host.write(CheckOrder("guessing", "refuse", "", "", files, plays=True, budget_ms=budget))
            frame = host.read()
            assert frame is not None
            checked = msgspec.msgpack.decode(frame, type=CheckResult)
            assert checked.failure == ""
            assert bool(checked.problems) == is_refused
    assert len(checked.games) == 2
    assert [game.faults for game in checked.games] == [{}, {}]


PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'while True: pass'])"
SPIN = "while True: pass"


@contextmanager
def running(cpu: int, code: str) -> Iterator[int]:
    """A process on one CPU, and its children."""
    process = subprocess.Popen(
        [sys.executable, "-c", f"import os; os.sched_setaffinity(0, [{cpu}])\n{code}"], process_group=0
    )
    try:
        yield process.pid
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def child_of(pid: int) -> int:
    return int((Path(f"/proc/{pid}/task/{pid}/children").read_text().split() or ["0"])[0])


def waited_s(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9


def test_time_in_which_a_child_waits_for_a_busy_processor_is_not_served() -> None:
    cpu = min(os.sched_getaffinity(0))
    with running(cpu, PARENT) as parent, running(cpu, SPIN):
        while not (child := child_of(parent)):
            select.select([], [], [], 0.01)
        begun, before = time.monotonic(), waited_s(child)
        served = ServedTime(parent, look_s=1000.0)
        while waited_s(child) < before + 0.3:
            select.select([], [], [], 0.01)
        waited = waited_s(child) - before
        assert served.look() <= time.monotonic() - begun - waited + 0.05


def test_time_in_which_we_did_not_look_is_not_served() -> None:
    served = ServedTime(os.getpid(), look_s=0.01)
    select.select([], [], [], 0.1)
    assert served.look() <= 0.01
