"""Planner: weighs each reward against the way and the wait; crowded tiles are longer ways.

It remembers how crowded every tile was when a bot last saw it, and plans with Dijkstra's algorithm on that memory.
"""

import heapq

from awap2019 import Direction

CARDINALS = [Direction.LEFT, Direction.UP, Direction.RIGHT, Direction.DOWN]
MEMORY = 25
UNKNOWN_QUEUE = 4


class Team:
    def __init__(self, initial_board, team_size, company_info):
        self.team_name = "Planner"
        self.major = dict(company_info)
        self.minor = {company: value // 2 for company, value in company_info.items()}
        self.goals = [None] * team_size
        self.queued_for = [None] * team_size
        self.turn = 0
        self.cost = {}
        self.lines = {}
        self.queue = dict.fromkeys(company_info, (0, UNKNOWN_QUEUE))
        self.ends = {}
        for row in initial_board:
            for tile in row:
                if tile.get_booth() is None:
                    self.cost[tile.get_loc()] = (0, 1)
                if tile.get_line() is not None:
                    self.lines.setdefault(tile.get_line(), []).append(tile.get_loc())
                    if tile.is_end_of_line():
                        self.ends[tile.get_line()] = tile.get_loc()

    def step(self, visible_board, states, score):
        self.turn += 1
        self.look(visible_board)
        return [self.choose(visible_board, state) for state in states]

    def look(self, board):
        for row in board:
            for tile in row:
                if tile.is_visible() and tile.get_booth() is None:
                    self.cost[tile.get_loc()] = (self.turn, tile.get_threshold())
        for company, tiles in self.lines.items():
            seen = [board[row][col] for row, col in tiles]
            for tile in seen:
                if tile.is_end_of_line():
                    self.ends[company] = tile.get_loc()
            if all(tile.is_visible() for tile in seen):
                self.queue[company] = (self.turn, sum(len(tile.bots_in_line) for tile in seen))

    def remembered(self, loc):
        turn, threshold = self.cost[loc]
        return threshold if self.turn - turn <= MEMORY else (1 + threshold) / 2

    def choose(self, board, state):
        me = state.id
        if state.state == "inline":
            self.queued_for[me] = self.goals[me]
            return Direction.NONE
        served = self.queued_for[me]
        if served is not None:
            self.major[served] //= 2
            self.minor[served] //= 2
            self.queued_for[me] = self.goals[me] = None
        if state.progress and state.progress + 2 >= state.threshold:
            return state.dir
        here = board[state.x][state.y]
        costs, first = self.ways((state.x, state.y))
        self.goals[me] = self.best(costs, me)
        if self.goals[me] is None:
            return Direction.NONE
        if here.is_end_of_line() and here.get_line() == self.goals[me]:
            return Direction.ENTER
        return first.get(self.ends[self.goals[me]], Direction.NONE)

    def best(self, costs, me):
        rewards = self.major if me == 0 else self.minor
        taken = [goal for bot, goal in enumerate(self.goals) if bot != me]
        best, best_rate = None, 0
        for company, end in self.ends.items():
            if company in taken or end not in costs:
                continue
            time = costs[end] + 2 * self.queue[company][1] + 2
            rate = rewards[company] / time
            if company == self.goals[me]:
                rate *= 1.3
            if rate > best_rate:
                best, best_rate = company, rate
        return best

    def ways(self, src):
        costs, first = {src: 0}, {src: Direction.NONE}
        heap = [(0, src)]
        while heap:
            cost, loc = heapq.heappop(heap)
            if cost > costs[loc]:
                continue
            for way in CARDINALS:
                after = way.get_loc(loc)
                if after not in self.cost:
                    continue
                total = cost + self.remembered(after)
                if after not in costs or total < costs[after]:
                    costs[after] = total
                    first[after] = way if loc == src else first[loc]
                    heapq.heappush(heap, (total, after))
        return costs, first
