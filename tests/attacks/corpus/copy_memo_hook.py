# attack: copy
# expect: contained
# note: a property in place of __deepcopy__ is handed the memo by the library itself
import copy
memos = []
class Spy:
    __deepcopy__ = property(lambda self: memos.append)
def move(observation):
    copy.deepcopy([Spy()])
    return "ESCAPED %s" % [type(one) for memo in memos for one in memo.values()]
