"""What holds in every game, whatever is drawn and whoever moves how."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from botleague.rules import Fault, Move, Reply
from botleague_pelita.config import Config
from botleague_pelita.mazes.board import Board, near_squares, numbers, respawns
from botleague_pelita.mazes.layout import format_layout, read_layout
from botleague_pelita.mazes.maze import SIZES, generate
from botleague_pelita.play.engine import play, prepare, set_up
from botleague_pelita.play.state import Settings, State
from botleague_pelita.rules import PelitaRules

BUSY = Config(size=(16, 8), food=(3, 10), max_rounds=60, max_food_age=3, timeout_limit=0)
"""Food moves often, and nobody is ever disqualified for being late."""


def random_game(rules: PelitaRules, seed: int, late: float = 0.1) -> list[State]:
    rng, steps = Random(seed), Random(seed + 1)
    state = rules.start(["Blue", "Red"], rng)
    states = [state]
    while acting := rules.acting(state):
        move: Reply = Move(rules.sample(state, acting[0], steps))
        if steps.random() < late:
            move = Fault("timeout")
        state = rules.apply(state, {acting[0]: move}, rng)
        states.append(state)
    return states


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 2**40), cascade=st.booleans())
def test_points_come_from_food_and_deaths_and_from_nowhere_else(seed: int, cascade: bool) -> None:
    rules = PelitaRules(structs.replace(BUSY, cascade_kills=cascade))
    states = random_game(rules, seed)
    full = [side.bit_count() for side in states[0].food]
    for state in states:
        for team in (0, 1):
            eaten = full[1 - team] - state.food[1 - team].bit_count()
            deaths = state.tally.deaths[1 - team] + state.tally.deaths[3 - team]
            kills = state.tally.kills[team] + state.tally.kills[team + 2]
            assert kills == deaths
            assert state.tally.score[team] == eaten + 5 * deaths


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 2**40))
@example(seed=0)  # food moves 29 times; there are games in which it never does
def test_food_moves_within_its_half_and_away_from_its_guards(seed: int) -> None:
    states = random_game(PelitaRules(BUSY), seed)
    moves = 0
    for state in states:
        board = state.board
        for serial, team, _, new in state.food_moves:
            if new < 0 or serial != state.serial or state.verdict is not None:
                continue
            moves += 1
            x, _ = board.squares[new]
            assert board.team_at(new) == team
            assert x not in (board.width // 2 - 1, board.width // 2)
            for own in (state.bots[team], state.bots[team + 2]):
                assert new not in near_squares(board, own, BUSY.shadow_distance)
    assert moves or seed, "in the example food moves"


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 2**40))
def test_bots_stand_on_free_squares_and_age_only_shaded_food(seed: int) -> None:
    for state in random_game(PelitaRules(BUSY), seed):
        assert all(state.board.free >> bot & 1 for bot in state.bots)
        for team in (0, 1):
            assert all(state.food[team] >> number & 1 and age > 0 for number, age in state.ages[team])
            assert not state.food[team] & ~state.board.halves[team]


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 2**40), generator=st.sampled_from(tuple(SIZES)), data=st.data())
def test_mazes_are_point_symmetric_and_read_back(seed: int, generator: str, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["small", "normal"]))
    width, height, trapped, total = SIZES[generator][name]  # type: ignore[index]  # a generator
    maze = generate(Random(seed), (width, height), (trapped, total), generator)  # type: ignore[arg-type]
    for squares in (maze.walls, maze.food):
        assert {(width - 1 - x, height - 1 - y) for x, y in squares} == set(squares)
    assert len(maze.food) == 2 * total
    assert read_layout(str(maze)) == maze
    assert format_layout(maze.walls, maze.food, maze.bots) == str(maze)
    assert respawns(maze.shape, maze.walls) == maze.bots
    connected = {maze.board.respawn[0]}
    todo = list(connected)
    while todo:
        fresh = set(maze.board.legal[todo.pop()]) - connected
        connected |= fresh
        todo += fresh
    assert connected == set(numbers(maze.board.free))


@pytest.mark.parametrize(
    ("generator", "seed", "rows", "next_number"),
    [
        ("classic", 3, ["####", "##y#", "# x#", *["#  #"] * 3, "#a #", "#b##", "####"], 623685183),
        (
            "v27",
            2,
            ["####", "# y#", "##x#", "####", "#  #", "####", "#  #", "####", "#a##", "#b #", "####"],
            868616383,
        ),
    ],
)
def test_the_narrowest_mazes_are_the_originals_too(
    generator: str, seed: int, rows: list[str], next_number: int
) -> None:
    """Recorded from releases 2.6.0 and 2.7.0; between rim and border column there is nothing to partition."""
    rng = Random(seed)
    maze = generate(rng, (4, len(rows)), (0, 0), generator)  # type: ignore[arg-type]  # a generator
    assert str(maze).splitlines() == rows
    assert rng.randrange(10**9) == next_number


def test_a_chain_of_kills_ends_even_where_a_bot_respawns_among_its_enemies() -> None:
    # Free squares near the blue corner lie in the red half only, so blue bots respawn as pac-men.
    layout = read_layout("########\n#####a.#\n#.###b.#\n####xy.#\n########", bots={"a": (5, 1)})
    rules = Settings(cascade_kills=True)
    board = layout.board
    state = prepare(rules, set_up(rules, layout, Random(1)), Random(1))
    crowded = [board.respawn[0]] * 4
    state = State(
        board,
        state.names,
        state.team_seeds,
        1,
        0,
        (crowded[0], crowded[0], crowded[0], crowded[0]),
        state.food,
    )
    after = play(rules, state, crowded[0], Random(1))
    assert after.tally.deaths == (1, 0, 1, 0)


def test_equal_boards_are_equal_values() -> None:
    maze = generate(Random(5))
    assert maze.board == Board.of(maze.shape, reversed(maze.walls))
    assert hash(maze.board) == hash(Board.of(maze.shape, maze.walls))


def test_the_same_team_seed_is_given_to_both_sides_on_demand() -> None:
    states = [
        PelitaRules(Config(same_team_seed=same)).start(["Blue", "Red"], Random(3)) for same in (True, False)
    ]
    assert states[0].team_seeds == (states[1].team_seeds[0],) * 2
    assert states[0].shown == states[1].shown, "the draws of the game are the same"
