from types import SimpleNamespace
config = SimpleNamespace(depth=3, weights=[1, 2])
class Obj: pass
def move(obs):
    config.depth += 1
    config.extra = "new"
    o = Obj()
    o.x = 1
    o.y = o
    o.y.x += 4
    things = [Obj() for _ in range(3)]
    for i, thing in enumerate(things): thing.n = i
    things[0].n, things[1].n = things[1].n, things[0].n
    Obj.shared = 5
    del o.y
    return config.depth, sorted(k for k in ("depth", "extra") if hasattr(config, k)), o.x, [t.n for t in things], o.shared, hasattr(o, "y")
