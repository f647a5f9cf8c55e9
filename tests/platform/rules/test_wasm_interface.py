"""Interfaces for bots in WebAssembly: derived ones, lines, and mistakes that the conformance kit finds."""

from __future__ import annotations

import dataclasses
import sys
from random import Random
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta

from botleague.plugins import PluginHost
from botleague.rules import Variant, WasmAdapter, WasmInterface, wasm_of
from botleague.rules.testing import rules_conformance
from botleague.rules.testing.wasm_conformance import check_guests
from botleague.rules.testing.wasm_lines import EXACT, json_form, question_line, transcript
from botleague_isolation import botleague_variants

Described = Annotated[int, Meta(description="a number")]


class Brief(msgspec.Struct, frozen=True):
    seat: Described
    turns: Described


class Turn(msgspec.Struct, frozen=True):
    turn: Described
    last: Annotated[list[int | None], Meta(description="guesses")]
    points: Annotated[list[int], Meta(description="points")]


class ListingAdapter(WasmAdapter):
    def turn(self, observation: Any, is_fresh: bool) -> Any:
        return {**observation, "legal": [0, 1, 2]}


class RaisingAdapter(WasmAdapter):
    def answer(self, answer: Any) -> Any:
        return answer + 0


class LongerTurn(Turn, frozen=True):
    legal: Annotated[list[int], Meta(description="answers")]


@pytest.fixture
def declared(guessing: Variant) -> Any:
    """Makes the guessing game with an interface, of which some parts are replaced."""

    def make(**parts: Any) -> Variant:
        sound = WasmInterface(
            config_type=Any,
            brief_type=Brief,
            turn_type=Turn,
            answer_type=int,
            declaration_type=str,
            declaration="ann",
            legal="0 to 9",
            safe=[0, 9],
        )
        return dataclasses.replace(guessing, wasm=msgspec.structs.replace(sound, **parts))

    return make


def adapter(kind: type[WasmAdapter]) -> str:
    return f"{__name__}:{kind.__name__}"


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        sys.modules, __name__, sys.modules.get(__name__) or sys.modules[ListingAdapter.__module__]
    )


def test_sound_interfaces_are_played_by_guests(plugins: PluginHost, declared: Any) -> None:
    assert check_guests(plugins.variant("guessing"), (1,))["turns of guests"] > 0
    assert rules_conformance.check(declared())["matches of guests"] > 0


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"turn_type": int}, "another type"),
        ({"turn_type": Brief}, "another type|lacks keys"),
        ({"turn_type": LongerTurn}, "another type"),
        ({"brief_type": msgspec.defstruct("Bare", [("seat", int), ("turns", int)])}, "no description"),
        ({"safe": []}, "no safe one"),
        ({"safe": [10]}, "refused"),
        ({"safe": ["three"]}, "refused"),
        ({"declaration": None}, "not a declaration"),
        ({"adapter": adapter(ListingAdapter), "turn_type": LongerTurn}, "legal answers of seat . lack"),
        ({"adapter": adapter(RaisingAdapter)}, "must refuse the answer"),
    ],
)
def test_mistakes_in_an_interface_are_reported(declared: Any, parts: dict[str, Any], message: str) -> None:
    with pytest.raises(rules_conformance.NotConforming, match=message):
        check_guests(declared(**parts), (1, 2, 3))


def test_an_adapter_needs_a_module_and_a_factory() -> None:
    with pytest.raises(ValueError, match=r"package\.module:factory"):
        WasmInterface(adapter="nowhere")


def test_a_variant_without_a_declaration_gets_the_types_of_its_harness(guessing: Variant) -> None:
    derived = wasm_of(dataclasses.replace(guessing, wasm=None))
    assert derived.answer_type is int
    assert derived.declaration_type is str


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.binary(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    )
)
def test_plain_data_becomes_json_without_loss_of_digits(value: Any) -> None:
    line = question_line("turn", 150.0, {"n": 1, "data": value})
    assert "\n" not in line
    assert msgspec.json.decode(line)["data"] == json_form(value)


def test_large_integers_are_text_and_bytes_base64() -> None:
    assert json_form({"a": [EXACT, EXACT + 1, -EXACT - 1], 3: b"\xff"}) == {
        "a": [EXACT, str(EXACT + 1), str(-EXACT - 1)],
        "3": "/w==",
    }


def test_the_transcript_is_that_of_a_match() -> None:
    isolation = botleague_variants()[0]
    start, brief, turn = transcript(isolation, seed=5)
    assert msgspec.json.decode(start.question)["config"]["width"] == 11
    state = isolation.rules.start([None, None], Random(5))
    assert msgspec.json.decode(brief.question)["data"] == isolation.rules.brief(state, 0)
    data = msgspec.json.decode(turn.question)["data"]
    assert msgspec.json.decode(turn.answer) in data["legal"]
    assert len(data["legal"]) == 99
