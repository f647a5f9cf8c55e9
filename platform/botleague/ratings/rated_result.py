"""Input and output of rating systems: results of matches, and ratings.

A result says who took part and who finished before whom, nothing else. Its sequence number is given when the
match is created, so the order of results does not depend on which match was quick.

Source: RATINGS, section 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

import msgspec

Status: TypeAlias = Literal["ok", "void"]

PROVISIONAL_GAMES = 30
"""Below this many rated matches a rating is marked, and not eligible for titles (RATINGS, section 3)."""


NO_FAULTS: Mapping[str, int] = MappingProxyType({})


class RatingError(ValueError):
    """Results or parameters from which no rating follows; the message says which and why."""


class Side(NamedTuple):
    """One side of a match. What follows the rank changes no rating: tables add it up.

    Attributes:
        members: identities of the bot versions on this side, in record order.
        rank: 1 is best, equal ranks tie, gaps carry no meaning.
        score: in the game's own unit.
        forfeit: whether it lost by its faults.
        faults: how many of each kind.
        cpu_ms: CPU milliseconds used.
    """

    members: tuple[str, ...]
    rank: int
    score: float = 0.0
    forfeit: bool = False
    faults: Mapping[str, int] = NO_FAULTS
    cpu_ms: float = 0.0


class Result(msgspec.Struct, frozen=True):
    """One finished match. It is made faster than a dataclass: a history has millions.

    Attributes:
        match: the match's unique identity.
        sequence: place in the order of creation; the fold goes by it.
        sides: in record order.
        status: a ``void`` match (the system failed, or a bot was disqualified) changes no rating.
        set_size: number of matches scheduled with the same seed, this one included: they share luck.
    """

    match: str
    sequence: int
    sides: tuple[Side, ...]
    status: Status = "ok"
    set_size: int = 1


class Rating(msgspec.Struct, frozen=True):
    """A number for people, with how far to trust it.

    Attributes:
        value: the rating on the system's own scale.
        deviation: its standard error on that scale, None where the system knows none (Elo).
        games: rated matches behind it.
        provisional: shown with a mark: too few matches.
    """

    value: float
    deviation: float | None
    games: int
    provisional: bool

    def __str__(self) -> str:
        """Round half to even, as nothing else is rounded anywhere: ``1516``, ``1464±152?``."""
        spread = "" if self.deviation is None else f"±{round(self.deviation)}"
        return f"{round(self.value)}{spread}{'?' if self.provisional else ''}"


def is_rated(result: Result) -> bool:
    """Whether ``result`` is evidence: not void, and no version met itself.

    A match of one side compares no bots, so it is not rated either.

    Raises:
        RatingError: a side without members, or with one of them twice.
    """
    sides = result.sides
    if result.status != "ok" or len(sides) < 2:
        return False
    if len(sides) == 2 and len(sides[0].members) == 1 == len(sides[1].members):
        return sides[0].members[0] != sides[1].members[0]
    names: set[str] = set()
    for side in sides:
        if not side.members or len(set(side.members)) != len(side.members):
            raise RatingError(
                f"match {result.match!r}: a side needs one or more different members, not {side.members!r}"
            )
        names.update(side.members)
    return len(names) == sum(len(side.members) for side in sides)
