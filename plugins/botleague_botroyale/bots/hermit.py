"""Keeps out of trouble: walks inwards just ahead of the ring, away from everybody who could push it.

Style: defensive. It spends as little as it can, because who spends least moves first in the next round, and keeps
enough points for a jump out of a tight corner.
"""

from collections import deque

from botroyale import BaseBot, Idle, Jump, Move, center_distance

RESERVE = Jump.ap


class Hermit(BaseBot):
    NAME = "hermit"
    COLOR_INDEX = 2

    def poll_action(self, state):
        here = state.positions[self.id]
        bodies = set(state.positions)
        self.blocked = state.walls | state.pits | (bodies - {here})
        self.rivals = [
            tile for uid, tile in enumerate(state.positions) if state.alive_mask[uid] and uid != self.id
        ]
        self.state = state

        danger = self.danger(here)
        if danger == 0:
            return Idle()
        points = state.ap[self.id]
        urgent = center_distance(here) >= state.death_radius - 1 or danger >= 10
        if not urgent and points < RESERVE + Move.ap:
            return Idle()
        step = self.way_to_safety(here, danger)
        if step is not None and points >= Move.ap:
            return Move(step)
        if points >= Jump.ap:
            landings = [tile for tile in here.ring(2) if tile not in self.blocked]
            landings = [tile for tile in landings if self.danger(tile) < danger]
            if landings:
                return Jump(min(landings, key=self.danger))
        return Idle()

    def danger(self, tile):
        """Return how bad it is to end the turn here; 0 is fine."""
        room = self.state.death_radius - 2 - center_distance(tile)
        danger = 0 if room >= 1 else 6 if room == 0 else 30 - 10 * room
        for rival in self.rivals:
            gap = rival.get_distance(tile)
            if gap == 1:
                behind = tile + (tile - rival)
                deadly = behind in self.state.pits or center_distance(behind) >= self.state.death_radius
                danger += 20 if deadly else 4
            elif gap == 2:
                danger += 2
        danger += sum(2 for tile_beside in tile.neighbors if tile_beside in self.state.pits and self.rivals)
        return danger

    def way_to_safety(self, here, danger):
        """Return the first step of the shortest way to a better tile, nearest and safest first."""
        first_steps = {here: None}
        queue = deque([(here, 0)])
        best, best_worth = None, danger
        while queue:
            tile, length = queue.popleft()
            if length == 5:
                break
            for beside in tile.neighbors:
                if beside in first_steps or beside in self.blocked:
                    continue
                if center_distance(beside) >= self.state.death_radius:
                    continue
                first_steps[beside] = first_steps[tile] or beside
                queue.append((beside, length + 1))
                worth = self.danger(beside) + length
                if worth < best_worth:
                    best, best_worth = first_steps[beside], worth
        return best


BOT = Hermit
