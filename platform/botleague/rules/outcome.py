"""Outcome of a match for every seat."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

__all__ = ["Outcome", "places_by_score", "seat_name", "with_names"]

_PLACEHOLDER = re.compile(r"\{seat ([0-9]{1,4})\}")


class Outcome(msgspec.Struct, frozen=True):
    """The end of one match.

    Attributes:
        places: one per seat, 1 is best, equal numbers are a tie, gaps carry no meaning.
        scores: one per seat, in the game's own unit; for tables and statistics, not for ratings.
        reason: one sentence for people on why the match ended so. Rules do not know the names of bots; they write
            :func:`seat_name` in their place.
        forfeits: seats that lost by their own faults and not in play, in seat order.

    Raises:
        ValueError: the lengths differ, a place is below 1, no seat is first, or a seat does not exist.
    """

    places: tuple[int, ...]
    scores: tuple[float, ...]
    reason: str = ""
    forfeits: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.places) != len(self.scores):
            raise ValueError(f"{len(self.places)} places but {len(self.scores)} scores")
        if self.places and min(self.places) != 1:
            raise ValueError(f"places {self.places} must start at 1")
        if any(seat not in range(len(self.places)) for seat in self.forfeits):
            raise ValueError(f"forfeits {self.forfeits} name a seat that does not exist")


def places_by_score(keys: Sequence[object]) -> tuple[int, ...]:
    """Return the place of each seat; a greater key is better, and equal keys tie (1, 2, 2, 4).

    Args:
        keys: one comparable value per seat: a score, or a tuple of criteria in order of weight.
    """
    return tuple(1 + sum(other > key for other in keys) for key in keys)  # type: ignore[operator]  # comparable by contract


def seat_name(seat: int) -> str:
    """Return the placeholder for the name of the bot on ``seat`` in reasons and captions, "{seat 0}"."""
    return f"{{seat {seat}}}"


def with_names(text: str, names: Sequence[str]) -> str:
    """Return ``text`` with the names of bots, by seat, in place of the results of :func:`seat_name`."""
    return _PLACEHOLDER.sub(
        lambda match: names[int(match[1])] if int(match[1]) < len(names) else f"seat {match[1]}", text
    )
