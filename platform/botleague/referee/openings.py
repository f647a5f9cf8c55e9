"""Openings: the first turns of a match, which the referee plays by lot, before anybody is briefed.

In a game without chance two bots that draw no lots play the same match whatever its seed, and a match that is repeated
tells nothing new. An opening makes another game of every seed. It follows from variant and seed alone, so every
rotation of a mirrored set has the same one: who profits from it in one match suffers from it in the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import TypeAlias

import msgspec

from botleague.errors import UsageError
from botleague.plugins.boundary import Boundary
from botleague.rules import Move, Reply, Variant

Opening: TypeAlias = tuple[Mapping[int, Reply], ...]
"""The replies of the first turns, by seat."""

MOST_OPENING_TURNS = 100
"""Turns a seat; more than that is no opening."""


def check_openings(variant: Variant, turns: int) -> None:
    """Refuse openings that a variant cannot have.

    Args:
        turns: a seat; 0 for none.

    Raises:
        UsageError: it has none, or not of so many turns.
    """
    if not 0 <= turns <= MOST_OPENING_TURNS:
        raise UsageError(f"--openings {turns}: turns a seat are from 0 to {MOST_OPENING_TURNS}.")
    if not turns or variant.opening_turns is not None:
        return
    why = (
        "chance makes its matches differ"
        if variant.has_chance
        else "its bots are asked from the first turn on"
    )
    raise UsageError(f"--openings {turns}: {variant.name} has no openings, {why}. Leave the option out.")


def draw_opening(variant: Variant, seed: int, seats: int, turns: int) -> Opening:
    """Return the opening of a match, drawn by ``Rules.sample``. It ends early rather than end the match.

    Args:
        variant: one with openings.
        seed: of the match.
        seats: in the match.
        turns: that a seat has in it, at most.

    Raises:
        PluginError: the rules failed.
    """
    if not turns:
        return ()
    rules, rng, lots = variant.rules, Random(seed), Random(f"opening of {seed}")
    found: list[Mapping[int, Reply]] = []
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
                found.append(replies)
    return tuple(found)


def as_received(variant: Variant, value: object) -> Move:
    """Return a move as if a bot had sent it, and as a record gives it back."""
    return Move(msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=variant.move_type))
