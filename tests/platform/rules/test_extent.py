"""Shapes are kept inside the picture: what is cut off, shortened or moved there."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from botleague.rules import (
    Circle,
    Line,
    Polygon,
    Rect,
    Text,
    bounds,
    clipped,
    moved_into,
    seat_name,
    shortened,
    text_width,
)

EDGE = 1e-6
coordinate = st.floats(-50, 50)
points = st.lists(st.tuples(coordinate, coordinate), min_size=3, max_size=8)


def test_bounds_are_those_of_what_is_drawn() -> None:
    assert bounds(Rect(1, 2, 3, 4)) == (1, 2, 4, 6)
    assert bounds(Circle(1, 2, 3)) == (-2, -1, 4, 5)
    assert (
        bounds(Polygon(((0, 5), (7, 1), (3, 3)))) == bounds(Line(((0, 5), (7, 1)), "#000000")) == (0, 1, 7, 5)
    )
    assert bounds(Text(5, 5, "ab", 2)) == (3.8, 4, 6.2, 6)


def test_wide_letters_take_more_room_and_marks_none() -> None:
    assert text_width("宽", 1) == 1
    assert text_width("e\u0301\u0301", 1) == text_width("e", 1) == 0.6
    assert text_width("", 1) == 0


@given(points)
def test_a_clipped_polygon_is_the_part_inside(corners: list[tuple[float, float]]) -> None:
    inside = clipped(corners, 10, 5)
    assert all(0 <= x <= 10 and 0 <= y <= 5 for x, y in inside)
    assert set(inside) >= {(x, y) for x, y in corners if 0 < x < 10 and 0 < y < 5}
    assert clipped(inside, 10, 5) == inside
    assert not clipped([(x + 200, y) for x, y in corners], 10, 5)


@given(st.text(max_size=80), coordinate, coordinate, st.floats(0.1, 20))
@settings(max_examples=50)
def test_a_text_that_was_moved_is_inside(text: str, x: float, y: float, size: float) -> None:
    moved = moved_into(Text(x, y, text, size), 10, 5)
    left, top, right, bottom = bounds(moved)
    assert min(left, top) >= -EDGE
    assert right <= 10 + EDGE
    assert bottom <= 5 + EDGE


def test_only_what_is_too_long_is_shortened() -> None:
    assert shortened("fits", 1, 2.4) == "fits"
    assert shortened("too long", 1, 2.4) == "too…"
    assert shortened("宽宽宽", 1, 2.4) == "宽…"
    named = moved_into(Text(9, 2, f"of {seat_name(0)}", 1, width=6), 10, 5)
    assert (named.x, named.text, bounds(named)[0]) == (7, "of {seat 0}", 4)
    there = Text(5, 2, "here", 1)
    assert moved_into(there, 10, 5) == there
