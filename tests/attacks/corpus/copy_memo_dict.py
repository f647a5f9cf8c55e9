# attack: copy
# expect: contained
# note: the memo of deepcopy keeps the very dicts alive that objects have their attributes in
import copy, math
class O: pass
def move(observation):
    x, memo = O(), {}
    x.y = []
    copy.deepcopy(x, memo)
    live = [one for one in memo.get(id(memo), []) if type(one) is dict]
    if not live: return observation["legal"][0]
    live[0]["__reduce_ex__"] = lambda protocol: (lambda: math, (), {"tau": 3})
    copy.copy(x)
    return "ESCAPED" if math.tau == 3 else observation["legal"][0]
