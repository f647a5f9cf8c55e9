import math, random
class Node:
    def __init__(self, state, parent=None, move=None):
        self.state, self.parent, self.move = state, parent, move
        self.children = []
        self.visits = 0
        self.wins = 0.0
        self.untried = [m for m in (1, 2, 3) if m <= state]
    def uct(self, c=1.4):
        return max(self.children, key=lambda n: n.wins / n.visits + c * math.sqrt(math.log(self.visits) / n.visits))
    def expand(self, rng):
        m = self.untried.pop(rng.randrange(len(self.untried)))
        child = Node(self.state - m, self, m)
        self.children.append(child)
        return child
def rollout(state, rng):
    player = 0
    while state:
        state -= rng.randint(1, min(3, state))
        player ^= 1
    return player
def move(obs):
    rng = random.Random(42)
    root = Node(obs["stones"])
    for _ in range(120):
        node = root
        while not node.untried and node.children: node = node.uct()
        if node.untried: node = node.expand(rng)
        result = rollout(node.state, rng)
        while node is not None:
            node.visits += 1
            node.wins += result
            result = 1 - result
            node = node.parent
    return [(c.move, c.visits, round(c.wins, 3)) for c in sorted(root.children, key=lambda c: -c.visits)]
