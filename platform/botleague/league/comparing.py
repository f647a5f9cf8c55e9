"""Watches a comparison of two bots as its pairs come in, and says where its test stands.

Pairs enter in the order of their planning, whatever order they were played in, and nothing is looked at beyond the
deciding one. So an interrupted comparison goes on to the decision it would have come to.

Source: RATINGS, sections 8 and 9.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
from sqlalchemy.engine import Connection

from botleague.league.formats import Comparison, Game, GroupResult
from botleague.ratings import SprtState, head_to_head
from botleague_storage import leagues, matches
from botleague_storage.fixtures import Match

__all__ = ["ComparisonReport", "ComparisonWatch", "Decision", "conclusion"]


Decision: TypeAlias = Literal["H0", "H1", "undecided", "open"]


class ComparisonReport(msgspec.Struct, frozen=True):
    """Where a comparison stands. Elo values are the first bot's lead, errors half a 95 % interval.

    Attributes:
        bots: both, the first one is asked about.
        decision: the hypothesis that the test accepted; ``undecided``: the most pairs were played; ``open``: the test
            goes on.
        conclusion: what that shows, in words.
        pairs: how many pairs entered.
        counts: of pairs by points: 0, 1/2, 1, 3/2, 2; of single seats by losses, draws, wins.
        llr: the log likelihood ratio, between ``lower`` and ``upper`` while the test goes on.
        elo, elo_error: from the mean score; None if unbounded.
        nelo, nelo_error: normalised Elo; None without variance.
        los: likelihood of superiority.
        is_biased: the test has stopped, and Elo read off at the stop is biased outward.
    """

    bots: tuple[str, str]
    decision: Decision
    conclusion: str
    pairs: int
    max_pairs: int
    counts: tuple[int, ...]
    llr: float
    lower: float
    upper: float
    elo0: float
    elo1: float
    elo: float | None
    elo_error: float | None
    nelo: float | None
    nelo_error: float | None
    los: float | None
    is_biased: bool


class ComparisonWatch:
    """Reads the pairs of one season as they are recorded.

    Args:
        form: the comparison.
        season_id: where it is held.
        bots: names of the two, in order of entry.
    """

    def __init__(self, form: Comparison, season_id: int, bots: tuple[str, str]) -> None:
        self._form = form
        self._season = season_id
        self._bots = bots
        self._test = form.test()
        self._state = SprtState(0, (0,) * len(self._test.support), 0.0, "continue")
        self._next = 0
        self._versions: list[int] = []

    @property
    def is_over(self) -> bool:
        """Whether the test has decided, or all pairs were played."""
        return self._state.decision != "continue" or self._state.units >= self._form.max_pairs

    def refresh(self, connection: Connection) -> None:
        """Take in the pairs that have become complete."""
        self._versions = self._versions or leagues.entrants(connection, self._season)
        pair: list[Match] = []
        for match in matches.matches(connection, self._season, self._next):
            if self.is_over or not match.places:
                return
            pair.append(match)
            if len(pair) == 2:
                counts = list(self._state.counts)
                counts[self._form.outcome(self._result(pair))] += 1
                self._state = self._test.decide(counts)
                self._next = match.ordinal + 1
                pair = []

    def report(self) -> ComparisonReport:
        """Return where the comparison stands."""
        state, test = self._state, self._test
        seen = head_to_head(state.counts, test.games_per_unit) if state.units else None
        decision: Decision = "undecided" if self.is_over else "open"
        if state.decision != "continue":
            decision = state.decision
        return ComparisonReport(
            bots=self._bots,
            decision=decision,
            conclusion=conclusion(self._form, self._bots, decision, state.units),
            pairs=state.units,
            max_pairs=self._form.max_pairs,
            counts=state.counts,
            llr=state.llr,
            lower=test.lower,
            upper=test.upper,
            elo0=test.elo0,
            elo1=test.elo1,
            elo=None if seen is None else seen.elo,
            elo_error=None if seen is None else seen.elo_error,
            nelo=None if seen is None else seen.nelo,
            nelo_error=None if seen is None else seen.nelo_error,
            los=None if seen is None else seen.los,
            is_biased=state.decision != "continue",
        )

    def _result(self, pair: list[Match]) -> GroupResult:
        games = tuple(
            Game(
                tuple(self._versions.index(version) for version in match.versions), match.places, match.scores
            )
            for match in pair
        )
        return GroupResult(pair[0].group, pair[0].round, games)


def conclusion(form: Comparison, bots: tuple[str, str], decision: Decision, pairs: int) -> str:
    """Return what a decision shows, in words: that the other hypothesis is ruled out, and no more than that."""
    one, other = bots
    if decision == "open":
        return "not decided yet"
    if decision == "undecided":
        return f"undecided after {pairs} pair{'s' * (pairs != 1)}, the most that were allowed"
    if decision == "H1":  # a lead of elo0 or less is ruled out
        found = f"{one} is stronger than {other} by more than {form.elo0:g} nElo"
        found = found if form.elo0 >= 0 else f"no loss of {-form.elo0:g} nElo found"
    else:  # a lead of elo1 or more is ruled out
        found = f"{other} is stronger than {one} by more than {0.0 - form.elo1:g} nElo"
        found = found if form.elo1 <= 0 else f"no gain of {form.elo1:g} nElo found"
    return f"{found} (error rate {100 * (form.alpha if decision == 'H1' else form.beta):g} %)"
