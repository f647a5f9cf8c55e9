"""Golden games of Isolation: every recorded position, count, turn and match, replayed.

A trace file is JSON Lines, gzipped or not; each line is dispatched on its ``case``. ``t`` and ``u`` are what the
original says, with its slip about cell 0; ``td`` and ``ud`` what the documented rule says where that differs.

Source: tests/golden/isolation/README.md.
"""

from __future__ import annotations

import gzip
import json
import math
import random
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import msgspec
import pytest
from msgspec import structs

from botleague.rules import Fault, Move, Reply, plain_form, read_config
from botleague_isolation.board import Setup
from botleague_isolation.engine import Engine, engine
from botleague_isolation.harness import IsolationHarness
from botleague_isolation.legacy.players import TimedQueue, player_classes
from botleague_isolation.rules import IsolationRules
from botleague_isolation.state import State
from botleague_isolation.wire import Put, plain_action
from botleague_sandbox.language import LoadedProgram

Case = dict[str, Any]
SCRIPTED_BOT = Path(__file__).parents[1] / "plugins" / "isolation" / "bots" / "scripted.py"
GRACE_MS = 1000  # of the scripted referee: long enough for the recorded late puts, short of "never returns"


def test_every_recorded_case_is_reproduced(golden_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header, *cases = read_lines(golden_file)
    assert header["game"] == "isolation"
    assert header["format"] == 1
    assert cases, f"{golden_file.name} holds no case"
    for number, case in enumerate(cases, 2):
        where = f"{golden_file.name}, line {number}, {case.get('case')} {case.get('id', '')}"
        assert case.get("case") in CHECKS, f"{where}: no such kind of case is known"
        with monkeypatch.context() as patch:
            CHECKS[case["case"]](case, where, patch)


def read_lines(path: Path) -> list[Case]:
    data = path.read_bytes()
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return [json.loads(line) for line in text.splitlines() if line.strip()]


# --- positions ----------------------------------------------------------------------------------------------


def setup_of(case: Case) -> Setup:
    """Return the setup of a case: fields that it does not name, or a whole configuration, are the default's."""
    return read_config(Setup, case.get("config", {}))


def engines_of(case: Case) -> tuple[Engine, Engine]:
    """Return the engine of the documented rule and that of the original; they differ about cell 0 alone."""
    documented = setup_of(case)
    return engine(documented), engine(with_the_slip(documented))


def with_the_slip(setup: Setup) -> Setup:
    """Return ``setup`` with the original's slip, which its rule "active" does not have."""
    return msgspec.structs.replace(setup, cell0_counts=setup.terminal == "active")


def position(made_by: Engine, recorded: Case) -> Any:
    return made_by.Isolation(int(recorded["b"]), recorded["n"], tuple(recorded["l"]))


def recorded_form(state: Any) -> Case:
    return {"b": str(state.board), "n": state.ply_count, "l": list(state.locs)}


def compare_snapshot(both: tuple[Engine, Engine], snapshot: Case, where: str) -> None:
    documented, original = (position(made_by, snapshot) for made_by in both)
    for state in (documented, original):
        assert state.actions() == snapshot["a"], f"{where}: actions"
        for loc, recorded in zip(snapshot["l"], snapshot["L"], strict=True):
            if recorded is None:
                assert loc is None, f"{where}: liberties of a placed token are missing"
            else:
                assert state.liberties(loc) == recorded, f"{where}: liberties of {loc}"
        if None in snapshot["l"]:
            open_cells = [cell for cell in range(state.board.bit_length()) if state.board >> cell & 1]
            assert state.liberties(None) == open_cells, f"{where}: open cells"
    compare_ending(original, snapshot["t"], snapshot["u"], f"{where}: the original's")
    compare_ending(
        documented,
        snapshot["td" if "td" in snapshot else "t"],
        snapshot["ud" if "ud" in snapshot else "u"],
        f"{where}: the documented",
    )


def compare_ending(state: Any, terminal: int, utilities: list[int], where: str) -> None:
    assert state.terminal_test() == terminal, f"{where} terminal test"
    assert [sign(state.utility(0)), sign(state.utility(1))] == utilities, f"{where} utilities"


def sign(value: float) -> int:
    assert value in (0, math.inf, -math.inf)
    return 0 if value == 0 else 1 if value > 0 else -1


def check_game(case: Case, where: str, patch: pytest.MonkeyPatch) -> None:
    both = engines_of(case)
    state = position(both[0], case["steps"][0])
    for step in case["steps"]:
        at = f"{where}, ply {step['n']}"
        assert recorded_form(state) == {key: step[key] for key in "bnl"}, f"{at}: position"
        compare_snapshot(both, step, at)
        if "x" in step:
            state = state.result(step["x"])


def check_light(case: Case, where: str, patch: pytest.MonkeyPatch) -> None:
    both = engines_of(case)
    documented, original = (made_by.start for made_by in both)
    early = []
    for action in case["x"]:
        assert not documented.terminal_test(), f"{where}: over before ply {documented.ply_count}"
        if original.terminal_test():
            early.append(original.ply_count)
        documented, original = documented.result(action), original.result(action)
    assert early == case.get("early", []), f"{where}: where the original ends early"
    assert recorded_form(documented) == {key: case["final"][key] for key in "bnl"}, f"{where}: last position"
    compare_snapshot(both, case["final"], f"{where}, last position")


def check_state(case: Case, where: str, patch: pytest.MonkeyPatch) -> None:
    both = engines_of(case)
    compare_snapshot(both, case["state"], where)
    for action, after in case["after"]:
        for made_by in both:
            result = position(made_by, case["state"]).result(action)
            assert recorded_form(result) == {key: after[key] for key in "bnl"}, f"{where}: after {action}"
        compare_snapshot(both, after, f"{where}, after {action}")


def check_result(case: Case, where: str, patch: pytest.MonkeyPatch) -> None:
    at = f"{where}: action {case['action']!r} in {case['state']}"
    state = position(engines_of(case)[0], case["state"])
    before = tuple(state)
    assert outcome_of(lambda: case["action"] in state.actions()) == case["in_actions"], f"{at}: in actions()"
    expected = case["raises"] if "raises" in case else case["ok"]
    assert outcome_of(lambda: recorded_form(state.result(case["action"]))) == expected, at
    assert tuple(state) == before, f"{at}: the old state changed"


def outcome_of(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def check_debug(case: Case, where: str, patch: pytest.MonkeyPatch) -> None:
    made_by = engines_of(case)[0]
    state = position(made_by, case["state"])
    debug = made_by.DebugState.from_state(state)
    assert debug.bitboard_string == case["bitboard_string"], where
    assert str(debug) == case["str"], where
    assert (repr(state), repr(debug)) == (case["repr_state"], case["repr_debug"]), where


def check_ind2xy(case: Case, where: str, patch: pytest.MonkeyPatch) -> None:
    debug = engines_of(case)[0].DebugState
    assert [[index, *debug.ind2xy(index)] for index, _, _ in case["table"]] == case["table"], where


def check_liberties(case: Case, where: str, patch: pytest.MonkeyPatch) -> None:
    state = position(engines_of(case)[0], case["state"])
    for loc, cells in case["table"]:
        assert state.liberties(loc) == cells, f"{where}: liberties of {loc}"


# --- node counts --------------------------------------------------------------------------------------------


def check_perft(case: Case, where: str, patch: pytest.MonkeyPatch) -> None:
    documented, original = (position(made_by, case["state"]) for made_by in engines_of(case))
    for depth, *counts in case["depths"]:
        computed = [perft(documented, depth), perft(original, depth), perft(documented, depth, endless=True)]
        assert computed == counts, f"{where}: depth {depth}"


def perft(state: Any, depth: int, endless: bool = False) -> int:
    """Return how many positions are ``depth`` plies away; the last ply is counted without being played."""
    if depth == 0:
        return 1
    if not endless and state.terminal_test():
        return 0
    if depth == 1:
        return len(state.actions())
    result = state.result
    return sum([perft(result(action), depth - 1, endless) for action in state.actions()])


def check_whole_tree(case: Case, where: str, patch: pytest.MonkeyPatch) -> None:
    documented, original = engines_of(case)
    assert whole_tree(documented.start) == tuple(case["doc"]), f"{where}: documented rule"
    assert whole_tree(original.start) == tuple(case["upstream"]), f"{where}: the original"


def whole_tree(start: Any) -> tuple[int, int, int]:
    """Return complete games, the longest in plies, and 1 if player 0 wins with best play."""

    @cache  # of this tree alone: positions of other rules are equal to these
    def below(state: Any) -> tuple[int, int, int]:
        if state.terminal_test():
            return 1, state.ply_count, int(state.utility(0) > 0)
        games, lengths, wins = zip(*[below(state.result(action)) for action in state.actions()], strict=True)
        return sum(games), max(lengths), (max if state.player() == 0 else min)(wins)

    return below(start)


# --- players, matches and turns -----------------------------------------------------------------------------


def check_players(case: Case, where: str, patch: pytest.MonkeyPatch) -> None:
    both = engines_of(case)
    if "python_random_seed" in case:
        random.seed(case["python_random_seed"])
    samples = player_classes(lambda: None)
    players = [
        samples[f"{name.capitalize()}Player"](player_id=seat) for seat, name in enumerate(case["players"])
    ]
    state = position(both[1], case["start"])
    played = []
    while not state.terminal_test():
        player = players[state.player()]
        player.queue = TimedQueue(player, ScriptedTurn())
        player.get_action(state)
        _, action = player.queue.get()
        played.append(int(action))
        state = state.result(action)
    assert played == case["x"], where
    assert recorded_form(state) == {key: case["final"][key] for key in "bnl"}, f"{where}: last position"
    compare_snapshot(both, case["final"], f"{where}, last position")


def check_match(case: Case, where: str, patch: pytest.MonkeyPatch) -> None:
    rules = IsolationRules(with_the_slip(setup_of(case)))
    start = case["start"]
    state = State(int(start["b"]), start["n"], tuple(start["l"]))
    history = []
    while acting := rules.acting(state):
        (seat,) = acting
        actions = rules.position(state).actions()
        action = case["forced"][seat].get(str(state.ply), actions[0])
        before = state
        state = rules.apply(state, {seat: judged(rules, state, seat, Put(**plain_action(action)))}, Random(0))
        if not state.forfeits:
            history.append(int(action))
        else:
            assert (state.board, state.ply, state.locs) == (before.board, before.ply, before.locs), where
    outcome = rules.outcome(state)
    assert outcome is not None
    assert history == case["history"], where
    assert outcome.places.index(1) == case["winner"], where
    status = "INVALID_MOVE" if "invalid move" in outcome.reason else "GAME_OVER"
    assert status == case["status"], where
    assert bool(outcome.forfeits) == (status != "GAME_OVER"), where
    assert {"b": str(state.board), "n": state.ply, "l": list(state.locs)} == {
        key: case["final"][key] for key in "bnl"
    }, where
    compare_snapshot(engines_of(case), case["final"], f"{where}, last position")


def judged(rules: IsolationRules, state: State, seat: int, put: Put) -> Reply:
    """Return what the referee makes of a decoded answer."""
    wrong = rules.illegal(state, seat, put)
    return Move(put) if wrong is None else wrong if isinstance(wrong, Fault) else Fault("illegal", wrong)


def check_fair(case: Case, where: str, patch: pytest.MonkeyPatch) -> None:
    """Play the opening of each match and give up: what follows is the recorded rematch, or nothing."""
    seats, rematches = dict(case["matches"]), []
    rules = IsolationRules(structs.replace(engines_of(case)[0].setup, fair_rematch=True))
    for number, history in case["results"]:
        state = rules.start([None, None], Random(0))
        replies: list[Reply] = [*(Move(Put(action)) for action in history[:2]), Fault("crash")]
        for reply in replies:
            (seat,) = rules.acting(state)
            state = rules.apply(state, {seat: reply}, Random(0))
        if rules.outcome(state) is None:
            players = [seats[number][state.seat(player)] for player in (0, 1)]
            rematches.append((-number, players, recorded_form(rules.position(state))))
    assert rematches == [(number, players, start) for number, players, start, _ in case["fair"]], where


class Interrupted(BaseException):
    """Raised by the scripted clock where the sandbox would interrupt the bot."""


class Died(BaseException):
    """Stands for the death of the bot's process."""


class ScriptedTurn:
    """A turn whose clock only moves when the bot sleeps."""

    bank_ms = 0.0

    def __init__(self, limit_ms: float = 150.0) -> None:
        self.limit_ms = limit_ms
        self._now_ms = 0.0
        self.proposed: list[object] = []

    def elapsed_ms(self) -> float:
        return self._now_ms

    def propose(self, move: object) -> None:
        self.proposed.append(move)

    def sleep(self, ms: float) -> None:
        self._now_ms += ms
        if self._now_ms >= self.limit_ms + GRACE_MS:
            raise Interrupted


def check_turn(case: Case, where: str, patch: pytest.MonkeyPatch) -> None:
    rules = IsolationRules(setup_of(case))
    state = rules.start([None, None], Random(1))
    for cell in (57, 0):
        state = rules.apply(state, {state.ply: Move(Put(cell))}, Random(0))
    limit_ms = case.get("time_limit_ms", 150)
    turns: list[ScriptedTurn] = []
    memories: list[object] = []
    stage = {
        "SCRIPT": case["script"],
        "die": die,
        "sleep": lambda ms: turns[-1].sleep(ms),
        "tell": memories.append,
    }
    harness = IsolationHarness(seat=0, config=plain_form(rules.setup))
    module = run_bot(harness, stage, patch)
    harness.loaded(LoadedProgram(module, {module.__name__: module}, {}))
    harness.briefed(rules.brief(state, 0), ScriptedTurn(limit_ms))
    assert len(case["results"]) == len(case["script"]), f"{where}: turns without a result"
    for number, expected in enumerate(case["results"]):
        at = f"{where}, turn {number}"
        turns.append(ScriptedTurn(limit_ms))
        # The position stays the same, as in the recording; the ply says which turn of the script it is.
        turn_state = msgspec.structs.replace(state, ply=2 + 2 * number)
        put = ask(harness, rules.observe(turn_state, 0), turns[-1])
        assert memories[-1] == expected["seen"], f"{at}: what the bot remembers"
        counted = "none" if put is None or put.action is msgspec.UNSET else put.action
        assert counted == expected["action"], f"{at}: action that counts"
        assert type(counted) is type(expected["action"]), f"{at}: type of the action"
        if put is not None:
            state = msgspec.structs.replace(state, contexts=(put.context, None))


def die() -> None:
    raise Died


def ask(harness: IsolationHarness, observation: object, turn: ScriptedTurn) -> Put | None:
    """Return what counts of a turn, decoded as the host does: the answer, else the last provisional move."""
    try:
        answer: object = harness.answer(observation, turn)
    except (Exception, Interrupted, Died):
        if not turn.proposed:
            return None
        answer = turn.proposed[-1]
    return msgspec.msgpack.decode(msgspec.msgpack.encode(answer), type=Put)


def run_bot(harness: IsolationHarness, stage: Mapping[str, object], patch: pytest.MonkeyPatch) -> ModuleType:
    """Execute the scripted bot with the harness's modules and ``stage`` to import from."""
    for name, content in {**harness.modules(), "stage": stage}.items():
        if name.split(".")[0] in ("isolation", "sample_players", "stage"):
            patch.setitem(sys.modules, name, module := ModuleType(name))
            vars(module).update(content)
    bot = ModuleType("my_custom_player")
    patch.setitem(sys.modules, bot.__name__, bot)
    exec(compile(SCRIPTED_BOT.read_bytes(), SCRIPTED_BOT.name, "exec"), vars(bot))
    return bot


# --- the examples of the seed text --------------------------------------------------------------------------


def check_seed_example(case: Case, where: str, patch: pytest.MonkeyPatch) -> None:
    documented, original = engines_of(case)
    blank = documented.Isolation()
    after_57 = blank.result(57)
    after_57_0: Any = after_57.result(0)
    debug = documented.DebugState.from_state(after_57_0)
    examples: dict[str, Callable[[], Any]] = {
        "blank.board": lambda: str(blank.board),
        "blank.repr": lambda: repr(blank),
        "blank.actions": blank.actions,
        "blank.player": blank.player,
        "blank.liberties_57": lambda: blank.liberties(57),
        "blank.terminal_test": blank.terminal_test,
        "blank.utility_0": lambda: blank.utility(0),
        "blank.str": lambda: str(documented.DebugState.from_state(blank)),
        "after_57.player": after_57.player,
        "after_57_0.board": lambda: str(after_57_0.board),
        "after_57_0.ply_count": lambda: after_57_0.ply_count,
        "after_57_0.locs": lambda: list(after_57_0.locs),
        "after_57_0.bitboard_string": lambda: debug.bitboard_string,
        "after_57_0.debug_repr": lambda: repr(debug),
        "after_57_0.str": lambda: str(debug),
        "after_57_0.actions": after_57_0.actions,
        "after_57_0.actions_names": lambda: [action.name for action in after_57_0.actions()],
        "ind2xy_57": lambda: list(debug.ind2xy(57)),
        "ind2xy_first_action": lambda: list(debug.ind2xy(after_57_0.actions()[0])),
        "first_action_endgame": lambda: recorded_form(first_action_ending(original)),
        "first_action_endgame.utility": lambda: [
            sign(first_action_ending(original).utility(p)) for p in (0, 1)
        ],
    }
    if case["id"] == "printed_endgame_state":
        compare_snapshot((documented, original), case["value"], where)
    else:
        assert case["id"] in examples, f"{where}: no such example is known"
        assert examples[case["id"]]() == case["value"], where


def first_action_ending(made_by: Engine) -> Any:
    """Return the position in which the game ends when both always take the first action."""
    state = made_by.start
    while not state.terminal_test():
        state = state.result(state.actions()[0])
    return state


CHECKS: dict[str, Callable[[Case, str, pytest.MonkeyPatch], None]] = {
    "game": check_game,
    "light": check_light,
    "state": check_state,
    "result": check_result,
    "debug": check_debug,
    "ind2xy": check_ind2xy,
    "liberties": check_liberties,
    "perft": check_perft,
    "whole_tree": check_whole_tree,
    "players": check_players,
    "match": check_match,
    "fair": check_fair,
    "turn": check_turn,
    "seed_example": check_seed_example,
}
