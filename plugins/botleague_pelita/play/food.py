"""Food in the shadow of its guards grows old, and old food moves away.

The list of targets is made only when a pellet has expired; making it at every turn would cost more than all the rest
of the turn.

Source: rules/pelita.md, section 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from botleague_pelita.mazes.board import Board, near_mask, numbers
from botleague_pelita.play.state import Ages, FoodMove, Settings, with_side


def age_food(settings: Settings, board: Board, bots: Sequence[int], food: int, ages: Ages, team: int) -> Ages:
    """Return the ages of the pellets ``food`` of ``team`` at the beginning of one more of its turns.

    Args:
        bots: square numbers of a, x, b, y.
        food: the pellets of the team, as a set.
        ages: before.

    Source: rules/pelita.md, section 8.1.
    """
    shadow = 0
    middle = board.width // 2 * board.height
    for bot in (bots[team], bots[team + 2]):
        if (bot >= middle) == (team == 1):  # a ghost
            shadow |= near_mask(board, bot, settings.shadow_distance)
    shaded = food & shadow
    if not shaded and not (ages and settings.keep_eaten_age):
        return ()
    before = dict(ages)
    aged = {number: before.get(number, 0) + 1 for number in numbers(shaded)}
    if settings.keep_eaten_age:
        aged |= {number: age for number, age in before.items() if not food >> number & 1}
        return tuple(sorted(aged.items()))
    return tuple(aged.items())


def relocate_food(
    settings: Settings,
    board: Board,
    bots: Sequence[int],
    food: tuple[int, int],
    ages: Ages,
    team: int,
    serial: int,
    rng: Random,
) -> tuple[tuple[int, int], Ages, tuple[FoodMove, ...]]:
    """Return food and ages after every expired pellet of ``team`` went to a random target, and the news of it.

    Args:
        bots: square numbers of a, x, b, y.
        food: the pellets of both teams, as sets.
        ages: of the pellets of ``team``.
        serial: number of the turn in the game.
        rng: draws one target for every pellet, as long as there are targets.

    Source: rules/pelita.md, section 8.2.
    """
    pellets = food[team]
    expired = [n for n, age in ages if age > settings.max_food_age and pellets >> n & 1]
    if not expired:
        return food, ages, ()
    open_squares = board.halves[team] & ~board.border_column(team) & ~pellets
    for enemy in (bots[1 - team], bots[3 - team]):
        open_squares &= ~(1 << enemy)
    for own in (bots[team], bots[team + 2]):
        open_squares &= ~near_mask(board, own, settings.shadow_distance)
    targets = list(numbers(open_squares))
    remaining = dict(ages)
    moved: list[FoodMove] = []
    for old in expired:
        if not targets:
            break
        new = rng.choice(targets)
        targets.remove(new)
        pellets = pellets & ~(1 << old) | 1 << new
        del remaining[old]
        moved.append((serial, team, old, new))
    return with_side(food, team, pellets), tuple(remaining.items()), tuple(moved)
