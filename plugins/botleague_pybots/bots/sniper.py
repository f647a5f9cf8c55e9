"""Sniper: a slow robot with the strongest gun. It aims where its target is going to be.

All its points are in the shot: five damage at a time, two hits for most robots. It backs away from whatever
comes close, and steps aside now and then so that it is no sitting target itself.
"""

import math
import random

import util


class bot:
    size = 9
    armour = 0
    maxdamage = 10
    maxspeed = 2
    shotpower = 5
    shotspeed = 5
    scanradius = 3

    def __init__(self):
        self.set_arena_data({"ARENA_W": 400, "ARENA_H": 300})

    def set_arena_data(self, data):
        self.width = data["ARENA_W"]
        self.height = data["ARENA_H"]
        self.scan = 0
        self.lost = 99
        self.aside = 90

    def meeting_point(self, pos, place, direction, speed):
        """Return where a shot that leaves now meets a target that goes on as it does."""
        dx, dy = place[0] - pos[0], place[1] - pos[1]
        vx, vy = math.cos(direction) * speed, math.sin(direction) * speed
        # |d + v t| = shotspeed * t
        a = vx * vx + vy * vy - self.shotspeed * self.shotspeed
        b = dx * vx + dy * vy
        c = dx * dx + dy * dy
        # The root that also holds for a target as fast as our shots; one that runs away as fast is never met.
        slow = math.sqrt(max(0, b * b - a * c)) - b
        time = c / slow if slow > 1 else 0
        x = min(max(place[0] + vx * time, 5), self.width - 5)
        y = min(max(place[1] + vy * time, 5), self.height - 5)
        return (x, y)

    def inside(self, pos, heading):
        x, y = util.newpos(pos, util.deg2rad(heading), 2 * self.maxspeed)
        return self.size < x < self.width - self.size and self.size < y < self.height - self.size

    def act(self, data):
        _, pos, _, seen = data
        if not seen:
            self.lost = self.lost + 1
            # A target that was just lost is most likely beside the scan, then anywhere.
            step = 50 if self.lost < 3 else 55
            self.scan = (self.scan + (step if self.lost % 2 or self.lost > 3 else -2 * step)) % 360
            middle = (self.width / 2, self.height / 2)
            return (util.get_direction(pos, middle) + 90, 1, self.scan, [])

        self.lost = 0
        _, place, direction, speed = seen[0]
        aim = util.get_direction(pos, self.meeting_point(pos, place, direction, speed))
        self.scan = util.get_direction(pos, util.newpos(place, direction, speed))
        if random.random() < 0.08:
            self.aside = -self.aside
        near = util.distance(pos, place) < 60
        heading = self.scan + (150 if self.aside > 0 else -150) if near else self.scan + self.aside
        for turn in (0, 180, 90, 270):
            if self.inside(pos, heading + turn):
                heading = heading + turn
                break
        return (heading, self.maxspeed, self.scan, [(aim, self.shotspeed, self.shotpower)])
