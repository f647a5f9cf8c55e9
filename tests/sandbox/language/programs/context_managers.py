from contextlib import contextmanager, suppress, nullcontext, closing
class Timer:
    def __enter__(self):
        self.events = ["enter"]
        return self
    def __exit__(self, kind, value, traceback):
        self.events.append(kind.__name__ if kind else "none")
        return kind is ValueError
@contextmanager
def scope(name, out):
    out.append("+" + name)
    try: yield name.upper()
    finally: out.append("-" + name)
class Res:
    closed = False
    def close(self): self.closed = True
def move(obs):
    out = []
    with Timer() as t: raise ValueError
    with Timer() as u, scope("a", out) as a, scope("b", out): out.append(a)
    with suppress(KeyError): {}["x"]
    with nullcontext(5) as five: pass
    with closing(Res()) as r: pass
    def early():
        with scope("e", out): return "early"
    for i in range(3):
        with scope(str(i), out):
            if i == 1: continue
    return t.events, u.events, out, five, r.closed, early()
