class Thing:
    kind = "thing"
    def __init__(self): self.a = 1; self._hidden = 2
    def get_a(self): return self.a
    def get_b(self): return "b"
def move(obs):
    t = Thing()
    for name in ("x", "y"): setattr(t, name, name * 2)
    delattr(t, "x")
    return hasattr(t, "x"), hasattr(t, "y"), getattr(t, "y"), getattr(t, "zz", "none"), [getattr(t, "get_" + n)() for n in "ab"], getattr(Thing, "kind"), getattr(t, "_hidden"), type(t).__name__, t.__class__.__name__, t.__class__ is Thing, type(t) == Thing, isinstance(t, Thing), issubclass(Thing, object), callable(t.get_a), isinstance(Thing, type), type(3) is int, type("a")("b"), t.get_a.__name__, Thing.__doc__
