"""Golden games of the career fair: every step of every recorded case, and the crowd thinking for itself.

Format: tests/golden/careerfair/README.md. Cases are told apart by what they contain, never by a file's name.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from botleague_careerfair.legacy.report import report
from botleague_careerfair.simulation.board import parse_board
from botleague_careerfair.simulation.companies import Company
from botleague_careerfair.simulation.crowd import decide
from botleague_careerfair.simulation.fair import Fair, Hall
from botleague_careerfair.simulation.floor import threshold_for
from botleague_careerfair.simulation.profiles import PROFILES
from botleague_careerfair.simulation.requests import LETTERS, request_of
from botleague_careerfair.view import END, SEEN, free_and_queued, queued_on, view_of

Plain = dict[str, Any]


def test_every_recorded_step_replays_exactly(golden_file: Path) -> None:
    for case in cases(golden_file):
        replay(golden_file, case)


def test_the_crowd_decides_as_recorded_from_its_seed_alone(golden_file: Path) -> None:
    for case in cases(golden_file):
        if case["crowd_seed"] is not None:
            replay_with_thinking_crowd(golden_file, case)


def cases(path: Path) -> Iterator[Plain]:
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    header, *lines = data.decode().splitlines()
    fields = json.loads(header)
    assert (fields["game"], fields["format"]) == ("careerfair", 1), f"{path.name}: unknown header {header}"
    yield from map(json.loads, lines)


def opened(case: Plain) -> tuple[Fair, Hall]:
    fair = Fair(
        parse_board("\n".join(case["board"])),
        teams=case["players"],
        kinds=case["crowd"],
        profile=PROFILES[case["profile"]],
    )
    return fair, fair.open([Company(*company) for company in case["companies"]], case["crowd_seed"] or 0)


def replay(path: Path, case: Plain) -> None:
    """Feed the recorded requests of teams and crowd, and compare everything after every step."""
    fair, hall = opened(case)
    where = f"{path.name}, case {case['case']}, before step 1"
    compare_state(case["init"], fair, hall, where)
    if "initial_board" in case["init"]:
        compare_initial_board(case["init"]["initial_board"], fair, where)
    rewards = case["init"]["rewards"]
    for number, step in enumerate(case["steps"], start=1):
        where = f"{path.name}, case {case['case']}, step {number}"
        hall = fair.step(hall, answers(step), [request_of(letter) for letter in step["crowd"]])
        assert list(hall.gains) == step["gain"], f"{where}: gain"
        assert [list(served) for served in hall.served] == step["served"], f"{where}: served"
        if "state" in step:
            rewards = step["state"].get("rewards", rewards)
            compare_state({**step["state"], "rewards": rewards}, fair, hall, where)
        if "view" in step:
            compare_views(step["view"], fair, hall, where)
        state = describe(fair, hall)
        assert digest(state) == step["h"], f"{where}: digest of the state {state}"
    if "crash" in case:  # the original stopped in this step, ours goes on
        crash = case["crash"]
        fair.step(hall, answers(crash), [request_of(letter) for letter in crash["crowd"]])
    if "result" in case:
        compare_result(case, hall)


def replay_with_thinking_crowd(path: Path, case: Plain) -> None:
    """Let the crowd think for itself and compare what it asks for; equal requests make equal steps."""
    fair, hall = opened(case)
    for number, step in enumerate(case["steps"], start=1):
        letters = "".join(LETTERS[request] for request in think(fair, hall))
        where = f"{path.name}, case {case['case']}, step {number}"
        assert letters == step["crowd"], f"{where}: {first_difference('crowd', letters, step['crowd'])}"
        hall = fair.step(hall, answers(step))
    assert digest(describe(fair, hall)) == case["steps"][-1]["h"], (
        f"{path.name}, case {case['case']}, the end"
    )


def answers(step: Plain) -> list[list[int]]:
    return [[request_of(letter) for letter in move] for move in step["moves"]]


def think(fair: Fair, hall: Hall) -> list[int]:
    base = fair.crowd_base
    _, requests = decide(
        fair.floor,
        fair.kinds,
        hall.crowd,
        hall.places[base:],
        hall.queued[base:],
        hall.requests[base:],
        hall.counts,
        hall.ends,
    )
    return requests


def describe(fair: Fair, hall: Hall) -> Plain:
    """Return the state in the form of the traces."""
    cols = fair.board.cols
    return {
        "bots": [list(report(fair, hall, bot)) for bot in range(len(hall.places))],
        "thr": rows(hall.thresholds, cols),
        "eol": [list(divmod(tile, cols)) for tile in sorted(hall.ends)],
        "score": list(hall.scores),
        "rewards": [[list(offer) for offer in offers] for offers in hall.rewards],
        "talker": list(hall.talkers),
    }


def rows(values: Any, cols: int) -> list[str]:
    digits = "".join(map(str, values))
    return [digits[start : start + cols] for start in range(0, len(digits), cols)]


def digest(state: Plain) -> str:
    lines = [" ".join(map(str, bot)) for bot in state["bots"]]
    rewards = "|".join(";".join(f"{major},{minor}" for major, minor in team) for team in state["rewards"])
    lines += [
        "thr " + "/".join(state["thr"]),
        "eol " + ";".join(f"{x},{y}" for x, y in state["eol"]),
        "score " + ",".join(map(str, state["score"])),
        "rewards " + rewards,
        "talker " + ",".join(map(str, state["talker"])),
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def compare_state(expected: Plain, fair: Fair, hall: Hall, where: str) -> None:
    state = describe(fair, hall)
    for key in ("bots", "thr", "eol", "score", "rewards", "talker"):
        assert state[key] == expected[key], f"{where}: {first_difference(key, state[key], expected[key])}"
    if "view" in expected:
        compare_views(expected["view"], fair, hall, where)


def compare_views(expected: list[Plain], fair: Fair, hall: Hall, where: str) -> None:
    cols = fair.board.cols
    queued = queued_on(fair, hall)
    for team, expected_view in enumerate(expected):
        view = view_of(fair, hall, team, queued)
        bots = [sum(free_and_queued(tile_view)) for tile_view in view]
        views = {
            "vis": rows([tile_view & SEEN for tile_view in view], cols),
            "num": [bots[start : start + cols] for start in range(0, len(bots), cols)],
            "thr": rows(map(threshold_for, bots), cols),
            "eol": [list(divmod(tile, cols)) for tile, tile_view in enumerate(view) if tile_view & END],
        }
        for key, value in expected_view.items():
            assert views[key] == value, (
                f"{where}, view of team {team}: {first_difference(key, views[key], value)}"
            )


def compare_initial_board(expected: Plain, fair: Fair, where: str) -> None:
    tiles, cols = fair.board.tiles, fair.board.cols
    assert expected["vis"] == rows([1] * tiles, cols), f"{where}: initial board, vis"
    assert expected["thr"] == rows([1] * tiles, cols), f"{where}: initial board, thr"
    assert not any(map(any, expected["num"])), f"{where}: initial board, num"
    fronts = sorted(zone[0] for zone in fair.board.zones)
    assert expected["eol"] == [list(divmod(tile, cols)) for tile in fronts], f"{where}: initial board, eol"


def compare_result(case: Plain, hall: Hall) -> None:
    driver, result = case["driver"], case["result"]
    moves = hall.step - driver["idle"]
    reached = bool(driver["score_threshold"]) and max(hall.scores) >= driver["score_threshold"]
    assert result == {"reached": reached, "moves": moves, "score": list(hall.scores)}, case["case"]
    assert reached or moves == driver["num_moves"], case["case"]


def first_difference(key: str, actual: Any, expected: Any) -> str:
    if len(actual) != len(expected):
        return f"{key} has {len(actual)} entries instead of {len(expected)}"
    for index, (left, right) in enumerate(zip(actual, expected, strict=True)):
        if left != right:
            return f"{key}[{index}] is {left!r}, recorded {right!r}"
    return f"{key} is equal"
