"""Comparison: two bots meet in mirrored pairs until a sequential test says which is stronger.

Pairs count in the order of their planning, so the decision is a function of the results and of nothing else: not of
how many were played at a time, and not of interruptions. What was planned beyond the deciding pair is not looked at.

Source: RATINGS, section 9.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from msgspec import Meta

from botleague.ratings import RatingError, Sprt, SprtState
from botleague.rules.formats import (
    Entrant,
    Format,
    FormatError,
    GroupResult,
    Pairing,
    Plan,
    mirrored,
    unplayed,
)
from botleague.rules.options import OptionError

BATCH = 40
"""Pairs planned at a time: enough to keep many hosts busy, few enough to waste little."""


class Comparison(Format, frozen=True):
    """Two entrants, as many mirrored pairs as it takes."""

    name = "comparison"
    summary = "two bots, until a sequential test decides"
    meets_again = True

    elo0: Annotated[
        float, Meta(description="H0 says the first entrant leads by at most this, in normalised Elo.")
    ] = 0.0
    elo1: Annotated[float, Meta(description="H1 says it leads by at least this.")] = 10.0
    alpha: Annotated[float, Meta(description="How often H1 may be accepted though H0 is true.")] = 0.05
    beta: Annotated[float, Meta(description="How often H0 may be accepted though H1 is true.")] = 0.05
    max_pairs: Annotated[int, Meta(ge=1, description="Pairs after which the test ends undecided.")] = 20_000
    quick: Annotated[
        int,
        Meta(ge=0, description="Number of pairs to play for an interval, without a test; 0 for the test."),
    ] = 0
    seats: Annotated[
        Literal[1, 2],
        Meta(description="2; or 1, where both play the same seed, each by itself, and the scores decide."),
    ] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            self.test()
        except RatingError as error:
            raise OptionError(str(error)) from error

    def test(self) -> Sprt:
        """Return the test: pentanomial for mirrored pairs, trinomial for single seats."""
        bounds = (self.elo0, self.elo1, self.alpha, self.beta)
        if self.seats == 2:
            return Sprt(*bounds)
        return Sprt(*bounds, support=(0.0, 0.5, 1.0), games_per_unit=1)

    @property
    def most_pairs(self) -> int:
        """Pairs after which it ends in any case."""
        return self.quick or self.max_pairs

    def is_decided(self, state: SprtState) -> bool:
        """Return whether the comparison needs no more pairs; the number of pairs of a quick one does not depend on
        results."""
        return state.units >= self.most_pairs or (not self.quick and state.decision != "continue")

    def state(self, results: Iterable[GroupResult]) -> SprtState:
        """Return where the test stands, looking at complete pairs in order up to the first that is missing."""
        outcomes = []
        for place, result in enumerate(sorted(results, key=lambda result: result.group), start=1):
            if result.group != place:
                break
            outcomes.append(self.outcome(result))
        test = self.test()
        counts = [0] * len(test.support)
        state = SprtState(0, tuple(counts), 0.0, "continue")
        # A batch is planned only if the test continued through all earlier ones: those need not be tested again.
        tested = max(0, len(outcomes) - 1) // BATCH * BATCH
        for place, outcome in enumerate(outcomes, start=1):
            counts[outcome] += 1
            if place > tested:
                state = test.decide(counts)
                if self.is_decided(state):
                    break
        return state

    def outcome(self, result: GroupResult) -> int:
        """Return the first entrant's score in a pair, in half points."""
        if self.seats == 2:
            return round(2 * result.points().get(0, 0.0))
        scores = {game.seats[0]: game.scores[0] if game.scores else 0.0 for game in result.games}
        ahead = scores.get(0, 0.0) - scores.get(1, 0.0)
        return 1 + (ahead > 0) - (ahead < 0)

    def plan(self, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int) -> Plan:
        """Return the next pairs, none once the test has decided.

        Raises:
            FormatError: other than two entrants.
        """
        if len(entrants) != 2:
            raise FormatError(f"comparison: two entrants are compared, {len(entrants)} entered")
        count = len(results)
        if self.is_decided(self.state(results)) or count >= self.most_pairs:
            return Plan((), is_final=True)
        pairings: list[Pairing] = []
        for group in range(1, min(self.most_pairs, (count // BATCH + 1) * BATCH) + 1):
            label = f"pair {group}"
            if self.seats == 2:
                pairings += mirrored((0, 1), 1, group, label)
            else:
                pairings += [Pairing((one,), 1, group, label) for one in (0, 1)]
        return Plan(unplayed(pairings, results), is_final=False)
