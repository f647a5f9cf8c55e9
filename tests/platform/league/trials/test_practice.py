"""What matches of practice tell: who meets whom how often, results and places, and what may be luck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from botleague.league.trials import try_report
from botleague.league.trials.try_report import SetMatch, in_turns, matches_for_all, row_against
from botleague.ratings import FEWEST_UNITS
from botleague.referee import MatchReport, SeatReport
from botleague.rules import Outcome, TimeControl, places_by_score


def match(scores: Sequence[float], digest: str = "") -> MatchReport:
    outcome = Outcome(places_by_score(scores), tuple(scores))
    seats = tuple(SeatReport({}, 0.0, 0.0, 0) for _ in scores)
    return MatchReport(b"", outcome, seats, (), 1, 0.0, digest)


def row(played: Sequence[tuple[SetMatch, MatchReport]]) -> try_report.TestMatchRow:
    with_seeds = [(one, 1, report) for one, report in played]
    return row_against("new", "old", TimeControl(), with_seeds, is_earlier=True)


def pairs(results: Sequence[tuple[int, int]], digests: Sequence[str] = ()) -> try_report.TestMatchRow:
    """Return what mirrored pairs tell, each with the bot's lead in both matches."""
    played = []
    for number, leads in enumerate(results):
        digest = digests[number] if digests else ""
        for seat, lead in enumerate(leads):
            scores = (lead, 0) if seat == 0 else (0, lead)
            played.append((SetMatch(0, number + 1, seat), match(scores, digest and digest + str(seat))))
    return row(played)


def test_previous_version_gets_every_other_set_and_enough_for_a_verdict() -> None:
    def sets(matches: int, opponents: int, has_earlier: bool) -> dict[int, int]:
        plan = in_turns(matches, 2, opponents, has_earlier=has_earlier)
        return {opponent: count // 2 for opponent, count in Counter(one.opponent for one in plan).items()}

    assert sets(38, 4, True) == {0: 10, 1: 3, 2: 3, 3: 3}
    assert sets(40, 4, True) == {0: 20}
    assert sets(100, 4, True) == {0: 25, 1: 9, 2: 8, 3: 8}
    for opponents, has_earlier in ((1, True), (9, True), (31, True), (9, False)):
        enough = matches_for_all(2, opponents, has_earlier=has_earlier)
        plan = sets(enough, opponents, has_earlier)
        assert len(plan) == opponents
        assert plan[0] >= (FEWEST_UNITS if has_earlier else 1)
        assert sets(enough - 2, opponents, has_earlier) != plan
    assert matches_for_all(2, 9, has_earlier=True) == 2 * (20 + 8)


def test_every_set_has_each_seat_once() -> None:
    plan = list(in_turns(50, 2, 4, has_earlier=True))
    assert {(one.opponent, one.set): 0 for one in plan}.keys() == {
        (one.opponent, one.set) for one in plan if one.seat == 1
    }
    assert Counter(one.opponent for one in in_turns(40, 2, 4, has_earlier=False)) == dict.fromkeys(
        range(4), 10
    )
    assert Counter(one.seat for one in in_turns(2, 6, 1, has_earlier=False)) == dict.fromkeys(range(6), 1)
    assert [one.seat for one in in_turns(4, 1, 1, has_earlier=True)] == [0, None, 0, None]


@pytest.mark.parametrize(
    ("results", "is_luck", "difference"),
    [
        ([(1, 1)] * 20, False, "new is stronger than old: new has a lead of +320 or more Elo (95 %, however"),
        (
            [(-1, -1)] * 20,
            False,
            "old is stronger than new: new has a lead of -320 or less Elo (95 %, however",
        ),
        ([(1, 1)] * 19, True, "too few to tell: new got 19 of 19 points in 19 sets, and it takes 20"),
        (
            [(1, -1)] * 50,
            True,
            "new and old show no significant difference: new has a lead of -34 to +34 Elo (95 %,",
        ),
        (
            [(1, 1), (1, -1), (-1, -1)] * 9,
            True,
            "new and old show no significant difference: new has a lead of",
        ),
        ([(1, 1), (1, 0)] * 10, False, "new is stronger than old: new has a lead of"),
    ],
)
def test_a_lead_is_more_than_luck_only_where_chance_would_hardly_bring_it(
    results: list[tuple[int, int]], is_luck: bool, difference: str
) -> None:
    result = pairs(results)
    assert result.is_luck is is_luck
    assert result.difference.startswith(difference)


def test_sets_that_repeat_another_are_results_but_no_evidence() -> None:
    result = pairs([(1, 1)] * 8, ["a", "b", "a", "a", "b", "a", "b", "a"])
    assert (result.won, result.sets, result.repeats) == (16, 2, 6)
    assert result.is_luck


def test_half_a_set_is_a_result_but_no_evidence() -> None:
    result = row([(SetMatch(0, 1, 0), match((1, 0))), (SetMatch(0, 1, 1), match((0, 1)))][:1])
    assert (result.won, result.sets, result.difference) == (1, 0, "no set is complete")


def test_comparison_of_more_seats_reports_places() -> None:
    played = [
        (SetMatch(0, 1, 0), match((3, 1, 1))),
        (SetMatch(0, 1, 1), match((2, 1, 0))),
        (SetMatch(0, 1, 2), match((1, 1, 1))),
    ]
    result = row(played)
    assert (result.won, result.first) == (None, 2)
    assert result.place == pytest.approx(4 / 3)
    assert result.score == pytest.approx(5 / 3)
    assert result.sets == 1


def test_scores_of_one_seed_are_compared_in_single_seat_games() -> None:
    played = [
        (SetMatch(0, number, seat), match((score,)))
        for number, scores in enumerate([(5, 3), (4, 4), (1, 2)], start=1)
        for seat, score in zip((0, None), scores, strict=True)
    ]
    result = row(played)
    assert (result.won, result.drawn, result.lost, result.matches) == (1, 1, 1, 6)
    assert result.score == pytest.approx(10 / 3)
