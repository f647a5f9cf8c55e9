"""Lays a field of warm and cold tiles over the board and walks to where it is mildest.

Style: positional. Pits, the ring and rivals radiate, walls shelter; numpy does the sums for all tiles at once.
"""

import botroyale as br
import numpy as np

PIT, RIVAL, WALL, EDGE = 5.0, 4.0, -1.0, 3.0


class Weather(br.BaseBot):
    NAME = "weather"
    COLOR_INDEX = 5

    def setup(self, state):
        self.tiles = br.CENTER.range(state.death_radius)
        self.index = {tile: number for number, tile in enumerate(self.tiles)}
        # Coordinates by rows: sums along long rows are what numpy is quick at.
        self.cubes = np.array([tile.cube for tile in self.tiles], dtype=np.int16).T.copy()
        self.from_centre = np.abs(self.cubes).max(axis=0)

    def forecast(self, state):
        """Return the temperature of every tile; low is pleasant."""
        rivals = [
            tile
            for uid, tile in enumerate(state.positions)
            if uid != self.id and uid in np.flatnonzero(state.alive_mask)
        ]
        field = np.zeros(len(self.tiles))
        field += PIT * self.radiance(state.pits, 1)
        field += RIVAL * self.radiance(rivals, 2)
        field += WALL * self.radiance(state.walls, 1)
        room = state.death_radius - 1 - self.from_centre
        field += EDGE * np.clip(3 - room, 0, 9) ** 2
        field += 0.5 * self.from_centre
        return field

    def radiance(self, sources, reach):
        """Return how many sources are near every tile, nearer ones counting more."""
        inside = [source.cube for source in sources if source in self.index]
        if not inside:
            return np.zeros(len(self.tiles))
        rows = np.array(inside, dtype=np.int16).T
        q, r, s = (np.abs(theirs[:, None] - ours) for ours, theirs in zip(self.cubes, rows, strict=True))
        return np.maximum(reach + 1 - np.maximum(np.maximum(q, r), s), 0).sum(axis=0)

    def poll_action(self, state):
        here = state.positions[self.id]
        field = self.forecast(state)
        push = self.lucky_push(state, here)
        if push is not None:
            return push
        options = [(br.Move(tile), tile) for tile in here.neighbors]
        options += [(br.Jump(tile), tile) for tile in here.ring(2)]
        best, best_heat = br.Idle(), field[self.index[here]] - 0.5
        for action, tile in options:
            if tile not in self.index or tile in state.pits or not state.check_legal_action(action):
                continue
            heat = field[self.index[tile]] + action.ap / 25
            if heat < best_heat:
                best, best_heat = action, heat
        return best

    def lucky_push(self, state, here):
        for tile in here.neighbors:
            if tile not in state.positions:
                continue
            behind = next(here.straight_line(tile))
            deadly = behind in state.pits or br.center_distance(behind) >= state.death_radius
            victim = state.positions.index(tile)
            push = br.Push(tile)
            if deadly and state.alive_mask[victim] and state.check_legal_action(push):
                return push
        return None


BOT = Weather
