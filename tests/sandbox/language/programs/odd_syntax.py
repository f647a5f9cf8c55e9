import math as m, random as r; from math import (sin as s,
    cos)
x = y = z = 0; x += 1
class Empty: ...
class Weird(*[Empty]):
    for i in range(3): pass
    if True:
        def method(self): self.v = 1; return self.i
        def __len__(self): return 3
    value = [i for i in range(3)]
    a: int = 4
    b: "str"
def f(a, /, b, *, c=3, **kw) -> "x": return a, b, c, kw
def g(*args, sep=", "): return sep.join(map(str, args))
def move(obs):
    global w
    w = Weird()
    if not x: pass
    elif y: pass
    else: t = (1,)
    while True:
        break
    else: t = 2
    for _ in []: pass
    else: e = "else"
    del t
    l = [1, 2, 3, 4, 5]
    l[1:3], l[-1] = ["a"], "z"
    l[::2] = [0] * len(l[::2])
    assert (1 < 2 < 3) is True
    return f(1, b=2, d=4), g(1, 2, sep="-"), w.method(), w.value, w.v, len(w), l, e, round(s(0) + cos(0), 3), 1 if obs else 2, not x, -x, +x, ~x, x or y, x and y, (lambda *a, k=1, **q: (a, k, q))(1, k=2, j=3), [*l, *()], {**{}}, ..., 1 if x else 2 if y else 3, "a" in "abc", None is None, x != y
