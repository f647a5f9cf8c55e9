"""Spread: shares the companies out by the columns of the hall; each bot visits its own in turn, richest first.

Ways are looked up in distance maps that are made once, in the constructor.
"""

from awap2019 import Direction

CARDINALS = [Direction.LEFT, Direction.UP, Direction.RIGHT, Direction.DOWN]
PATIENCE = 40


class Team:
    def __init__(self, initial_board, team_size, company_info):
        self.team_name = "Spread"
        self.open = {tile.get_loc() for row in initial_board for tile in row if tile.get_booth() is None}
        self.fronts, self.lines = {}, {}
        for row in initial_board:
            for tile in row:
                if tile.get_line() is not None:
                    self.lines.setdefault(tile.get_line(), []).append(tile.get_loc())
                    if tile.is_end_of_line():
                        self.fronts[tile.get_line()] = tile.get_loc()
        self.maps = {loc: self.distances(loc) for tiles in self.lines.values() for loc in tiles}
        names = sorted(self.fronts, key=lambda name: self.fronts[name][1])
        share = (len(names) + team_size - 1) // team_size
        self.routes = [names[start : start + share] for start in range(0, share * team_size, share)]
        for route in self.routes:
            route.sort(key=lambda name: -company_info[name])
        self.waited = [0] * team_size
        self.was_queued = [False] * team_size

    def distances(self, goal):
        found, ring = {goal: 0}, [goal]
        for loc in ring:
            for way in CARDINALS:
                after = way.get_loc(loc)
                if after in self.open and after not in found:
                    found[after] = found[loc] + 1
                    ring.append(after)
        return found

    def step(self, visible_board, states, score):
        return [self.choose(visible_board, state) for state in states]

    def choose(self, board, state):
        me, route = state.id, self.routes[state.id]
        if not route:
            return Direction.NONE
        self.waited[me] += 1
        if state.state == "inline":
            self.was_queued[me] = True
            return Direction.NONE
        if self.was_queued[me] or self.waited[me] > PATIENCE:
            self.was_queued[me] = False
            self.waited[me] = 0
            route.append(route.pop(0))
        here = board[state.x][state.y]
        if here.is_end_of_line() and here.get_line() == route[0]:
            return Direction.ENTER
        if state.progress:
            return state.dir
        ends = [loc for loc in self.lines[route[0]] if board[loc[0]][loc[1]].is_end_of_line()]
        target = ends[0] if ends else self.fronts[route[0]]
        far = self.maps[target]
        ways = [way for way in CARDINALS if way.get_loc((state.x, state.y)) in far]

        def cost(way):
            row, col = loc = way.get_loc((state.x, state.y))
            return far[loc] + board[row][col].get_threshold() / 2

        return min(ways, key=cost) if ways else Direction.NONE
