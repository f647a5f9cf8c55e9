# attack: copy
# expect: contained
# note: typing compiles strings, the memo of deepcopy shows the code, and type(function) makes a function of it
import copy, typing
def move(observation):
    memo = {}
    copy.deepcopy(typing.List["().__class__.__base__.__subclasses__()"], memo)
    for one in memo.values():
        if isinstance(one, dict) and "__forward_code__" in one:
            return "ESCAPED %d classes" % len(type(move)(one["__forward_code__"], {})())
    return observation["legal"][0]
