"""Brackets as values: the known encounters of a knockout and the settled places."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

BYE = -1
"""Placeholder for a missing entrant: an unused seed number, or the loser of an encounter with only one entrant."""

Score: TypeAlias = tuple[float, float]


def encounter_label(encounters: int, number: int) -> str:
    """Return the label of an encounter, like "semi-final 2".

    Args:
        encounters: of its round in a full bracket, a power of two.
        number: of the encounter in its round, from 1.
    """
    names = {1: "final", 2: f"semi-final {number}", 4: f"quarter-final {number}"}
    return names.get(encounters, f"round of {2 * encounters}, {number}")


class Slot(msgspec.Struct, frozen=True):
    """An encounter of a bracket, as far as it is known.

    Attributes:
        round: counted from 1.
        label: text for people, like "semi-final 2".
        sides: entrants, :data:`BYE` for a missing one, None while open.
        winner: the entrant who advances, None while open; BYE if both sides are missing.
        score: sets won by each side, (0, 0) if no set was needed; a set is two games with sides changed.
        needed: whether the encounter is or was played; False for a walkover or an unnecessary decider.
        reason: why the winner advances if the score does not show it, like "as the better seed"; else empty.
        games: games won by each side, a draw as half.
        match_round: the round of its matches, None for ``round``.
    """

    round: int
    label: str
    sides: tuple[int | None, int | None]
    winner: int | None
    score: Score = (0, 0)
    needed: bool = True
    reason: str = ""
    games: Score = (0, 0)
    match_round: int | None = None

    @property
    def loser(self) -> int | None:
        """The side that did not win, None while open."""
        if self.winner is None:
            return None
        return self.sides[1] if self.winner == self.sides[0] else self.sides[0]


class Bracket(msgspec.Struct, frozen=True):
    """A bracket, filled in from the results so far.

    Attributes:
        slots: in the order of the encounters.
        places: settled places by entrant.
        seeds: seed numbers from 1 by entrant; empty without seeds.
    """

    slots: tuple[Slot, ...]
    places: dict[int, int]
    seeds: dict[int, int] = msgspec.field(default_factory=dict)

    @property
    def champion(self) -> int | None:
        """The entrant in first place, None while open."""
        return next((entrant for entrant, place in self.places.items() if place == 1), None)
