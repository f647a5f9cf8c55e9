"""Results of a season that matter for strengths, as far as they were read: a long history is read once and then
extended.

It follows from the database and is kept in memory alone, for as long as the season stays open. What was read in a
transaction that is rolled back must be let go with it.

Source: RATINGS, section 7.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from botleague.ratings import PAIRING_ACCURACY, Columns, Fit, Result, Tie, evidence, most_likely
from botleague_storage.league_rows.fixtures import Match

Game: TypeAlias = tuple[str | int, ...]
"""A digest of all messages in a match, "" if it is not known, and the versions by seat."""

Played: TypeAlias = tuple[tuple[Match, ...], Result]
"""The matches of a contest, and their result as ratings take it."""


class Gathered(msgspec.Struct):
    """Results up to a match, as evidence.

    Attributes:
        covered: how many fixtures from ordinal 0 were read.
        event: the last event of those that take results out, or give them back, by then.
        units: mirrored sets; one that repeats an earlier one move for move only once.
        games: how many matches of each version count.
        repeats: how many sets were left out because they repeat another.
        held: contests after those that are covered, in order, until their round is complete.
        recent: finished matches of the last rounds without a gap, for planning by formats with a window.
        recent_event: the last event of any kind by then.
    """

    covered: int = 0
    event: int = 0
    units: Columns = msgspec.field(default_factory=Columns)
    games: Counter[int] = msgspec.field(default_factory=Counter)
    repeats: int = 0
    held: list[Played] = msgspec.field(default_factory=list)
    recent: list[Match] = msgspec.field(default_factory=list)
    recent_event: int = 0
    _seen: set[bytes] = msgspec.field(default_factory=set)
    _untied: Fit | None = None

    def add(self, played: Sequence[tuple[int, Result]], games: Iterable[tuple[int, Game]]) -> None:
        """Add everything that counts in a round.

        Args:
            played: (group, result) of each contest.
            games: (group, game) of each match; or nothing if no game is known.
        """
        repeats = repeated_groups(games, self._seen)
        self.repeats += len(repeats)
        groups = {result.match: group for group, result in played}
        self.games.update([int(side.members[0]) for _, result in played for side in result.sides])
        new = [result for group, result in played if group not in repeats]
        self.units.add(evidence(new, lambda result: groups[result.match]))
        self._untied = None

    def fit(self, tie: Tie | None = None) -> Fit:
        """Return the strengths by these results, as exact as pairings and rounded tables need."""
        if tie is not None and tie.games and tie.lineages:
            return most_likely(self.units, tie=tie, converged=PAIRING_ACCURACY)
        if self._untied is None:
            self._untied = most_likely(self.units, converged=PAIRING_ACCURACY)
        return self._untied


def repeated_groups(games: Iterable[tuple[int, Game]], digests: set[bytes]) -> set[int]:
    """Return the groups whose games were all played in an earlier group, in the same order.

    Args:
        games: with their groups, in order.
        digests: a digest of each earlier group; those of these groups are added.
    """
    members: dict[int, list[Game]] = {}
    for group, game in games:
        members.setdefault(group, []).append(game)
    repeats = set()
    for group, played in members.items():
        if all(digest for digest, *_ in played):
            key = hashlib.blake2b(repr(played).encode(), digest_size=16).digest()
            if key in digests:
                repeats.add(group)
            digests.add(key)
    return repeats
