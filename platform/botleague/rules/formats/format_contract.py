"""Contract of formats: pairings as a pure function of the results so far.

A format is a value made of its options. :meth:`Format.plan` takes the entrants, the results so far and the league's
seed, and returns the pairings that are known now. It stores nothing between calls, so an interrupted league
resumes at the same point: the same arguments give the same plan.

Entrants are identified by their index everywhere. The unit of planning is the *group*, a mirrored set: the same
entrants with the same match seed, each once on every seat.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal

import msgspec

from botleague.rules.formats.brackets import Bracket
from botleague.rules.options import Options

EntrantRatings = Literal["start", "online", "batch"]
"""Ratings for pairing: from the season's start, current online ratings, or fitted to all results so far.

Batch ratings are internal: Elo points with mean 0, each with the deviation of the entrant's own matches."""

TableKind = Literal["online", "batch", "points"]
"""Sort key of the standings: the online rating, the batch rating, or points won less penalties.

With points, the settled places of a bracket come first."""

TieBreakName = Literal["buchholz", "buchholz_cut_1", "sonneborn_berger", "direct_encounter", "wins", "score"]
"""Criterion that separates equal points; :data:`botleague.formats.TIE_BREAKS` explains each."""

Leaving = Literal["annul", "forfeit", "half"]
"""Effect of a bot's leaving on its opponents.

``annul``: all its results are removed. ``forfeit``: its opponents win its unplayed matches. ``half``: ``annul`` if
less than half of its matches was played, else ``forfeit``.

If a bot is disqualified in a format with a :attr:`Format.round_worth`, ``forfeit`` gives its opponents every set
that was paired against it, played or not. There ``half`` counts the rounds played."""

MAX_PAIRINGS = 2_000_000
"""Maximum number of pairings of one plan, which is made in one call and in memory."""


NewVersions = Literal["replace", "hold"]
"""Effect of a new version that is submitted during a season.

``replace``: the bot uses it from the first mirrored set that has not started. ``hold``: the season continues with its
versions, and the newest version enters the next season."""


class FormatError(ValueError):
    """Entrants or results that a format cannot use; the message names the correction."""


class Entrant(msgspec.Struct, frozen=True):
    """A bot of a season, independent of its version.

    Attributes:
        bot: its name, also printed in tables.
        rating: for seeding and matchmaking, of the kind :attr:`Format.entrant_ratings`.
        deviation: the rating's standard error, None if the rating system has no such value.
        games: rated matches behind the rating.
        division: entrants of different divisions do not meet.
        joined: the first round in which the entrant is paired, counted from 1.
        left: the last round in which it is paired, None while it takes part.
        away: earlier rounds in which it did not take part, as half-open ranges; it is never paired in them.
        former: groups that it played with an earlier version than the current one. Formats that measure
            versions plan them again under other numbers; all other formats treat them as ordinary results.
    """

    bot: str
    rating: float = 1500.0
    deviation: float | None = None
    games: int = 0
    division: str = ""
    joined: int = 1
    left: int | None = None
    away: tuple[tuple[int, int], ...] = ()
    former: frozenset[int] = frozenset()

    def plays_in(self, round: int) -> bool:
        """Return whether the entrant may be paired in ``round``."""
        was_away = any(first <= round < back for first, back in self.away)
        return self.joined <= round and (self.left is None or round <= self.left) and not was_away


class Pairing(msgspec.Struct, frozen=True):
    """One scheduled match.

    Attributes:
        seats: the entrant on each seat.
        round: counted from 1.
        group: the mirrored set it belongs to, unique in the league and counted from 1: all pairings of a group
            are played with the same seed.
        label: text for people, like "semi-final 1, set 2".
        seed: of the match, for formats that draw seeds themselves; None for the seed of the group.
    """

    seats: tuple[int, ...]
    round: int
    group: int
    label: str
    seed: int | None = None


class Game(msgspec.Struct, frozen=True):
    """The result of one pairing.

    Attributes:
        seats: the entrant on each seat.
        places: one per seat, 1 is best, equal places tie.
        scores: one per seat in the game's own unit, empty if no scores were stored.
        is_walkover: the match was not played because an entrant was out; the present entrant won.
    """

    seats: tuple[int, ...]
    places: tuple[int, ...]
    scores: tuple[float, ...] = ()
    is_walkover: bool = False

    def points(self) -> tuple[float, ...]:
        """Return one number per seat from 0 to 1: the share of opponents beaten, with ties counting half.

        With two seats that is 1, 1/2 or 0. A seat without opponents gets 1/2.
        """
        others = len(self.places) - 1
        if not others:
            return (0.5,)
        return tuple(
            (sum(place < other for other in self.places) + (self.places.count(place) - 1) / 2) / others
            for place in self.places
        )


class GroupResult(msgspec.Struct, frozen=True):
    """A mirrored set with all matches finished. Void matches are played again and are not included."""

    group: int
    round: int
    games: tuple[Game, ...]

    def points(self) -> dict[int, float]:
        """Return the points of each entrant in all games of the group."""
        total: dict[int, float] = {}
        for game in self.games:
            for entrant, points in zip(game.seats, game.points(), strict=True):
                total[entrant] = total.get(entrant, 0.0) + points
        return total


class Plan(msgspec.Struct, frozen=True):
    """The pairings that are known now.

    Attributes:
        pairings: every match of the known groups without a result, in playing order.
        is_final: no further pairings will follow; the league ends when these are played.
    """

    pairings: tuple[Pairing, ...]
    is_final: bool


class Bye(msgspec.Struct, frozen=True):
    """A round in which an entrant took part without an opponent.

    Attributes:
        entrant: its index.
        round: counted from 1.
        points: the entrant's points for the round.
    """

    entrant: int
    round: int
    points: float


class Format(Options, frozen=True):
    """Base class of formats: a plugin offers subclasses from ``botleague_formats``.

    The fields of a subclass are its options, see :mod:`botleague.rules.options`. An option named ``seats`` receives
    the number of bots in one match; a format without it plays matches of two. Only ``name``, ``summary`` and
    :meth:`plan` are required. All other properties have defaults; a subclass overrides those that differ,
    as ``takes_newcomers = True``, or as a property if the value depends on the options.
    """

    name: ClassVar[str]
    """Name for organisers, for example ``swiss``."""
    summary: ClassVar[str]
    """One sentence for a list."""

    @property
    def entrant_ratings(self) -> EntrantRatings:
        """Kind of ratings passed with entrants at every call.

        A bracket seeded by ratings needs the same ratings at every call: those of the season's start.
        """
        return "start"

    @property
    def pairs_by_start(self) -> bool:
        """Whether pairings depend on the ratings of the season's start, or on their sources.

        If so, and if bots do not all start with equal ratings, batch tables do not estimate the spread of the field. A
        format whose pairings depend only on chance and on results of the season returns False.
        """
        return True

    @property
    def window(self) -> int:
        """Number of last rounds that a plan reads, 0 for all. A small window saves loading a long history."""
        return 0

    @property
    def takes_newcomers(self) -> bool:
        """Whether entrants may be added during the season; if not, only before its first match."""
        return False

    @property
    def is_endless(self) -> bool:
        """Whether there is no last round: the organiser chooses the number of rounds at each run."""
        return False

    @property
    def meets_again(self) -> bool:
        """Whether the same entrants may meet in more than one mirrored set.

        In games without chance such leagues start matches with openings by default.
        """
        return False

    @property
    def is_ranked_by_round(self) -> bool:
        """Whether the batch table is computed after each complete round, and shown until the next one is complete.

        For endless leagues: results of years need not be fitted at every request.
        """
        return False

    @property
    def last_round(self) -> int | None:
        """The last planned round, None if there is no such round or if results decide it."""
        return None

    @property
    def has_bracket(self) -> bool:
        """Whether the format is or ends with a tree, returned by :meth:`bracket`."""
        return False

    @property
    def draws_seeds(self) -> bool:
        """Whether pairings have their own seeds; if not, each seed is computed from the season's seed and the group."""
        return False

    @property
    def pool(self) -> int:
        """Number of leading entrants that form a fixed pool of opponents for all others; 0 for no pool."""
        return 0

    @property
    def measures_versions(self) -> bool:
        """Whether a new version meets all opponents again, and a returning version only those it has not met."""
        return False

    @property
    def default_table(self) -> TableKind:
        """Default sort key of a league's standings."""
        return "points"

    @property
    def tie_breaks(self) -> tuple[TieBreakName, ...]:
        """Default criteria that separate equal points, the most important first."""
        return ("direct_encounter", "sonneborn_berger", "wins")

    @property
    def round_worth(self) -> float | None:
        """Points for winning a round, if tie-breaks count a round without a match as one against a virtual opponent.

        None if they do not: then a match that was not played counts as won by the present entrant.
        """
        return None

    @property
    def default_leaving(self) -> Leaving:
        """Default effect of a bot's leaving on its opponents."""
        return "forfeit"

    @property
    def default_new_versions(self) -> NewVersions:
        """Default effect of versions that are submitted during a season."""
        return "hold"

    def round_count(self, entrants: Sequence[Entrant]) -> int | None:
        """Return the number of rounds for these entrants; None if unknown in advance."""
        return self.last_round

    def match_count(self, entrants: Sequence[Entrant]) -> tuple[int, int] | None:
        """Return the least and most matches of a whole season, if these entrants stay; None if unknown in advance.

        Only for formats that do not plan all matches at once.
        """
        return None

    def plan(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
        """Return the matches to play next.

        Args:
            entrants: in order of entry; new entrants are appended, and no entrant is ever removed.
            results: of all finished groups, or of those in the :attr:`window`, in any order.
            seed: source of random decisions.

        Raises:
            FormatError: too few entrants, or results that this format has not planned.
        """
        raise NotImplementedError(f"the format {self.name} has no plan")

    def byes(self, entrants: Sequence[Entrant], results: Sequence[GroupResult]) -> Sequence[Bye]:
        """Return every bye of the finished rounds; standings include its points."""
        return ()

    def bracket(
        self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int
    ) -> Bracket | None:
        """Return the bracket for the results so far; its places come first in the standings. None before it begins.

        Called only if :attr:`has_bracket` is true.

        Raises:
            FormatError: as :meth:`plan`.
        """
        return None


def mirrored(seats: Sequence[int], round: int, group: int, label: str) -> tuple[Pairing, ...]:
    """Return the mirrored set of ``seats``: as many pairings as seats, with each entrant once on every seat.

    Each entrant also sits directly after each other entrant equally often. An even number of seats needs one set for
    this; an odd number needs two, of which one has an even ``group``.

    Source: E. J. Williams, Experimental designs balanced for the estimation of residual effects of treatments,
    Australian Journal of Scientific Research A 2, 1949.
    """
    number = len(seats)
    steps = [(place + 1) // 2 if place % 2 else -(place // 2) for place in range(number)]
    if number % 2 and group % 2 == 0:
        steps.reverse()
    return tuple(
        Pairing(tuple(seats[(step + shift) % number] for step in steps), round, group, label)
        for shift in range(number)
    )


def check_size(name: str, pairings: int) -> None:
    """Refuse an unreasonably large plan before it is made, to save memory and time.

    Args:
        name: of the format.
        pairings: their number.

    Raises:
        FormatError: there would be more than :data:`MAX_PAIRINGS`.
    """
    if pairings > MAX_PAIRINGS:
        raise FormatError(
            f"{name}: this number of entrants and rounds makes more than {MAX_PAIRINGS} matches, the maximum of one "
            "plan. Start with fewer rounds, or use a ladder, which has no last round."
        )


def unplayed(pairings: Iterable[Pairing], results: Iterable[GroupResult]) -> tuple[Pairing, ...]:
    """Return the pairings whose group has no result yet."""
    played = {result.group for result in results}
    return tuple(pairing for pairing in pairings if pairing.group not in played)
