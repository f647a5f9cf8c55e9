def act(command):
    match command:
        case {"type": "move", "to": [x, y], **rest}: return ("m", x, y, sorted(rest))
        case ["go", ("north" | "south") as way]: return way
        case [first, *others] if len(others) > 2: return first, others
        case str(text): return text.upper()
        case int(n) | float(n): return n * 2
        case None | True: return "const"
        case Point(x=0, y=y): return "axis", y
        case Point(): return "point"
        case (a, b): return b, a
        case _: return "?"
class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y
def move(obs):
    return [act(c) for c in ({"type": "move", "to": [1, 2], "k": 1}, ["go", "north"], [1, 2, 3, 4], "hey", 4, 2.5, None, True, Point(0, 9), Point(1, 1), (1, 2), {1}, b"")]
