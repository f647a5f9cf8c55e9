"""Divisions: any format, played in each division separately, so that entrants of different divisions do not meet."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from botleague.rules.formats import Entrant, Format, GroupResult, Pairing, Plan


def plan_divisions(
    format: Format, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int
) -> Plan:
    """Return the matches of all divisions; final once every division's plan is.

    Groups of all divisions share one numbering, in which they alternate. A division has its place in it by its first
    entrant, so new divisions must not open in the middle of a contest. Raises as :meth:`Format.plan`.
    """
    divisions = list(dict.fromkeys(entrant.division for entrant in entrants))
    if len(divisions) <= 1:
        return _planned(format, entrants, results, seed)
    pairings: list[Pairing] = []
    is_final = True
    for position, division in enumerate(divisions):
        members, own = division_results(entrants, results, division)
        inside = [_inside(entrants[member], len(divisions)) for member in members]
        plan = _planned(format, inside, own, seed)
        is_final = is_final and plan.is_final
        pairings += [
            msgspec.structs.replace(
                pairing,
                seats=tuple(members[seat] for seat in pairing.seats),
                group=(pairing.group - 1) * len(divisions) + position + 1,
                label=f"{division}: {pairing.label}" if division else pairing.label,
            )
            for pairing in plan.pairings
        ]
    return Plan(tuple(pairings), is_final)


def _planned(format: Format, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
    # Tuples: the seats of a plan are places in this order, which a format could otherwise change by sorting.
    plan: object = format.plan(tuple(entrants), tuple(results), seed)
    if not isinstance(plan, Plan):
        raise TypeError(f"plan returned {plan!r}, which is not a Plan")
    return plan


def division_results(
    entrants: Sequence[Entrant], results: Sequence[GroupResult], division: str
) -> tuple[list[int], list[GroupResult]]:
    """Return who is in ``division``, and its results as the inner format knows them.

    In the results entrants are numbered by their place in the first list, and groups as if there were no other
    division: what standings and brackets of one division are made from.
    """
    divisions = list(dict.fromkeys(entrant.division for entrant in entrants)) or [""]
    position = divisions.index(division)
    members = [one for one, entrant in enumerate(entrants) if entrant.division == division]
    local = {member: number for number, member in enumerate(members)}
    own = [
        GroupResult(
            group=(result.group - 1) // len(divisions) + 1,
            round=result.round,
            games=tuple(
                msgspec.structs.replace(game, seats=tuple(local[seat] for seat in game.seats))
                for game in result.games
            ),
        )
        for result in results
        if (result.group - 1) % len(divisions) == position
    ]
    return members, own


def _inside(entrant: Entrant, divisions: int) -> Entrant:
    """Return an entrant with groups numbered as if there were no other division."""
    return msgspec.structs.replace(
        entrant, former=frozenset((group - 1) // divisions + 1 for group in entrant.former)
    )
