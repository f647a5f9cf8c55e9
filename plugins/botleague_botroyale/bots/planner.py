"""Searches over everything it can do in one turn, and judges where that leaves it.

Style: calculating. The platform's State is its board: it applies actions, keeps the best few states of each depth
(a beam search) and plays the first action of the best plan.
"""

from botroyale import BaseBot, Idle, Jump, Move, Push, center_distance

BEAM = 10
DEPTH = 4


class Planner(BaseBot):
    NAME = "planner"
    COLOR_INDEX = 4

    def setup(self, state):
        self.plan = []
        self.expected = None

    def poll_action(self, state):
        # A plan holds as long as nobody interferes, and within a turn nobody can.
        if not self.plan or self.expected != (state.round_count, state.step_count):
            self.plan = self.best_plan(state)
        action = self.plan.pop(0)
        self.expected = (state.round_count, state.step_count + 1)
        return action

    def best_plan(self, state):
        best_score, best_plan = self.score(state), [Idle()]
        beam = [(best_score, [], state)]
        seen = {tuple(state.positions)}
        for _ in range(DEPTH):
            found = []
            for _, plan, now in beam:
                if now.game_over:
                    continue
                for action in self.options(now):
                    if not now.check_legal_action(action):
                        continue
                    after = now.apply_action_manual(action)
                    key = tuple(after.positions)
                    if key in seen or not after.alive_mask[self.id]:
                        continue
                    seen.add(key)
                    found.append((self.score(after), [*plan, action], after))
            found.sort(key=lambda entry: -entry[0])
            beam = found[:BEAM]
            if beam and beam[0][0] > best_score:
                best_score, best_plan = beam[0][0], [*beam[0][1], Idle()]
            if state.winner is None and beam and beam[0][2].winner == self.id:
                return beam[0][1]
        return best_plan

    def options(self, state):
        here = state.positions[self.id]
        for tile in here.neighbors:
            yield Push(tile)
            yield Move(tile)
        for tile in here.ring(2):
            yield Jump(tile)

    def score(self, state):
        """Return how good it is to end the turn in ``state``; more is better."""
        here = state.positions[self.id]
        alive = state.alive_mask
        radius = state.death_radius
        score = -60.0 * int(alive.sum())
        distance = center_distance(here)
        score += 0.12 * state.ap[self.id] - 3.0 * distance
        if distance >= radius - 1:
            score -= 500
        elif distance == radius - 2:
            score -= 12
        for uid, tile in enumerate(state.positions):
            if uid == self.id or not alive[uid]:
                continue
            if center_distance(tile) >= radius - 1:
                score += 10  # it has to move, or the ring takes it
            gap = tile.get_distance(here)
            if gap == 1:
                score += self.standoff(state, here, tile)
            elif gap == 2:
                score -= 2
        return score - 4 * sum(tile in state.pits for tile in here.neighbors)

    def standoff(self, state, here, tile):
        """Return what it is worth to stand beside a rival: the rival has the next word."""
        behind_me = here + (here - tile)
        if behind_me in state.walls or behind_me in state.positions:
            return 3
        if behind_me in state.pits or center_distance(behind_me) >= state.death_radius - 1:
            return -150
        return -8


BOT = Planner
