# attack: module-tamper
# expect: contained
# language: promised
import botdraw
def fake(*shape): raise ValueError
def move(observation):
    try: botdraw.circle = fake
    except (AttributeError, TypeError): return observation["legal"][0]
    try: botdraw.circle(1, 1, 1)
    except ValueError: return "ESCAPED botdraw"
    return observation["legal"][0]
