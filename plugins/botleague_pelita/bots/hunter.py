"""Both bots chase enemies at home; without anybody to chase they patrol the border."""

import networkx

TEAM_NAME = "Hunter"


def border(bot):
    """Free squares of our column at the border, one half of them for each bot."""
    width = bot.shape[0]
    column = width // 2 - 1 if bot.is_blue else width // 2
    squares = [square for square in bot.homezone if square[0] == column]
    middle = len(squares) // 2
    mine = squares[: middle + 1] if bot.turn == 0 else squares[middle:]
    return mine or list(bot.homezone)


def prey(bot):
    """Where to run: the nearest intruder, or the spot that a noisy one was seen at."""
    intruders = [enemy for enemy in bot.enemy if enemy.position in bot.homezone]
    if not intruders:
        return None
    distance = networkx.single_source_shortest_path_length(bot.graph, bot.position)
    return min(
        (enemy.position for enemy in intruders if enemy.position in distance),
        key=lambda square: distance[square],
        default=None,
    )


def move(bot, state):
    goal = prey(bot)
    if goal is None:
        goal = state.get(bot.turn)
        if goal is None or goal == bot.position:
            goal = bot.random.choice(border(bot))
            state[bot.turn] = goal
    if goal == bot.position or not networkx.has_path(bot.graph, bot.position, goal):
        state[bot.turn] = None
        return bot.position
    step = networkx.shortest_path(bot.graph, bot.position, goal)[1]
    return step if step in bot.homezone else bot.position
