"""Duck: sits where it was put and never shoots. A target for first tries."""


class bot:
    size = 15
    armour = 0
    maxdamage = 15
    maxspeed = 1
    shotpower = 1
    shotspeed = 3
    scanradius = 1

    def act(self, data):
        return (0, 0, 0, [])
