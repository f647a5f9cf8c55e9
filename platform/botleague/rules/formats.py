"""The contract of formats: who meets whom next, as a pure function of what was played so far.

A format is a value made of its options. :meth:`Format.plan` takes the entrants, the results so far and the league's
seed, and returns the pairings that are known now. It keeps nothing between calls, so a league that was killed
goes on where it stopped: the same arguments give the same plan.

Entrants are referred to by their index everywhere. The unit of planning is the *group*, a mirrored set: the same
entrants with the same match seed, everyone once on every seat.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from botleague.rules.brackets import Bracket
from botleague.rules.options import Options

__all__ = [
    "Bracket",
    "Bye",
    "Entrant",
    "EntrantRatings",
    "Format",
    "FormatError",
    "Game",
    "GroupResult",
    "Leaving",
    "NewVersions",
    "Pairing",
    "Plan",
    "TableKind",
    "TieBreakName",
    "check_size",
    "mirrored",
    "unplayed",
]

EntrantRatings = Literal["start", "online", "batch"]
"""Ratings for pairing: of the season's start, online as they are now, or fitted to all results so far.

Batch ratings are internal ones in Elo points, 0 in the middle, each with the deviation that its own matches leave."""

TableKind = Literal["online", "batch", "points"]
"""What a table ranks by: the online rating, the batch rating, or points won less penalties.

With points, the places that a bracket has settled come first."""

TieBreakName = Literal["buchholz", "buchholz_cut_1", "sonneborn_berger", "direct_encounter", "wins", "score"]
"""What separates equal points; :data:`botleague.formats.TIE_BREAKS` explains each."""

Leaving = Literal["annul", "forfeit", "half"]
"""What a bot's leaving does to its opponents: all its results go; what it has not played is won by who was to meet it;
or the first if less than half of its matches was played, else the second.

A bot that is disqualified in a format with a :attr:`Format.round_worth` takes nothing from its opponents under
``forfeit``: they win every set that was paired against it, played or not. There ``half`` goes by the rounds played."""

MOST_PAIRINGS = 2_000_000
"""Pairings of one plan, which is made at once and in memory."""


NewVersions = Literal["replace", "hold"]
"""What becomes of a version that is handed in while a season runs: its bot plays on with it from the first mirrored
set on that nobody has begun, or the season plays on with those it has, and the newest enters the next."""


class FormatError(ValueError):
    """Entrants or results that a format cannot work with; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that takes part, whichever of its versions plays.

    Attributes:
        bot: its identity, also what tables print.
        rating: for seeding and matchmaking; which one, :attr:`Format.entrant_ratings` says.
        deviation: the rating's standard error, None if the rating system knows none.
        games: rated matches behind the rating.
        division: entrants of different divisions do not meet.
        joined: the first round to be paired in, counted from 1.
        left: the last round to be paired in, None while the entrant is in.
        away: rounds before in which it was out, as half-open ranges: not to be paired in, now as then.
        former: groups in which it sat with an earlier version than the one that plays now. Formats that measure
            versions plan them anew, under other numbers; for all others they are results like any.
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
        """Whether the entrant may be paired in ``round``."""
        was_away = any(first <= round < back for first, back in self.away)
        return self.joined <= round and (self.left is None or round <= self.left) and not was_away


@dataclass(frozen=True, slots=True)
class Pairing:
    """One match to be played.

    Attributes:
        seats: the entrant on each seat.
        round: counted from 1.
        group: the mirrored set it belongs to, unique in the league and counted from 1: all pairings of a group
            are played with the same seed.
        label: for people, like "semi-final 1, set 2".
        seed: of the match, for formats that draw it themselves; None for the one of the group.
    """

    seats: tuple[int, ...]
    round: int
    group: int
    label: str
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Game:
    """How one pairing ended.

    Attributes:
        seats: the entrant on each seat.
        places: one per seat, 1 is best, equal places tie.
        scores: one per seat in the game's own unit, empty if nobody kept them.
        is_walkover: it was not played, because somebody was out: who was there won.
    """

    seats: tuple[int, ...]
    places: tuple[int, ...]
    scores: tuple[float, ...] = ()
    is_walkover: bool = False

    def points(self) -> tuple[float, ...]:
        """Return one number per seat from 0 to 1: the share of opponents beaten, ties counting half.

        With two seats that is 1, 1/2 or 0. A seat without opponents gets 1/2.
        """
        others = len(self.places) - 1
        if not others:
            return (0.5,)
        return tuple(
            (sum(place < other for other in self.places) + (self.places.count(place) - 1) / 2) / others
            for place in self.places
        )


@dataclass(frozen=True, slots=True)
class GroupResult:
    """A mirrored set of which every match ended. Void matches are played again and are not reported."""

    group: int
    round: int
    games: tuple[Game, ...]

    def points(self) -> dict[int, float]:
        """Return each entrant's points in all games of the group."""
        total: dict[int, float] = {}
        for game in self.games:
            for entrant, points in zip(game.seats, game.points(), strict=True):
                total[entrant] = total.get(entrant, 0.0) + points
        return total


@dataclass(frozen=True, slots=True)
class Plan:
    """What is known now.

    Attributes:
        pairings: every match of the known groups without a result, in the order to be played.
        is_final: nothing will follow these pairings; with no pairings left the contest is decided.
    """

    pairings: tuple[Pairing, ...]
    is_final: bool


@dataclass(frozen=True, slots=True)
class Bye:
    """A round in which an entrant was in, but had no opponent.

    Attributes:
        entrant: who.
        round: counted from 1.
        points: that it gets for the round.
    """

    entrant: int
    round: int
    points: float


class Format(Options, frozen=True):
    """A way to hold a contest: a plugin offers the class from ``botleague_formats``.

    The fields of a subclass are its options, see :mod:`botleague.rules.options`; an option called ``seats`` is given
    how many bots sit in one match, and a format without it holds matches of two. Only ``name``, ``summary`` and
    :meth:`plan` must be said; all else that the platform asks has a default here, and a subclass writes what differs,
    ``takes_newcomers = True``, or a property where it depends on the options.
    """

    name: ClassVar[str]
    """What organisers call it, for example ``swiss``."""
    summary: ClassVar[str]
    """One sentence for a list."""

    @property
    def entrant_ratings(self) -> EntrantRatings:
        """With which ratings entrants are passed at every call.

        A bracket that is seeded by ratings must find the same ones each time: those of the season's start.
        """
        return "start"

    @property
    def pairs_by_start(self) -> bool:
        """Whether who meets whom depends on the ratings of the season's start, or on what they were made from.

        If so, and bots do not all start alike, batch tables do not estimate how far apart the field is. A format whose
        pairings follow from lots, and from results of the season alone, says False.
        """
        return True

    @property
    def window(self) -> int:
        """How many of the last rounds a plan reads, 0 for all: who keeps a long history need not load the rest."""
        return 0

    @property
    def takes_newcomers(self) -> bool:
        """Whether entrants may be added while it is under way; if not, they are told to wait for the next season."""
        return False

    @property
    def is_endless(self) -> bool:
        """Whether it has no last round: then it is played for as many rounds as the organiser asks for."""
        return False

    @property
    def meets_again(self) -> bool:
        """Whether the same entrants may meet in more than one mirrored set: in games without chance of their own such
        leagues begin matches with openings, unless the organiser says otherwise."""
        return False

    @property
    def is_ranked_by_round(self) -> bool:
        """Whether its batch table is made when a round is complete, and shown as of that round until the next one is.

        For who plays one round after another for long: results of years need not be fitted whenever somebody looks.
        """
        return False

    @property
    def last_round(self) -> int | None:
        """The round after which nothing is planned, None if there is none, or results decide."""
        return None

    @property
    def has_bracket(self) -> bool:
        """Whether it is played as a tree, which :meth:`bracket` returns."""
        return False

    @property
    def draws_seeds(self) -> bool:
        """Whether its pairings bring seeds of their own; if not, every seed follows from the season's and the group."""
        return False

    @property
    def pool(self) -> int:
        """How many entrants, from the first on, are a fixed pool by which all others are marked; 0 for none."""
        return 0

    @property
    def measures_versions(self) -> bool:
        """Whether a new version of a bot meets everybody anew, and one that plays again only whom it has not met."""
        return False

    @property
    def default_table(self) -> TableKind:
        """What a league's table ranks by if the organiser does not choose."""
        return "points"

    @property
    def tie_breaks(self) -> tuple[TieBreakName, ...]:
        """What separates equal points, the most important first."""
        return ("direct_encounter", "sonneborn_berger", "wins")

    @property
    def round_worth(self) -> float | None:
        """What winning a round brings, where tie-breaks count a round without a match as against a virtual opponent.

        None where they do not: then a match that was not played counts as won from who was to play it.
        """
        return None

    @property
    def default_leaving(self) -> Leaving:
        """What a bot's leaving does to its opponents if the organiser does not choose."""
        return "forfeit"

    @property
    def default_new_versions(self) -> NewVersions:
        """What becomes of versions that are handed in while a season runs, if the organiser does not choose."""
        return "hold"

    def round_count(self, entrants: Sequence[Entrant]) -> int | None:
        """Return how many rounds these entrants play; None where that is not known before."""
        return self.last_round

    def plan(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
        """Return the matches to be played next.

        Args:
            entrants: in order of entry; newcomers are appended, nobody is ever taken out.
            results: of all finished groups, or of those in the :attr:`window`, in any order.
            seed: decides what is left to chance.

        Raises:
            FormatError: too few entrants, or results that this format did not plan.
        """
        raise NotImplementedError(f"the format {self.name} has no plan")

    def byes(self, entrants: Sequence[Entrant], results: Sequence[GroupResult]) -> Sequence[Bye]:
        """Return every bye of the finished rounds; a table counts its points."""
        return ()

    def bracket(
        self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int
    ) -> Bracket | None:
        """Return the bracket as far as results reach, whose places come first in a table; None for none.

        Asked only of formats that say :attr:`has_bracket`.

        Raises:
            FormatError: as :meth:`plan`.
        """
        return None


def mirrored(seats: Sequence[int], round: int, group: int, label: str) -> tuple[Pairing, ...]:
    """Return the mirrored set of ``seats``: as many pairings as seats, in which everyone sits everywhere once.

    Everyone also sits directly after each other equally often: with an even number of seats in every set, with an odd
    one in every two, of which one has an even ``group``.

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
    """Refuse a plan that would take more memory and time than anybody meant, before it is made.

    Args:
        name: of the format.
        pairings: how many there would be.

    Raises:
        FormatError: there would be more than :data:`MOST_PAIRINGS`.
    """
    if pairings > MOST_PAIRINGS:
        raise FormatError(
            f"{name}: that many entrants and rounds make more than {MOST_PAIRINGS} matches, the most that are planned "
            "at once. Begin with fewer rounds, or hold a ladder, which goes on for as long as you like."
        )


def unplayed(pairings: Iterable[Pairing], results: Iterable[GroupResult]) -> tuple[Pairing, ...]:
    """Return the pairings whose group has no result yet."""
    played = {result.group for result in results}
    return tuple(pairing for pairing in pairings if pairing.group not in played)
