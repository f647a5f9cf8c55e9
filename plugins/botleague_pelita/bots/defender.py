"""One bot guards the food, the other one fetches what lies near the border.

The guard goes where the missing food says that a thief is, since food is seen exactly and enemies are not.
"""

import networkx

TEAM_NAME = "Defender"


def thief(bot, state):
    """Where an enemy is or has just been in our half, or None."""
    seen = [enemy.position for enemy in bot.enemy if enemy.position in bot.homezone and not enemy.is_noisy]
    if seen:
        return seen[0]
    before, now = state.get("food"), set(bot.food)
    if before is not None:
        gone = sorted(before - now)
        if gone:
            return gone[0]
    return None


def step_to(bot, goal):
    if goal == bot.position or goal not in bot.graph:
        return bot.position
    try:
        return networkx.shortest_path(bot.graph, bot.position, goal)[1]
    except networkx.NetworkXNoPath:
        return bot.position


def guard(bot, state):
    spotted = thief(bot, state)
    state["food"] = set(bot.food)
    if spotted is not None:
        state["alarm"] = (spotted, bot.round)
        bot.say("Thief!")
    alarm = state.get("alarm")
    if alarm is not None and bot.round - alarm[1] < 8 and alarm[0] != bot.position:
        return step_to(bot, alarm[0])
    # Nobody about: wait in the middle of what is left, seen from the border.
    distance = networkx.single_source_shortest_path_length(bot.graph, bot.position)
    width = bot.shape[0]
    front = sorted(bot.food, key=lambda pellet: (abs(pellet[0] - width // 2), pellet))
    posts = [pellet for pellet in front if pellet in distance]
    if not posts:
        return bot.position
    step = step_to(bot, posts[0])
    return step if step in bot.homezone else bot.position


def fetch(bot, state):
    ghosts = [enemy.position for enemy in bot.enemy if enemy.position in enemy.homezone]
    distance = networkx.single_source_shortest_path_length(bot.graph, bot.position)
    food = [pellet for pellet in bot.enemy[0].food if pellet in distance]
    if not food:
        return bot.position
    width = bot.shape[0]
    goal = min(food, key=lambda pellet: (distance[pellet] + abs(pellet[0] - width // 2), pellet))
    step = step_to(bot, goal)
    threatened = set(ghosts)
    for ghost in ghosts:
        threatened.update(bot.graph[ghost])
    if step not in threatened or step in bot.homezone:
        return step
    retreat = [other for other in bot.legal_positions if other not in threatened]
    return bot.random.choice(retreat) if retreat else bot.position


def move(bot, state):
    return guard(bot, state) if bot.turn == 0 else fetch(bot, state)
