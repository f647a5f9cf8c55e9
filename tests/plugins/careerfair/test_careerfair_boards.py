from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague_careerfair import botleague_commands
from botleague_careerfair.legacy.boardcheck import check_board, check_board_file
from botleague_careerfair.simulation.board import Board, BoardError, parse_board
from botleague_careerfair.simulation.boards import board_names, board_text
from botleague_careerfair.simulation.companies import CompanyError, companies_of_the_package, parse_companies

SMALL = "3 4 1 10 1\nS0 S0 F F\n0 0 E0 F\nF F F B\n"


def test_documented_boards_are_read_with_their_lines_front_to_back(
    documented_boards: dict[str, tuple[dict[str, Any], Board]],
) -> None:
    for name, (entry, board) in documented_boards.items():
        assert divmod(board.start, board.cols) == tuple(entry["start"]), name
        assert (board.rows, board.cols, board.crowd, board.view) == (
            *(entry["rows"], entry["cols"]),
            *(entry["crowd"], entry["view"]),
        )
        for number, company in enumerate(entry["companies"]):
            zone = [list(divmod(tile, board.cols)) for tile in board.zones[number]]
            assert zone == company["line"], f"{name}, company {number}"
            booth = [list(divmod(tile, board.cols)) for tile, its in enumerate(board.booths) if its == number]
            assert booth == sorted(company["booth"]), f"{name}, company {number}"
            assert board.sizes[number] == company["size"]


def test_four_own_boards_are_fair_by_symmetry() -> None:
    assert board_names() == ("arena", "atrium", "gallery", "hall")
    for name in board_names():
        assert "left and right are mirrored" in check_board(board_text(name)), name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected five whole numbers"),
        ("3 4 1 10\n", "line 1: expected five whole numbers"),
        ("3 4 x 10 1\n", "line 1: expected five whole numbers"),
        ("3 4 ² 10 1\n", "line 1: expected five whole numbers"),
        ("0 4 1 10 1\n", "a board has 1 to"),
        ("99999 99999 1 10 1\n", "a board has 1 to"),
        ("9999999999 1 1 10 1\n", "too large"),
        ("3 4 1 99999 1\n", "a crowd of 99999"),
        (SMALL.replace("B", "F"), "no start tile"),
        (SMALL.replace("S0", "F"), "company 0 has no booth"),
        (SMALL.replace("0 0 E0", "F F F"), "company 0 has no line"),
        (SMALL.replace("E0", "E1"), "line 3, token 3: company 1 does not exist"),
        (SMALL.replace("E0", "Q0"), "line 3, token 3: 'Q0' is not a tile"),
        (SMALL.replace("0 0 E0 F", "0 0 E0 F 0"), "line 3, token 5: '0' lies outside the board"),
        (SMALL + "B\n", "line 5, token 1: 'B' lies outside the board"),
    ],
)
def test_a_malformed_board_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(BoardError, match=message.replace("²", ".")):
        parse_board(text)


def test_ragged_rows_blank_rows_and_surplus_free_tiles_are_read() -> None:
    board = parse_board("4 4 1 0 1\nS00 S0 F F F F\n\n00 E0\nF B\nF F F\n")
    assert board.booths[:4] == (0, 0, -1, -1)
    assert board.zones == ((8, 9),)
    assert board.start == 13


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SMALL.replace("0 0 E0 F\nF", "0 0 F F\nE0"), "company 0: its line is not one straight strip"),
        (SMALL.replace("0 0 E0", "0 F E0"), "not one straight strip"),
        (SMALL.replace("0 0 E0 F", "F F 0 E0").replace("S0 S0 F F", "S0 F F F"), "not beside its booth"),
        (SMALL.replace("10 1", "10 0"), "with a view of 0"),
        ("1 1 0 0 1\nB\n", "nobody could make a point"),
        ("3 3 2 0 1\nS0 S1 B\n0 S1 F\nE0 S1 E1\n", "cannot be reached from the start"),
    ],
)
def test_the_checker_refuses_boards_that_parse_but_are_of_no_use(text: str, message: str) -> None:
    parse_board(text)
    with pytest.raises(BoardError, match=message):
        check_board(text)


def test_the_checker_lists_every_problem_at_once() -> None:
    with pytest.raises(BoardError) as caught:
        check_board(SMALL.replace("0 0 E0", "0 F E0").replace("10 1", "10 0"))
    assert len(str(caught.value).splitlines()) == 2


def test_the_command_prints_a_summary_or_says_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = dict(botleague_commands())["check-board"]
    assert command is check_board_file
    (tmp_path / "good.txt").write_text(SMALL)
    command(tmp_path / "good.txt")
    assert "3 rows, 4 columns, start at row 2, column 3" in capsys.readouterr().out
    (tmp_path / "bad.txt").write_text(SMALL.replace("B", "F"))
    with pytest.raises(BoardError, match=r"bad\.txt is not fit for a fair:\nno start tile"):
        command(tmp_path / "bad.txt")
    with pytest.raises(ValueError, match=r"missing\.txt cannot be read"):
        command(tmp_path / "missing.txt")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match="not a text file"):
        command(tmp_path / "bytes.txt")


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(["F", "B", "S0", "M1", "0", "E0", "1", "E1", "L9", "x", "\n", "-1"]), max_size=30
    ),
    st.sampled_from(["3 4 1 10 1", "2 2 2 0 1", "1 9 0 5 3", "3 4"]),
)
def test_no_text_ends_in_anything_but_a_board_or_a_message(words: list[str], header: str) -> None:
    with contextlib.suppress(BoardError):
        assert "companies" in check_board(f"{header}\n{' '.join(words)}")


def test_the_companies_of_the_package_are_enough_for_every_board() -> None:
    companies = companies_of_the_package()
    assert [sum(company.size == size for company in companies) for size in "SML"] == [30, 30, 31]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A S", "line 1: expected"),
        ("A S 3\nB X 4", "line 2: expected"),
        ("A S -3", "line 1"),
        ("A S 3\nA M 4", "twice"),
    ],
)
def test_a_malformed_list_of_companies_is_refused(text: str, message: str) -> None:
    with pytest.raises(CompanyError, match=message):
        parse_companies(text)
