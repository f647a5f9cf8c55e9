"""Dodger: the smallest and fastest target there is. It never drives straight for long and shoots in passing.

Whoever leads its shots leads them past us. We keep a middle distance: near enough to hit with a light gun, far
enough to see the big ones miss.
"""

import random

import util


class bot:
    size = 7
    armour = 0
    maxdamage = 10
    maxspeed = 4
    shotpower = 4
    shotspeed = 4
    scanradius = 3

    def __init__(self):
        self.set_arena_data({"ARENA_W": 400, "ARENA_H": 300})

    def set_arena_data(self, data):
        self.width = data["ARENA_W"]
        self.height = data["ARENA_H"]
        self.scan = 0
        self.heading = 0
        self.straight = 0
        self.found = None

    def room(self, pos, heading):
        """Return whether there is room for the next few steps in this direction."""
        x, y = util.newpos(pos, util.deg2rad(heading), 4 * self.maxspeed)
        return self.size < x < self.width - self.size and self.size < y < self.height - self.size

    def choose_heading(self, pos, bearing, far):
        """Cross the line of sight, a little outwards when near and a little inwards when far away."""
        lean = 60 if far > 110 else 90 if far > 60 else 125
        sides = [lean, -lean]
        random.shuffle(sides)
        for turn in [*sides, 180, 0, 90, 270]:
            if self.room(pos, bearing + turn):
                return bearing + turn + random.uniform(-15, 15)
        return util.get_direction(pos, (self.width / 2, self.height / 2))

    def act(self, data):
        _, pos, _, seen = data
        shots = []
        bearing, far = self.scan, 80
        if seen:
            _, place, direction, speed = seen[0]
            far = util.distance(pos, place)
            bearing = util.get_direction(pos, place)
            self.scan = util.get_direction(pos, util.newpos(place, direction, speed))
            aim = util.get_direction(pos, util.newpos(place, direction, 0.7 * speed * far / self.shotspeed))
            shots = [(aim, self.shotspeed, self.shotpower)]
        else:
            self.scan = (self.scan + 55) % 360

        self.straight = self.straight - 1
        if self.straight <= 0 or not self.room(pos, self.heading):
            self.heading = self.choose_heading(pos, bearing, far)
            self.straight = random.randint(4, 9)
        return (self.heading, self.maxspeed, self.scan, shots)
