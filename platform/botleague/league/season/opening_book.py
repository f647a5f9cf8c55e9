"""Seeds of mirrored sets, computed from the season's; no two sets of the same bots start with the same opening.

Openings are drawn by the seed of their set. Where an earlier set of the same bots began with the same one, the set gets
the next seed of its own that begins otherwise. So openings are drawn without replacement within a pairing, and which
ones depends on the season's seed and on earlier sets, never on running, killed or resumed matches.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Set

import msgspec

from botleague.league.season.seeds import group_seed
from botleague.referee import draw_opening
from botleague.rules import Move, Variant
from botleague.rules.formats import Format
from botleague_storage.league_rows.fixtures import Match

MAX_DRAWS = 64
"""Number of seeds that are tried for a set. If none is new, nearly all openings of the game have been played."""


def default_openings(variant: Variant, form: Format) -> int:
    """Return a league's default number of random turns per seat."""
    return variant.opening_turns or 0 if form.meets_again else 0


def possible_seeds(season_seed: int, group: int, openings: int) -> list[int]:
    """Return every seed that a set may have, by its group alone; ``openings`` are turns per seat."""
    return [group_seed(season_seed, group, draw) for draw in range(MAX_DRAWS if openings else 1)]


def unused_seed(
    season_seed: int, group: int, opening_of: Callable[[int], Hashable], used: Set[Hashable]
) -> int:
    """Return the first seed of a set whose opening is not among those ``used``; its first one if all are used.

    Args:
        opening_of: tells openings apart, by the seeds that draw them.
        used: in earlier sets of the same bots.
    """
    first = group_seed(season_seed, group)
    if opening_of(first) not in used:
        return first
    later = (group_seed(season_seed, group, draw) for draw in range(1, MAX_DRAWS))
    return next((seed for seed in later if opening_of(seed) not in used), first)


class OpeningBook:
    """The openings of one season by the seeds that draw them, each drawn once.

    Args:
        variant: one with openings.
        seats: in a match.
        turns: a seat.
    """

    def __init__(self, variant: Variant, seats: int, turns: int) -> None:
        self._variant = variant
        self._seats = seats
        self._turns = turns
        self._known: dict[int, bytes] = {}

    def __getitem__(self, seed: int) -> bytes:
        """Return a digest of the opening that ``seed`` draws."""
        if seed not in self._known:
            opening = draw_opening(self._variant, seed, self._seats, self._turns)
            moves = [[(seat, _value(reply)) for seat, reply in turn.items()] for turn in opening]
            self._known[seed] = hashlib.sha256(msgspec.msgpack.encode(moves)).digest()[:16]
        return self._known[seed]


class SetSeeds:
    """Gives the sets of a season their seeds, in the order in which they are planned.

    Args:
        season_seed: the season's.
        book: None for a season without openings.
        known: the matches before.
        entrant_of: the number of an entrant, by version.
    """

    def __init__(
        self,
        season_seed: int,
        book: OpeningBook | None,
        matches: Iterable[Match],
        entrant_of: Callable[[int], int],
    ) -> None:
        self._seed = season_seed
        self._book = book
        self._used: dict[frozenset[int], set[bytes]] = {}
        if book is None:
            return
        there: dict[int, tuple[int, set[int]]] = {}
        for match in matches:
            there.setdefault(match.group, (match.seed, set()))[1].update(map(entrant_of, match.versions))
        for seed, entrants in there.values():
            self._used.setdefault(frozenset(entrants), set()).add(book[seed])

    def draw(self, group: int, entrants: Iterable[int]) -> int:
        """Return the seed of the next set.

        Args:
            entrants: who sits in its matches.
        """
        if self._book is None:
            return group_seed(self._seed, group)
        used = self._used.setdefault(frozenset(entrants), set())
        seed = unused_seed(self._seed, group, self._book.__getitem__, used)
        used.add(self._book[seed])
        return seed


def _value(reply: object) -> object:
    assert isinstance(reply, Move), "openings hold moves"
    return reply.value
