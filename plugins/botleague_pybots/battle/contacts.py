"""Contacts between robots and shots, without comparing all pairs.

What is near (of shots: :meth:`Volley.near`) and a sweep along x (of robots) only choose which
distances are measured. The measurement is the specified one, so the result is that of the full comparison, to the last
bit and in the same order.

Source: rules/pybots.md, section 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from botleague_pybots.battle.robots import Robot
from botleague_pybots.battle.volley import Volley

_MARGIN = 1e-6
"""Margin by which the quick tests are wider than the exact ones. Coordinates are below 1e5 (see
:class:`~botleague_pybots.options.Arena`), where the rounding of a double is below 1e-10."""


def struck(
    volley: Volley, robots: Sequence[Robot], xs: Sequence[float], ys: Sequence[float]
) -> Iterator[tuple[int, int]]:
    """Yield the contacts of shots with robots other than the owner: index of the shot, index of the robot, in order.

    Args:
        volley: the shots, moved.
        robots: bodies and seats; their places are taken from ``xs`` and ``ys``.
        xs, ys: where the robots are now.
    """
    reaches = [(x, y, robot.body.size + _MARGIN) for robot, x, y in zip(robots, xs, ys, strict=True)]
    for number, index in volley.near(reaches):
        body = robots[index].body
        if body.seat != volley.shots[number].owner and (
            math.sqrt((xs[index] - volley.x[number]) ** 2 + (ys[index] - volley.y[number]) ** 2) < body.size
        ):
            yield number, index


def touching(robots: Sequence[Robot], xs: Sequence[float], ys: Sequence[float]) -> list[tuple[int, int]]:
    """Return all ordered pairs of robots in contact, by the indices of the first and then the second.

    Args:
        robots: bodies; their places are taken from ``xs`` and ``ys``.
        xs, ys: where the robots are now.
    """
    # A place that is not a number touches nothing, and would disturb the order.
    order = sorted([index for index, x in enumerate(xs) if x == x], key=xs.__getitem__)
    reach = 2 * max([robot.body.size for robot in robots], default=0) + _MARGIN
    pairs: list[tuple[int, int]] = []
    for position, first in enumerate(order, 1):
        x, y = xs[first], ys[first]
        end = x + reach
        for second in order[position:]:
            if xs[second] > end:
                break
            if -reach < ys[second] - y < reach and (
                math.sqrt((xs[second] - x) ** 2 + (ys[second] - y) ** 2)
                < robots[first].body.size + robots[second].body.size
            ):
                pairs += ((first, second), (second, first))
    pairs.sort()
    return pairs
