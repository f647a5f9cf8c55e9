class Robot:
    def __init__(this, x): this.x = x; this._y = 0
    def go(me, n):
        me.x += n
        me._y -= n
        return me
    def each(s, others):
        for o in others:
            o.x += s.x
            o._y = s._y
        return [(o.x, o._y) for o in others]
    def rebind(self, other):
        self = other
        self.x = 100
        return self.x
    def clamp(value, low, high): return max(low, min(value, high))
def move(obs):
    a, b, c = Robot(1), Robot(2), Robot(3)
    return a.go(2).x, a.each([b, c]), a.rebind(b), b.x, Robot.clamp(11, 0, 10), Robot.go(c, 1).x
