"""Bots in real sandboxes: the recorded turns, matches of the bundled bots, and what strangers' files do."""

from __future__ import annotations

import gzip
import json
import pickle
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from random import Random
from types import ModuleType

import msgspec
import pytest

from botleague.referee import MatchReport, Player, play
from botleague.rules import Move, Variant, plain_form
from botleague_isolation.board import Setup
from botleague_isolation.engine import MODULE, engine
from botleague_isolation.rules import IsolationRules
from botleague_isolation.wire import Put
from botleague_sandbox import Answer, Bot, Deadline, Limits, Program, Request, Sandbox
from botleague_sandbox.wire.protection_layers import Recipe

MakePlayer = Callable[..., Player]
TURNS = Path(__file__).parents[2] / "golden" / "isolation" / "turns.jsonl.gz"
HARNESS = "botleague_isolation.harness:IsolationHarness"
SLOWER = 4  # than recorded, so that a busy machine changes nothing: 600 ms for a turn of 150 ms
LIMIT_MS = 150.0 * SLOWER
CALIBRATION = 300_000
ATTEMPTS = 5
"""A processor that became twice as slow since the calibration says nothing about thieves."""
TWO_THEFTS_MS = 2 * 16.5
CORPUS = Path(__file__).parents[2] / "attacks" / "corpus" / "isolation"
STRANGERS = {path.stem: path.read_text(encoding="utf-8") for path in CORPUS.glob("*.py")}
SCRIPTED_BOT = (Path(__file__).parent / "bots" / "scripted.py").read_text(encoding="utf-8")

STAGE = """
import json
import time

SCRIPT = json.loads(%r)


def tell(memory):
    print(json.dumps(memory))


def sleep(ms):
    time.sleep(ms * %d / 1000)


def die():
    raise SystemExit
"""


def program(source: str, **files: bytes) -> Program:
    entry = "my_custom_player.py"
    return Program("tested", {entry: source.encode(), **files}, entry, HARNESS)


def request(program: Program) -> Request:
    briefing = {"seat": 0, "config": plain_form(Setup())}
    limits = Limits(reply_bytes=512 * 1024, proposal_bytes=2 * 1024 * 1024)
    return Request(program, briefing, Deadline.wall(10_000), limits)


@pytest.fixture
def bots(sandbox: Sandbox) -> Iterator[Callable[[list[Program]], list[Bot]]]:
    running: list[Bot] = []

    def start(programs: list[Program]) -> list[Bot]:
        for came_up in sandbox.run_together([request(each) for each in programs]):
            assert isinstance(came_up, Bot), came_up
            running.append(came_up)
            assert isinstance(came_up.brief({"seed": 1}, Deadline.wall(10_000)), Answer)
        return running

    yield start
    for bot in running:
        bot.close()


def observation(ply: int = 2, context: bytes | None = None) -> dict[str, object]:
    state = engine(Setup()).start.result(57).result(0)
    return {
        "player": 0,
        "board": str(state.board),
        "ply": ply,
        "locs": [57, 0],
        "context": context,
        "context_room": 1 << 20,
    }


def ask(bot: Bot, turn: int, context: bytes | None) -> object:
    return bot.ask(observation(2 + 2 * turn, context), Deadline.wall(LIMIT_MS, 200), Put)


def test_the_recorded_turns_have_the_recorded_results(bots: Callable[[list[Program]], list[Bot]]) -> None:
    lines = gzip.decompress(TURNS.read_bytes()).splitlines()
    cases = [case for case in map(json.loads, lines) if case.get("case") == "turn"]
    stages = [(STAGE % (json.dumps(case["script"]), SLOWER)).encode() for case in cases]
    running = bots([program(SCRIPTED_BOT, **{"stage.py": stage}) for stage in stages])
    contexts: dict[str, bytes | None] = {}
    for number in range(max(len(case["script"]) for case in cases)):
        acting = [
            (case, bot) for case, bot in zip(cases, running, strict=True) if number < len(case["script"])
        ]
        with ThreadPoolExecutor(len(acting)) as threads:  # most of them sleep
            stored = [contexts.get(case["id"]) for case, _ in acting]
            replies = list(threads.map(ask, [bot for _, bot in acting], repeat(number), stored))
        for (case, bot), reply in zip(acting, replies, strict=True):
            expected = case["results"][number]
            put = reply.value if isinstance(reply, Answer) else Put()
            assert isinstance(put, Put)
            counted = "none" if put.action is msgspec.UNSET else put.action
            assert counted == expected["action"], f"{case['id']}, turn {number}: {reply}"
            contexts[case["id"]] = put.context
            observations = [json.loads(line) for line in bot.output.splitlines()]
            assert observations[-1] == expected["seen"], f"{case['id']}, turn {number}"


# --- whole matches ------------------------------------------------------------------------------------------


def quick(variant: Variant, move_ms: float = 20.0) -> Variant:
    """Return ``variant`` with short turns by CPU time: a busy machine changes nothing then."""
    return replace(variant, time=replace(variant.time, move_ms=move_ms, clock="cpu"))


def outcome_against_random(
    variant: Variant, tested: Player, bundled: dict[str, Player], sandbox: Sandbox
) -> tuple[MatchReport, str]:
    report = play(variant, 1, [tested, bundled["random"]], sandbox)
    return report, report.outcome.reason


@pytest.mark.parametrize(
    "name",
    ["random", "greedy", "minimax", "alphabeta", "mcts", "sample-random", "sample-greedy", "sample-minimax"],
)
def test_the_bundled_bots_play_whole_matches(
    name: str, offered: dict[str, Variant], bundled: dict[str, Player], sandbox: Sandbox
) -> None:
    variant = quick(offered["isolation-5x5"])
    report, reason = outcome_against_random(variant, bundled[name], bundled, sandbox)
    assert report.outcome.forfeits == (), reason
    assert "has no open cell to move to" in reason


@pytest.mark.parametrize("variant", ["isolation-queen-3x2", "isolation-isola-6x8", "isolation-queen-7x7"])
def test_the_bundled_bots_play_other_pieces_too(
    variant: str, offered: dict[str, Variant], bundled: dict[str, Player], sandbox: Sandbox
) -> None:
    chosen = quick(offered[variant])
    report = play(chosen, 3, [bundled["alphabeta"], bundled["mcts"]], sandbox)
    assert report.outcome.forfeits == (), report.outcome.reason


def test_a_match_of_bots_without_a_clock_is_repeated_exactly(
    offered: dict[str, Variant], bundled: dict[str, Player], sandbox: Sandbox
) -> None:
    players = [bundled["sample-minimax"], bundled["random"]]
    first, second, other = (
        play(quick(offered["isolation-7x7"]), seed, players, sandbox).record for seed in (5, 5, 6)
    )
    assert first == second
    assert first != other


BORROWING = '''
import copy, datetime, functools, io, itertools, logging, math, operator, pickle, random, sys, time
from collections import Counter, defaultdict
from typing import NamedTuple

import isolation
from isolation import Agent, DebugState, Isolation, Status, StopSearch, TimedQueue, fork_get_action, play
from isolation.isolation import (
    Action, E, N, S, W, _ACTIONSET, _BLANK_BOARD, _HEIGHT, _SIZE, _WIDTH, Isolation as Same
)
from sample_players import BasePlayer, DataPlayer, GreedyPlayer, MinimaxPlayer, RandomPlayer
from tactics import *

logger = logging.getLogger(__name__)
handler = logging.FileHandler("search.log")
handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
logger.addHandler(handler)
logger.propagate = False
quiet = logging.getLogger("quiet")
quiet.disabled = True


class CustomPlayer(DataPlayer):
    """Uses whatever public bots were seen to use."""

    def get_action(self, state):
        assert isolation.isolation.Isolation is Same is Isolation
        assert (_WIDTH, _HEIGHT, _SIZE, N + S, W + E) == (11, 9, 115, 0, 0)
        assert state._has_liberties(0) and state._replace(ply_count=4).player() == 0
        assert Isolation() == (_BLANK_BOARD, 0, (None, None)) and Action.NNE in _ACTIONSET
        assert DebugState.ind2xy(57) == (5, 4) and sys.maxsize > 10**9 and isinstance(state, tuple)
        assert sys.exc_info()[0] is None
        state.note = "kept on the state"
        debug = DebugState.from_state(state)
        assert str(debug).count("|") == 108 and debug.player_symbols == ["1", "2"]
        assert pickle.loads(pickle.dumps({state: Action.NNE})) == {state: 25}
        logger.warning("ply %d", state.ply_count)
        logger.debug("not shown")
        quiet.error("not shown")
        book = self.data or {}
        if state in book:
            print("from the book")
            self.queue.put(book[state])
            return
        assert self.queue.qsize() == 0 and self.queue.empty() and not self.queue.full()
        self.context = (self.context or 0) + 1
        self.queue.put(best_of(state))
        if state.ply_count > 6:
            other = MinimaxPlayer(self.player_id)
            self.queue.put(other.minimax(state, depth=2))
        if state.ply_count in (8, 9):
            print("context", self.context)
        raise ValueError("public bots put a move and then crash")
'''

TACTICS = b"def best_of(state):\n    return state.actions()[0]\n"


def test_interface_of_public_bots_exists(
    offered: dict[str, Variant],
    bundled: dict[str, Player],
    player: MakePlayer,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = engine(Setup())
    module = ModuleType(MODULE)
    vars(module).update(Isolation=game.Isolation, Action=game.Action)
    for name in ("isolation", MODULE):
        monkeypatch.setitem(sys.modules, name, module)
    book = pickle.dumps({game.start: 57, **{(game.start.result(cell)): 0 for cell in range(2, 9)}})
    monkeypatch.undo()
    tested = player(BORROWING, {"tactics.py": TACTICS, "data.pickle": book})
    report, reason = outcome_against_random(quick(offered["isolation"]), tested, bundled, sandbox)
    assert report.outcome.forfeits == (), reason
    output = report.seats[0].output
    assert "from the book" in output
    assert "WARNING:my_custom_player:ply 0" in output
    assert "not shown" not in output
    assert "context 4" in output  # counted up at plies 2, 4, 6 and 8


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import os\n", 'import of "os" is not available'),
        (
            "class Other:\n    pass\n",
            "defines no class CustomPlayer, and no other class derived from BasePlayer",
        ),
        (
            "class AlphaBetaPlayer:\n    def get_move(self, game, time_left):\n        return (0, 0)\n",
            "AlphaBetaPlayer has the method get_move of the course's first project (2017)",
        ),
        (
            "from sample_players import BasePlayer\nclass A(BasePlayer): pass\nclass B(BasePlayer): pass\n",
            "there are several bots (A, B): say which one plays",
        ),
        (
            "class CustomPlayer:\n    def __init__(self, player_id):\n        raise OSError('no book')\n",
            "no book",
        ),
        ("get", "no action: get_action returned without putting one"),
        ("raise ValueError('lost my way')", "ValueError: lost my way"),
        ("self.queue.put(11)", "invalid move 11: possible here: 0, 1"),
        ("self.queue.put([1, 2, 3])", "invalid move '<list>'"),
        ("self.context = lambda: 0; self.queue.put(57)", "cannot be pickled here"),
        ("self.context = 'x' * 300000; self.queue.put(57)", "at most 262,144 are kept"),
        ("while True: pass", "put no action within the time limit"),
        ("time.sleep(9)", "put no action within the time limit"),
        ("[self.get_action(state) for _ in range(2)]", "RecursionError"),
        ("self.queue.put('9' * 10 ** 9 + '')", "MemoryError"),
    ],
)
def test_faulty_bot_loses_its_own_match_and_learns_why(
    source: str,
    reason: str,
    offered: dict[str, Variant],
    bundled: dict[str, Player],
    player: MakePlayer,
    sandbox: Sandbox,
) -> None:
    if "class" not in source and "import" not in source:
        source = (
            "import time\nfrom sample_players import BasePlayer\nclass CustomPlayer(BasePlayer):\n"
            f"    def get_action(self, state):\n        {source if source != 'get' else 'pass'}\n"
        )
    report, reasons = outcome_against_random(quick(offered["isolation"]), player(source), bundled, sandbox)
    assert report.outcome.places == (2, 1)
    assert report.outcome.forfeits == (0,)
    assert reason in reasons


ONLY_PLAYER = """
from sample_players import BasePlayer, GreedyPlayer


class Quiet(GreedyPlayer):
    def get_action(self, state, unused=None):
        while True:
            self.queue.put(state.actions()[-1])
"""


def test_a_lone_player_class_of_any_name_plays_until_it_is_stopped(
    offered: dict[str, Variant], bundled: dict[str, Player], player: MakePlayer, sandbox: Sandbox
) -> None:
    report, reason = outcome_against_random(
        quick(offered["isolation-5x5"]), player(ONLY_PLAYER), bundled, sandbox
    )
    assert report.outcome.forfeits == (), reason


REMEMBERING = """
from sample_players import BasePlayer

TURNS = []


class CustomPlayer(BasePlayer):
    def get_action(self, state):
        TURNS.append(state.ply_count)
        self.context = [*(self.context or []), state.ply_count]
        print(len(TURNS), self.context)
        self.queue.put(state.actions()[0])
        self.context.append("late")
"""


@pytest.mark.parametrize(
    ("variant", "second_line"), [("isolation", "1 [0, 2]"), ("isolation-persistent", "2 [0, 'late', 2]")]
)
def test_memory_depends_on_the_variant(
    variant: str,
    second_line: str,
    offered: dict[str, Variant],
    bundled: dict[str, Player],
    player: MakePlayer,
    sandbox: Sandbox,
) -> None:
    report, _ = outcome_against_random(quick(offered[variant]), player(REMEMBERING), bundled, sandbox)
    assert report.seats[0].output.splitlines()[1] == second_line


LARGE_CONTEXT = """
from sample_players import BasePlayer


class CustomPlayer(BasePlayer):
    def get_action(self, state):
        assert self.context is None or len(self.context) == %d
        self.context = b"x" * %d
        self.queue.put(state.actions()[0])
"""


@pytest.mark.parametrize(
    "source", [STRANGERS["context_5000_bytes"], LARGE_CONTEXT % ((256 * 1024 - 100,) * 2)]
)
def test_a_context_may_be_as_large_as_promised(
    source: str, offered: dict[str, Variant], bundled: dict[str, Player], player: MakePlayer, sandbox: Sandbox
) -> None:
    variant = quick(offered["isolation-5x5"], 150.0)
    report, reason = outcome_against_random(variant, player(source), bundled, sandbox)
    assert report.outcome.forfeits == (), reason


def test_a_bot_that_must_be_killed_every_turn_has_a_fault_each_time_and_three_restarts(
    offered: dict[str, Variant], bundled: dict[str, Player], player: MakePlayer, sandbox: Sandbox
) -> None:
    # Its sleeps, 5.5 s while it is loaded and 14 s while it is briefed, are a hundredth as long.
    dying = player(STRANGERS["slow_restarts"].replace("time.sleep(", "time.sleep(0.01 * "))
    report, reason = outcome_against_random(quick(offered["isolation"]), dying, bundled, sandbox)
    assert report.seats[0].faults == {"timeout": 4, "crash": 1}
    assert report.outcome.forfeits == (0,)
    assert "died again after 3 restarts" in reason


THIEF = """
import gc, time
from sample_players import BasePlayer
gc.unfreeze()
(agent,) = [type(one).serve.__globals__ for one in gc.get_objects() if hasattr(type(one), "still_in_time")]
write = agent["_write"]
def then_steal(frame):
    write(frame)
    until = time.process_time() + 2
    while frame[5] == 1 and time.process_time() < until:
        pass
class CustomPlayer(BasePlayer):
    def get_action(self, state):
        agent["_write"] = then_steal
        self.queue.put(state.actions()[0])
"""

LATE_ONCE = """
from sample_players import BasePlayer
class CustomPlayer(BasePlayer):
    asked = 0
    def get_action(self, state):
        self.asked += 1
        while self.asked == 1:
            pass
        self.queue.put(state.actions()[0])
"""


def test_seat_late_during_computation_of_another_is_requested_again(
    offered: dict[str, Variant], player: MakePlayer
) -> None:
    variant = offered["isolation-persistent"]
    by_wall = replace(variant, time=replace(variant.time, clock="wall", move_ms=100.0, grace_ms=2000.0))
    with Sandbox() as escaped:
        escaped._recipe = Recipe(language="unrestricted")
        report = play(by_wall, 1, [player(THIEF), player(LATE_ONCE)], escaped)
    assert report.seats[0].faults == {"crash": 1}
    assert report.seats[1].faults == {}
    assert "computed while it was not its turn" in report.outcome.reason


def test_a_thief_of_computing_time_takes_no_match_from_who_needs_most_of_its_limit(
    offered: dict[str, Variant], player: MakePlayer
) -> None:
    variant, balance = offered["isolation-5x5"], 0
    for _ in range(ATTEMPTS):
        begin, total = time.process_time(), 0
        for number in range(CALIBRATION):
            total += number * number % 7
        round_ms = (time.process_time() - begin) * 1000 / CALIBRATION
        # Half of the limit, so that a processor that slows down meanwhile changes nothing.
        work = f"ROUNDS = {variant.time.move_ms / 2 / round_ms:.0f}\n"
        honest = player(work + STRANGERS["honest_rounds"], name="honest")
        forfeits = {}
        with Sandbox() as escaped:
            escaped._recipe = Recipe(language="unrestricted")
            for name in ("calm", "cpu_thief_forgiven"):
                opponent = player(STRANGERS[name], name=name)
                # As in a league's last attempt: on a machine that stands still, the clocks decide.
                first = play(variant, 0, [honest, opponent], escaped, decides=True)
                second = play(variant, 1, [opponent, honest], escaped, decides=True)
                forfeits[name] = (0 in first.outcome.forfeits) + (1 in second.outcome.forfeits)
        # A machine that is busy for a moment costs one attempt, which two clean ones outweigh; a thief costs most.
        if not forfeits["calm"]:
            balance += -1 if forfeits["cpu_thief_forgiven"] else 1
        if balance > 0:
            break
    assert balance > 0, forfeits
    assert forfeits == {"calm": 0, "cpu_thief_forgiven": 0}
    assert first.seats[1].cpu_ms + second.seats[0].cpu_ms > TWO_THEFTS_MS, "it stole nothing"


BUSY = """
import time
from sample_players import BasePlayer
class CustomPlayer(BasePlayer):
    def get_action(self, state):
        self.queue.put(state.actions()[0])
        until = time.process_time() + 0.06
        while time.process_time() < until:
            pass
"""


def test_restarted_bot_keeps_its_account_of_time_out_of_turn(
    offered: dict[str, Variant], player: MakePlayer
) -> None:
    thief = player(STRANGERS["out_of_turn_restarts"])
    with Sandbox() as escaped:
        escaped._recipe = Recipe(language="unrestricted")
        report = play(quick(offered["isolation"], 1000.0), 1, [thief, player(BUSY)], escaped)
    # No process computes for 100 ms out of turn before it dies; together they do.
    assert report.seats[0].faults["crash"] > 1
    assert "computed while it was not its turn" in report.outcome.reason


SIDES = """
from sample_players import DataPlayer

BUILT = []


class CustomPlayer(DataPlayer):
    def __init__(self, player_id):
        super().__init__(player_id)
        BUILT.append(player_id)

    def get_action(self, state):
        assert state.player() == self.player_id and self.data == [1]
        self.context = (self.context or 0) + 1
        print(BUILT, self.player_id, state.ply_count, self.context)
        self.queue.put(state.actions()[0])
"""


def test_in_a_fair_rematch_a_bot_is_a_new_player_of_the_other_side(
    offered: dict[str, Variant], player: MakePlayer, sandbox: Sandbox
) -> None:
    both = [player(SIDES, {"data.pickle": pickle.dumps([1])}, name) for name in ("one", "two")]
    report = play(quick(offered["isolation-fair"]), 1, both, sandbox)
    assert (report.outcome.places, report.outcome.forfeits) == ((1, 1), ()), report.outcome.reason
    for seat, reported in enumerate(report.seats):
        lines = reported.output.splitlines()
        assert lines[0] == f"[{seat}, {1 - seat}] {seat} {seat} 1"
        assert f"[{seat}, {1 - seat}] {1 - seat} {3 - seat} 1" in lines


def test_a_context_survives_the_death_of_the_process(
    bots: Callable[[list[Program]], list[Bot]],
) -> None:
    rules = IsolationRules()
    state = rules.start([None, None], Random(0))
    first, second = bots([program(REMEMBERING), program(REMEMBERING)])
    reply = first.ask(rules.observe(state, 0), Deadline.wall(10_000), Put)
    assert isinstance(reply, Answer)
    state = rules.apply(state, {0: Move(reply.value)}, Random(0))
    state = rules.apply(state, {1: Move(Put(57))}, Random(0))
    first.close()
    assert isinstance(second.ask(rules.observe(state, 0), Deadline.wall(10_000), Put), Answer)
    assert second.output.strip() == "1 [0, 2]"
