"""Plans every step by the cost of the way: food is worth a walk, a ghost is worth a detour.

Each bot keeps a belief about where the enemies may be, computed from what is seen, what is shown noisily and
how far an enemy can have walked. The food is shared by distance, and the bot nearer to an intruder turns back.
"""

import heapq

TEAM_NAME = "Mixed"

NOISE = 5
SIGHT = 5


def apart(p, q):
    return abs(p[0] - q[0]) + abs(p[1] - q[1])


def distances(bot, state, start):
    """Walking distances from a square; mazes never change, so they are kept."""
    kept = state["distances"]
    if start not in kept:
        reached = {start: 0}
        todo = [start]
        for square in todo:
            for other in bot.graph[square]:
                if other not in reached:
                    reached[other] = reached[square] + 1
                    todo.append(other)
        kept[start] = reached
    return kept[start]


def believe(bot, state):
    """Update and return the possible squares of each enemy."""
    beliefs = []
    for enemy in bot.enemy:
        before = state["belief"][enemy.turn]
        if enemy.was_killed or before is None:
            possible = None
        else:
            possible = set(before)
            for square in before:
                possible.update(bot.graph[square])
        if not enemy.is_noisy:
            now = {enemy.position}
        else:
            shown = {
                square
                for square in bot.graph
                if apart(square, enemy.position) <= NOISE and apart(square, bot.position) > SIGHT
            }
            now = (shown & possible if possible is not None else shown) or shown
        state["belief"][enemy.turn] = now
        beliefs.append(now)
    return beliefs


def danger(bot, state, beliefs):
    """How much it costs to step on a square of the enemy's half, by how likely a ghost is near."""
    risk = {}
    for possible in beliefs:
        home = [square for square in possible if square in state["enemy_home"]]
        if not home:
            continue
        weight = 24.0 / len(possible)
        for ghost in home:
            for square, steps in near(bot, state, ghost).items():
                risk[square] = risk.get(square, 0.0) + weight * (4 - steps) / 4
    return risk


def near(bot, state, square):
    """Squares within three steps, with the number of steps."""
    kept = state["near"]
    if square not in kept:
        kept[square] = {other: d for other, d in distances(bot, state, square).items() if d <= 3}
    return kept[square]


def route(bot, state, risk, goals):
    """The cheapest way to one of ``goals`` (square -> extra cost): its first step and its cost."""
    enemy_home = state["enemy_home"]
    start = bot.position
    best = {start: 0.0}
    first = {start: start}
    heap = [(0.0, start)]
    found, found_cost = None, None
    while heap:
        cost, square = heapq.heappop(heap)
        if found_cost is not None and cost >= found_cost:
            break
        if cost > best[square]:
            continue
        if square in goals and square != start:
            total = cost + goals[square]
            if found_cost is None or total < found_cost:
                found, found_cost = square, total
        for other in bot.graph[square]:
            step_cost = 1.0
            if other in enemy_home:
                step_cost += risk.get(other, 0.0) * (3.0 if square == start else 1.0)
            if cost + step_cost < best.get(other, 1e9):
                best[other] = cost + step_cost
                first[other] = other if square == start else first[square]
                heapq.heappush(heap, (cost + step_cost, other))
    if found is None:
        return None, None
    return first[found], found_cost


def cost_of_standing(square, state, risk):
    return risk.get(square, 0.0) if square in state["enemy_home"] else 0.0


def remember(bot, state):
    if "distances" not in state:
        state["distances"] = {}
        state["near"] = {}
        state["belief"] = {0: None, 1: None}
        state["enemy_home"] = set(bot.enemy[0].homezone)
        state["home"] = set(bot.homezone)


def intruder(bot, state, beliefs):
    """The most certain enemy in our half and how far it is, if this bot is the one to catch it."""
    chances = []
    for enemy, possible in zip(bot.enemy, beliefs, strict=True):
        inside = [square for square in possible if square in state["home"]]
        if not inside or len(inside) < len(possible) / 2:
            continue
        mine = distances(bot, state, bot.position)
        mates = distances(bot, state, bot.other.position)
        spot = min(inside, key=lambda square: (apart(square, enemy.position), square))
        if spot not in mine:
            continue
        mate_is_nearer = mates.get(spot, 1000) < mine[spot]
        if not mate_is_nearer and mine[spot] <= 12:
            chances.append((mine[spot], spot))
    return min(chances) if chances else None


def move(bot, state):
    remember(bot, state)
    beliefs = believe(bot, state)
    risk = danger(bot, state, beliefs)
    at_home = bot.position in state["home"]

    # A kill is worth five pellets: take it when it is next door.
    for enemy in bot.enemy:
        if not enemy.is_noisy and enemy.position in state["home"] and enemy.position in bot.legal_positions:
            bot.say("Got you!")
            return enemy.position

    if at_home:
        target = intruder(bot, state, beliefs)
        if target is not None:
            step, _ = route(bot, state, {}, {target[1]: 0.0})
            if step is not None and step in state["home"]:
                return step

    mine = distances(bot, state, bot.position)
    mates = distances(bot, state, bot.other.position)
    goals = {}
    for pellet in bot.enemy[0].food:
        if pellet in mine:
            shared = 6.0 if mates.get(pellet, 1000) < mine[pellet] else 0.0
            goals[pellet] = shared + risk.get(pellet, 0.0)
    step, _ = route(bot, state, risk, goals)
    if step is None:
        step = bot.position
    if step in state["enemy_home"] and risk.get(step, 0.0) > 9.0:
        # Better wait, or step back, than walk into a ghost.
        step = min(bot.legal_positions, key=lambda square: (cost_of_standing(square, state, risk), square))
    return step
