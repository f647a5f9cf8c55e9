"""The turning point of a match, from its scores, events, moves and outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from botleague.film.turning_point import MatchCourse, TurningPoint, turning_point
from botleague.rules import Outcome

WON, LOST, DRAWN = Outcome((1, 2), (1, 0)), Outcome((2, 1), (0, 1)), Outcome((1, 1), (0.5, 0.5))


def course(
    leads: Sequence[float],
    events: Sequence[tuple[int, int, float, str]] = (),
    faults: Sequence[tuple[int, int]] = (),
    words: tuple[str, str] = ("", ""),
) -> MatchCourse:
    """Return a course of two seats that move in turn, by the lead of seat 0."""
    moves: list[Mapping[int, str]] = [
        {(frame + 1) % 2: f"move {frame}"} if frame else {} for frame in range(len(leads))
    ]
    scores: list[Sequence[float]] = [(lead, 0.0) for lead in leads]
    return MatchCourse(scores, moves, list(events), list(faults), words)


def test_turning_point_is_where_the_winner_stays_ahead() -> None:
    leads = [0.0] * 10 + [-5, 4, -5, -5, 9, 9] + [5.0] * 30
    turning = turning_point(course(leads, words=("cells", "had more room")), WON)
    # The mean of frames 13 and 14 is above 0 for the first time for good.
    assert turning == TurningPoint(14, 1, "After {seat 1}’s move 14, {seat 0} had more room for good.")


def test_long_moves_and_their_details_are_left_out() -> None:
    def sentence(move: str) -> str:
        made = course([-3.0] * 13 + [2.0] * 30)
        made.moves[14] = {1: move}
        turning = turning_point(made, WON)
        assert turning is not None
        return turning.text

    assert sentence("knight to g5 (cell 62)") == "After {seat 1}’s knight to g5, {seat 0} was ahead for good."
    assert (
        sentence("heads 272.7, speed 3.329, scans 228, shoots 112") == "From turn 14 on, {seat 0} was ahead."
    )


def test_heaviest_event_of_the_turn_is_the_sentence() -> None:
    events = [(14, 1, 1.0, "{seat 1} eats"), (14, 0, 3.0, "{seat 1} is hit"), (15, 0, 9.0, "later")]
    turning = turning_point(course([-3.0] * 13 + [2.0] * 30, events), WON)
    assert turning is not None
    assert (turning.frame, turning.text) == (14, "{seat 1} is hit, and {seat 0} was ahead for good.")


def test_winner_who_was_always_ahead_has_the_greatest_gain() -> None:
    leads = [1.0] * 20 + [2.0] * 20 + [9.0] * 20
    turning = turning_point(course(leads), WON)
    assert turning is not None
    # The mean over two turns reaches 9 one turn after the score.
    assert turning.frame == 41


def test_late_turning_point_says_that_the_match_was_open() -> None:
    turning = turning_point(course([-3.0] * 97 + [3.0] * 3, [(98, 1, 1, "{seat 1} is stuck")]), WON)
    assert turning == TurningPoint(98, 1, "Open until the end: {seat 1} is stuck.")


def test_sentence_has_the_event_of_a_loser_rather_than_an_equal_one_of_the_winner() -> None:
    stuck = [(98, seat, 1.0, f"{{seat {seat}}} is stuck") for seat in (0, 1)]
    turning = turning_point(course([-3.0] * 97 + [3.0] * 3, stuck), WON)
    assert turning == TurningPoint(98, 1, "Open until the end: {seat 1} is stuck.")


def test_forfeit_is_the_turning_point_with_its_reason() -> None:
    outcome = Outcome((2, 1), (0, 1), "{seat 0} forfeits: timeout", (0,))
    turning = turning_point(course([5.0] * 20, faults=[(3, 1), (19, 0)]), outcome)
    assert turning == TurningPoint(19, 0, "{seat 0} forfeits: timeout.")


def test_moves_of_several_seats_are_named_by_turn() -> None:
    moves: list[Mapping[int, str]] = [{}, *[{0: "a", 1: "b", 2: "c"}] * 20]
    scores: list[Sequence[float]] = [*[(1.0, 0.0, 0.0)] * 11, *[(1.0, 5.0, 0.0)] * 10]
    turning = turning_point(MatchCourse(scores, moves, [], []), Outcome((2, 1, 3), (1, 5, 0)))
    assert turning == TurningPoint(11, -1, "From turn 11 on, {seat 1} was ahead.")


def test_draw_has_none_and_neither_has_a_match_without_scores() -> None:
    assert turning_point(course([1.0] * 9), DRAWN) is None
    assert turning_point(MatchCourse([()] * 9, [{}] * 9, [], []), WON) is None
    assert turning_point(course([1.0]), WON) is None


def test_single_seat_has_its_greatest_gain() -> None:
    scores = [(float(value),) for value in [0] * 10 + [7] * 10]
    turning = turning_point(MatchCourse(list(scores), [{0: "joins"}] * 20, [], []), Outcome((1,), (7,)))
    assert turning == TurningPoint(10, 0, "{seat 0} gained most until turn 10.")


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=60), st.sampled_from([WON, LOST]))
def test_winner_is_ahead_from_the_turning_point_on(leads: list[int], outcome: Outcome) -> None:
    turning = turning_point(course([float(lead) for lead in leads]), outcome)
    assert turning is not None
    sign = 1 if outcome is WON else -1
    means = [sign * (leads[max(0, frame - 1)] + leads[frame]) / 2 for frame in range(len(leads))]
    last = len(leads) - 1
    behind = [frame for frame in range(last) if means[frame] <= 0]
    first = next((frame for frame in range(last) if means[frame]), last)
    if behind and behind[-1] >= first:
        assert turning.frame == behind[-1] + 1
    assert 1 <= turning.frame <= last
