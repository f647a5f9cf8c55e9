# attack: walk
# expect: rejected
# language: promised
# note: the drawing functions are ours, and close over the list that goes to the host
import botdraw
def move(observation):
    held = botdraw.clear.__closure__[0].cell_contents
    held.append(b"\xc1")
    return "ESCAPED closure"
