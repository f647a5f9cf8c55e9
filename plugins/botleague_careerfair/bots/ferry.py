"""Ferry: the helpers stand in the lines, and the main bot changes roles with one that is about to be served.

So the waiting is done by three bots and the major reward still goes to the team.
"""

from collections import deque

from awap2019 import Direction

CARDINALS = [Direction.LEFT, Direction.UP, Direction.RIGHT, Direction.DOWN]


class Team:
    def __init__(self, initial_board, team_size, company_info):
        self.team_name = "Ferry"
        self.rewards = dict(company_info)
        self.goals = [None] * team_size
        self.was_queued = [False] * team_size
        self.lines, self.fronts = {}, {}
        for row in initial_board:
            for tile in row:
                if tile.get_line() is not None:
                    self.lines.setdefault(tile.get_line(), []).append(tile.get_loc())
                    if tile.is_end_of_line():
                        self.fronts[tile.get_line()] = tile.get_loc()

    def step(self, visible_board, states, score):
        main, helpers = states[0], states[1:]
        for state in states:
            self.account(state)
        answer = [Direction.NONE] * len(states)
        for helper in helpers:
            answer[helper.id] = self.queue_up(visible_board, helper)
        if main.state == "inline":
            return answer
        ready = [h for h in helpers if h.line_pos == 0 and (h.x, h.y) == (main.x, main.y)]
        if ready:
            helper = ready[0]
            answer[0] = answer[helper.id] = Direction.REPLACE
            self.goals[0], self.goals[helper.id] = self.goals[helper.id], None
            self.was_queued[0], self.was_queued[helper.id] = True, False
            return answer
        answer[0] = self.attend(visible_board, main, helpers)
        return answer

    def account(self, state):
        """Notice that a bot has been served."""
        if state.state == "inline":
            self.was_queued[state.id] = True
        elif self.was_queued[state.id]:
            self.was_queued[state.id] = False
            if self.goals[state.id] is not None:
                self.rewards[self.goals[state.id]] //= 2
            self.goals[state.id] = None

    def queue_up(self, board, state):
        """Let a helper find the end of a rewarding line."""
        if state.state == "inline":
            return Direction.NONE
        if state.progress:
            return state.dir
        ways = first_steps(board, (state.x, state.y))
        if self.goals[state.id] is None:
            self.goals[state.id] = self.pick(ways, state.id)
        goal = self.goals[state.id]
        if goal is None:
            return Direction.NONE
        here = board[state.x][state.y]
        if here.is_end_of_line() and here.get_line() == goal:
            return Direction.ENTER
        ends = [(row, col) for row, col in self.lines[goal] if board[row][col].is_end_of_line()]
        target = ends[0] if ends else self.fronts[goal]
        return ways[target][1] if target in ways else Direction.NONE

    def pick(self, ways, me):
        free = [c for c in self.lines if c not in self.goals and self.fronts[c] in ways]
        return max(free, key=lambda c: self.rewards[c] / (10 + ways[self.fronts[c]][0]), default=None)

    def attend(self, board, main, helpers):
        """Walk to the front of the line in which a helper will be served first."""
        if main.progress:
            return main.dir
        waiting = [h for h in helpers if h.line_pos >= 0 and self.goals[h.id] is not None]
        if not waiting:
            waiting = [h for h in helpers if self.goals[h.id] is not None]
        if not waiting:
            return Direction.NONE
        ways = first_steps(board, (main.x, main.y))

        def delay(helper):
            front = self.fronts[self.goals[helper.id]]
            return max(2 * helper.line_pos, ways[front][0] if front in ways else 1000)

        front = self.fronts[self.goals[min(waiting, key=delay).id]]
        return ways[front][1] if front in ways else Direction.NONE


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
