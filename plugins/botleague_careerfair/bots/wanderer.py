"""Wanderer: walks at random, enters whatever line it meets and waits patiently."""

import random

from awap2019 import Direction

CARDINALS = [Direction.LEFT, Direction.UP, Direction.RIGHT, Direction.DOWN]


class Team:
    def __init__(self, initial_board, team_size, company_info):
        self.team_name = "Wanderer"
        self.rng = random.Random(len(company_info))
        self.heading = [Direction.UP] * team_size

    def step(self, visible_board, states, score):
        return [self.choose(visible_board, state) for state in states]

    def choose(self, board, state):
        if state.state == "inline":
            return Direction.NONE
        if board[state.x][state.y].is_end_of_line():
            return Direction.ENTER
        if state.progress:
            return state.dir
        open_ways = [way for way in CARDINALS if walkable(board, way.get_loc((state.x, state.y)))]
        heading = self.heading[state.id]
        if heading not in open_ways or self.rng.random() < 0.2:
            heading = self.rng.choice(open_ways) if open_ways else Direction.NONE
            self.heading[state.id] = heading
        return heading


def walkable(board, loc):
    row, col = loc
    return 0 <= row < len(board) and 0 <= col < len(board[0]) and board[row][col].get_booth() is None
