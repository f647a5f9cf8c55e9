# attack: class-body
# expect: contained
# note: with an object as its base, Python calls the type of the object with the class's namespace: special methods, raw
from collections import namedtuple
from dataclasses import dataclass, field
Body = namedtuple("Body", "name bases names")
f = field(default=0)
@dataclass(repr=False, eq=False)
class B:
    a: int = f
def move(observation):
    try:
        class X(Body(1, 2, 3)):
            def __init__(self): self.name = "a=0, b=().__class__.__base__.__subclasses__(), c"
        X.names["__init__"](f)
        @dataclass(repr=False, eq=False)
        class D(B): pass
    except TypeError:
        return observation["legal"][0]
    except SyntaxError:
        pass
    return "ESCAPED a field name became source text" if f.name != "a" else observation["legal"][0]
