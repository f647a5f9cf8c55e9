"""Reasons and captions name bots, though rules do not know what these are called."""

from __future__ import annotations

import pytest

from botleague.rules import seat_name, with_names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{seat_name(0)} forfeits; {seat_name(1)} wins", "ann forfeits; {seat 0} wins"),
        ("{seat 2} and {seat 99999} and {seats}", "seat 2 and {seat 99999} and {seats}"),
        ("a seat 1", "a seat 1"),
    ],
)
def test_names_are_put_in_once_and_for_seats_that_have_one(text: str, expected: str) -> None:
    assert with_names(text, ["ann", "{seat 0}"]) == expected
