class P:
    def __init__(self, x): self.x = x
    def __format__(self, spec): return f"<{self.x}{spec}>"
    def __str__(self): return "P!"
def move(obs):
    p = P(3)
    line = "{0.x} {0} {0:>>}".format(p)
    fmt = "{}-{}".format
    return line, f"{p}", f"{p!s}", f"{p:abc}", format(p, "z"), fmt(1, 2), list(map("<{}>".format, [1, 2])), str.format("{}", 1), "{a[b]}".format(a={"b": 2})
