# attack: class-body
# expect: contained
# note: enum calls __init__ of whatever __new__ returns; of a class, that is any object's
from dataclasses import field
from enum import Enum
f = field(default=0)
class C:
    def __init__(self): self.name = "zz"
def move(observation):
    try:
        class E(Enum):
            def __new__(cls, x): return C
            A = (f,)
    except Exception: pass
    return "ESCAPED wrote to a library object" if f.name == "zz" else observation["legal"][0]
