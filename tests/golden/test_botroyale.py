"""Every recorded battle and every recorded value of the original's geometry and generator.

A line of a trace is a battle (``steps``) or one value of a function (``fn``); nothing depends on file names.
Source of the format: tests/golden/botroyale/README.md.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from botleague_botroyale.battle.actions import Action, Idle, Jump, Move, Push
from botleague_botroyale.battle.maps import load_map
from botleague_botroyale.battle.prng import MOD, PRNG, next_round_seed, round_order
from botleague_botroyale.battle.snapshot import Effect
from botleague_botroyale.battle.state import OrderError, State
from botleague_botroyale.board.hexagon import (
    DIAGONALS,
    DIRECTIONS,
    DOUBLES,
    Hexagon,
    convert_cube2offset,
    convert_offset2cube,
    tile,
)
from botleague_botroyale.board.plates import Plate, PlateType

KINDS: dict[str, type[Move]] = {"move": Move, "jump": Jump, "push": Push}
NAMES = {kind: name for name, kind in KINDS.items()}


def test_a_trace_replays_exactly(golden_file: Path) -> None:
    lines = _lines(golden_file)
    header = next(lines)
    assert header["game"] == "botroyale", f"{golden_file.name}: not a trace of Bot Royale"
    assert header["format"] == 1, f"{golden_file.name}: unknown format {header['format']}"
    count = 0
    for number, case in enumerate(lines, start=2):
        where = f"{golden_file.name}, line {number}, {case.get('id') or case.get('fn')}"
        if "steps" in case:
            _replay(case, where)
        elif case.get("fn") in FUNCTIONS:
            FUNCTIONS[case["fn"]](case, where)
        else:
            pytest.fail(f"{where}: unknown kind of case with the keys {sorted(case)}")
        count += 1
    assert count, f"{golden_file.name}: no cases"


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    opener: Callable[..., Any] = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


# Battles


def _replay(case: dict[str, Any], where: str) -> None:
    auto = {"auto": True, "manual": False}[case["mode"]]
    expected = case["init"]
    state = _built(expected)
    _compare(state, expected, f"{where}, start")
    if "map" in case and not expected["step"]:
        board = _dumped(load_map(case["map"]).state(expected["seed"]))
        for field in ("radius", "positions", "pits", "walls", "plates"):
            _same(board[field], expected[field], f"{where}, map {case['map']}", field)
    for number, step in enumerate(case["steps"]):
        place = f"{where}, step {number} {step['op']}"
        before = state
        try:
            state = _applied(before, step["op"], auto)
        except OrderError:
            assert step.get("error") == "OrderError", f"{place}: OrderError was not expected"
        else:
            assert "error" not in step, f"{place}: {step.get('error')} was expected"
            # Applied again, so that a change of the state before would show.
            twin = _applied(before, step["op"], auto)
            expected = expected | step["set"]
            _compare(twin, expected, f"{place} (second time)")
        _compare(state, expected, place)


def _applied(state: State, op: list[Any], auto: bool) -> State:
    match op:
        case ["increment_round"]:
            return state.increment_round()
        case ["kill"]:
            return state.apply_kill_unit() if auto else state.apply_kill_unit_manual()
        case _:
            action = _action(op)
            return state.apply_action(action) if auto else state.apply_action_manual(action)


def _action(op: list[Any]) -> Action:
    return Idle() if op == ["idle"] else KINDS[op[0]](tile(op[1], op[2]))


def _built(plain: dict[str, Any]) -> State:
    return State(
        plain["radius"],
        [tile(*at) for at in plain["positions"]],
        {tile(*at) for at in plain["pits"]},
        {tile(*at) for at in plain["walls"]},
        {
            Plate(
                tile(*plate["at"]).cube,
                PlateType[plate["type"]],
                plate["pressure"],
                plate["min_pressure"],
                bool(plate["reset"]),
                {tile(*at) for at in plate["targets"]},
            )
            for plate in plain["plates"]
        },
        [bool(alive) for alive in plain["alive"]],
        plain["ap"],
        plain["spent"],
        plain["remaining"],
        plain["done"],
        plain["casualties"],
        plain["step"],
        plain["turn"],
        plain["round"],
        None if plain["last_action"] is None else _action(plain["last_action"]),
        bool(plain["last_legal"]),
        [_effect(effect) for effect in plain["effects"]],
        plain["seed"],
    )


def _effect(plain: list[Any]) -> Effect:
    name, origin, target = plain
    return Effect(name, tile(*origin), target and tile(*target))


def _compare(state: State, expected: dict[str, Any], place: str) -> None:
    actual = _dumped(state)
    assert actual.keys() == expected.keys(), f"{place}: fields {sorted(actual.keys() ^ expected.keys())}"
    for field, value in expected.items():
        assert actual[field] == value, f"{place}: {field} is {actual[field]}, recorded {value}"


def _dumped(state: State) -> dict[str, Any]:
    action = state.last_action
    return {
        "radius": state.death_radius,
        "positions": [_qr(at) for at in state.positions],
        "alive": [int(alive) for alive in state.alive_mask],
        "ap": state.ap.tolist(),
        "spent": state.round_ap_spent,
        "remaining": state.round_remaining_turns,
        "done": state.round_done_turns,
        "casualties": state.casualties,
        "pits": sorted(map(_qr, state.pits)),
        "walls": sorted(map(_qr, state.walls)),
        "plates": [
            {
                "at": _qr(plate),
                "type": plate.plate_type.name,
                "pressure": plate.pressure,
                "min_pressure": plate.min_pressure,
                "reset": int(plate.pressure_reset),
                "targets": sorted(map(_qr, plate.targets)),
            }
            for plate in sorted(state.plates, key=_qr)
        ],
        "step": state.step_count,
        "turn": state.turn_count,
        "round": state.round_count,
        "seed": state.seed,
        "last_action": None
        if action is None
        else [NAMES[type(action)], *_qr(action.target)]
        if isinstance(action, Move)
        else ["idle"],
        "last_legal": int(state.is_last_action_legal),
        "effects": [[name, _qr(origin), target and _qr(target)] for name, origin, target in state.effects],
        "current": state.current_unit,
        "end_of_round": int(state.end_of_round),
        "game_over": int(state.game_over),
        "winner": state.winner,
        "next_order": state.next_round_order,
        "death_order": state.death_order,
        "legal_mask": _legal_mask(state),
    }


def _legal_mask(state: State) -> int | None:
    if state.current_unit is None or state.game_over:
        return None
    here = state.positions[state.current_unit]
    candidates: list[Action] = [Move(at) for at in here.neighbors]
    candidates += [Jump(at) for at in here.ring(2)]
    candidates += [Push(at) for at in here.neighbors]
    return sum(state.check_legal_action(action) << bit for bit, action in enumerate(candidates))


# Functions


def _qr(at: Hexagon) -> list[int]:
    return [at.q, at.r]


def _all(tiles: Any) -> list[list[int]]:
    return [_qr(at) for at in tiles]


def _same(actual: Any, expected: Any, where: str, field: str = "out") -> None:
    assert actual == expected, f"{where}: {field} is {actual}, recorded {expected}"


def _constants(case: dict[str, Any], where: str) -> None:
    _same(_all(DIRECTIONS), case["directions"], where, "directions")
    _same(_all(DOUBLES), case["doubles"], where, "doubles")
    _same(_all(DIAGONALS), case["diagonals"], where, "diagonals")


def _coords(case: dict[str, Any], where: str) -> None:
    at = tile(*case["at"])
    _same(list(at.cube), case["cube"], where, "cube")
    _same(list(at.xy), case["xy"], where, "xy")
    _same(repr(at), case["repr"], where, "repr")
    _same(list(convert_cube2offset(*at.cube)), case["xy"], where, "convert_cube2offset")


def _from_xy(case: dict[str, Any], where: str) -> None:
    _same(_qr(Hexagon.from_xy(case["x"], case["y"])), case["out"], where)
    _same(list(convert_offset2cube(case["x"], case["y"])[:2]), case["out"], where, "convert_offset2cube")


def _add_sub(case: dict[str, Any], where: str) -> None:
    at, other = tile(*case["at"]), tile(*case["other"])
    _same(_qr(at + other), case["add"], where, "add")
    _same(_qr(at - other), case["sub"], where, "sub")


def _straight_line(case: dict[str, Any], where: str) -> None:
    line = tile(*case["at"]).straight_line(tile(*case["neighbor"]), case["max_distance"])
    _same(_all(line), case["out"], where)


def _from_floats(case: dict[str, Any], where: str) -> None:
    _same(_qr(Hexagon.from_floats(*case["in"])), case["out"], where)
    _same(_qr(Hexagon.round_(*case["in"])), case["out"], where, "round_")


def _pixel_position(case: dict[str, Any], where: str) -> None:
    actual = tile(*case["at"]).pixel_position(case["radius"])
    assert actual == pytest.approx(case["out"], abs=1e-6), f"{where}: {actual}, recorded {case['out']}"


def _lcg(case: dict[str, Any], where: str) -> None:
    values = PRNG(case["seed"]).generate_list(len(case["out"]))
    _same([int(value * MOD) for value in values], case["out"], where)


def _round_order(case: dict[str, Any], where: str) -> None:
    living = [uid for uid, alive in enumerate(case["alive"]) if alive]
    _same(round_order(case["seed"], case["spent"], living), case["out"], where)


FUNCTIONS: dict[str, Callable[[dict[str, Any], str], None]] = {
    "constants": _constants,
    "coords": _coords,
    "from_xy": _from_xy,
    "neighbors": lambda case, where: _same(_all(tile(*case["at"]).neighbors), case["out"], where),
    "doubles": lambda case, where: _same(_all(tile(*case["at"]).doubles), case["out"], where),
    "diagonals": lambda case, where: _same(_all(tile(*case["at"]).diagonals), case["out"], where),
    "get_distance": lambda case, where: _same(
        tile(*case["at"]).get_distance(tile(*case["other"])), case["out"], where
    ),
    "add_sub": _add_sub,
    "rotate": lambda case, where: _same(_qr(tile(*case["at"]).rotate(case["rotations"])), case["out"], where),
    "ring": lambda case, where: _same(_all(tile(*case["at"]).ring(case["radius"])), case["out"], where),
    "range": lambda case, where: _same(
        _all(tile(*case["at"]).range(case["distance"], bool(case["include_center"]))), case["out"], where
    ),
    "straight_line": _straight_line,
    "from_floats": _from_floats,
    "pixel_position": _pixel_position,
    "pixel_position_to_hex": lambda case, where: _same(
        _qr(tile(*case["at"]).pixel_position_to_hex(case["radius"], tuple(case["pixel"]))),
        case["out"],
        where,
    ),
    "lcg": _lcg,
    "next_round_seed": lambda case, where: _same(next_round_seed(case["seed"]), case["out"], where),
    "round_order": _round_order,
}
