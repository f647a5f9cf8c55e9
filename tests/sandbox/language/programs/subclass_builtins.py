class Stack(list):
    def push(self, x): self.append(x); return self
    @property
    def top(self): return self[-1]
class Default(dict):
    def __missing__(self, key):
        self[key] = value = [key]
        return value
class Loud(str):
    def shout(self): return self.upper() + "!"
class Money(float):
    def __new__(cls, value): return super().__new__(cls, round(value, 2))
    def __repr__(self): return "$" + super().__repr__()
class Pos(tuple):
    def __new__(cls, x, y): return tuple.__new__(cls, (x, y))
    x = property(lambda self: self[0])
    def __add__(self, o): return Pos(self.x + o[0], self[1] + o[1])
class Counting(dict):
    def __init__(self, *a, **k):
        dict.__init__(self, *a, **k)
        self.reads = 0
    def __getitem__(self, key):
        self.reads += 1
        return super().__getitem__(key)
class Other(dict):
    def __setitem__(self, key, value): dict.__setitem__(self, key, value * 2)
class MyError(ValueError): pass
def move(obs):
    d = Default(); d["a"].append(1)
    c = Counting(a=1); c["a"]; c["a"]
    o = Other(); o["k"] = 4
    return Stack([1]).push(2).top, d, Loud("hi").shout(), Loud("{}").format(3), Money(2.345), Pos(1, 2) + (3, 4), Pos(1, 2).x, c.reads, o, issubclass(MyError, ValueError)
