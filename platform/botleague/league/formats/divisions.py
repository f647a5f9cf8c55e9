"""Divisions: any format held in each division by itself, so that entrants of different divisions do not meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from botleague.rules.formats import Entrant, Format, GroupResult, Pairing, Plan

__all__ = ["Divided", "division_results"]


@dataclass(frozen=True, slots=True)
class Divided:
    """``inner`` in each division. Groups of all divisions share one numbering, in which they alternate."""

    inner: Format

    @property
    def name(self) -> str:
        """The name of the inner format."""
        return self.inner.name

    @property
    def summary(self) -> str:
        """The summary of the inner format."""
        return f"{self.inner.summary}, in each division by itself"

    @property
    def live_ratings(self) -> bool:
        """As the inner format wants them."""
        return self.inner.live_ratings

    @property
    def window(self) -> int:
        """As the inner format reads them."""
        return self.inner.window

    @property
    def takes_newcomers(self) -> bool:
        """As the inner format does."""
        return bool(getattr(self.inner, "takes_newcomers", False))

    def plan(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
        """Return the matches of all divisions; final once every division's plan is.

        A division has its place in the numbering by its first entrant, so new divisions must not open in the
        middle of a contest. Raises FormatError as the inner format does.
        """
        divisions = list(dict.fromkeys(entrant.division for entrant in entrants))
        pairings: list[Pairing] = []
        is_final = True
        for position, division in enumerate(divisions):
            members, own = division_results(entrants, results, division)
            plan = self.inner.plan([entrants[member] for member in members], own, seed)
            is_final = is_final and plan.is_final
            pairings += [
                replace(
                    pairing,
                    seats=tuple(members[seat] for seat in pairing.seats),
                    group=(pairing.group - 1) * len(divisions) + position + 1,
                    label=f"{division}: {pairing.label}" if division else pairing.label,
                )
                for pairing in plan.pairings
            ]
        return Plan(tuple(pairings), is_final)


def division_results(
    entrants: Sequence[Entrant], results: Sequence[GroupResult], division: str
) -> tuple[list[int], list[GroupResult]]:
    """Return who is in ``division``, and its results as the inner format knows them.

    In the results entrants are numbered by their place in the first list, and groups as if there were no other
    division: what standings and brackets of one division are made from.
    """
    divisions = list(dict.fromkeys(entrant.division for entrant in entrants))
    position = divisions.index(division)
    members = [one for one, entrant in enumerate(entrants) if entrant.division == division]
    local = {member: number for number, member in enumerate(members)}
    own = [
        GroupResult(
            group=(result.group - 1) // len(divisions) + 1,
            round=result.round,
            games=tuple(
                replace(game, seats=tuple(local[seat] for seat in game.seats)) for game in result.games
            ),
        )
        for result in results
        if (result.group - 1) % len(divisions) == position
    ]
    return members, own
