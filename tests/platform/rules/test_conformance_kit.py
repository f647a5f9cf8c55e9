"""The conformance kit accepts sound rules and says what is wrong with others."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from botleague.plugins import PluginHost
from botleague.rules import (
    Box,
    Choice,
    Circle,
    Encoding,
    Event,
    Move,
    Outcome,
    Reply,
    Scene,
    Seats,
    Text,
    Variant,
    seat_name,
)
from botleague.rules.testing import rules_conformance

Base: Any = object
clock = count()


@pytest.fixture
def broken(guessing: Variant) -> Any:
    """Makes the guessing game with some methods replaced."""

    def make(**methods: Any) -> Variant:
        rules = type("Broken", (type(guessing.rules),), {"__slots__": (), **methods})
        return dataclasses.replace(guessing, rules=rules())

    return make


def test_sound_rules_pass(plugins: PluginHost) -> None:
    for name in ("guessing", "guessing-melee"):
        rules_conformance.check(plugins.variant(name))


def test_a_built_in_game_is_the_same_in_every_process() -> None:
    rules_conformance.check_across_processes("botleague_isolation", "isolation-5x5")


def test_prints_of_a_plugin_are_no_difference_between_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "import os\nprint(os.getpid())\nfrom botleague_isolation import botleague_variants\n"
    (tmp_path / "printing_game.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    rules_conformance.check_across_processes("printing_game", "isolation-5x5")


@pytest.mark.parametrize("is_cache", [True, False])
def test_field_that_neither_compares_nor_prints_may_change(
    broken: Any, guessing: Variant, is_cache: bool
) -> None:
    global Base
    Base = type(guessing.rules)
    flags = {"compare": not is_cache, "repr": not is_cache}
    field = dataclasses.field(default_factory=list, **flags)  # type: ignore[call-overload]  # two flags
    usual = type(guessing.rules.start([None, None], Random(1)))
    state_type = dataclasses.make_dataclass("Cached", [("cache", list, field)], bases=(usual,), frozen=True)

    def start(self: Any, declarations: Any, rng: Random) -> Any:
        made = Base.start(self, declarations, rng)
        return state_type(**{one.name: getattr(made, one.name) for one in dataclasses.fields(made)})

    def apply(self: Any, state: Any, replies: Mapping[int, Reply], rng: Random) -> Any:
        state.cache.append(1)
        return Base.apply(self, state, replies, rng)

    variant = broken(start=start, apply=apply)
    if is_cache:
        rules_conformance.check(variant, quick=True)
    else:
        with pytest.raises(rules_conformance.NotConforming, match="apply changed the old state"):
            rules_conformance.check(variant, quick=True)


class Cell:
    def __init__(self) -> None:
        self.value = 0


def start_mutable(self: Any, declarations: Any, rng: Random) -> Any:
    return dataclasses.replace(Base.start(self, declarations, rng), last=[])


def apply_in_place(self: Any, state: Any, replies: Mapping[int, Reply], rng: Random) -> Any:
    state.last.append(1)
    return dataclasses.replace(Base.apply(self, state, replies, rng), last=state.last)


def apply_by_index(self: Any, state: Any, replies: Mapping[int, Reply], rng: Random) -> Any:
    for reply in replies.values():
        if isinstance(reply, Move):
            assert isinstance(reply.value, int)
            range(10)[reply.value]
    return Base.apply(self, state, replies, rng)


def test_a_number_of_seats_means_that_many() -> None:
    assert Seats(3) == Seats(3, 3)
    assert [number for number in range(9) if number in Seats(3)] == [3]
    assert (str(Seats(3)), str(Seats()), str(Seats(2, 4))) == ("3", "2", "2-4")
    with pytest.raises(ValueError, match="least first"):
        Seats(4, 2)


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ({"start": start_mutable, "apply": apply_in_place}, "apply changed the old state"),
        ({"observe": lambda self, state, seat: {"n": next(clock)}}, "two values for one state"),
        ({"observe": lambda self, state, seat: {1, 2}}, "not plain data"),
        ({"observe": lambda self, state, seat: {"n": 2**80}}, "cannot be sent"),
        ({"brief": lambda self, state, seat: Cell()}, "not plain data"),
        ({"acting": lambda self, state: (1, 0) if state.turn < 2 else ()}, "not ascending"),
        ({"outcome": lambda self, state: Outcome((1, 1), (0, 0), "x")}, "an outcome while seats act"),
        ({"outcome": lambda self, state: None}, "there is no outcome"),
        (
            {"outcome": lambda self, state: Base.outcome(self, state) and Outcome([1, 1], (0, 0), "x")},  # type: ignore[arg-type]
            "outcome returned .* which a record would hold as",
        ),
        (
            {"illegal": lambda self, state, seat, value: Base.illegal(self, state, seat, value) and 5},
            "got `int`",
        ),
        ({"admit": lambda self, seat, declared: {1, 2}}, "admit returned .* which no record can hold"),
        ({"illegal": lambda self, state, seat, value: None, "apply": apply_by_index}, "failed at the move"),
        ({"sample": lambda self, state, seat, rng: 99}, "is refused"),
        ({"scene": lambda self, state: Scene(1, 1, (Circle(float("nan"), 0, 1),))}, "not finite"),
        ({"scene": lambda self, state: None}, "scene returned None"),
        (
            {"start": lambda self, what, rng: Base.start(self, what, Random(next(clock)))},
            "another match the second",
        ),
        ({"illegal": lambda self, state, seat, value: "never"}, "is refused"),
        ({"scene": lambda self, state: Scene(1, 1, (), ("seat 1 leads",))}, "names a seat by its number"),
        (
            {"scene": lambda self, state: Scene(1, 1, (Circle(0, 0, 0, key="a"),) * 2)},
            r"keys occur twice.*\['a'",
        ),
        (
            {"scene": lambda self, state: Scene(9, 9, (Text(5, 5, seat_name(0)),))},
            "a bot's name of unknown width",
        ),
        (
            {"scene": lambda self, state: Scene(9, 9, (Text(1, 5, seat_name(0), width=4),))},
            "outside the scene",
        ),
        ({"scene": lambda self, state: Scene(9, 9, (), focus=(1, 1, 9, 4))}, "is not inside the scene"),
        ({"scene": lambda self, state: Scene(1, 1, (), scores=(1,))}, "has 1 scores for 2 seats"),
        (
            {"scene": lambda self, state: Scene(1, 1, (), events=(Event("hit", 7),))},
            "an event of an unknown seat",
        ),
        ({"scene": lambda self, state: Scene(1, 1, (), events=(Event("", weight=1),))}, "an empty event"),
        ({"view": lambda self, told, seat: Scene(next(clock) + 1, 1, ())}, "another match the second"),
        ({"describe": lambda self, state, seat, move: "x" * 81}, "not a text of at most 80 characters"),
        ({"describe": lambda self, state, seat, move: "onto seat 1"}, "names a seat by its number"),
        (
            {"observe": lambda self, state, seat: {"text": ["a", f"it is not {state.hidden}"]}},
            r"turn 0: seat 0 can tell twin states apart by its observation\['text'\]\[1\]: 'it is not \d' or 'it is",
        ),
        (
            {"brief": lambda self, state, seat: state.hidden > 5 and {"high": True}},
            r"turn -1: seat 0 can tell twin states apart by its briefing: ",
        ),
        (
            {
                "acting": lambda self, state: (
                    (1,) if state.hidden > 5 and state.turn < 6 else Base.acting(self, state)
                )
            },
            r"seat 0 does not act in a twin of the state",
        ),
    ],
)
def test_broken_rules_are_caught(
    broken: Any, guessing: Variant, methods: dict[str, Any], message: str
) -> None:
    global Base
    Base = type(guessing.rules)
    with pytest.raises(rules_conformance.NotConforming, match=message):
        rules_conformance.check(broken(**methods))


def test_rules_without_the_contracts_defaults_are_refused(guessing: Variant) -> None:
    with pytest.raises(TypeError, match=r"derive Stranger from botleague\.rules\.Rules"):
        dataclasses.replace(guessing, rules=type("Stranger", (), {})())


def test_leaked_secret_is_caught(guessing: Variant, broken: Any) -> None:
    def hidden(state: Any, seat: int) -> list[object]:
        return [f"hidden {state.hidden}"]

    rules_conformance.check(guessing, secrets=hidden)
    leaking = broken(
        observe=lambda self, state, seat: [state.turn, f"hidden {state.hidden}"],
        twins=lambda self, state, seat: (),
    )
    with pytest.raises(rules_conformance.NotConforming, match="receives the secret"):
        rules_conformance.check(leaking, secrets=hidden)


@pytest.mark.parametrize("keys", [("locs", "player"), ("board", "ply"), ("ply",)])
def test_observation_that_leaves_out_what_an_opening_changed_is_caught(
    plugins: PluginHost, keys: tuple[str, ...]
) -> None:
    usual = plugins.variant("isolation-5x5")
    base: Any = type(usual.rules)

    def observe(self: Any, state: Any, seat: int) -> object:
        return {key: value for key, value in base.observe(self, state, seat).items() if key in keys}

    rules = type("Silent", (base,), {"observe": observe})(usual.rules.setup)  # type: ignore[attr-defined]  # its own
    silent = dataclasses.replace(usual, rules=rules, interface=None, encoding=None)
    silent_view = type("Blind", (type(rules),), {"view": lambda *_: None})(rules.setup)
    with pytest.raises(
        rules_conformance.NotConforming, match="that joins after an opening gets too little data"
    ):
        rules_conformance.check(dataclasses.replace(silent, rules=silent_view), quick=True)


def takes_anything(options: Any) -> Any:
    raise TypeError("turns times text")


def complains_of_nothing(options: Any) -> Any:
    raise ValueError


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"configured": takes_anything}, "must be a ValueError, not TypeError"),
        ({"configured": complains_of_nothing}, "without a path"),
        ({"config_type": dict}, "with an unknown field is accepted"),
        ({"config_type": None}, "declare its config_type"),
    ],
)
def test_a_configuration_that_is_not_read_by_the_book_is_caught(
    guessing: Variant, changes: dict[str, Any], message: str
) -> None:
    if changes.get("config_type") is dict:
        changes["configured"] = lambda config: dataclasses.replace(guessing, config=config)
    with pytest.raises(rules_conformance.NotConforming, match=message):
        rules_conformance.check(dataclasses.replace(guessing, **changes))


class Guesses(Encoding[Any]):
    """A sound encoding of the guessing game: what was told last, and a guess."""

    observation = Box((2,))
    action: Box | Choice = Choice(10)

    def begin(self, seat: int, declaration: object, briefing: Any) -> Any:
        return {"turn": 0, "turns": briefing["turns"]}

    def learn(self, memory: Any, observation: Any) -> Any:
        return {**memory, "turn": observation["turn"]}

    def encode(self, memory: Any) -> list[float]:
        return [1.0, memory["turn"] / memory["turns"]]

    def decode(self, memory: Any, action: Any) -> object:
        return int(action)


def learn_in_place(self: Any, memory: Any, observation: Any) -> Any:
    memory.update(observation)
    return memory


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, ""),
        ({"encode": lambda self, known: [1.0]}, "has 1 numbers, not 2"),
        ({"encode": lambda self, known: [1.0, 2.0]}, "not from 0 to 1"),
        ({"encode": lambda self, known: [0.0, 0.0]}, "is all 0"),
        ({"decode": lambda self, known, action: 10}, "action [0-9] of seat 0 is refused: 10 is not"),
        ({"decode": lambda self, known, action: "up"}, "'up' of seat 0 is not a move"),
        ({"mask": lambda self, known: [True]}, "the mask of seat 0 has 1 entries"),
        ({"mask": lambda self, known: [False] * 10}, "leaves no action"),
        ({"action": Box((1,)), "mask": lambda self, known: [True]}, "no actions to choose from"),
        ({"learn": learn_in_place}, "changed an earlier value"),
    ],
)
def test_an_encoding_is_held_against_matches(
    guessing: Variant, changes: dict[str, Any], message: str
) -> None:
    encoding = type("Made", (Guesses,), changes)()
    variant = dataclasses.replace(guessing, encoding=encoding)
    if not message:
        assert rules_conformance.check(variant)["actions of programs that learn"] > 100
        return
    with pytest.raises(rules_conformance.NotConforming, match=message):
        rules_conformance.check(variant)
