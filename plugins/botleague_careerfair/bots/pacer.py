"""Pacer: each bot goes to the nearest line that still pays and is not crowded, and never looks back."""

from collections import deque

from awap2019 import Direction

CARDINALS = [Direction.LEFT, Direction.UP, Direction.RIGHT, Direction.DOWN]
LONGEST_QUEUE = 6


class Team:
    def __init__(self, initial_board, team_size, company_info):
        self.team_name = "Pacer"
        self.rewards = dict(company_info)
        self.goals = [None] * team_size
        self.was_queued = [False] * team_size
        self.lines = {}
        for row in initial_board:
            for tile in row:
                if tile.get_line() is not None:
                    self.lines.setdefault(tile.get_line(), []).append(tile.get_loc())

    def step(self, visible_board, states, score):
        return [self.choose(visible_board, state) for state in states]

    def choose(self, board, state):
        me = state.id
        if state.state == "inline":
            self.was_queued[me] = True
            return Direction.NONE
        if self.was_queued[me]:
            self.was_queued[me] = False
            self.rewards[self.goals[me]] //= 2
            self.goals[me] = None
        here = board[state.x][state.y]
        if here.is_end_of_line() and here.get_line() == self.goals[me]:
            return Direction.ENTER
        if state.progress:
            return state.dir
        ways = first_steps(board, (state.x, state.y))
        if self.goals[me] is None or self.too_long(board, self.goals[me]):
            self.goals[me] = self.nearest(board, ways, me)
        if self.goals[me] is None:
            return Direction.NONE
        target = end_of(board, self.lines[self.goals[me]], ways)
        return ways[target][1] if target in ways else Direction.NONE

    def nearest(self, board, ways, me):
        taken = [goal for bot, goal in enumerate(self.goals) if bot != me]
        best, best_cost = None, None
        for company, tiles in self.lines.items():
            if self.rewards[company] < 4 or company in taken or self.too_long(board, company):
                continue
            target = end_of(board, tiles, ways)
            if target not in ways:
                continue
            cost = ways[target][0] - self.rewards[company] / 10
            if best_cost is None or cost < best_cost:
                best, best_cost = company, cost
        return best

    def too_long(self, board, company):
        return sum(board[row][col].get_num_bots() for row, col in self.lines[company]) > 2 * LONGEST_QUEUE


def end_of(board, tiles, ways):
    for row, col in tiles:
        if board[row][col].is_end_of_line():
            return row, col
    return min(tiles, key=lambda loc: ways[loc][0] if loc in ways else 10_000)


def first_steps(board, src):
    """Return for every reachable location its distance from src and the first direction of a way there."""
    found = {src: (0, Direction.NONE)}
    queue = deque([src])
    while queue:
        loc = queue.popleft()
        distance, first = found[loc]
        for way in CARDINALS:
            row, col = after = way.get_loc(loc)
            if after in found or not (0 <= row < len(board) and 0 <= col < len(board[0])):
                continue
            if board[row][col].get_booth() is None:
                found[after] = (distance + 1, first if distance else way)
                queue.append(after)
    return found
