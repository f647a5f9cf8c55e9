"""What a variant says of itself to authors of bots is true: its example plays, its types are those of real matches."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from random import Random
from typing import NotRequired, TypedDict

import jsonschema
import msgspec
import pytest

import botleague
from botleague.application.authoring.starter_files.variant_interface import brief, schemas
from botleague.errors import PluginError
from botleague.plugins import PluginHost
from botleague.rules import Interface, Variant
from botleague.rules.testing import rules_conformance

PLAYED = {
    "isolation": ["random"],
    "isolation-isola-6x8": ["random"],
    "pybots": ["duck", "dodger"],
    "botroyale-duel": ["hermit"],
    "pelita-quick": ["pelita-random"],
    "careerfair-small": ["ferry"],
}
"""Variant -> opponents of its example."""

VARIANTS = PluginHost.load().variants


@pytest.mark.parametrize("name", sorted(PLAYED))
def test_the_example_of_a_variant_plays_without_a_fault(name: str, tmp_path: Path) -> None:
    interface = VARIANTS[name].interface
    assert interface is not None
    (tmp_path / "example.py").write_text(interface.example)
    match = botleague.play(name, [str(tmp_path / "example.py"), *PLAYED[name]], seed=7)
    assert match.seats[0].faults == {}, match.outcome.reason


@pytest.mark.parametrize("name", ["isolation", "pybots", "botroyale", "pelita", "careerfair"])
def test_unused_lenient_imports_do_not_prevent_that_a_bot_is_found(name: str, tmp_path: Path) -> None:
    interface = VARIANTS[name].interface
    assert interface is not None
    stand_ins = "import signal\nimport pdb as move_debugger\nfrom socket import socket\n"
    (tmp_path / "example.py").write_text(stand_ins + interface.example)
    assert botleague.check(tmp_path / "example.py", name) != ()
    assert botleague.check(tmp_path / "example.py", name, lenient=True) == ()


def test_every_variant_has_a_brief_for_one_sheet_and_schemas() -> None:
    for name, variant in VARIANTS.items():
        assert variant.interface is not None, name
        text = brief(variant)
        assert len(text.encode()) <= 8000, name
        assert max(map(len, text.splitlines())) <= 100 + len("    "), name
        for item in (*variant.interface.told, *variant.interface.answers):
            assert item.name in text, name
        for schema in schemas(variant).values():
            jsonschema.Draft202012Validator.check_schema(schema)


def test_type_without_a_schema_is_the_plugins_error() -> None:
    variant = dataclasses.replace(VARIANTS["isolation"], move_type=complex, interface=None, wasm=None)
    for describe in (brief, schemas):
        with pytest.raises(PluginError, match="The declared types of isolation failed: TypeError"):
            describe(variant)


@pytest.mark.parametrize(
    "name", ["isolation", "pybots", "botroyale-duel", "pelita-quick", "careerfair-small"]
)
def test_the_schemas_are_those_of_what_crosses_the_wire(name: str) -> None:
    variant = VARIANTS[name]
    wire_schemas, rules = schemas(variant), variant.rules
    rng = Random(1)
    admitted = [rules.admit(seat, one) for seat, one in enumerate(declared(variant))]
    state = rules.start(admitted, rng)
    for seat in rules.acting(state):
        valid(rules.brief(state, seat), wire_schemas["briefing"])
        valid(rules.observe(state, seat), wire_schemas["observation"])
        valid(rules.sample(state, seat, rng), wire_schemas["move"])


def declared(variant: Variant) -> list[object]:
    samples = list(variant.sample_declarations) or [None]
    kind = variant.declaration_type
    return [
        msgspec.convert(samples[seat % len(samples)], kind) if kind else None
        for seat in range(variant.seats.least)
    ]


def valid(value: object, schema: object) -> None:
    jsonschema.validate(msgspec.json.decode(msgspec.json.encode(value)), schema)


def test_a_game_without_an_interface_says_whom_to_ask() -> None:
    assert "Ask its author" in brief(dataclasses.replace(VARIANTS["isolation"], interface=None))


class Other(TypedDict):
    colour: str


def test_the_kit_finds_types_that_real_matches_do_not_have() -> None:
    variant = VARIANTS["isolation-5x5"]
    assert variant.interface is not None
    for change in ({"observation_type": Other}, {"briefing_type": int}):
        stale = dataclasses.replace(variant, interface=msgspec.structs.replace(variant.interface, **change))
        with pytest.raises(rules_conformance.NotConforming, match="the interface describes another"):
            rules_conformance.check(stale)


class Fewer(TypedDict):
    player: int
    moves: NotRequired[list[int]]


class Unused(TypedDict):
    player: int
    board: str
    ply: int
    locs: list[int | None]
    context: bytes | None
    context_room: int
    clock: NotRequired[int]


def test_conformance_kit_compares_keys_with_the_interface() -> None:
    variant = VARIANTS["isolation-5x5"]
    assert variant.interface is not None
    for kind, message in (
        (Fewer, r"the interface lacks keys of the observation: observation\.board, observation\.ply, "),
        (Unused, r"the interface describes keys that no data had: observation\.clock$"),
    ):
        stale = msgspec.structs.replace(variant.interface, observation_type=kind)
        with pytest.raises(rules_conformance.NotConforming, match=message):
            rules_conformance.check(dataclasses.replace(variant, interface=stale))


def test_an_example_is_short() -> None:
    with pytest.raises(ValueError, match="more than 20 lines"):
        Interface("", "", (), (), "", example="pass\n" * 21)
