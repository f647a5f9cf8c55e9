"""Rounds, placements, hardware checks and helper calls recorded from the original engines."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import msgspec
import pytest

from botleague.rules import Fault, Move, Reply, read_config
from botleague_pybots import hardware
from botleague_pybots.battle import geometry
from botleague_pybots.battle.placement import PlacementFailed, place
from botleague_pybots.battle.robots import Body
from botleague_pybots.battle.round import Round, begin, sight, step
from botleague_pybots.harness import PybotsHarness
from botleague_pybots.options import Arena, MatchOptions, Options
from botleague_pybots.orders import Orders, read_answer
from botleague_pybots.rules import PybotsRules
from botleague_pybots.tournament import count_wins, tournament_winners
from botleague_sandbox.language import LoadedProgram

from ..plugins.still_clock import StillClock

Json = Any
TOLERANCE = 1e-9


def test_pybots_plays_the_recorded_cases(golden_file: Path) -> None:
    read = gzip.open if golden_file.suffix == ".gz" else open
    with read(golden_file, "rt", encoding="utf-8") as lines:
        header, *cases = (json.loads(line) for line in lines if line.strip())
    assert header["game"] == "pybots"
    assert header["format"] == 1
    assert cases, f"{golden_file.name} holds no cases"
    for number, case in enumerate(cases, 2):
        kind = case["case"]
        if kind not in PLAYERS:
            pytest.fail(f"{golden_file.name}, line {number}: unknown case {kind!r}")
        where = f"{golden_file.name}, line {number}, {kind} {case.get('id', '')}"
        PLAYERS[kind](case, where)


def play_round(case: Json, where: str) -> None:
    free = {"integer_hardware": False, "max_shots_per_step": None, "max_live_shots_per_bot": None}
    options = read_config(Options, {**free, **case["rules"]})
    fleet = [hardware.Hardware(*bot["hw"]) for bot in case["bots"]]
    bodies = [Body.of(seat, bot["name"], fleet[seat]) for seat, bot in enumerate(case["bots"])]
    seats = {body.name: body.seat for body in bodies}
    state = begin(Arena(*case["arena"]), options, bodies, [tuple(bot["pos"]) for bot in case["bots"]])
    tolerance = 0.0 if "exact" in case.get("tags", ()) else TOLERANCE
    for number, recorded in enumerate(case["steps"]):
        assert not state.ending, f"{where}: over after {number} steps, recorded are {len(case['steps'])}"
        living = {robot.body.seat: robot for robot in state.robots}
        seats_asked = {seat for seat, answer in enumerate(recorded["a"]) if answer is not None}
        assert seats_asked == set(living), f"{where}, step {number}: other bots are alive"
        if "args" in recorded:
            arguments = [None] * len(bodies)
            for seat, robot in living.items():
                arguments[seat] = plain(
                    [robot.body.name, (robot.x, robot.y), robot.damage, sight(state, robot)]
                )
            compare(arguments, recorded["args"], tolerance, f"{where}, step {number}, args")
        replies = {
            seat: reply_to(answer, fleet[seat], options)
            for seat, answer in enumerate(recorded["a"])
            if answer is not None
        }
        state = step(state, replies)
        for key, ours in describe(state, recorded, len(bodies), seats).items():
            compare(ours, recorded[key], tolerance, f"{where}, step {number}, {key}")
    end = case["end"]
    assert state.steps == end["steps"], where
    assert (state.ending or "cut") == end["reason"], where
    assert list(state.winners) == end["winners"], where


def reply_to(answer: Json, chosen: hardware.Hardware, options: Options) -> Orders | Fault:
    """Take an answer the way of a match: read beside the bot, sent as bytes, decoded to the move type."""
    if isinstance(answer, dict) and "x" in answer:
        return Fault("exception", answer["x"])
    if isinstance(answer, dict):
        value = untag(answer["v"])
    else:
        direction, speed, scan, shots = answer
        value = (direction, speed, scan, [tuple(shot) for shot in shots])
    orders = read_answer(value, chosen, options)
    return msgspec.msgpack.decode(msgspec.msgpack.encode(orders), type=Orders)


def describe(state: Round, recorded: Json, bots: int, seats: Mapping[str, int]) -> dict[str, Json]:
    """Return what happened in the last step in the words of the recording."""
    events = state.events
    living = {robot.body.seat: robot for robot in state.robots}
    by_seat = [living.get(seat) for seat in range(bots)]
    ours: dict[str, Json] = {
        "seen": [robot and [seats[sighting[0]] for sighting in sight(state, robot)] for robot in by_seat],
    }
    if "scan" in recorded:
        ours["b"] = [
            robot and [robot.x, robot.y, robot.direction, robot.speed, robot.damage] for robot in by_seat
        ]
        ours["scan"] = [robot and list(robot.scan) for robot in by_seat]
        ours["shots"] = [
            [shot.number, x, y]
            for shot, x, y in zip(state.volley.shots, state.volley.x, state.volley.y, strict=True)
        ]
    else:
        ours["b"] = [robot and [robot.x, robot.y, robot.damage] for robot in by_seat]
        ours["sum"] = [len(state.volley.shots), sum(state.volley.x), sum(state.volley.y)]
    happened: dict[str, Json] = {
        "new": [[shot.owner, shot.direction, shot.speed, shot.power] for shot in events.fired],
        "hits": [list(hit) for hit in events.hits],
        "back": list(events.back),
        "dead": list(events.dead),
        "gone": list(events.gone),
    }
    ours |= {key: value for key, value in happened.items() if value or key in recorded}
    unknown = set(recorded) - set(ours) - {"a", "args"}
    assert not unknown, f"the recording has fields that are not compared: {unknown}"
    for key in ours:
        recorded.setdefault(key, [])
    return ours


def check_hardware(case: Json, where: str) -> None:
    bot = SimpleNamespace(**{name: untag(value) for name, value in case["hw"].items()})
    for whole in (False, True):
        for limit, fits in ((30, case.get("ok30")), (35, case.get("ok35")), (1000, True)):
            allowed = bool(case.get("valid") and fits and (case["all_int"] or not whole))
            options = Options(max_bot_cost=limit, integer_hardware=whole)
            declared = msgspec.convert(["name", *hardware.read(bot)], hardware.Declaration)
            try:
                checked = hardware.check(declared[1:], options)
            except hardware.HardwareRefused as refused:
                if allowed:
                    pytest.fail(f"{where}: {refused}")
            else:
                assert allowed, f"{where}: {case['hw']} passed with {options}"
                compare(hardware.cost(checked), case["cost"], TOLERANCE, f"{where}, cost")


def check_placement(case: Json, where: str) -> None:
    class Recorded(Random):
        """Gives out the recorded numbers."""

        numbers = iter(case["u"])

        def random(self) -> float:
            return float(next(self.numbers))

    rng = Recorded()
    try:
        places = place(Arena(*case["arena"]), case["sizes"], rng, "retry_then_fail")
    except PlacementFailed as failed:
        assert "error" in case, where
        places = failed.placed
    else:
        assert "error" not in case, where
    compare(plain(places), case["pos"], TOLERANCE, where)
    assert next(rng.numbers, None) is None, f"{where}: not all numbers were used"


def check_tournament(case: Json, where: str) -> None:
    wins = count_wins(case["rounds"])
    assert wins == case["wins"], where
    assert sorted(tournament_winners(wins)) == case["winners"], where
    assert tournament_winners(wins, "last_listed") == case["upstream_returned"], where


def check_lifecycle(case: Json, where: str) -> None:
    options = Options(
        hardware_check="round", integer_hardware=False, scan_wrap=False, round_duration=case["round_duration"]
    )
    arenas = tuple(Arena(*arena) for arena in reversed(case["arenas"]))
    rules = PybotsRules(MatchOptions(arenas, case["rounds_per_arena"], options), len(case["bots"]))
    assert list(rules.schedule) == [Arena(*arena) for arena in case["arena_order"]], where
    calls: list[list[Json]] = []
    harnesses = [PybotsHarness(seat, options) for seat in range(len(case["bots"]))]
    declarations = [
        rules.admit(seat, harness.loaded(loaded(name, bot_class(name, chosen, failure, calls))))
        for seat, (harness, (name, chosen, failure)) in enumerate(zip(harnesses, case["bots"], strict=True))
    ]
    rng = Random(5)
    state = rules.start(declarations, rng)
    for seat, harness in enumerate(harnesses):
        harness.briefed(rules.brief(state, seat), CLOCK)
    while acting := rules.acting(state):
        replies: dict[int, Reply] = {}
        for seat in acting:
            try:
                answer = harnesses[seat].answer(rules.observe(state, seat), CLOCK)
            except Boom:
                replies[seat] = Fault("exception", "Boom")
            else:
                replies[seat] = Move(msgspec.convert(answer, Orders))
        state = rules.apply(state, replies, rng)
    assert [without_seen(call) for call in calls] == [without_seen(call) for call in case["calls"]], where
    outcome = rules.outcome(state)
    assert outcome is not None
    wins = {bot[0]: won for bot, won in zip(case["bots"], outcome.scores, strict=True) if won}
    assert wins == case["wins"], where


def bot_class(name: str, chosen: Json, failure: str | None, calls: list[list[Json]]) -> type:
    """Return a recorded bot again: it stands still, notes its calls and raises where it did."""

    class Bot:
        def __init__(self) -> None:
            calls.append([name, "init"])

        def set_arena_data(self, data: Json) -> None:
            calls.append([name, "set_arena_data", data])
            if failure == "data":
                raise Boom

        def act(self, data: Json) -> Json:
            own, _, damage, visible = data
            calls.append([name, "act", own, damage, len(visible)])
            if failure == "act":
                raise Boom
            return (0, 0, 0, [])

    for attribute, value in zip(hardware.LIMITS, chosen, strict=True):
        setattr(Bot, attribute, value)
    return Bot


def without_seen(call: list[Json]) -> list[Json]:
    """Return a call without the number of bots seen, which depends on random places."""
    return call[:-1] if call[1] == "act" else call


class Boom(Exception):
    """What recorded bots raise."""


def loaded(name: str, made: type) -> LoadedProgram:
    """Return a bot's module as the sandbox hands it over."""
    module = ModuleType(name)
    module.__dict__["bot"] = made
    return LoadedProgram(module, {name: module}, {})


CLOCK = StillClock()


def check_util(case: Json, where: str) -> None:
    arguments = [tuple(value) if isinstance(value, list) else value for value in untag_all(case["args"])]
    function: Callable[..., Json] = geometry.UTIL[case["fn"]]
    result = function(*arguments)
    compare(plain(result), case["out"], TOLERANCE, f"{where} {case['fn']}{tuple(arguments)}")


def skip_import_check(case: Json, where: str) -> None:
    # How a text search judged import statements: for information. The language policy replaces it.
    assert isinstance(case["src"], str), where


PLAYERS: dict[str, Callable[[Json, str], None]] = {
    "round": play_round,
    "hardware": check_hardware,
    "placement": check_placement,
    "tournament": check_tournament,
    "lifecycle": check_lifecycle,
    "util": check_util,
    "import_check": skip_import_check,
}


class Opaque:
    """An object without any operations."""


def untag(value: Json) -> Json:
    """Return the value that a tagged one stands for."""
    if not isinstance(value, dict):
        return value
    ((tag, inner),) = value.items()
    return {
        "t": lambda: tuple(untag_all(inner)),
        "l": lambda: list(untag_all(inner)),
        "it": lambda: untag_all(inner),
        "f": lambda: float(inner),
        "big": lambda: int(inner),
        "c": lambda: complex(*inner),
        "by": lambda: bytes.fromhex(inner),
        "d": lambda: {untag(key): untag(item) for key, item in inner},
        "obj": Opaque,
    }[tag]()


def untag_all(values: Json) -> Iterator[Json]:
    return (untag(value) for value in values)


def plain(value: Json) -> Json:
    """Return a value as JSON would give it back: tuples are lists."""
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def compare(ours: Json, recorded: Json, tolerance: float, where: str) -> None:
    """Compare nested lists and numbers; the message names the first place that differs."""
    if isinstance(recorded, dict):
        recorded = untag(recorded)
    if isinstance(recorded, list):
        assert isinstance(ours, list), f"{where}: {ours!r} instead of {recorded!r}"
        assert len(ours) == len(recorded), f"{where}: {ours!r} instead of {recorded!r}"
        for index, (left, right) in enumerate(zip(ours, recorded, strict=True)):
            compare(left, right, tolerance, f"{where}[{index}]")
    elif isinstance(recorded, int | float) and isinstance(ours, int | float):
        same = (
            ours == recorded
            or (math.isnan(ours) and math.isnan(recorded))
            or abs(ours - recorded) <= tolerance
        )
        assert same, f"{where}: {ours!r} instead of {recorded!r}"
    else:
        assert ours == recorded, f"{where}: {ours!r} instead of {recorded!r}"
