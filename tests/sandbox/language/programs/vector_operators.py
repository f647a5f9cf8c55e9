import math
class Vec:
    __slots__ = ("x", "y")
    def __init__(self, x, y): self.x, self.y = x, y
    def __add__(self, o): return Vec(self.x + o.x, self.y + o.y)
    def __sub__(self, o): return Vec(self.x - o.x, self.y - o.y)
    def __mul__(self, k): return Vec(self.x * k, self.y * k)
    __rmul__ = __mul__
    def __truediv__(self, k): return Vec(self.x / k, self.y / k)
    def __neg__(self): return self * -1
    def __iadd__(self, o):
        self.x += o.x
        self.y += o.y
        return self
    def __abs__(self): return math.hypot(self.x, self.y)
    def __eq__(self, o): return isinstance(o, Vec) and (self.x, self.y) == (o.x, o.y)
    __hash__ = None
    def __repr__(self): return f"Vec({self.x:.2f}, {self.y:.2f})"
    __str__ = __repr__
    def __iter__(self):
        yield self.x
        yield self.y
def move(obs):
    a, b = Vec(3, 4), Vec(1, 2)
    a += b
    c = 2 * a - b / 2
    x, y = c
    try: hash(a)
    except TypeError: h = "unhashable"
    return a, c, -c, abs(Vec(3, 4)), a == Vec(4, 6), x, y, h, str(a)
