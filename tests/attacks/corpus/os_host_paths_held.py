# attack: information
# expect: contained
# turns: 1
# note: frames, the arguments of the process and whatever else is alive may hold folders of the host
import gc
import sys

ENDING = "/python%d.%d/site-packages" % sys.version_info[:2]


def move(observation):
    pending = gc.get_objects()
    frame = sys._getframe().f_back
    while frame is not None:
        pending += frame.f_locals.values()
        frame = frame.f_back
    visited = set()
    while pending:
        one = pending.pop()
        if id(one) in visited or one is visited:
            continue
        visited.add(id(one))
        text = one.decode("latin-1") if type(one) is bytes else one
        if type(text) is str and ENDING in text and text != ENDING:
            return "PWNED the host has %r" % text[:150]
        pending += gc.get_referents(one)
    return observation["legal"][0]
