class Player(object):
    """A base class in the old style."""
    name = "base"
    def __init__(self, depth=3):
        super(Player, self).__init__()
        self.depth = depth
        self.nodes = 0
    def evaluate(self, state):
        raise NotImplementedError
    def search(self, state, depth, alpha, beta, maximizing):
        self.nodes += 1
        if depth == 0 or state >= 20:
            return self.evaluate(state)
        if maximizing:
            value = float("-inf")
            for step in (1, 2, 3):
                value = max(value, self.search(state + step, depth - 1, alpha, beta, False))
                alpha = max(alpha, value)
                if alpha >= beta: break
            return value
        value = float("inf")
        for step in (1, 2, 3):
            value = min(value, self.search(state + step, depth - 1, alpha, beta, True))
            beta = min(beta, value)
            if beta <= alpha: break
        return value
class Mine(Player):
    name = "mine"
    def __init__(self):
        Player.__init__(self, depth=4)
        self.history = []
    def evaluate(self, state): return (state * 7) % 11
player = Mine()
def move(obs):
    v = player.search(obs["stones"], player.depth, float("-inf"), float("inf"), True)
    player.history.append(v)
    return v, player.nodes, player.history, player.name
