"""The crowd against random.Random itself: the same numbers, the same paths, the same state afterwards."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague_careerfair.simulation.board import Board, parse_board
from botleague_careerfair.simulation.boards import board_names, board_text
from botleague_careerfair.simulation.chance import ChanceState, Words, chance_from_seed
from botleague_careerfair.simulation.companies import Company
from botleague_careerfair.simulation.crowd import KINDS, crowd_of, search
from botleague_careerfair.simulation.fair import Fair
from botleague_careerfair.simulation.floor import IDENTITY, ORDER, ORDERS, floor_of
from botleague_careerfair.simulation.requests import CARDINALS

SEEDS = st.integers(0, 2**64 - 1)
IDLE = [[0] * 4]


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 40), st.lists(st.integers(0, 70), max_size=60))
def test_words_are_read_as_the_generator_itself_uses_them(seed: int, block: int, wants: list[int]) -> None:
    """0 stands for uniform, any other number for a choice among so many."""
    rng, words = Random(seed), Words(chance_from_seed(seed), block)
    for want in wants:
        if want:
            assert words.below(want) == rng.choice(range(want))
        else:
            assert words.uniform() == rng.uniform(0, 1)
    assert as_random(words.state()) == rng.getstate()


def as_random(state: ChanceState) -> tuple[Any, ...]:
    """What ``random.Random`` calls the same state."""
    rng = Random(0)
    rng.setstate(state.page)
    rng.getrandbits(32 * state.read)
    return rng.getstate()


def literal_search(board: Board, source: int, goal: Callable[[int], bool], rng: Random) -> list[int]:
    """The search of rules/careerfair.md, section 7, word for word."""
    floor = floor_of(board)
    directions = list(CARDINALS)
    queue, visited = deque([[source]]), set()
    while queue:
        path = queue.popleft()
        if goal(path[-1]):
            return path
        if path[-1] in visited:
            continue
        visited.add(path[-1])
        rng.shuffle(directions)
        for direction in directions:
            after = floor.adjacent[direction][path[-1]]
            if after >= 0 and goal(after):
                return [*path, after]
            if after >= 0 and board.booths[after] < 0:
                queue.append([*path, after])
    return []


@settings(max_examples=80, deadline=None)
@given(st.data(), st.sampled_from(board_names()), SEEDS)
def test_a_search_finds_the_path_of_the_rules_and_uses_the_generator_alike(
    data: st.DataObject, name: str, seed: int
) -> None:
    board = parse_board(board_text(name))
    walkable = sorted(floor_of(board).reachable())
    source = data.draw(st.sampled_from(walkable))
    goal = data.draw(st.integers(0, board.tiles - 1))  # a booth is found from beside it
    rng, words = Random(seed), Words(chance_from_seed(seed), 100)
    path = search(floor_of(board), words, source, goal)
    assert list(path)[::-1] == literal_search(board, source, lambda tile: tile == goal, rng)
    assert as_random(words.state()) == rng.getstate()


def test_a_goal_behind_walls_is_given_up_after_the_whole_hall() -> None:
    board = parse_board("3 5 2 0 1\nS0 F S1 F F\n0 B S1 F F\nE0 F S1 1 E1\n")
    rng, words = Random(5), Words(chance_from_seed(5), 10)
    assert search(floor_of(board), words, board.start, 4) == ()
    assert literal_search(board, board.start, lambda tile: tile == 4, rng) == []
    assert as_random(words.state()) == rng.getstate()


def test_the_machine_of_orders_shuffles_like_random() -> None:
    for seed in range(50):
        rng, words = Random(seed), Words(chance_from_seed(seed), 50)
        directions = list(CARDINALS)
        turn: Any = floor_of(parse_board(board_text("atrium"))).turns[IDENTITY]
        for _ in range(10):
            rng.shuffle(directions)
            turn = turn[words.shuffle()]
            assert ORDERS[turn[ORDER]] == tuple(directions)
        assert as_random(words.state()) == rng.getstate()


def test_a_crowd_comes_in_groups_of_ten() -> None:
    assert crowd_of(9) == ()
    kinds = crowd_of(25)
    assert len(kinds) == 20
    assert kinds[:10] == kinds[10:]
    assert kinds[:5] == ("jittery", "jittery", "jittery", "extrovert", "random:S")


@pytest.mark.parametrize("kind", ["jittery", "random:S", "random:M", "random:*", "follower", "realistic"])
def test_every_kind_but_the_extrovert_gets_served(kind: str) -> None:
    assert served_among([kind] * 5)


def test_an_extrovert_never_stands_in_a_line() -> None:
    assert not served_among(["extrovert"] * 5)


def served_among(kinds: list[str]) -> list[Any]:
    board = parse_board(board_text("atrium"))
    fair = Fair(board, teams=1, kinds=kinds)
    hall = fair.open([Company("a", "S", 20)] * len(board.sizes), crowd_seed=4)
    served: list[Any] = []
    for _ in range(60):
        hall = fair.step(hall, IDLE)
        served += hall.served
    return served


def test_a_follower_visits_companies_it_has_not_been_to_yet() -> None:
    companies = [company for company, _, _ in served_among(["follower"])]
    assert len(set(companies[:7])) == 7


def test_a_realistic_member_asks_at_small_companies_before_large_ones() -> None:
    board = parse_board(board_text("atrium"))
    fair = Fair(board, teams=1, kinds=["realistic"])
    hall = fair.open([Company("a", "S", 20)] * len(board.sizes), crowd_seed=4)
    sizes = []
    for _ in range(80):
        before = hall.crowd.visited[0]
        hall = fair.step(hall, IDLE)
        sizes += [board.sizes[company] for company in hall.crowd.visited[0] - before]
    assert sizes[:8] == ["S"] * 4 + ["M"] * 2 + ["L"] + ["S"]


def test_a_crowd_with_another_seed_goes_other_ways() -> None:
    board = parse_board(board_text("atrium"))
    fair = Fair(board, teams=1, kinds=crowd_of(100))
    companies = [Company("a", "S", 20)] * len(board.sizes)
    ends = set()
    for seed in (1, 1, 2):
        hall = fair.open(companies, seed)
        for _ in range(20):
            hall = fair.step(hall, IDLE)
        ends.add(hall.places)
    assert len(ends) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_bears_a_hall_without_companies(kind: str) -> None:
    fair = Fair(parse_board("2 3 0 0 1\nF F F\nF B F\n"), teams=1, kinds=[kind] * 3)
    hall = fair.open([], crowd_seed=1)
    for _ in range(5):
        hall = fair.step(hall, IDLE)
    assert sum(hall.counts) == 7
