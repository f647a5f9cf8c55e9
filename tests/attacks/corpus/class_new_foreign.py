# attack: class-body
# expect: contained
# note: copy stores the state of one object on whatever __new__ returns
import copy
from dataclasses import field
f = field(default=0)
foreign = []
class C:
    __slots__ = ("name",)
    def __new__(cls): return f if foreign else super().__new__(cls)
def move(observation):
    c = C()
    c.name = "zz"
    foreign.append(1)
    try: copy.copy(c)
    except TypeError: pass
    foreign.clear()
    return "ESCAPED wrote to a library object" if f.name == "zz" else observation["legal"][0]
