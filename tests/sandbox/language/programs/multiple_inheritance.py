class A:
    def __init__(self, **kw):
        self.trace = ["A"]
        super().__init__(**kw)
    def who(self): return ["A"]
class B(A):
    def __init__(self, b=1, **kw):
        super().__init__(**kw)
        self.b = b
        self.trace.append("B")
    def who(self): return ["B"] + super().who()
class C(A):
    def __init__(self, c=2, **kw):
        super().__init__(**kw)
        self.c = c
        self.trace.append("C")
    def who(self): return ["C"] + super().who()
class D(B, C):
    def who(self): return ["D"] + super().who()
    def _secret(self): return "d"
class Mixin:
    def describe(self): return f"{type(self).__name__}:{self.b}{self.c}{self._secret()}"
class E(Mixin, D):
    def _secret(self): return "e" + super()._secret()
def move(obs):
    e = E(b=5, c=6)
    return e.trace, e.who(), e.describe(), [k.__name__ for k in E.mro()][:4], isinstance(e, C)
