"""Rammer: armour instead of guns. Hunts the nearest robot it sees and runs it over, again and again.

A collision costs each robot the other's armour less its own, so with the thickest armour it never costs us
anything. While nobody is in sight we drive around the middle and let the scan go round.
"""

import util


class bot:
    size = 13
    armour = 3
    maxdamage = 10
    maxspeed = 4
    shotpower = 1
    shotspeed = 3
    scanradius = 5

    def __init__(self):
        self.middle = (200, 150)
        self.scan = 0

    def set_arena_data(self, data):
        self.middle = (data["ARENA_W"] / 2, data["ARENA_H"] / 2)
        self.scan = 0

    def act(self, data):
        _, pos, _, seen = data
        if seen:
            _, place, direction, speed = seen[0]
            goal = util.newpos(place, direction, speed)
            self.scan = util.get_direction(pos, goal)
            return (self.scan, self.maxspeed, self.scan, [(self.scan, self.shotspeed, self.shotpower)])
        self.scan = (self.scan + 90) % 360
        speed = self.maxspeed if util.distance(pos, self.middle) > 30 else 1
        return (util.get_direction(pos, self.middle), speed, self.scan, [])
