from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from botleague.rules import BotSource, Fault, Move, Variant, read_config
from botleague_careerfair import botleague_bots
from botleague_careerfair.config import Config
from botleague_careerfair.directions import Direction
from botleague_careerfair.legacy.api import BFS, Board, Booth, Game, Line, State
from botleague_careerfair.tiles import Bot, Tile
from botleague_careerfair.variants import career_fair

Opened = Callable[..., Any]

STILL = """
from awap2019 import Direction
class Team:
    def __init__(self, initial_board, team_size, company_info):
        self.told = (initial_board, team_size, company_info)
        self.seen = []
    def step(self, visible_board, states, score):
        self.seen.append((visible_board, states, score))
        return [Direction.NONE] * 4
"""

WORKED = "4 7 1 0 2\nS0 S0 F  F  F F F\nF  0  0  E0 F F F\nF  F  F  B  F F F\nF  F  F  F  F F F\n"


def quick(**options: Any) -> Variant:
    usual: dict[str, Any] = {"board": "atrium", "teams": 1, "moves": 12, "strike_limit": 0}
    return career_fair("careerfair-test", "", read_config(Config, {**usual, **options}))


def stepping(body: str, constructor: str = "pass") -> str:
    """Return a team whose step is ``body``."""
    return (
        "from awap2019 import Direction, Tile, State\n"
        "class Team:\n"
        "    def __init__(self, initial_board, team_size, company_info):\n"
        f"        {constructor}\n"
        "    def step(self, visible_board, states, score):\n"
        f"        {body}\n"
    )


def test_directions_are_an_enumeration_with_offsets() -> None:
    assert [direction.name for direction in Direction] == [
        "NONE",
        "LEFT",
        "UP",
        "RIGHT",
        "DOWN",
        "ENTER",
        "REPLACE",
    ]
    by_value: Any = Direction
    assert by_value((0, -1)) is Direction["LEFT"] is Direction.LEFT
    assert (Direction.DOWN.x, Direction.DOWN.y) == (1, 0)
    here = (3, 4)
    assert Direction.NONE.get_loc(here) is here
    assert Direction.REPLACE.get_loc(here) is here
    assert Direction.ENTER.get_loc(here) == here
    assert Direction.UP.get_loc((0, 0)) == (-1, 0)
    for direction in (Direction.LEFT, Direction.UP, Direction.RIGHT, Direction.DOWN):
        assert Direction.get_dir(here, direction.get_loc(here)) is direction
    assert Direction.get_dir(here, here) is Direction.get_dir(here, (5, 4)) is Direction.NONE


def test_a_tile_of_ones_own_can_be_filled_and_copied() -> None:
    tile = Tile(1, 2)
    assert (tile.get_loc(), tile.get_threshold(), tile.is_visible(), repr(tile)) == ((1, 2), 1, True, "T0000")
    tile.set_line("Acme")
    tile.set_end_of_line(True)
    for number in range(5):
        tile.add_bot(Bot(None, (0, 0), id=number))
    tile.add_to_line(tile.bots[0])
    tile.update_threshold()
    assert (repr(tile), str(tile), tile.get_threshold(), tile.get_num_bots()) == ("E0401", "(4, 1)", 2, 5)
    other = copy.deepcopy(tile)
    other.remove_bot(other.bots[0])
    assert (other.get_num_bots(), tile.get_num_bots(), Tile.get_line(tile)) == (4, 5, "Acme")
    tile.set_booth("Acme")
    assert repr(tile) == "BOOTH"


def test_bots_on_a_tile_of_ones_own_behave_as_in_the_original() -> None:
    tile, bot, other = Tile(2, 3), Bot(None, (0, 0), id=5), Bot(None, (0, 0), id=6)
    tile.add_bot(bot)
    assert not tile.add_to_line(bot), "the line does not end here"
    tile.set_end_of_line(True)
    assert not tile.add_to_line(other), "it does not stand here"
    assert tile.add_to_line(bot)
    assert (str(tile), bot.loc, bot.is_in_line()) == ("(0, 1)", (2, 3), False)
    with pytest.raises(ValueError, match="not in list"):
        tile.remove_bot(other)
    tile.remove_bot(bot)
    tile.update_line([other])
    assert (str(tile), other.loc) == ("(0, 1)", (2, 3))
    tile.threshold = 7
    assert tile.copy().get_threshold() == 1


def test_a_state_is_written_as_in_the_original() -> None:
    state = State(Direction.LEFT, 2, 1, (3, 4), 1, 5, -1)
    assert state.get_num_encoding() == "1 2 3 4 left 1 5 -1"
    assert repr(State(Direction.NONE, 0, 0, (2, 2), 0, 1, -1)) == "ID_00 @02.02 P_00_T_01_L_-1"
    assert State(Direction.REPLACE, 0, 0, (2, 2), 0, 1, -1).state == "none"
    assert State(Direction.NONE, 0, 0, (2, 2), 0, 1, 3).state == "inline"


def test_the_search_of_the_package_walks_round_booths() -> None:
    board = [[Tile(row, col) for col in range(4)] for row in range(3)]
    for row in (0, 1):
        board[row][1].set_booth("Acme")
    path = BFS(board, (0, 0), lambda tile: tile.get_loc() == (0, 2))
    assert path is not None
    assert (path[0], path[-1], len(path)) == ((0, 0), (0, 2), 7)
    assert BFS(board, (0, 0), lambda tile: tile.get_booth() == "Acme") == [(0, 0), (0, 1)]
    assert BFS(board, (0, 0), lambda tile: tile.get_line() == "Acme") is None


@pytest.mark.parametrize("part", [Game, Board, Booth, Line])
def test_a_bot_can_import_but_not_make_parts_of_the_engine(part: type) -> None:
    with pytest.raises(RuntimeError, match=f"cannot make a {part.__name__}: the platform plays"):
        part("board", "companies", "log")


def test_a_team_is_constructed_with_the_open_board_and_its_companies(hall: Opened) -> None:
    table = hall(quick(board=WORKED, companies="Acme S 25\n"), STILL)
    board, size, companies = table.teams[0].team.told
    assert (size, companies) == (4, {"Acme": 25})
    assert [[tile.get_loc() for tile in row] for row in board][3][6] == (3, 6)
    assert all(tile.is_visible() and tile.get_threshold() == 1 for row in board for tile in row)
    assert [tile.get_loc() for row in board for tile in row if tile.is_end_of_line()] == [(1, 1)]
    assert [tile.get_loc() for row in board for tile in row if tile.get_line()] == [(1, 1), (1, 2), (1, 3)]
    assert repr(board[0][0]) == "BOOTH"


def test_a_closed_initial_board_shows_nothing_but_names(hall: Opened) -> None:
    table = hall(quick(board=WORKED, options={"initial_board": "closed"}), STILL)
    board = table.teams[0].team.told[0]
    assert not any(tile.is_visible() or tile.is_end_of_line() for row in board for tile in row)


def test_every_step_shows_the_true_hall_within_sight_and_names_elsewhere(hall: Opened) -> None:
    table = hall(quick(board="gallery", crowd=200), STILL)
    for _ in range(8):
        truth = table.state.hall
        board_plan = table.rules.fair.board
        table.play(1)
        board, states, score = table.teams[0].team.seen[-1]
        assert score == truth.scores[0]
        assert [(state.x, state.y) for state in states] == [
            divmod(place, board_plan.cols) for place in truth.places[:4]
        ]
        sight = set(table.rules.fair.floor.square(truth.places[0]))
        for number, tile in enumerate(tile for row in board for tile in row):
            assert tile.is_visible() == (number in sight)
            assert tile.get_num_bots() == (truth.counts[number] if number in sight else 0)
            assert len(tile.bots) + len(tile.bots_in_line) == tile.get_num_bots()
            assert tile.is_end_of_line() == (number in sight and number in truth.ends)


def test_people_on_tiles_are_listed_if_the_variant_does_so(hall: Opened) -> None:
    table = hall(quick(board="atrium", people="full", profile="original", view=9), STILL)
    table.play(6)
    for _ in range(6):
        truth, fair = table.state.hall, table.rules.fair
        table.play(1)
        tiles = [tile for row in table.teams[0].team.seen[-1][0] for tile in row]
        base = fair.crowd_base
        for company, queue in enumerate(truth.queues):
            line = [bot.get_id() for tile in fair.board.zones[company] for bot in tiles[tile].bots_in_line]
            assert line == [bot if bot < base else bot - base for bot in queue]
        for number, tile in enumerate(tiles):
            free = [b for b, place in enumerate(truth.places) if place == number and truth.queued[b] < 0]
            free.sort(key=truth.arrivals.__getitem__)
            assert [bot.id for bot in tile.bots] == [b if b < base else b - base for b in free]
            assert [bot.progress for bot in tile.bots] == [truth.progress[b] for b in free]
            assert all(bot.get_loc() == tile.get_loc() and bot.get_team_id() is None for bot in tile.bots)


def test_changes_of_a_bot_to_its_board_have_no_effect(hall: Opened) -> None:
    vandal = stepping(
        "[(t.set_booth('Mine'), t.bots.append(1), setattr(t, 'loc', None), t.set_end_of_line(True))"
        " for row in visible_board for t in row]; visible_board.clear(); states[0].x = 99;"
        " return [Direction.NONE] * 4"
    )
    changed, untouched = hall(quick(), vandal), hall(quick(), STILL)
    assert changed.play() == untouched.play()


def test_an_answer_is_cut_to_four_and_strangers_in_it_are_none(hall: Opened) -> None:
    table = hall(quick(), stepping("return (Direction.LEFT, None, 'UP', 3.5, Direction.UP, Direction.UP)"))
    assert table.ask(0) == Move("LNNN")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("None", "step returned NoneType"),
        ("'LLLL'", "step returned str"),
        ("[]", "0 of 4"),
        ("[Direction.UP] * 3", "3 of 4"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_nonsense_and_errors_are_faults_of_that_step(hall: Opened, answer: str, message: str) -> None:
    table = hall(quick(), stepping(f"return {answer}"))
    reply = table.ask(0)
    assert isinstance(reply, Fault)
    assert message in reply.detail
    assert table.play().strikes == (12,)


def test_a_short_answer_is_no_fault_by_the_original_profile(hall: Opened) -> None:
    assert hall(quick(profile="original"), stepping("return [Direction.UP]")).ask(0) == Move("U")
    assert isinstance(hall(quick(profile="original"), stepping("return []")).ask(0), Fault)


def test_a_constructor_that_raises_is_a_fault_in_every_step(hall: Opened) -> None:
    table = hall(quick(), stepping("return [Direction.NONE] * 4", constructor="raise KeyError('no plan')"))
    reply = table.ask(0)
    assert isinstance(reply, Fault)
    assert "Team.__init__ raised KeyError" in reply.detail
    assert table.play().strikes == (12,)


def test_source_without_a_team_is_reported(hall: Opened) -> None:
    with pytest.raises(TypeError, match="no class Team"):
        hall(quick(), "x = 1")


def test_view_lost_in_a_fault_is_sent_again(hall: Opened) -> None:
    forgetful = stepping(
        "self.turn += 1\n"
        "        if self.turn % 3 == 0: raise ValueError\n"
        "        self.numbers.append([t.get_num_bots() for row in visible_board for t in row])\n"
        "        return [Direction.NONE] * 4",
        constructor="self.turn, self.numbers = 0, []",
    )
    table, steady = hall(quick(), forgetful), hall(quick(), STILL)
    table.play()
    steady.play()
    expected = [
        [tile.get_num_bots() for row in board for tile in row] for board, _, _ in steady.teams[0].team.seen
    ]
    del expected[2::3]
    assert table.teams[0].team.numbers == expected


def test_messages_carry_what_changed_and_little_more(hall: Opened) -> None:
    table = hall(career_fair("careerfair-test", "", Config(board="arena", moves=30)), STILL, STILL)
    sizes = []
    while table.rules.acting(table.state):
        sizes.append(len(msgspec.msgpack.encode(table.rules.observe(table.state, 0))))
        table.play(1)
    assert max(sizes[1:]) < 600


@pytest.mark.parametrize("bot", botleague_bots(), ids=lambda bot: bot.name)
def test_every_bundled_team_plays_without_a_fault_and_scores(hall: Opened, bot: BotSource) -> None:
    source = Path(bot.path).read_text("utf-8")
    table = hall(career_fair("careerfair-test", "", Config(board="atrium", moves=150)), source, source)
    state = table.play()
    assert state.strikes == (0, 0)
    assert min(state.hall.scores) > 50


def test_bundled_teams_have_four_styles_or_more() -> None:
    assert len({bot.summary for bot in botleague_bots()}) >= 4
