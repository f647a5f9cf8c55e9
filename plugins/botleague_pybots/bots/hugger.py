"""Hugger: keeps close to the walls, where nobody comes from behind, and shoots across the arena.

It drives from corner to corner, turns round when it gets stuck, and scans only the half of the world that can
have robots in it.
"""

from pybots import util


class bot:
    size = 11
    armour = 1
    maxdamage = 10
    maxspeed = 2
    shotpower = 5
    shotspeed = 3
    scanradius = 3

    def __init__(self):
        self.corners = [(0, 0)]
        self.set_arena_data({"ARENA_W": 400, "ARENA_H": 300})

    def set_arena_data(self, data):
        gap = self.size + self.maxspeed + 1
        right, bottom = data["ARENA_W"] - gap, data["ARENA_H"] - gap
        self.corners = [(gap, gap), (right, gap), (right, bottom), (gap, bottom)]
        self.middle = (data["ARENA_W"] / 2, data["ARENA_H"] / 2)
        self.next = None
        self.turn = 1
        self.last = None
        self.look = 0

    def act(self, data):
        _, pos, _, seen = data
        if self.next is None:
            self.next = min(range(4), key=lambda corner: util.distance(pos, self.corners[corner]))
        elif pos == self.last:
            self.turn = -self.turn  # somebody is in the way
            self.next = (self.next + self.turn) % 4
        elif util.distance(pos, self.corners[self.next]) <= self.maxspeed:
            self.next = (self.next + self.turn) % 4
        self.last = pos
        heading = util.get_direction(pos, self.corners[self.next])

        shots = []
        if seen:
            _, place, direction, speed = seen[0]
            flight = util.distance(pos, place) / self.shotspeed
            target = util.newpos(place, direction, speed * flight / 2)
            aim = util.get_direction(pos, target)
            shots = [(aim, self.shotspeed, self.shotpower)]
            scan = util.get_direction(pos, place)
        else:
            self.look = (self.look + 55) % 220
            scan = util.get_direction(pos, self.middle) - 82 + self.look
        return (heading, self.maxspeed, scan, shots)
