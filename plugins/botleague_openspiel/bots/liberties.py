"""Go by the rule of thumb: capture, save stones in danger, fill no eye, and otherwise play near other stones."""

import random

STONES = "XO"


def act(state):
    board = read(state.observation)
    own = STONES[state.player]
    best, most = None, -1.0
    for action in state.legal_actions:
        point = place(state.name(action))
        if point is None:  # a pass
            continue
        worth = value(board, point, own) + random.random()
        if worth > most:
            best, most = action, worth
    return state.legal_actions[-1] if best is None else best


def read(text):
    """Return the stone of each point, "+" for none: (column, row from the top)."""
    rows = [line.split()[-1] for line in text.split("\n") if line.strip()[:1].isdigit()]
    return {(column, row): mark for row, line in enumerate(rows) for column, mark in enumerate(line)}, len(
        rows
    )


def place(name):
    """Return the point of an action's name, like "B c4"; None for a pass."""
    where = name.split()[1]
    if where.lower() == "pass":
        return None
    return "abcdefghjklmnopqrstuvwxyz".index(where[0]), int(where[1:])


def near(point):
    x, y = point
    return (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)


def group(stones, point):
    """Return the chain of a stone and its liberties."""
    chain, free, waiting = {point}, set(), [point]
    while waiting:
        for other in near(waiting.pop()):
            if stones.get(other) == "+":
                free.add(other)
            elif stones.get(other) == stones[point] and other not in chain:
                chain.add(other)
                waiting.append(other)
    return chain, free


def value(board, point, own):
    """Return how good a point looks; -1 for one that should stay empty."""
    stones, size = board
    column, row = point
    point = column, size - row
    around = [other for other in near(point) if other in stones]
    enemies = [other for other in around if stones[other] not in ("+", own)]
    friends = [other for other in around if stones[other] == own]
    if len(friends) == len(around):
        return -2.0  # an eye, or a hole of its own
    worth = 0.0
    for enemy in enemies:
        chain, free = group(stones, enemy)
        if len(free) == 1:
            worth += 10.0 * len(chain)
        elif len(free) == 2:
            worth += 1.5
    for friend in friends:
        chain, free = group(stones, friend)
        if len(free) == 1:
            worth += 6.0 * len(chain)
    _, free = group({**stones, point: own}, point)
    if len(free) < 2 and worth < 6:
        return -0.5  # it would be captured
    edge = min(point[0], point[1], size - 1 - point[0], size - 1 - point[1])
    return worth + 0.5 * bool(enemies) + 0.3 * min(edge, 3)
