class Cell:
    def __init__(self): self._v = 0; self._sub = None
class Owner:
    def __init__(self):
        self.cell = Cell()
        self.cell._sub = Cell()
    def work(self):
        self.cell._v += 3
        self.cell._sub._v = self.cell._v * 2
        cells = [self.cell, self.cell._sub]
        total = sum(c._v for c in cells)
        table = {k._v: k._sub is None for k in cells}
        f = lambda k=self.cell._v: self.cell._sub._v + k
        ordered = [c for c in sorted([self, self], key=lambda o: o.cell._v + o.cell._sub._v)]
        again = [(lambda o: o.cell._v)(x) for x in map(lambda o: o.cell._sub and o, [self])]
        def typed(x: [c.cell._v for c in [self]] = self.cell._v) -> (lambda: self.cell._v): return x, len(ordered), again
        kept: self.cell._v = typed()
        del self.cell._sub._sub
        return kept, total, table, f(), hasattr(self.cell._sub, "_sub"), [c._v for c in [self.cell] if c._sub._v]
def move(obs): return Owner().work()
