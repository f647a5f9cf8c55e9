from collections import namedtuple
from typing import NamedTuple
Point = namedtuple("Point", "x y")
Move = namedtuple("Move", ["frm", "to"], defaults=[None])
class Pos(NamedTuple):
    x: int
    y: int = 0
    def __add__(self, other): return Pos(self.x + other[0], self.y + other[1])
    def dist(self, other) -> int: return abs(self.x - other.x) + abs(self.y - other.y)
class Sub(namedtuple("Sub", "a b")):
    __slots__ = ()
    def total(self): return self.a + self.b
def move(obs):
    p = Point(1, 2)
    a, b = p
    return p, p._replace(x=9), p._asdict(), Point._make([4, 5]), Point._fields, Move(1), Pos(1) + (2, 3), Pos(5).dist(Pos(1, 1)), Pos(3)._replace(y=8), Sub(1, 2).total(), Sub(1, 2), a, b
