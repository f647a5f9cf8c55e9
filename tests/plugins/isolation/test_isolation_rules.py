"""The rules of Isolation beyond what the golden games record: variants, forfeits, pictures, rematches."""

from __future__ import annotations

import copy
import pickle
import re
import sys
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.rules import Fault, Line, Move, Rect, Told, Variant, plain_form, read_config, seat_name
from botleague.rules.testing import rules_conformance
from botleague_isolation import botleague_variants
from botleague_isolation.board import Setup
from botleague_isolation.engine import MODULE, engine
from botleague_isolation.legacy.players import StopWatch, TimedQueue
from botleague_isolation.rules import IsolationRules
from botleague_isolation.scene import cell_name
from botleague_isolation.state import State
from botleague_isolation.variants import SETUPS
from botleague_isolation.wire import MATCH_CONTEXT_BYTES, Put

VARIANTS = botleague_variants()
NAMED = {
    "isolation": Setup(),
    "isolation-original": Setup(cell0_counts=False),
    "isolation-7x7": Setup(7, 7),
    "isolation-9x9": Setup(9, 9),
    "isolation-8x8": Setup(8, 8),
    "isolation-5x5": Setup(5, 5),
    "isolation-aind-7x7": Setup(7, 7, terminal="active"),
    "isolation-queen-7x7": Setup(7, 7, "queen", "active"),
    "isolation-queen-8x8-corners": Setup(8, 8, "queen", "active", start=(77, 0)),
    "isolation-queen-3x2": Setup(3, 2, "queen", "active", blocked=(0,)),
    "isolation-king-7x7": Setup(7, 7, "king", "active"),
    "isolation-isola-7x7": Setup(7, 7, "king", "active", start=(57, 3), remove=True),
    "isolation-isola-6x8": Setup(6, 8, "king", "active", start=(58, 3), remove=True),
}


@pytest.mark.parametrize("variant", VARIANTS, ids=[variant.name for variant in VARIANTS])
def test_every_variant_keeps_the_contract_of_rules(variant: Variant) -> None:
    rules_conformance.check(variant, seeds=(1,), secrets=opponents_context)


def opponents_context(state: State, seat: int) -> list[object]:
    secret = state.contexts[1 - seat]
    return [] if secret is None else [secret]


def test_a_match_does_not_depend_on_the_hash_seed() -> None:
    rules_conformance.check_across_processes("botleague_isolation", "isolation-isola-6x8")


def test_the_configurations_of_the_specification_are_offered() -> None:
    assert {name: SETUPS[name][0] for name in NAMED} == NAMED


def test_a_setup_survives_plain_data() -> None:
    for setup in [*NAMED.values(), Setup(6, 6, ((1, 3), (-3, 1)))]:
        assert read_config(Setup, plain_form(setup)) == setup


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        ({"width": 0}, "config.width: must be a whole number from 1 to 1024, not 0"),
        (
            {"moves": "rook"},
            "config.moves: must be king or knight or queen or a list of 1 or more, not 'rook'",
        ),
        ({"moves": []}, "config.moves: .* a list of 1 or more"),
        ({"moves": [[0, 0]]}, "config.moves: a step must not stay in place"),
        ({"terminal": "never"}, "config.terminal: must be active or either, not 'never'"),
        ({"turn_memory": "none"}, "config.turn_memory: must be context or persistent"),
        ({"blocked": [11]}, r"config.blocked: \[11\]"),
        ({"start": [5, 5]}, "two different open cells"),
        ({"start": [5, 6], "blocked": [5]}, "two different open cells"),
        ({"remove": True, "moves": "king"}, "give start too"),
        ({"with": 3}, "config.with: unknown; known: .*width"),
    ],
)
def test_a_setup_without_meaning_is_refused(config: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read_config(Setup, config)


@pytest.mark.parametrize("setup", [Setup(3, 3, start=(6, 0)), Setup(1, 1, cell0_counts=False)])
def test_a_start_that_ends_the_game_is_refused_as_a_match_and_known_as_a_position(setup: Setup) -> None:
    with pytest.raises(ValueError, match="over before the first action"):
        IsolationRules(setup)
    assert engine(setup).start.terminal_test()


# --- the engine ---------------------------------------------------------------------------------------------

boards = st.builds(
    Setup,
    width=st.integers(1, 8),
    height=st.integers(2, 8),
    moves=st.sampled_from(["knight", "king", "queen", ((1, 3), (-3, 1), (0, -1))]),
    terminal=st.sampled_from(["either", "active"]),
)


@settings(max_examples=60, deadline=None)
@given(boards, st.integers(0, 2**32))
def test_an_action_closes_one_open_cell_and_leaves_the_old_position_alone(setup: Setup, seed: int) -> None:
    made = engine(setup)
    state, rng = made.start, Random(seed)
    while not state.terminal_test():
        before = tuple(state)
        actions, liberties = state.actions(), state.liberties(state.locs[state.player()])
        assert len(actions) == len(liberties)
        choice = rng.randrange(len(actions))
        after = state.result(actions[choice])
        assert tuple(state) == before
        assert state.board - after.board == 1 << liberties[choice]
        assert after.locs[state.player()] == liberties[choice]
        assert after.ply_count == state.ply_count + 1
        state = after
    assert sorted([state.utility(0), state.utility(1)]) == [float("-inf"), float("inf")]


@settings(max_examples=60, deadline=None)
@given(boards, st.integers(0, 2**32))
def test_the_engine_agrees_with_sets_of_coordinates(setup: Setup, seed: int) -> None:
    made = engine(setup)
    state, rng = made.start, Random(seed)
    while not state.terminal_test():
        cells = {divmod(cell, setup.pitch)[::-1] for cell in state.liberties(None)}
        for loc in [loc for loc in state.locs if loc is not None]:
            reached = reached_by_coordinates(setup, cells, (loc % setup.pitch, loc // setup.pitch))
            assert state.liberties(loc) == [y * setup.pitch + x for x, y in reached]
        state = state.result(rng.choice(state.actions()))


def reached_by_coordinates(
    setup: Setup, cells: set[tuple[int, int]], loc: tuple[int, int]
) -> list[tuple[int, int]]:
    knight = [(-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1), (2, 1), (1, 2)]
    king = [(1, 1), (0, 1), (-1, 1), (1, 0), (-1, 0), (1, -1), (0, -1), (-1, -1)]
    named = {"knight": knight, "king": king, "queen": king}
    steps = named[setup.moves] if isinstance(setup.moves, str) else setup.moves
    reached = []
    for dx, dy in steps:
        x, y = loc[0] + dx, loc[1] + dy
        while (x, y) in cells:
            reached.append((x, y))
            if setup.moves != "queen":
                break
            x, y = x + dx, y + dy
    return reached


@pytest.mark.parametrize(
    ("setup", "games", "longest", "first_wins"),
    [
        (Setup(3, 3, "knight", "active"), 184, 8, False),
        (Setup(3, 4, "knight", "active"), 1_320, 12, False),
        (Setup(3, 2, "queen", "active", blocked=(0,)), 86, 5, True),
        (Setup(3, 2, "queen", "either", blocked=(0,)), 84, 5, True),
        (Setup(3, 3, "queen", "active"), 34_584, 9, True),
        (Setup(3, 3, "queen", "either"), 30_936, 9, True),
    ],
)
def test_small_boards_have_as_many_games_as_were_counted(
    setup: Setup, games: int, longest: int, first_wins: bool
) -> None:
    assert whole_tree(engine(setup).start) == (games, longest, first_wins)


def whole_tree(state: Any) -> tuple[int, int, bool]:
    if state.terminal_test():
        return 1, state.ply_count, state.utility(0) > 0
    below = [whole_tree(state.result(action)) for action in state.actions()]
    wins = [won for _, _, won in below]
    return (
        sum(games for games, _, _ in below),
        max(length for _, length, _ in below),
        any(wins) if state.player() == 0 else all(wins),
    )


def test_a_position_is_equal_to_its_tuple_and_survives_pickling(monkeypatch: pytest.MonkeyPatch) -> None:
    made = engine(Setup())
    module = ModuleType(MODULE)
    vars(module).update(Isolation=made.Isolation, Action=made.Action)
    for name in ("isolation", MODULE):
        monkeypatch.setitem(sys.modules, name, module)
    state: Any = made.start.result(57).result(0)
    assert state == (int(state.board), 2, (57, 0))
    assert {tuple(state): "known"}[state] == "known"
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        data = pickle.dumps(state, protocol)
        assert b"isolation.isolation" in data
        again = pickle.loads(data)
        assert again == state
        assert type(again) is made.Isolation
    assert copy.deepcopy(state) == state
    state.note = "bots may keep something here"
    assert state._replace(ply_count=4).player() == 0


def test_steps_are_numbers_with_names() -> None:
    action: Any = engine(Setup()).start.result(57).result(0).actions()[0]
    assert repr(action) == "<Action.NNE: 25>"
    assert type(57 + action) is int


def test_steps_that_lead_to_the_same_cell_are_listed_once() -> None:
    """On one column, two pairs of knight's steps are equal; the values are the original's."""
    narrow = engine(Setup(1, 5))
    assert [action.name for action in narrow.Action] == ["NNE", "ENE", "ESE", "SSE", "WSW", "NNW"]
    position = narrow.Isolation(narrow.start.board, 2, (1, 4))
    assert position.actions() == [5, -1]
    assert position.liberties(1) == [6, 0]
    assert position.liberties(4) == [9, 3]


@pytest.mark.parametrize("action", [True, "25", None, 26])
def test_a_step_that_is_none_is_an_assertion_error(action: object) -> None:
    with pytest.raises(AssertionError):
        engine(Setup()).start.result(57).result(0).result(action)


def test_a_queen_cannot_cross_a_closed_cell() -> None:
    state = engine(Setup(5, 1, "queen", "active")).start.result(0).result(2)
    assert state.actions() == [1]
    with pytest.raises(RuntimeError, match="cell 3 cannot be reached from 0"):
        state.result(3)
    with pytest.raises(AssertionError):
        state.result(7)


def test_isola_reopens_the_cell_that_was_left_and_closes_another() -> None:
    state = IsolationRules(NAMED["isolation-isola-7x7"]).engine.start
    after = state.result((-9, 30))
    assert after.locs == (48, 3)
    assert after.board >> 57 & 1 == 1
    assert after.board >> 30 & 1 == 0
    assert (-9, 57) in state.actions()
    assert (-9, 48) not in state.actions()
    assert (-9, 3) not in state.actions()
    with pytest.raises(RuntimeError, match="cannot be removed"):
        state.result((-9, 48))


# --- forfeits -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault("exception", "ValueError: no"), "raised an exception before it put an action: ValueError: no"),
        (
            Fault(
                "exception",
                "  mine.py, line 9, in plan\n    ...\n  more.py, line 5, in pick\n    x\nKeyError: 'no'",
            ),
            "raised an exception before it put an action: KeyError: 'no' (more.py, line 5)",
        ),
        (
            Fault("rejected", 'mine.py, line 2: import of "os"\n    import os\n    ^'),
            'was not admitted: mine.py, line 2: import of "os"',
        ),
        (Fault("timeout"), "put no action within the time limit"),
        (Fault("crash", "killed"), "its process died before it put an action: killed"),
        (Fault("garbage", "no frame"), "its answer could not be read: no frame"),
    ],
)
def test_a_fault_forfeits_the_match_and_says_why(fault: Fault, reason: str) -> None:
    rules = IsolationRules()
    state = rules.apply(started(rules), {0: fault}, Random(0))
    outcome = rules.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.forfeits) == ((2, 1), (0,))
    assert outcome.reason == f"{{seat 0}} forfeits: {reason}"
    assert rules.acting(state) == ()


@pytest.mark.parametrize(
    ("put", "reason"),
    [
        (Put(11), "invalid move 11: possible here: 0, 1, 2, 3, 4, 5, 6, 7 and 91 more"),
        (Put(57.9), "invalid move 57.9: "),
        (Put("57"), "invalid move '57': "),
        (Put(None), "invalid move None: "),
        (Put(1, removed=2), r"invalid move \(1, 2\): "),
        (Put(), "no action: get_action returned without putting one"),
    ],
)
def test_invalid_action_is_refused_with_a_reason(put: Put, reason: str) -> None:
    rules = IsolationRules()
    state = started(rules)
    why = rules.illegal(state, 0, put)
    assert isinstance(why, str)
    assert why.startswith(reason.replace("\\", ""))
    lost = rules.outcome(rules.apply(state, {0: Move(put)}, Random(0)))
    assert lost is not None
    assert lost.reason == f"{{seat 0}} forfeits: {why}"


def test_a_put_that_fails_takes_the_action_from_before_with_it() -> None:
    """The original empties the queue before it pickles the new pair."""
    sent: list[object] = []

    def send(pair: object) -> None:
        if pair == ("bad", 25):
            raise ValueError
        sent.append(pair)

    player = SimpleNamespace(context=None)
    queue = TimedQueue(player, StopWatch(10_000), send)
    queue.put(57)
    player.context = "bad"
    with pytest.raises(ValueError, match=r"^$"):
        queue.put(25)
    assert queue.qsize() == 0
    assert sent == [(None, 57), None]


def test_an_action_that_is_put_too_late_is_a_timeout() -> None:
    rules = IsolationRules()
    fault = rules.illegal(started(rules), 0, Put(late=True))
    assert isinstance(fault, Fault)
    assert fault.kind == "timeout"
    lost = rules.outcome(rules.apply(started(rules), {0: fault}, Random(0)))
    assert lost is not None
    assert lost.reason == "{seat 0} forfeits: put no action within the time limit: the first was put after it"


@pytest.mark.parametrize("put", [Put(57), Put(57.0), Put(True), Put(False)])
def test_equal_of_an_action_is_one(put: Put) -> None:
    rules = IsolationRules()
    assert rules.illegal(started(rules), 0, put) is None


def test_nobody_wins_a_match_for_which_nobody_came_up() -> None:
    rules = IsolationRules()
    outcome = rules.outcome(rules.start([Fault("rejected", "os"), Fault("crash")], Random(0)))
    assert outcome is not None
    assert (outcome.places, outcome.forfeits) == ((1, 1), (0, 1))
    assert "{seat 0} forfeits: was not admitted: os" in outcome.reason


def test_a_context_comes_back_to_its_own_seat_alone() -> None:
    rules = IsolationRules()
    state = rules.apply(started(rules), {0: Move(Put(57, context=b"mine"))}, Random(0))
    observed: Any = [rules.observe(state, seat) for seat in (0, 1)]
    assert [observation["context"] for observation in observed] == [b"mine", None]


def test_the_contexts_of_a_seat_come_to_four_mebibytes_at_most() -> None:
    rules = IsolationRules()
    state = msgspec.structs.replace(started(rules), context_bytes=(MATCH_CONTEXT_BYTES - 5, 0))
    observation: Any = rules.observe(state, 0)
    assert observation["context_room"] == 5
    assert "more than 4,194,304 bytes" in str(rules.illegal(state, 0, Put(57, context=b"123456")))
    state = rules.apply(state, {0: Move(Put(57, context=b"12345"))}, Random(0))
    assert state.context_bytes == (MATCH_CONTEXT_BYTES, 0)
    state = rules.apply(state, {1: Move(Put(0, context=b"12"))}, Random(0))
    assert state.context_bytes == (MATCH_CONTEXT_BYTES, 2)
    step: Any = rules.position(state).actions()[0]
    assert rules.illegal(state, 0, Put(step)) is None


def started(rules: IsolationRules) -> State:
    return rules.start([None, None], Random(0))


# --- pictures -----------------------------------------------------------------------------------------------


def test_the_picture_shows_cells_tokens_the_last_step_and_the_ways_out() -> None:
    rules = IsolationRules()
    state = started(rules)
    for action in (57, 0, 25):
        (seat,) = rules.acting(state)
        state = rules.apply(state, {seat: Move(Put(action))}, Random(0))
    scene = rules.scene(state)
    cells = {shape.key: shape for shape in scene.shapes if isinstance(shape, Rect) and shape.width == 0.92}
    assert len(cells) == 99
    closed = {name for name, cell in cells.items() if ", closed" in cell.title}
    assert closed == {"k1", "f5", "g7"}
    assert len({cells[name].fill for name in closed}) == 1
    first = {
        seat: sum(f"{seat_name(seat)} is there" in cell.title for cell in cells.values()) for seat in (0, 1)
    }
    assert scene.scores == (first[0], first[1])
    assert sum(first.values()) == 96
    ways = {line for line in scene.shapes if isinstance(line, Line) and line.title == "way out"}
    assert {(round(line.points[0][0] - 0.18, 2), line.points[0][1]) for line in ways} == {
        (10.12, 6.5),
        (9.12, 7.5),
    }
    (step,) = (line for line in scene.shapes if isinstance(line, Line) and len(line.points) == 2)
    assert [(round(x, 2), y) for x, y in step.points] == [(6.12, 4.5), (7.12, 2.5)]
    assert scene.caption == ("ply 3, {seat 1} to move", "ways out: {seat 0} 7 open, {seat 1} 2 open")


def test_moves_are_in_cells_of_a_chessboard() -> None:
    rules = IsolationRules()
    state = started(rules)
    assert rules.describe(state, 0, Put(57)) == "knight placed on f5 (cell 57)"
    for action in (57, 0):
        state = rules.apply(state, {state.ply: Move(Put(action))}, Random(0))
    assert rules.describe(state, 0, Put(-25)) == "knight to e3 (cell 32)"
    isola = IsolationRules(NAMED["isolation-isola-7x7"])
    state = started(isola)
    put = isola.sample(state, 0, Random(1))
    assert re.fullmatch(
        r"king to [a-g][1-7] \(cell \d+\), closes [a-g][1-7] \(cell \d+\)", isola.describe(state, 0, put)
    )
    assert cell_name(Setup(width=40), 0) == "an1"


def test_view_shows_the_observation_of_the_seat() -> None:
    rules = IsolationRules(Setup(fair_rematch=True))
    state = fair_match(57, 0, 25, None)
    observations = [Told(None, rules.brief(state, seat), (rules.observe(state, seat),)) for seat in (0, 1)]
    views = [rules.view(observations[seat], seat) for seat in (0, 1)]
    assert views[0] == views[1]
    tokens = {shape.key: shape for shape in rules.scene(state).shapes if shape.key.startswith("token")}
    assert {shape.key: shape for shape in views[0].shapes if shape.key.startswith("token")} == tokens


def test_deciding_move_of_a_game_is_an_event() -> None:
    rules = IsolationRules(Setup(3, 3))
    state = started(rules)
    for cell in (0, 6):
        state = rules.apply(state, {state.ply: Move(Put(cell))}, Random(0))
    assert [event.text for event in rules.scene(state).events] == ["{seat 1} is stuck"]
    # Seat 1 is stuck in the centre, and seat 0 reaches the seven open cells.
    assert rules.scene(state).scores == (7.0, 0.0)
    state = fair_match(57, None)
    assert [event.text for event in FAIR.scene(state).events] == ["{seat 1} forfeits the game"]
    assert [event.text for event in FAIR.scene(fair_match(57, 0, 25, None)).events] == ["the rematch begins"]


# --- fair rematches -----------------------------------------------------------------------------------------

FAIR = IsolationRules(Setup(fair_rematch=True))


def fair_match(*actions: int | None) -> State:
    """Return the match after these actions, of whoever is to move; None forfeits."""
    state = started(FAIR)
    for action in actions:
        (seat,) = FAIR.acting(state)
        reply = Fault("crash") if action is None else Move(Put(action, context=b"kept"))
        state = FAIR.apply(state, {seat: reply}, Random(0))
    return state


def test_in_the_rematch_each_side_plays_the_others_opening() -> None:
    state = fair_match(57, 0, 25, None)  # seat 1 gives up
    assert (state.ply, state.locs, FAIR.acting(state)) == (2, (57, 0), (1,))
    assert [FAIR.observe(state, seat)["player"] for seat in (0, 1)] == [1, 0]  # type: ignore[index]  # a dict
    assert state.contexts == (None, None)
    assert FAIR.outcome(state) is None
    assert FAIR.scene(state).caption[0] == "rematch, ply 2, {seat 1} to move"
    after = FAIR.apply(state, {1: Move(Put(25, context=b"new"))}, Random(0))
    assert (after.locs, after.contexts, FAIR.acting(after)) == ((82, 0), (None, b"new"), (0,))


@pytest.mark.parametrize(
    ("second", "places", "scores"),
    [((25, None), (1, 1), (1.0, 1.0)), ((None,), (1, 2), (2.0, 0.0))],
    ids=["one each", "both"],
)
def test_more_games_won_win_the_match(
    second: tuple[int | None, ...], places: tuple[int, ...], scores: tuple[float, ...]
) -> None:
    outcome = FAIR.outcome(fair_match(57, 0, 25, None, *second))
    assert outcome is not None
    assert (outcome.places, outcome.scores) == (places, scores)
    assert outcome.reason.startswith("first game: {seat 1} forfeits: its process died")
    assert f"; rematch: {{seat {0 if places == (1, 1) else 1}}} forfeits" in outcome.reason
    assert outcome.forfeits == ((0, 1) if places == (1, 1) else (1,))


def test_a_game_without_an_opening_has_no_rematch() -> None:
    for actions in ((None,), (57, None)):
        outcome = FAIR.outcome(fair_match(*actions))
        assert outcome is not None
        assert sorted(outcome.scores) == [0.0, 1.0]
        assert "rematch" not in outcome.reason
    absent = FAIR.start([Fault("rejected", "os"), None], Random(0))
    assert FAIR.acting(absent) == ()


def test_an_opening_that_ends_the_game_ends_the_rematch_as_well() -> None:
    rules = IsolationRules(Setup(3, 3, fair_rematch=True))
    state = started(rules)
    for cell in (0, 6):  # seat 1 in the centre, where a knight has no step
        state = rules.apply(state, {state.ply: Move(Put(cell))}, Random(0))
    assert rules.acting(state) == ()
    outcome = rules.outcome(state)
    assert outcome is not None
    assert (outcome.places, outcome.scores) == ((1, 1), (1.0, 1.0))


# --- configurations -----------------------------------------------------------------------------------------


def test_a_variant_can_be_made_again_from_the_configuration_in_a_record() -> None:
    for variant in VARIANTS:
        made = variant.with_config(variant.config)
        assert made.config == variant.config
        assert made.rules.setup == variant.rules.setup  # type: ignore[attr-defined]  # Isolation's own
    assert VARIANTS[0].with_config({"width": 5}).rules.setup == Setup(5)  # type: ignore[attr-defined]  # as above
