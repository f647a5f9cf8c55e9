class Game:
    def __init__(self, stones, turn=0):
        self.stones, self.turn = stones, turn
    def moves(self):
        return [n for n in (1, 2, 3) if n <= self.stones]
    def after(self, n):
        return Game(self.stones - n, 1 - self.turn)
def negamax(game, depth):
    if not game.moves(): return -1
    if depth == 0: return 0
    return max(-negamax(game.after(n), depth - 1) for n in game.moves())
def move(obs):
    game = Game(obs["stones"])
    return max(game.moves(), key=lambda n: (-negamax(game.after(n), 8), n))
