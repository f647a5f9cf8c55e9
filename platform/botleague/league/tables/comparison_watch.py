"""Progress of a comparison of two bots: reads pairs as they are recorded and reports the state of the test.

Pairs enter in the order of their planning, whatever order they were played in, and nothing after the deciding pair is
read. So an interrupted comparison reaches the same decision. A pair that repeats an earlier one move for move ends the
comparison, since more games would add no evidence.

Source: RATINGS, sections 8 and 9.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from msgspec import structs
from sqlalchemy.engine import Connection

from botleague.formats import Comparison
from botleague.league.tables.comparison_report import ComparisonReport, Decision, conclusion
from botleague.ratings import SprtState, elo_from_score, head_to_head, lasting
from botleague.rules.formats import Game, GroupResult
from botleague_storage import leagues, matches, results
from botleague_storage.league_rows.fixtures import Match

Games: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]
"""The games of a pair: digest of each, and its versions by seat."""


class ComparisonWatch:
    """Reader of the pairs of one season as they are recorded.

    Args:
        bots: names of the two, in order of entry.
        openings: random opening turns per seat of its matches; None if the game has no openings.
    """

    def __init__(
        self, form: Comparison, season_id: int, bots: tuple[str, str], openings: int | None = None
    ) -> None:
        self._form = form
        self._season = season_id
        self._bots = bots
        self._openings = openings
        self._test = form.test()
        self._state = SprtState(0, (0,) * len(self._test.support), 0.0, "continue")
        self._next = 0
        self._versions: list[int] = []
        self._seen: dict[Games, int] = {}
        self._repeats: tuple[int, int] | None = None
        self._forfeiting: tuple[str, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether the comparison needs no more pairs."""
        return self._repeats is not None or self._form.is_decided(self._state)

    def refresh(self, connection: Connection) -> None:
        """Read the pairs that have become complete."""
        self._versions = self._versions or leagues.entrants(connection, self._season)
        digests = results.game_digests(connection, self._season, self._next)
        pair: list[Match] = []
        for match in matches.matches(connection, self._season, self._next):
            if self.is_over or not match.places:
                return
            pair.append(match)
            if len(pair) == 2:
                self._repeats = self._earlier(
                    tuple((digests.get(one.fixture_id, ""), one.versions) for one in pair)
                )
                if self._repeats is not None:
                    self._forfeiting = tuple(
                        name
                        for name, version in zip(self._bots, self._versions, strict=True)
                        if all(one.forfeits[one.versions.index(version)] for one in pair)
                    )
                else:
                    counts = list(self._state.counts)
                    counts[self._form.outcome(self._result(pair))] += 1
                    self._state = self._test.decide(counts)
                self._next = match.ordinal + 1
                pair = []

    def report(self) -> ComparisonReport:
        """Return the state of the comparison."""
        state, test, decision = self._state, self._test, self._decision()
        estimate = head_to_head(state.counts, test.games_per_unit) if state.units else None
        drift = test.drift(state) if decision in ("H0", "H1") else None
        spread = None if estimate is None else math.sqrt(estimate.variance)
        interval = lasting(state.counts)
        report = ComparisonReport(
            bots=self._bots,
            decision=decision,
            pairs=state.units,
            max_pairs=self._form.most_pairs,
            counts=state.counts,
            llr=state.llr,
            lower=test.lower,
            upper=test.upper,
            elo0=test.elo0,
            elo1=test.elo1,
            alpha=self._form.alpha,
            beta=self._form.beta,
            elo=None if estimate is None else estimate.elo,
            elo_error=None if estimate is None else estimate.elo_error,
            nelo=None if estimate is None else estimate.nelo,
            nelo_error=None if estimate is None else estimate.nelo_error,
            los=None if estimate is None else estimate.los,
            is_biased=decision in ("H0", "H1"),
            median_elo=None if drift is None or not spread else elo_from_score(0.5 + drift * spread),
            median_nelo=None if drift is None else test.elo_of(drift),
            lasting_low=None if interval is None else interval.low,
            lasting_high=None if interval is None else interval.high,
            openings=self._openings,
            repeats=self._repeats,
            forfeiting=self._forfeiting,
        )
        return structs.replace(report, conclusion=conclusion(report))

    def _earlier(self, games: Games) -> tuple[int, int] | None:
        """Return the numbers of the coming pair and of the pair that it repeats; None if it is new."""
        number = self._state.units + 1
        if not all(digest for digest, _ in games):
            return None
        earlier = self._seen.setdefault(games, number)
        return None if earlier == number else (number, earlier)

    def _decision(self) -> Decision:
        if self._repeats is not None:
            return "repeated"
        if not self.is_over:
            return "open"
        if self._form.quick:
            return "interval"
        return "undecided" if self._state.decision == "continue" else self._state.decision

    def _result(self, pair: Sequence[Match]) -> GroupResult:
        games = tuple(
            Game(
                tuple(self._versions.index(version) for version in match.versions), match.places, match.scores
            )
            for match in pair
        )
        return GroupResult(pair[0].group, pair[0].round, games)
