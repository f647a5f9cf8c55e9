"""One reader for every configuration: what it takes, and what it says of the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta

from botleague.rules import Configuration, plain_form, read_config


class Wall(Configuration, frozen=True):
    at: tuple[int, int]
    power: Annotated[float, Meta(gt=0, le=9)] = 1.0


class Board(Configuration, frozen=True):
    width: Annotated[int, Meta(ge=3, le=32)]
    moves: Literal["knight", "king"] | tuple[int, ...] = "knight"
    walls: tuple[Wall, ...] = ()
    name: Annotated[str, Meta(max_length=5)] | None = None
    fair: bool = False
    more: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        for wall in self.walls:
            if wall.at[0] >= self.width:
                raise ValueError(f"walls: {wall.at} does not lie on the board")


@dataclass
class Clock:
    move_ms: Annotated[float, Meta(gt=0)] = 100.0


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"width": 900}, "config.width: must be a whole number from 3 to 32, not 900"),
        ({"width": True}, "config.width: must be a whole number from 3 to 32, not True"),
        ({"width": 10**9999}, "config.width: must be a whole number from 3 to 32, not a number of thousands"),
        ({}, "config.width: missing"),
        ({"width": 9, "wide": 1}, "config.wide: unknown; known: fair, more, moves, name, walls, width"),
        ({"width": 9, "\x1b[2J": 1}, "config.?: unknown"),
        ({"width": 9, "moves": "rook"}, "config.moves: must be king or knight or a list, not 'rook'"),
        ({"width": 9, "moves": [1, "a"]}, "config.moves[1]: must be a whole number, not 'a'"),
        ({"width": 9, "walls": [{"at": [1]}]}, "config.walls[0].at: must be a list of 2, not [1]"),
        ({"width": 9, "walls": [{"at": [1, 2], "power": 0}]}, "config.walls[0].power: must be a number more than 0"),
        ({"width": 9, "walls": [{}]}, "config.walls[0].at: missing"),
        ({"width": 9, "walls": {"at": 1}}, "config.walls: must be a list, not {'at': 1}"),
        ({"width": 9, "walls": [{"at": [12, 1]}]}, "config.walls: (12, 1) does not lie on the board"),
        ({"width": 9, "name": "abcdef"}, "config.name: must be text of at most 5 characters or none, not 'abcdef'"),
        ({"width": 9, "name": [0] * 99}, "config.name: must be text of at most 5 characters or none, not a list of 99"),
        ({"width": 9, "fair": 1}, "config.fair: must be true or false, not 1"),
        ({"width": 9, "more": {5: 1}}, "config.more: names of fields must be text"),
        ([], "config: must be a table, not []"),
    ],
)  # fmt: skip
def test_error_is_reported_with_its_path(config: Any, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        read_config(Board, config)
    assert str(refused.value).startswith(message)


def test_a_configuration_survives_plain_data() -> None:
    board = Board(9, (1, 2), (Wall((3, 4)),), "home", True, {"x": [1]})
    assert read_config(Board, plain_form(board)) == board
    assert plain_form(board)["walls"] == [{"at": [3, 4], "power": 1.0}]


def test_a_dataclass_is_read_under_a_name_of_its_own() -> None:
    assert read_config(Clock, {"move_ms": 5}) == Clock(5.0)
    with pytest.raises(ValueError, match=r"^time\.move_ms: must be a number more than 0, not -1$"):
        read_config(Clock, {"move_ms": -1}, "time")
