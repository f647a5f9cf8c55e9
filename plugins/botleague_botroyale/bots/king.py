"""Runs for the centre, holds it, and pushes away whoever comes beside it.

Style: territorial. The last rounds are played in the middle, so whoever is there first need not move any more.
"""

import heapq

from botroyale import CENTER, BaseBot, Idle, Jump, Move, Push, center_distance


class King(BaseBot):
    NAME = "king"
    COLOR_INDEX = 3

    def poll_action(self, state):
        self.state = state
        self.here = state.positions[self.id]
        self.points = state.ap[self.id]
        return self.shove() or self.climb() or Idle()

    def shove(self):
        """Return a push that kills, or one that drives a neighbour outwards once the throne is near."""
        if self.points < Push.ap:
            return None
        best, best_gain = None, 0
        for tile in self.here.neighbors:
            push = Push(tile)
            if not self.state.check_legal_action(push):
                continue
            victim = self.state.positions.index(tile)
            if not self.state.alive_mask[victim]:
                continue
            after = self.state.apply_action_manual(push)
            if not after.alive_mask[victim]:
                gain = 100
            else:
                gain = center_distance(after.positions[victim]) - center_distance(tile)
                gain -= center_distance(self.here)
            if after.alive_mask[self.id] and gain > best_gain:
                best, best_gain = push, gain
        return best

    def climb(self):
        """Return the next step on the cheapest way to the middle, if the way after it is worth its points."""
        if center_distance(self.here) <= 1 and self.here not in self.state.pits:
            return None
        first = self.cheapest_way()
        if first is None:
            return None
        reserve = 0 if center_distance(self.here) >= self.state.death_radius - 2 else Push.ap
        if self.points - first.ap < reserve:
            return None
        return first if self.state.check_legal_action(first) else None

    def cheapest_way(self):
        taken = set(self.state.positions) - {self.here}
        blocked = self.state.walls | self.state.pits | taken
        goals = {tile for tile in CENTER.range(1) if tile not in blocked} or {
            tile for tile in CENTER.range(3) if tile not in blocked
        }
        queue = [(0, 0, self.here, None)]
        done = set()
        number = 0
        while queue:
            cost, _, tile, first = heapq.heappop(queue)
            if tile in goals:
                return first
            if tile in done:
                continue
            done.add(tile)
            for kind, landings in ((Move, tile.neighbors), (Jump, tile.ring(2))):
                for landing in landings:
                    if landing in done or landing in blocked:
                        continue
                    if center_distance(landing) >= self.state.death_radius:
                        continue
                    number += 1
                    heapq.heappush(queue, (cost + kind.ap, number, landing, first or kind(landing)))
        return None


BOT = King
