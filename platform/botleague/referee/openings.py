"""Openings: the first turns of a match, which the referee plays at random before the briefing.

In a game without chance, two deterministic bots play the same match for every seed, and repeated matches
give no new information. An opening makes a different game of every seed. It is computed from variant and seed alone, so
every rotation of a mirrored set has the same opening: an advantage in one match is a disadvantage in the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import TypeAlias

from botleague.errors import UsageError
from botleague.plugins.boundary import Boundary
from botleague.rules import Move, Reply, Variant
from botleague.rules.storable import typed

Opening: TypeAlias = tuple[Mapping[int, Reply], ...]
"""The replies of the first turns, by seat."""

MAX_OPENING_TURNS = 100
"""Maximum number of opening turns per seat."""


def check_openings(variant: Variant, turns: int) -> None:
    """Refuse openings that a variant does not support.

    Args:
        turns: per seat; 0 for no opening.

    Raises:
        UsageError: the variant has no openings, or the number of turns is invalid.
    """
    if not 0 <= turns <= MAX_OPENING_TURNS:
        raise UsageError(f"--openings must be from 0 to {MAX_OPENING_TURNS} turns per seat, not {turns}.")
    if not turns or variant.opening_turns is not None:
        return
    why = "chance makes its matches differ" if variant.has_chance else "its bots act from the first turn on"
    raise UsageError(f"--openings {turns}: {variant.name} has no openings, {why}. Leave the option out.")


def draw_opening(variant: Variant, seed: int, seats: int, turns: int) -> Opening:
    """Return the opening of a match, drawn by ``Rules.sample``. It is shortened if it would end the match.

    Args:
        variant: a variant with openings.
        seed: of the match.
        seats: in the match.
        turns: maximum number of turns per seat.

    Raises:
        PluginError: the rules failed.
    """
    if not turns:
        return ()
    rules, rng, lots = variant.rules, Random(seed), Random(f"opening of {seed}")
    opening: list[Mapping[int, Reply]] = []
    played: Counter[int] = Counter()
    with Boundary("rules of", variant.name):
        state = rules.start([None] * seats, rng)
        acting = rules.acting(state)
        while acting and all(played[seat] < turns for seat in acting):
            replies = {seat: as_received(variant, rules.sample(state, seat, lots)) for seat in acting}
            played.update(acting)
            state = rules.apply(state, replies, rng)
            acting = rules.acting(state)
            if acting:
                opening.append(replies)
    return tuple(opening)


def as_received(variant: Variant, value: object) -> Move:
    """Return a move as it is after its way through the wire format or a record."""
    return Move(typed(value, variant.move_type))
