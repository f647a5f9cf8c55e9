"""Performance against a fixed pool."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botleague.ratings import MirroredSet, RatingError, expected_score, performance

SETS = st.lists(
    st.builds(MirroredSet, st.floats(1000, 2000), st.just(2), st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0])),
    min_size=1,
    max_size=12,
)


@given(SETS)
def test_points_are_what_the_rating_lets_expect_and_a_better_result_gives_a_better_one(
    sets: list[MirroredSet],
) -> None:
    rating, error = performance(sets)
    middle = sum(one.rating for one in sets) / len(sets)
    due = sum(2 * expected_score(rating, one.rating) for one in sets) + 2 * expected_score(rating, middle)
    assert due == pytest.approx(sum(one.points for one in sets) + 1, abs=1e-9)
    assert error > 0
    better = [sets[0]._replace(points=2.0), *sets[1:]]
    assert performance(better).rating >= rating
    moved = [one._replace(rating=one.rating + 100) for one in sets]
    assert performance(moved) == pytest.approx((rating + 100, error), abs=1e-6)
    assert performance(sets * 4).error < error + 1e-9


def test_unrated_result_is_refused() -> None:
    with pytest.raises(RatingError, match="no mirrored set"):
        performance([])
    rating, _ = performance([MirroredSet(1500, 2, 1.5)] * 10_000)
    assert rating == pytest.approx(1500 + 190.8, abs=0.1)
