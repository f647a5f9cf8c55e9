"""The state as bots use it: a value to look ahead with, whose parts they may hold and change."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague_botroyale.battle.actions import ALL_ACTIONS, Action, Idle, Jump, Move, Push
from botleague_botroyale.battle.options import RuleOptions
from botleague_botroyale.battle.state import OrderError, State
from botleague_botroyale.board.hexagon import ORIGIN, Hexagon, tile
from botleague_botroyale.board.plates import Plate, PlateType
from botleague_botroyale.legacy.numpy_scalars import NumpyScalarState


def visible(state: State) -> dict[str, Any]:
    """Return all that can be seen of a state."""
    return {
        "radius": state.death_radius,
        "positions": list(state.positions),
        "pits": set(state.pits),
        "walls": set(state.walls),
        "plates": {(plate.qr, plate.plate_type, plate.pressure) for plate in state.plates},
        "alive": state.alive_mask.tolist(),
        "ap": state.ap.tolist(),
        "spent": list(state.round_ap_spent),
        "remaining": list(state.round_remaining_turns),
        "done": list(state.round_done_turns),
        "casualties": list(state.casualties),
        "counts": (state.step_count, state.turn_count, state.round_count),
        "seed": state.seed,
        "effects": list(state.effects),
        "legal": state.is_last_action_legal,
    }


def rebuilt(state: State) -> State:
    """Return an equal state made by the constructor, so that nothing is remembered from before."""
    return State(
        state.death_radius,
        state.positions,
        state.pits,
        state.walls,
        state.plates,
        state.alive_mask,
        state.ap,
        state.round_ap_spent,
        state.round_remaining_turns,
        state.round_done_turns,
        state.casualties,
        state.step_count,
        state.turn_count,
        state.round_count,
        state.last_action,
        state.is_last_action_legal,
        state.effects,
        state.seed,
    )


TILES = list(ORIGIN.range(4))


@st.composite
def boards(draw: st.DrawFn) -> State:
    units = draw(st.lists(st.sampled_from(TILES), min_size=2, max_size=5))
    plates = draw(st.lists(st.sampled_from(TILES), max_size=6, unique=True))
    return State(
        draw(st.integers(3, 7)),
        units,
        draw(st.sets(st.sampled_from(TILES), max_size=8)),
        draw(st.sets(st.sampled_from(TILES), max_size=8)),
        [
            Plate(
                at.cube,
                draw(st.sampled_from(PlateType)),
                draw(st.integers(-2, -1)),
                None,
                draw(st.booleans()),
                draw(st.sets(st.sampled_from(TILES), max_size=4)),
            )
            for at in plates
        ],
        seed=draw(st.integers(0, 2**31 - 1)),
    )


def candidates(state: State) -> list[Action]:
    assert state.current_unit is not None
    here = state.positions[state.current_unit]
    near = [*map(Move, here.neighbors), *map(Push, here.neighbors), *map(Jump, here.ring(2))]
    return [Idle(), *near, Move(here), Jump(tile(9, 9))]


@settings(max_examples=60, deadline=None)
@given(board=boards(), choices=st.lists(st.integers(0, 10**6), min_size=5, max_size=25))
def test_whatever_is_remembered_between_states_changes_nothing(board: State, choices: list[int]) -> None:
    state = board.increment_round()
    for choice in choices:
        if state.game_over or state.current_unit is None:
            break
        before = visible(state)
        for action in candidates(state):
            legal = state.check_legal_action(action)
            after = state.apply_action_manual(action)
            assert after.is_last_action_legal is legal
            assert rebuilt(state).check_legal_action(action) is legal
        possible = [action for action in candidates(state) if state.check_legal_action(action)]
        action = possible[choice % len(possible)]
        fresh = rebuilt(state).apply_action(action)
        after = state.apply_action(action)
        assert visible(after) == visible(fresh)
        assert after.alive_mask.sum() == len(after.living)
        assert all(0 <= points <= 100 for points in after.ap)
        assert visible(state) == before
        state = after


@settings(max_examples=40, deadline=None)
@given(board=boards(), choices=st.lists(st.integers(0, 10**6), min_size=300, max_size=300))
def test_every_battle_ends_within_as_many_rounds_as_the_ring_has_radius(
    board: State, choices: list[int]
) -> None:
    radius = board.death_radius
    state = board.increment_round()
    for choice in choices:
        if state.game_over:
            break
        options = candidates(state)
        state = state.apply_action(options[choice % len(options)])
    while not state.game_over:
        state = state.apply_action(Idle())
    assert state.round_count <= radius
    assert sorted(state.death_order) == [uid for uid in range(state.num_of_units) if uid not in state.living]


def test_a_bot_can_set_attributes_of_its_own(duel: State) -> None:
    duel.score = 3.5  # type: ignore[attr-defined]  # that is the point
    assert duel.score == 3.5  # type: ignore[attr-defined]
    assert not hasattr(duel.apply_action(Idle()), "score")
    assert copy.copy(duel).score == copy.deepcopy(duel).score == 3.5  # type: ignore[attr-defined]


def test_changes_of_a_state_by_a_bot_count_later(duel: State) -> None:
    duel.ap[0] = 10
    assert not duel.check_legal_action(Move(tile(0, -1)))
    duel.ap[0] = 20
    assert duel.check_legal_action(Move(tile(0, -1)))
    duel.walls.add(tile(0, -1))
    assert not duel.check_legal_action(Move(tile(0, -1)))
    duel.walls -= {tile(0, -1)}
    assert duel.check_legal_action(Move(tile(0, -1)))
    duel.pits.add(tile(0, -1))
    assert duel.apply_action(Move(tile(0, -1))).winner == 1
    duel.positions[1] = tile(0, -1)
    assert not duel.check_legal_action(Move(tile(0, -1)))
    duel.alive_mask[1] = False
    assert duel.game_over
    duel.alive_mask = np.array([True, True])
    assert not duel.game_over
    duel.plates.add(Plate(tile(-1, 0).cube, PlateType.DEATH_RADIUS_TRAP, -1))
    assert duel.apply_action(Move(tile(-1, 0))).death_radius == 9
    duel.pits = {tile(-1, 0)}
    assert duel.apply_action(Move(tile(-1, 0))).winner == 1
    duel.death_radius = 1
    assert duel.apply_action(Move(tile(-1, 1))).death_order == [0, 1]


def test_a_bot_can_make_the_other_unit_stand_on_a_pit(duel: State) -> None:
    duel.positions[1] = tile(2, 0)
    after = duel.apply_action(Move(tile(0, -1)))
    assert after.winner == 0
    assert [effect.name for effect in after.effects] == ["move", "death"]


def test_a_copy_shares_nothing_that_a_bot_could_change(duel: State) -> None:
    before = visible(duel)
    for twin in (duel.copy(), copy.copy(duel), copy.deepcopy(duel), duel.apply_action_manual(Idle())):
        twin.positions[0] = tile(5, 5)
        twin.pits.clear()
        twin.walls.clear()
        twin.ap[:] = 0
        twin.alive_mask[:] = False
        twin.round_ap_spent[0] = 9
        twin.round_remaining_turns.clear()
        twin.round_done_turns.append(4)
        twin.casualties[0] = 4
        twin.effects.append(None)  # type: ignore[arg-type]
    assert visible(duel) == before


def test_a_copy_may_leave_the_last_action_out(duel: State) -> None:
    after = duel.apply_action_manual(Push(tile(1, 0)))
    assert after.copy().last_action is after.last_action
    assert after.copy().effects == after.effects
    bare = after.copy(copy_last_action=False)
    assert (bare.last_action, bare.is_last_action_legal, bare.effects) == (None, False, [])


def test_arrays_are_what_bots_take_them_for(duel: State) -> None:
    after = duel.apply_action_manual(Push(tile(1, 0)))
    assert isinstance(after.alive_mask, np.ndarray)
    assert after.alive_mask.dtype == bool
    assert after.ap.dtype == np.int64
    assert np.flatnonzero(after.alive_mask).tolist() == [0]
    assert np.flatnonzero(~after.alive_mask).tolist() == [1]
    assert after.alive_mask[[1, 0]].tolist() == [False, True]
    assert after.alive_mask.sum() == 1
    assert after.alive_mask.tostring() == after.alive_mask.tobytes() == b"\x01\x00"  # type: ignore[attr-defined]
    assert after.ap.tostring() == after.ap.tobytes()  # type: ignore[attr-defined]
    assert after.ap is after.ap


def test_scalars_are_plain_unless_a_configuration_wants_numpys(duel: State) -> None:
    def kinds(state: State) -> list[type]:
        over = state.apply_action_manual(Push(tile(1, 0)))
        values = (
            state.current_unit,
            state.game_over,
            over.winner,
            state.next_round_order[0],
            over.death_order[0],
        )
        return [type(value) for value in values]

    assert kinds(duel) == [int, bool, int, int, int]
    old = NumpyScalarState(5, [tile(0, 0), tile(1, 0)], pits={tile(2, 0)}, seed=3).increment_round()
    if old.current_unit == 1:
        old = old.apply_action(Idle())
    assert kinds(old) == [np.int64, np.bool_, np.int64, np.int64, np.int64]


def test_only_actions_can_be_applied(duel: State) -> None:
    class Longer(Move):
        pass

    class Rest(Idle):
        pass

    for what in (None, "idle", Idle, 3):
        with pytest.raises(AssertionError):
            duel.apply_action(what)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="Expected an action"):
            duel.check_legal_action(what)  # type: ignore[arg-type]
    for unknown in (Action(), Longer(tile(0, -1))):
        with pytest.raises(TypeError, match="No unit can do"):
            duel.apply_action(unknown)
        with pytest.raises(TypeError, match="No unit can do"):
            duel.check_legal_action(unknown)
    assert duel.apply_action(Rest()).is_last_action_legal
    assert duel.check_legal_action(Rest())


def test_order_matters(duel: State) -> None:
    fresh = State(5, [tile(0, 0), tile(1, 0)])
    assert fresh.check_legal_action(Idle())
    with pytest.raises(OrderError):
        fresh.check_legal_action(Move(tile(0, 1)))
    for call in (fresh.apply_kill_unit, fresh.apply_kill_unit_manual, duel.increment_round):
        with pytest.raises(OrderError):
            call()
    over = duel.apply_action_manual(Push(tile(1, 0)))
    for call in (over.apply_kill_unit, over.increment_round, lambda: over.apply_action(Idle())):
        with pytest.raises(OrderError):
            call()
    with pytest.raises(OrderError):
        State(5, [tile(0, 0)]).increment_round()


def test_changing_the_cost_of_an_action_buys_nothing(duel: State, monkeypatch: pytest.MonkeyPatch) -> None:
    push = Push(tile(1, 0))
    push.ap = 0
    monkeypatch.setattr(Move, "ap", -100)
    assert duel.apply_action(push).ap.tolist()[0] == 70
    assert duel.apply_action(Move(tile(0, -1))).ap.tolist()[0] == 80


def test_costs_come_from_the_options() -> None:
    options = RuleOptions(max_ap=40, regen_ap=30, cost_move=7, cost_push=8, cost_jump=9, ring_step=2)
    state = State(9, [tile(0, 0), tile(1, 0)], seed=1, options=options).increment_round()
    assert (state.death_radius, state.ap.tolist()) == (7, [30, 30])
    assert state.current_unit is not None
    here = state.positions[state.current_unit]
    after = state.apply_action(Jump(here + tile(0, -2)))
    assert after.ap[state.current_unit] == 21


def test_a_large_ring_step_ends_a_battle_without_an_error() -> None:
    state = State(5, [tile(0, 0), tile(1, 0)], seed=1, options=RuleOptions(ring_step=3)).increment_round()
    state = state.apply_action(Idle()).apply_action(Idle())
    assert (state.death_radius, state.living) == (0, ())


def test_bots_of_summer_2022_name_the_unit_when_they_ask_for_a_legal_action(duel: State) -> None:
    assert duel.check_legal_action(0, Push(tile(1, 0)))  # type: ignore[arg-type]
    assert not duel.check_legal_action(1, Push(tile(2, 0)))  # type: ignore[arg-type]
    assert duel.check_legal_action(action=Push(tile(1, 0)))
    after = duel.apply_action_no_round_increment(Idle())
    assert visible(after) == visible(duel.apply_action_manual(Idle()))


def test_a_plate_is_its_tile_in_every_calculation() -> None:
    plate = Plate((1, 0, -1), PlateType.WALL_TRAP, -2, targets={ORIGIN})
    at = tile(1, 0)
    assert plate == at
    assert at == plate
    assert hash(plate) == hash(at)
    assert plate - at is ORIGIN
    assert plate + at is tile(2, 0)
    assert plate.get_distance(ORIGIN) == ORIGIN.get_distance(plate) == 1
    assert plate.neighbors == at.neighbors
    assert Move(plate).target is at
    assert plate.with_new_hex(ORIGIN).targets == {ORIGIN}
    assert Plate.from_exported(plate.export()).export() == plate.export()
    assert repr(plate) == "<Plate (1, 0) WALL_TRAP>"
    with pytest.raises(AttributeError, match="replace the plate"):
        plate.pressure = -1
    for pressures in ((0,), (-1, 0)):
        with pytest.raises(AssertionError):
            Plate((0, 0, 0), PlateType.PIT_TRAP, *pressures)


def test_plates_can_be_found_by_tile_and_by_type() -> None:
    pit_trap = Plate((1, 0, -1), PlateType.PIT_TRAP, -2)
    ring_trap = Plate((0, 1, -1), PlateType.DEATH_RADIUS_TRAP, -2)
    state = State(5, [tile(0, 0), tile(2, 0)], plates={pit_trap, ring_trap})
    assert state.get_plate(tile(1, 0)) is pit_trap
    assert state.get_plate(tile(0, 0)) is None
    assert state.pit_traps == {pit_trap}
    assert state.death_plates == {ring_trap}


def test_an_erase_trap_clears_its_targets() -> None:
    targets = {tile(2, -1), tile(2, 0), tile(1, 1)}
    trap = Plate((1, 0, -1), PlateType.ERASE_TRAP, -1, targets=targets)
    other = Plate(tile(1, 1).cube, PlateType.PIT_TRAP, -1)
    state = State(
        9, [tile(0, 0), tile(-2, 0)], {tile(2, -1)}, {tile(2, 0)}, [trap, other], ap=[50, 50], seed=1
    )
    state.round_remaining_turns = [0, 1]
    after = state.apply_action(Move(tile(1, 0)))
    assert (after.pits, after.walls, after.plates) == (set(), set(), set())


def test_hexagons_are_interned_and_cannot_be_bent() -> None:
    assert Hexagon(3, -1, -2) is tile(3, -1) is Hexagon.from_xy(2, -1) is tile(1, 0) + tile(2, -1)
    assert copy.deepcopy(tile(1, 0)) is copy.copy(tile(1, 0)) is tile(1, 0)
    tile(3, -1).note = 5
    assert tile(3, -1).note == 5  # type: ignore[attr-defined]
    for name in ("q", "x", "_key", "cube"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(tile(3, -1), name, 0)
    assert tile(3, -1) != (3, -1, -2)
    with pytest.raises(AssertionError):
        Hexagon(np.int64(1), -1, 0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="sum up to 0"):
        Hexagon(1, 1, 1)
    with pytest.raises(ValueError, match="Cannot add"):
        ORIGIN + 3  # type: ignore[operator]
    with pytest.raises(ValueError, match="negative"):
        ORIGIN.ring(-1)
    with pytest.raises(AssertionError):
        next(ORIGIN.straight_line(tile(2, 0)))


def test_a_pixel_between_two_tiles_belongs_to_that_of_the_original() -> None:
    assert ORIGIN.pixel_position_to_hex(3, (0, -40)).qr == (4, -9)


@pytest.mark.parametrize("far", [10**3, 10**6, 10**12])
def test_tiles_far_out_are_no_neighbours_of_anything_near(duel: State, far: int) -> None:
    # Keys of tiles are numbers; two different tiles must never come out at the same distance by accident.
    for q, r in ((0, far), (far, -far), (-1, 1 << 20), (1, -(1 << 20)), (far, 0)):
        for kind in (Move, Jump, Push):
            assert not duel.check_legal_action(kind(tile(q, r)))
    assert tile(far, 0).get_distance(tile(far + 1, 0)) == 1
    assert tile(far, 0) == tile(far, 0)
    assert tile(far, 5) in set(tile(far, 6).neighbors)


def test_actions_read_as_the_original_prints_them() -> None:
    assert [repr(kind) for kind in (Idle(), Move(ORIGIN), Push(ORIGIN), Jump(tile(1, 0)), Action())] == [
        "<Idle>",
        "<Move: 0, 0>",
        "<Push: 0, 0>",
        "<Jump: 1, 0>",
        "<Action>",
    ]
    assert [kind.ap for kind in ALL_ACTIONS] == [0, 20, 30, 45]
    for wrong in (3, (0, 0, 0), None):
        with pytest.raises(AssertionError):
            Move(wrong)  # type: ignore[arg-type]
