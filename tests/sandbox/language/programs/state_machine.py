class State:
    def run(self, bot): raise NotImplementedError("subclass")
class Idle(State):
    def run(self, bot):
        bot.energy += 2
        return Attack() if bot.energy > 4 else self
class Attack(State):
    def __init__(self): self.shots = 2
    def run(self, bot):
        self.shots -= 1
        bot.energy -= 1
        bot.log.append(f"shot {self.shots}")
        return self if self.shots else Idle()
class Bot:
    instance = None
    def __new__(cls, *args):
        if cls.instance is None: cls.instance = super().__new__(cls)
        return cls.instance
    def __init__(self, energy=0):
        if not hasattr(self, "energy"):
            self.energy = energy
            self.state = Idle()
            self.log = []
    def __call__(self, ticks):
        for _ in range(ticks): self.state = self.state.run(self)
        return self.energy, type(self.state).__name__, self.log
def move(obs): return Bot()(5), Bot() is Bot(1)
