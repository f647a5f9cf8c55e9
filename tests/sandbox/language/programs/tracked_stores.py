class N:
    pass
def build(n):
    a = N()
    for i in range(n):
        a.left = i
        a.right = i + 1
        if i == 1:
            a = N()
            a.fresh = True
        a.total = a.left + a.right if hasattr(a, "left") else -1
        a.total += 1
    b = a
    try:
        b.x = 1
        b.y = 2
    finally:
        b.z = 3
    def inner():
        nonlocal b
        b = N()
        b.q = 5
        b.r = 6
    inner()
    b.s = 7
    b.t = 8
    return a, b
def move(obs):
    a, b = build(3)
    return [getattr(a, k, None) for k in ("left", "right", "total", "fresh", "x", "y", "z")], [getattr(b, k, None) for k in "qrst"]
