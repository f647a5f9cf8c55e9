from enum import Enum, IntEnum, auto, Flag, unique
@unique
class Dir(Enum):
    N = (0, -1)
    E = (1, 0)
    S = (0, 1)
    W = (-1, 0)
    @property
    def opposite(self):
        return Dir((-self.value[0], -self.value[1]))
    def turn(self, times=1):
        order = list(Dir)
        return order[(order.index(self) + times) % 4]
    @classmethod
    def parse(cls, text): return cls[text.upper()]
class Prio(IntEnum):
    LOW = 1
    HIGH = 5
class Perm(Flag):
    R = auto()
    W = auto()
class Planet(Enum):
    EARTH = (5.9, 6.3)
    MARS = (0.6, 3.3)
    def __init__(self, mass, radius):
        self.mass = mass
        self._radius = radius
    @property
    def density(self): return round(self.mass / self._radius ** 3, 4)
class Coded(Enum):
    A = "x"
    B = "y"
    def __new__(cls, code):
        obj = object.__new__(cls)
        obj._value_ = code * 2
        obj.code = code
        return obj
    @classmethod
    def _missing_(cls, value): return cls.A
def move(obs):
    d = Dir.parse("n")
    return d, d.opposite, d.turn(), Prio.HIGH > 3, sorted([Prio.HIGH, Prio.LOW]), Perm.R | Perm.W, Perm.R in (Perm.R | Perm.W), Planet.MARS.density, Coded("xx").code, Coded("nope"), [m.name for m in Dir], Dir.N._value_
