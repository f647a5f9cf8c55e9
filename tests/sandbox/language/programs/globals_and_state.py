history = []
best = None
turn = 0
def remember(value):
    global best, turn
    turn += 1
    history.append(value)
    if best is None or value > best: best = value
def move(obs):
    remember(obs["turn"] * 3 % 5)
    move.calls = getattr(move, "calls", 0) + 1
    return turn, best, history, move.calls, __name__ != "__main__" and "module"
if __name__ == "__main__":
    print("not shown")
