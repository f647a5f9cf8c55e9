"""Knock-out brackets: who meets whom, given a ranking.

Source: rules/pelita.md, section 15.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

BracketRule = Literal["classic", "v27"]


@dataclass(frozen=True, slots=True)
class Seed:
    """A place of the bracket that a team starts from."""

    team: str


@dataclass(frozen=True, slots=True)
class Bye:
    """The winner of ``of`` advances without playing."""

    of: Bracket


@dataclass(frozen=True, slots=True)
class Contest:
    """The teams that come from both sides meet."""

    upper: Bracket
    lower: Bracket


Bracket: TypeAlias = Seed | Bye | Contest


def bracket(ranking: Sequence[str], rule: BracketRule = "classic", *, bonus: bool = False) -> Bracket:
    """Return the bracket of ``ranking``, best team first.

    Args:
        ranking: the teams.
        rule: ``classic`` pairs neighbours of the list first-last, second-last-but-one, ...; ``v27`` halves the
            ranking so that the best two can meet in the final only.
        bonus: the last team is set aside and plays the winner of the others in a final match.

    Raises:
        ValueError: there is no team.
    """
    if not ranking:
        raise ValueError("a knock-out needs at least one team")
    teams = list(ranking)
    late = teams.pop() if bonus and len(teams) > 1 else None
    tree = _classic(teams) if rule == "classic" else _halved(teams)
    return tree if late is None else Contest(tree, _waiting(Seed(late), height(tree)))


def height(tree: Bracket) -> int:
    """Return after how many rounds ``tree`` has a winner; a bye is a round."""
    match tree:
        case Contest(upper, lower):
            return 1 + max(height(upper), height(lower))
        case Bye(of):
            return 1 + height(of)
        case Seed():
            return 0


def levels(tree: Bracket) -> list[list[Contest]]:
    """Return the contests in the order of play: those of equal height together, left to right."""
    contests: list[list[Contest]] = [[] for _ in range(height(tree) + 1)]
    for contest in _contests(tree):
        contests[height(contest)].append(contest)
    return contests


def _contests(tree: Bracket) -> Iterator[Contest]:
    match tree:
        case Contest(upper, lower):
            yield from _contests(upper)
            yield from _contests(lower)
            yield tree
        case Bye(of):
            yield from _contests(of)


def _waiting(tree: Bracket, rounds: int) -> Bracket:
    for _ in range(rounds):
        tree = Bye(tree)
    return tree


def _classic(teams: Sequence[str]) -> Bracket:
    half, odd = divmod(len(teams), 2)
    paired = teams[: 2 * half]
    row: list[Bracket] = [Contest(Seed(paired[n]), Seed(paired[-1 - n])) for n in range(half)]
    if odd:
        row.append(_waiting(Seed(teams[-1]), 1) if row else Seed(teams[-1]))
    while len(row) > 1:
        pairs: list[Bracket] = [Contest(row[n], row[n + 1]) for n in range(0, len(row) - 1, 2)]
        if len(row) % 2:
            pairs.append(Bye(row[-1]))
        row = pairs
    return row[0]


def _halved(teams: Sequence[str]) -> Bracket:
    tree = _halve(teams)
    if tree is None:
        # With 7 teams the original leaves a place empty and breaks; full rounds never do.
        full = 1 << (len(teams) - 1).bit_length()
        tree = _halve([*teams, *[None] * (full - len(teams))])
    assert tree is not None, "a bracket of a power of two is never broken"
    return tree


def _halve(places: Sequence[str | None]) -> Bracket | None:
    """Return the bracket of ``places``, of which some are empty; None if a part has no team."""
    if len(places) == 1:
        return None if places[0] is None else Seed(places[0])
    empty = len(places) - (1 << (len(places).bit_length() - 1))
    padded = [*places, *[None] * empty]
    upper = [place for n, place in enumerate(padded) if n % 4 in (0, 3)]
    lower = [place for n, place in enumerate(padded) if n % 4 in (1, 2)]
    if len(padded) == 2:
        present = [Seed(place) for place in padded if place is not None]
        if len(present) == 2:
            return Contest(*present)
        return Bye(present[0]) if present else None
    first, second = _halve(upper), _halve(lower)
    return None if first is None or second is None else Contest(first, second)
