"""The questions that games ask bots in WebAssembly say what Python bots are told, and answers mean the same."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import jsonschema
import msgspec
import pytest

from botleague.application.authoring import brief, plain_wasm
from botleague.application.authoring.starter_files.wasm_text import wasm_fields
from botleague.plugins import PluginHost
from botleague.rules import Move, Variant
from botleague.rules.storable import sent, typed
from botleague.rules.testing.wasm_conformance import check_guests
from botleague.rules.testing.wasm_lines import adapter_of, transcript

VARIANTS = PluginHost.load().variants


@pytest.mark.parametrize("game", ["isolation", "pybots", "pelita", "botroyale", "careerfair"])
def test_guests_play_every_variant(game: str) -> None:
    variants = [variant for variant in VARIANTS.values() if variant.game == game]
    assert len(variants) > 10
    for variant in variants:
        assert variant.wasm is not None
        assert check_guests(variant, (1,))["turns of guests"] > 0, variant.name


def test_briefs_name_all_fields_and_schemas_are_valid() -> None:
    for variant in VARIANTS.values():
        text, plain = brief(variant), plain_wasm(variant)
        is_advised = f"botleague new bot NAME --variant {variant.name} --language c" in " ".join(text.split())
        assert is_advised == (variant.wasm is not None)
        assert plain["memory"] in ("match", "turn")
        for schema in plain["schemas"].values():
            jsonschema.Draft202012Validator.check_schema(schema)
        _, _, turn = transcript(variant)
        jsonschema.validate(msgspec.json.decode(turn.answer), plain["schemas"]["answer to turn"])
        data = msgspec.json.decode(turn.question)["data"]
        jsonschema.validate(data, plain["schemas"]["data of turn"])
        assert all(f" {key}" in wasm_fields(variant) for key in data)


def test_isolation_lists_open_cells_by_number() -> None:
    variant = VARIANTS["isolation-5x5"]
    adapter = adapter_of(variant, 0)
    assert adapter.memory == "turn"
    state = variant.rules.start([None, None], Random(1))
    state = variant.rules.apply(state, {0: Move(typed({"action": 8}, variant.move_type))}, Random(1))
    data = adapter.turn(sent(variant.rules.observe(state, 1)), True)
    assert [index for index, open_ in enumerate(data["board"]) if open_ == "0"][:4] == [5, 6, 8, 12]
    assert data["locs"] == [8, None]
    assert {"action": 8} not in data["legal"]
    assert adapter.answer({"action": 4, "context": "AAE="}) == {"action": 4, "context": b"\0\1"}
    with pytest.raises(ValueError, match="unknown field `acton`"):
        adapter.answer({"acton": 4})


def test_pybots_speaks_degrees_both_ways() -> None:
    adapter = adapter_of(VARIANTS["pybots"], 0)
    hardware = dict(
        zip(
            ("size", "armour", "maxdamage", "maxspeed", "shotpower", "shotspeed", "scanradius"),
            (9, 0, 10, 2, 5, 5, 3),
            strict=True,
        )
    )
    assert adapter.declared({"hardware": hardware}) == ("bot0", 9, 0, 10, 2, 5, 5, 3)
    arena = {"ARENA_W": 400, "ARENA_H": 300, "ARENA_WALL_DMG": 0, "ROUND_DURATION": 1000}
    adapter.brief({"name": "ann", "seed": 3, "arena": arena})
    robots = [["bob", [3.0, 4.0], math.pi / 2, 1]]
    first, second = (adapter.turn({"act": [1.0, 2.0, 0, robots]}, False) for _ in range(2))
    assert first["seen"] == [{"name": "bob", "x": 3.0, "y": 4.0, "direction": 90.0, "speed": 1}]
    assert (first["step"], second["step"]) == (0, 1)
    orders = {
        "direction": -90,
        "speed": 99,
        "scan": 400,
        "shots": [{"direction": 10, "speed": 4, "power": 9}],
    }
    assert adapter.answer(orders) == (270, 2, 40, ((10, 4, 5),), "", None)


def test_pybots_reads_hardware_before_each_round_where_the_rules_do() -> None:
    variant = VARIANTS["pybots-port-tournament"]
    adapter = adapter_of(variant, 0)
    assert variant.wasm is not None
    adapter.declared(variant.wasm.declaration)
    adapter.brief({"name": "ann", "seed": 3})
    arena = {"ARENA_W": 400, "ARENA_H": 300, "ARENA_WALL_DMG": 0, "ROUND_DURATION": 1000}
    assert adapter.turn({"arena": arena}, False)["asks"] == "hardware"
    assert adapter.answer({})[-1] == (15, 0, 10, 1, 1, 3, 1)
    assert adapter.turn({"act": [1.0, 2.0, 0, []]}, False)["asks"] == "orders"
    assert adapter.turn({"arena": arena}, False)["round"] == 2


def test_pelita_lists_own_bots_and_enemies_for_both_teams() -> None:
    variant = VARIANTS["pelita-quick"]
    rng = Random(4)
    state = variant.rules.start(["one", "two"], rng)
    for seat in (0, 1):
        adapter = adapter_of(variant, seat)
        brief = adapter.brief(sent(variant.rules.brief(state, seat)))
        data = adapter.turn(sent(variant.rules.observe(state, seat)), True)
        assert [bot["at"] for bot in data["bots"]] == brief["homes"]
        assert all((x < brief["width"] / 2) == (seat == 0) for x, _ in data["own_food"])
        assert all(brief["maze"][y][x] == "." for x, y in (*data["food"], *data["own_food"]))
        assert brief["names"] == (["one", "two"] if seat == 0 else ["two", "one"])
        step = data["legal"][0]
        assert adapter.answer({**step, "say": "hi"}) == {**step, "say": "hi"}
        painted = adapter.answer({**step, "paint": [[1, 1, "#ffffff"]]})
        assert "paint" not in painted  # only the newest rules have it
        state = variant.rules.apply(state, {seat: Move(typed(painted, variant.move_type))}, rng)


def test_pelita_paints_where_the_rules_allow_it() -> None:
    variant = VARIANTS["pelita-v27"]
    adapter = adapter_of(variant, 0)
    height = adapter.brief(sent(variant.rules.brief(variant.rules.start(["a", "b"], Random(1)), 0)))["height"]
    answer = {"to": [1, 1], "paint": [[1, 2, "#ffffff"], [999, 0, "#000000"]]}
    assert adapter.answer(answer)["paint"] == [[height + 2, "#ffffff"]]


def played(variant: Variant, seat: int, turns: int) -> tuple[Any, Any, Any]:
    """Return adapter, question and state in the n-th turn of a seat, after a match of random moves."""
    rules, rng, chooser = variant.rules, Random(2), Random(3)
    state = rules.start([None] * variant.seats.least, rng)
    adapter = adapter_of(variant, seat)
    adapter.brief(sent(rules.brief(state, seat)))
    data = None
    while turns:
        acting = rules.acting(state)
        if seat in acting:
            turns -= 1
            data = adapter.turn(sent(rules.observe(state, seat)), False)
            if not turns:
                break
        moves = {
            other: Move(typed(rules.sample(state, other, chooser), variant.move_type)) for other in acting
        }
        state = rules.apply(state, moves, rng)
    return adapter, data, state


def test_bot_royale_shows_the_battle_that_the_referee_plays() -> None:
    _, data, state = played(VARIANTS["botroyale-traps"], 1, 5)
    battle = state.battle
    assert data["unit"] == battle.round_remaining_turns[0]
    assert [tuple(unit["at"]) for unit in data["units"]] == [tile.qr for tile in battle.positions]
    assert [unit["ap"] for unit in data["units"]] == battle.action_points
    assert {tuple(tile) for tile in data["pits"]} == {tile.qr for tile in battle.terrain.pits}
    assert data["next_order"] == battle.next_round_order
    assert [unit["mine"] for unit in data["units"]] == [unit == 1 for unit in range(6)]


@pytest.mark.parametrize("name", ["careerfair-small", "careerfair-original"])
def test_the_career_fair_shows_the_whole_view(name: str) -> None:
    variant = VARIANTS[name]
    adapter, data, state = played(variant, 0, 30)
    view = state.views[0]
    assert data["seen"] == "".join("1" if number else "0" for number in view)
    assert [bot["tile"] for bot in data["bots"]] == list(state.hall.places[:4])
    assert all(not data["free"][tile] for tile, number in enumerate(view) if not number)
    if name == "careerfair-original":
        assert len(data["people"]) == sum(data["free"]) + sum(data["queued"])
        assert sum(person["in_line"] for person in data["people"]) == sum(data["queued"])
    # After a fault the host says that the harness must forget what it holds.
    faulty = sent(variant.rules.observe(state, 0)) | {"fresh": True, "tiles": [], "people": []}
    assert "1" not in adapter.turn(faulty, True)["seen"]
    with pytest.raises(ValueError, match="requests"):
        adapter.answer({"requests": "LOOK"})
