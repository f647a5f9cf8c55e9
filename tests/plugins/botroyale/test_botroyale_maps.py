"""The maps that come along, and what the check says of files that people write."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from botleague_botroyale import botleague_commands
from botleague_botroyale.battle.maps import (
    MAPS,
    InvalidMap,
    check_map,
    check_map_file,
    get_map_state,
    load_map,
    read_map,
)
from botleague_botroyale.board.hexagon import tile

# Source: rules/botroyale.md, section 12: radius, units, pits, walls, plates, symmetry.
KNOWN = {
    "basic": (8, 6, 3, 1, 0, 2),
    "classic": (17, 12, 84, 120, 0, 1),
    "custom": (12, 0, 0, 0, 0, 1),
    "danger": (14, 12, 57, 45, 0, 2),
    "duel": (9, 2, 10, 8, 0, 3),
    "empty": (8, 12, 0, 0, 0, 1),
    "pitfield": (13, 12, 31, 30, 0, 1),
    "traps": (11, 6, 6, 6, 15, 2),
}

VALID: dict[str, Any] = {"death_radius": 5, "spawns": [[0, 0], [1, 0]], "pits": [[0, 2]], "walls": [[0, -2]]}
PLATE = {"xy": [2, 0], "plate_type": "PIT_TRAP", "pressure": -1}


def test_all_maps_are_here() -> None:
    assert set(MAPS) == set(KNOWN)


@pytest.mark.parametrize("name", KNOWN)
def test_a_map_is_as_large_as_it_should_be(name: str) -> None:
    game_map = load_map(name)
    tiles = (game_map.spawns, game_map.pits, game_map.walls, game_map.plates)
    assert (game_map.death_radius, *map(len, tiles)) == KNOWN[name][:5]
    for features in (game_map.pits, game_map.walls):
        assert {at.rotate(KNOWN[name][5]) for at in features} == {*features}


@pytest.mark.parametrize("name", sorted(set(KNOWN) - {"custom"}))
def test_a_map_survives_being_written_and_read(name: str) -> None:
    game_map = load_map(name)
    again = read_map(json.dumps(game_map.to_plain()))
    assert again.to_plain() == game_map.to_plain()
    assert check_map(json.dumps(game_map.to_plain())) == ()


def test_files_of_the_originals_editor_are_read() -> None:
    text = json.dumps({"death_radius": 5, "positions": [[0, 0], [-1, 1]], "pits": [], "walls": [[2, 0]]})
    assert read_map(text).spawns == (tile(0, 0), tile(-1, 1))
    whole = PLATE | {"min_pressure": None, "pressure_reset": True, "targets": [[0, 1]]}
    read = read_map(json.dumps(VALID | {"plates": [whole]}))
    assert read.plates[0].min_pressure == -1
    assert read.plates[0].pressure_reset


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"death_radius": 2}, "death_radius is 2: must be from 3 to 100"),
        ({"death_radius": 10**9}, "must be from 3 to 100"),
        ({"death_radius": "5"}, "death_radius is a text: must be a whole number"),
        ({"death_radius": True}, "death_radius is true or false"),
        ({"death_radius": None}, "death_radius is null"),
        ({"spawns": []}, "spawns is empty"),
        ({"spawns": [[0, 2]]}, r"spawns\[0\], \[0, 2\], is on a pit: move it"),
        ({"spawns": [[0, -2]]}, r"spawns\[0\], \[0, -2\], is on a wall: move it"),
        ({"spawns": [[4, 0]]}, r"is 4 tiles from the centre, .* it must be nearer than 4"),
        ({"spawns": [[0, 0], [0, 0]]}, r"spawns\[1\]: \[0, 0\] is listed twice"),
        ({"spawns": [[0]]}, r"spawns\[0\] must be a pair"),
        ({"spawns": [[0, 1.5]]}, r"spawns\[0\] must be a pair"),
        ({"spawns": {}}, "spawns is an object: must be a list"),
        ({"positions": []}, "exactly one of them"),
        ({"pits": [[0, -2]]}, r"\[0, -2\] is a pit and a wall"),
        ({"pits": [[10**6, 0]]}, r"pits\[0\] must be a pair .* within ±200"),
        ({"wall": []}, "unknown key 'wall': remove it"),
        ({"format": 2}, "only format 1 is known"),
        ({"coordinates": "qr"}, "must be 'xy'"),
        ({"name": 5}, "name is a number: must be a text"),
        ({"plates": {}}, "plates is an object: must be a list"),
        ({"plates": [5]}, r"plates\[0\] is a number: must be an object"),
        (
            {"plates": [PLATE | {"plate_type": "TRAP"}]},
            "must be one of DEATH_RADIUS_TRAP, PIT_TRAP, WALL_TRAP$",
        ),
        ({"plates": [PLATE | {"plate_type": "ERASE_TRAP"}]}, "must be one of"),
        ({"plates": [PLATE | {"pressure": 0}]}, "pressure must be a negative whole number"),
        ({"plates": [PLATE | {"min_pressure": 1}]}, "min_pressure must be a negative"),
        ({"plates": [PLATE | {"pressure_reset": 1}]}, "pressure_reset must be true or false"),
        ({"plates": [PLATE | {"xy": None}]}, r"plates\[0\].xy must be a pair"),
        ({"plates": [PLATE | {"colour": 1}]}, "unknown key 'colour'"),
        ({"plates": [PLATE | {"targets": [[1, 1], [1, 1]]}]}, r"targets\[1\]: \[1, 1\] is listed twice"),
        ({"plates": [PLATE, PLATE]}, r"plates\[1\]: \[2, 0\] has a plate already"),
    ],
)
def test_each_way_to_be_wrong_has_its_message(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidMap, match=message) as caught:
        read_map(json.dumps(VALID | change), "mine.json")
    assert str(caught.value).startswith("mine.json is not a valid map:\n  - ")


def test_missing_radius_and_invalid_map_are_reported() -> None:
    assert "death_radius is missing" in check_map('{"spawns": [[0, 0]]}')[0]
    assert check_map("{") == (
        "line 1, column 2: not JSON: Expecting property name enclosed in double quotes",
    )
    assert "must be a JSON object" in check_map("[]")[0]
    assert check_map("[" * 100_000) == ("not a map: brackets are nested too deep",)
    assert check_map("9" * 5000) == ("not a map: a number in it has thousands of digits",)


def test_everything_that_is_wrong_is_reported_at_once_but_not_endlessly() -> None:
    with pytest.raises(InvalidMap) as caught:
        read_map(json.dumps(VALID | {"spawns": [[50, n] for n in range(30)]}))
    assert len(caught.value.problems) == 30
    assert "... and 10 more" in str(caught.value)


def test_erase_traps_are_an_option() -> None:
    text = json.dumps(VALID | {"plates": [PLATE | {"plate_type": "ERASE_TRAP"}]})
    assert read_map(text, erase_traps=True).plates[0].plate_type == 4


def test_the_command_says_what_a_map_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ((name, command),) = botleague_commands()
    assert name == "check-map"
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(VALID))
    command(path)
    assert capsys.readouterr().out == (
        "mine.json is a valid map: 2 units, radius 5, 1 pit, 1 wall, 0 plates.\n"
    )
    path.write_text(json.dumps(VALID | {"spawns": [[0, 0]]}))
    command(path)
    assert "needs two units" in capsys.readouterr().out
    path.write_text(json.dumps(VALID | {"plates": [PLATE | {"plate_type": "ERASE_TRAP"}]}))
    command(path, erase_traps=True)
    assert "1 plate." in capsys.readouterr().out


def test_unreadable_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        check_map_file(tmp_path / "nowhere.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="not a text file"):
        check_map_file(tmp_path / "binary.json")
    (tmp_path / "large.json").write_bytes(b" " * 1_000_001)
    with pytest.raises(ValueError, match="no map is that large"):
        check_map_file(tmp_path / "large.json")
    with pytest.raises(ValueError, match="cannot be read: Is a directory"):
        check_map_file(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    for endless in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ValueError, match="is not a file"):
            check_map_file(endless)


def test_a_file_may_begin_with_the_mark_of_some_editors(tmp_path: Path) -> None:
    (tmp_path / "mine.json").write_text(json.dumps(VALID), encoding="utf-8-sig")
    assert check_map_file(tmp_path / "mine.json").death_radius == 5


def test_an_unknown_map_is_blank_for_bots(capsys: pytest.CaptureFixture[str]) -> None:
    state = get_map_state("nowhere")
    assert (state.death_radius, state.num_of_units) == (12, 0)
    assert "Unknown map 'nowhere'" in capsys.readouterr().out
    assert get_map_state().num_of_units == 6
    with pytest.raises(ValueError, match=r"Unknown map 'nowhere'\. Maps: basic"):
        load_map("nowhere")
