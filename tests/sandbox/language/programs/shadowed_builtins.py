def dir(x): return "east" if x > 0 else "west"
open = {(0, 0)}
vars = [1, 2]
id = 5
list_ = list
def move(obs, max=max, input=None):
    open.add((1, 1))
    sum = 0
    for dir_ in (1, -1): sum += dir_
    compile = "c"
    type = "t"
    return dir(3), sorted(open), vars, id, sum, compile, type, max(1, 2), list_("ab"), (lambda hash: hash + 1)(1)
