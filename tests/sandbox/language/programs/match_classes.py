"""Class patterns by position, for classes whose names stand in the source."""

from abc import ABC
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Cell:
    x: int
    y: int = 0


@dataclass(frozen=True)
class Wall(Cell):
    height: float = 1.0


class Step(NamedTuple):
    start: Cell
    end: Cell


class Goal(ABC, Generic[T]):
    __match_args__ = ("place", "worth")

    def __init__(self, place, worth):
        self.place, self.worth = place, worth


class Treasure(Goal[int]):
    pass


def tell(thing):
    match thing:
        case Wall(0, y, 2.0):
            return "high wall", y
        case Wall(x, height=h):
            return "wall", x, h
        case Cell(0, y) | Cell(y, 0):
            return "border", y
        case Step(Cell(a), Cell(b, c)) if a == b:
            return "along", c
        case Step(start):
            return "step", start
        case Treasure(Cell() as place, int(worth)):
            return "treasure", place, worth
        case Goal(place):
            return "goal", place
        case Cell():
            return "cell"
    return "nothing"


THINGS = [
    Wall(0, 5, 2.0),
    Wall(1, 1, 3.0),
    Cell(0, 3),
    Cell(4, 0),
    Cell(1, 2),
    Step(Cell(1, 1), Cell(1, 2)),
    Step(Cell(1, 1), Cell(2, 1)),
    Goal(Cell(1), 2.5),
    Treasure(Cell(1), 2.5),
    Treasure(Cell(1), 2),
    7,
]


def move(observation):
    return [str(tell(thing)) for thing in THINGS]
