"""Single steps with a crowd that does as it is told: each option by itself, which no recorded game shows."""

from __future__ import annotations

from typing import Any

import pytest

from botleague_careerfair.legacy.report import report
from botleague_careerfair.simulation.board import parse_board
from botleague_careerfair.simulation.companies import Company
from botleague_careerfair.simulation.fair import Fair, Hall
from botleague_careerfair.simulation.profiles import Profile
from botleague_careerfair.simulation.requests import request_of

BOARD = "4 7 1 0 2\nS0 S0 F  F  F F F\nF  0  0  E0 F F F\nF  F  F  B  F F F\nF  F  F  F  F F F\n"
ACME = (Company("Acme", "S", 25),)


class Table:
    """A fair on the board of the worked examples (rules/careerfair.md, section 15)."""

    def __init__(self, crowd: int = 0, **options: Any) -> None:
        self.fair = Fair(parse_board(BOARD), teams=1, kinds=["jittery"] * crowd, profile=Profile(**options))
        self.hall: Hall = self.fair.open(ACME, 1)

    def steps(self, *answers: str, crowd: str = "") -> Table:
        """Make a step for each answer; ``crowd`` is one letter that everybody in the crowd is asked to do."""
        people = len(self.fair.kinds)
        for answer in answers:
            requests = [request_of(letter) for letter in answer]
            self.hall = self.fair.step(self.hall, [requests], [request_of(crowd or "N")] * people)
        return self

    def queued(self, bot: int) -> int:
        return self.hall.line_place(bot)


TO_THE_FRONT = ("LNNN", "LNNN", "UNNN", "ENNN")


def test_a_recruiter_without_memory_makes_a_returning_bot_wait_again() -> None:
    again = (*TO_THE_FRONT, "NNNN", "ENNN")
    assert Table().steps(*again).hall.scores == (37,)
    assert Table(talker_memory=False).steps(*again).hall.scores == (25,)
    assert Table(talker_memory=False).steps(*again, "NNNN").hall.scores == (37,)


@pytest.mark.parametrize(("option", "place"), [("leave", -1), ("ignore", 0)])
def test_enter_in_a_line_leaves_it_or_is_ignored(option: str, place: int) -> None:
    table = Table(enter_while_queued=option).steps("LLNN", "LLNN", "UUNN", "EENN")
    assert table.queued(1) == 1
    assert table.steps("NENN").hall.served == ((0, 0, 0),)
    assert table.queued(1) == place


@pytest.mark.parametrize(("option", "stays"), [("none", True), ("self_move", False)])
def test_a_helper_that_asks_alone_for_an_exchange(option: str, stays: bool) -> None:
    table = Table(lone_replace=option).steps("NLNN", "NLNN", "NUNN", "NENN")
    table.steps("NXNN")
    assert (table.hall.served == ((0, 0, 1),)) == stays


@pytest.mark.parametrize(("option", "column", "row"), [("fault", 2, 2), ("repeat", 2, 1)])
def test_an_answer_for_too_few_bots_means_what_the_profile_says(option: str, column: int, row: int) -> None:
    table = Table(short_answer=option).steps("LLLR", "U")
    main, last = (report(table.fair, table.hall, bot) for bot in (0, 3))
    assert (main.row, main.col) == (row, column), "none for the whole team, or one for the main bot"
    assert last.col == (4 if option == "fault" else 5)


def test_a_bot_that_leaves_at_once_is_out_before_it_arrives() -> None:
    """Section 15, example 3: twelve people stand on the tile below, which costs five requests."""
    table = on_the_way_out("at_once")
    main = report(table.fair, table.hall, 0)
    assert (main.line_place, main.progress, main.state, main.row, main.col) == (-1, 1, "down", 1, 1)
    assert table.queued(1) == 0
    assert not table.hall.served


def test_a_bot_that_leaves_on_arrival_may_be_served_on_its_way_out() -> None:
    table = on_the_way_out("on_arrival")
    main = report(table.fair, table.hall, 0)
    assert (main.line_place, main.progress, main.state) == (-1, 1, "down")
    assert table.hall.served == ((0, 0, 0),)


def on_the_way_out(leave_line: str) -> Table:
    """Return a hall in which the main bot was first in line and asked once for the crowded tile below."""
    table = Table(crowd=12, leave_line=leave_line)
    return table.steps("LLNN", "LLNN", crowd="L").steps("UUNN", "EENN", "DNNN")


def test_three_on_a_tile_that_ask_for_an_exchange_get_none() -> None:
    """Section 15, example 5."""
    table = Table().steps("LLLN", "LLLN", "UUUN", "ENNN")
    before = table.hall
    assert table.steps("XXXN").hall.served == ((0, 0, 0),)
    table.hall = before
    assert table.steps("XXNN").hall.served == ((0, 0, 1),), "the body in the line is the helper now"


def test_the_start_tile_costs_one_in_the_first_step_and_five_afterwards() -> None:
    """Section 15, example 6."""
    table = Table(crowd=12).steps("LNNN")
    assert report(table.fair, table.hall, 0).col == 2
    table.steps("RNNN")
    main = report(table.fair, table.hall, 0)
    assert (main.col, main.progress, main.threshold, main.state) == (2, 1, 5, "right")
    assert report(table.fair, table.steps("RNNN", "RNNN", "RNNN", "RNNN").hall, 0).col == 3


def test_a_step_leaves_the_hall_before_it_as_it_was() -> None:
    table = Table(crowd=20)
    before = table.hall
    text = repr(before)
    for crowd in "LLUUEEN":
        table.steps("LURD", crowd=crowd)
    assert repr(before) == text
