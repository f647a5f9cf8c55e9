"""Brackets as trees: every line fits, and leads from a winner to its next series."""

from __future__ import annotations

from itertools import product

import pytest

from botleague.application.pages import DivisionBracket, Encounter
from botleague.cli.viewing.bracket_tree import MIN_COLUMNS, bracket_tree
from botleague.emblems import emblem_of
from botleague.formats.elimination import Judgement, double_elimination, play_through, single_elimination


def bracket(entrants: int, played: int, *, is_double: bool, length: int = 4) -> DivisionBracket:
    """Return a bracket in which the first series were played: the better seed wins 1 to ½."""

    def judge(number: int, sides: tuple[int, int]) -> Judgement:
        if number >= played:
            return Judgement((0, 0), None)
        return Judgement((1, 0.5) if sides[0] < sides[1] else (0.5, 1), min(sides), "as the better seed")

    def name(entrant: int | None) -> str | None:
        return None if entrant is None else "" if entrant < 0 else f"b{entrant + 1}".ljust(length, "x")

    series = (double_elimination if is_double else single_elimination)(entrants, True)
    value = play_through(series, range(entrants), judge, lambda _entrant, _round: True)
    return DivisionBracket(
        "",
        name(value.champion),
        {str(name(entrant)): place for entrant, place in value.places.items()},
        [
            Encounter(
                slot.round,
                slot.label,
                [name(side) for side in slot.sides],
                list(slot.score),
                name(slot.winner) or None,
                slot.needed,
                slot.reason,
            )
            for slot in value.slots
        ],
    )


@pytest.mark.parametrize(("entrants", "is_double"), [*product((2, 3, 5, 8, 12, 32), (False, True))])
def test_lines_fit_into_the_terminal_for_every_size_name_and_state(entrants: int, is_double: bool) -> None:
    for played, length, columns in product((0, 3, 99), (4, 64), (MIN_COLUMNS, 200)):
        tree = bracket_tree(bracket(entrants, played, is_double=is_double, length=length), columns)
        if tree is None:
            assert (entrants, is_double, columns) == (32, True, MIN_COLUMNS)
        else:
            assert max(line.cell_len for line in tree) <= columns


def test_lines_lead_from_winners_to_their_next_series() -> None:
    tree = bracket_tree(bracket(4, 99, is_double=False), MIN_COLUMNS)
    assert tree is not None
    one, two, three, four = (emblem_of(f"b{number}xx").glyph for number in range(1, 5))
    assert [line.plain.rstrip() for line in tree[:7]] == [
        "semi-final               final",
        f"{one} b1xx             1 ─┐",
        f"{four} b4xx             ½  │",
        f"  as the better seed  └─ {one} b1xx             1 ★",
        f"{two} b2xx             1 ─── {two} b2xx             ½",
        f"{three} b3xx             ½       as the better seed",
        "  as the better seed",
    ]
