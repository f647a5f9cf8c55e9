"""Both bots fetch the nearest food; a ghost in the way makes them wait or turn round."""

import networkx
from pelita.utils import manhattan_dist

TEAM_NAME = "Gatherer"


def ghosts(bot):
    """Squares of enemies that would kill us where they are now."""
    return [enemy.position for enemy in bot.enemy if enemy.position in enemy.homezone and not enemy.is_noisy]


def towards_food(bot, avoid):
    """The first step of a shortest path to the nearest food that does not lead over ``avoid``."""
    view = bot.graph.subgraph(square for square in bot.graph if square not in avoid)
    if bot.position not in view:
        return None
    distance = networkx.single_source_shortest_path_length(view, bot.position)
    food = [pellet for pellet in bot.enemy[0].food if pellet in distance]
    if not food:
        return None
    # The bots prefer different ends of the maze, so that they do not run after each other.
    goal = min(food, key=lambda pellet: (distance[pellet], pellet[1] if bot.turn == 0 else -pellet[1]))
    return networkx.shortest_path(view, bot.position, goal)[1]


def move(bot, state):
    near = {ghost for ghost in ghosts(bot) if manhattan_dist(ghost, bot.position) <= 3}
    danger = near | {step for ghost in near for step in bot.graph[ghost]}
    step = towards_food(bot, danger - {bot.position})
    if step is None:
        safe = [step for step in bot.legal_positions if step not in danger]
        return bot.random.choice(safe or bot.legal_positions)
    return step
