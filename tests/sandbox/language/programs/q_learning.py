import random
class Agent:
    def __init__(self, alpha=0.5, gamma=0.9, epsilon=0.2):
        self.q = {}
        self.alpha, self.gamma, self.epsilon = alpha, gamma, epsilon
        self.rng = random.Random(0)
        self.last = None
    def value(self, s, a): return self.q.get((s, a), 0.0)
    def act(self, s):
        if self.rng.random() < self.epsilon: a = self.rng.choice((-1, 1))
        else: a = max((-1, 1), key=lambda a: self.value(s, a))
        self.last = (s, a)
        return a
    def learn(self, r, s2):
        s, a = self.last
        target = r + self.gamma * max(self.value(s2, b) for b in (-1, 1))
        self.q[s, a] = self.value(s, a) + self.alpha * (target - self.value(s, a))
agent = Agent()
def move(obs):
    s = 3
    for _ in range(200):
        a = agent.act(s)
        s2 = min(6, max(0, s + a))
        agent.learn(1.0 if s2 == 6 else 0.0, s2)
        s = 3 if s2 in (0, 6) else s2
    return {k: round(v, 6) for k, v in sorted(agent.q.items())}
