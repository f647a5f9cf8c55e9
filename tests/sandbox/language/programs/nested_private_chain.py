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
        del self.cell._sub._sub
        return total, table, f(), hasattr(self.cell._sub, "_sub"), [c._v for c in [self.cell] if c._sub._v]
def move(obs): return Owner().work()
