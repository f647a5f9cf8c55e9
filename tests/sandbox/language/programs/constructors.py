from enum import Enum
from functools import lru_cache
from typing import List, Optional, Union


class Point(tuple):
    __slots__ = ()

    def __new__(cls, x, y):
        return super().__new__(cls, (x, y))

    def moved(self, dx: "int", dy: Optional["int"] = None) -> "Point":
        return Point(self[0] + dx, self[1] + (dy or 0))


class Near(Point):
    def __new__(cls, x, y=0):
        return super().__new__(cls, x % 3, y % 3)


class Single:
    _one = None

    def __new__(cls):
        if cls._one is None:
            cls._one = super().__new__(cls)
        return cls._one


class Cached:
    @lru_cache(maxsize=None)
    def __new__(cls, key):
        return super().__new__(cls)

    def __init__(self, key):
        self.key = key


class Planet(Enum):
    def __new__(cls, mass, radius):
        made = object.__new__(cls)
        made._value_ = mass
        made.radius = radius
        return made

    MARS = (6, 3)
    EARTH = (9, 4)


Path = List["Point"]
Either = Union["Point", None, "Near"]


def move(observation):
    turn = observation["turn"]
    return [
        Point(turn, 2).moved(1),
        type(Near(7, 8)).__name__,
        Near(7, 8),
        Single() is Single(),
        Cached(turn) is Cached(turn),
        Cached(turn).key,
        [(planet.name, planet.value, planet.radius) for planet in Planet],
        Planet(6) is Planet.MARS,
        repr(Path),
        repr(Either),
    ]
