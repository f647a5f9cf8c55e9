"""Forfeits: seats go out by faults, the others play on, and places follow from both."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from botleague.rules import FAULT_KINDS, Fault, Forfeits, Move, Outcome

LATE = Fault("timeout", "no answer within 50 ms")


def test_seat_is_out_after_its_first_fault() -> None:
    forfeits = Forfeits.of([None, Fault("crash"), None, "Ants"])
    assert (forfeits.playing, 1 in forfeits, 0 in forfeits) == ((0, 2, 3), True, False)
    assert forfeits.after({0: Move(1), 2: Move(3)}) == forfeits
    later = forfeits.after({0: Move(1), 2: LATE})
    assert later.playing == (0, 3)
    assert not later.ends_match
    assert later.after({3: LATE}).ends_match


def test_match_of_one_seat_ends_with_it() -> None:
    assert not Forfeits(1).ends_match
    assert Forfeits(1).after({0: LATE}).ends_match
    assert Forfeits(1).after({0: LATE}).outcome().places == (1,)


def test_places_of_seats_that_are_out_follow_their_time() -> None:
    forfeits = Forfeits(5).after({0: LATE}).after({2: Fault("illegal", "10 is too much"), 4: LATE})
    outcome = forfeits.outcome([9.0, 1.0, 8.0, 2.0, 7.0], "all rounds were played")
    assert outcome == Outcome(
        places=(5, 2, 3, 1, 3),
        scores=(9.0, 1.0, 8.0, 2.0, 7.0),
        reason="all rounds were played; {seat 0} is out: answered too late (no answer within 50 ms); "
        "{seat 2} is out: made an illegal move (10 is too much); "
        "{seat 4} is out: answered too late (no answer within 50 ms)",
        forfeits=(0, 2, 4),
    )


def test_last_seat_wins_without_scores_of_the_game() -> None:
    traceback = 'Traceback:\n  File "bot.py", line 3, in move\nValueError: no idea\n'
    outcome = Forfeits(2).after({1: Fault("exception", traceback)}).outcome()
    assert (outcome.places, outcome.scores, outcome.forfeits) == ((1, 2), (1.0, 0.0), (1,))
    assert outcome.reason == "{seat 1} is out: raised an exception (ValueError: no idea)"


@given(
    st.integers(1, 6),
    st.lists(st.dictionaries(st.integers(0, 5), st.sampled_from([None, *FAULT_KINDS])), max_size=4),
)
def test_every_history_has_an_outcome(seats: int, turns: list[dict[int, str | None]]) -> None:
    forfeits = Forfeits(seats)
    for turn in turns:
        replies = {
            seat: Move(0) if kind is None else Fault(kind)  # type: ignore[arg-type]  # of FAULT_KINDS
            for seat, kind in turn.items()
            if seat < seats
        }
        forfeits = forfeits.after(replies)
    outcome = forfeits.outcome([float(seat) for seat in range(seats)])
    assert set(outcome.forfeits) == set(range(seats)) - set(forfeits.playing)
    if forfeits.playing:
        assert outcome.places[max(forfeits.playing)] == 1
    assert hash(forfeits) == hash(Forfeits(seats, forfeits.turns))
