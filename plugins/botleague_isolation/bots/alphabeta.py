"""Searches ever deeper until its time is up, and has an answer at every moment.

Alpha-beta with the best actions of the last depth first. A position is worth the ways out that a player has now
and two steps ahead, against the opponent's.
"""

from sample_players import BasePlayer

WON = 1000.0
MANY = 12  # openings that are looked at more closely
DEEPEST = 60
CHECK_EVERY = 64  # positions between two looks at the clock: each put asks whether there is time left


class CustomPlayer(BasePlayer):
    def get_action(self, state):
        actions = state.actions()
        if None in state.locs:
            actions = sorted(actions, key=lambda cell: -self.room(state, cell))[:MANY]
        self.best = actions[0]
        self.visited = 0
        self.queue.put(self.best)
        for depth in range(1, DEEPEST):
            actions = self.ranked(state, actions, depth)
            self.best = actions[0]
            self.queue.put(self.best)

    def ranked(self, state, actions, depth):
        """Return the actions, best first; of those not worth a closer look the order stays."""
        alpha = -WON
        order = []
        for action in actions:
            value = -self.search(state.result(action), depth - 1, -WON, -alpha)
            order.append((value > alpha, value, action))
            alpha = max(alpha, value)
        order.sort(key=lambda entry: -entry[1] if entry[0] else WON)
        return [action for _, _, action in order]

    def search(self, state, depth, alpha, beta):
        """Return what the position is worth to the player who is to move."""
        self.visited += 1
        if self.visited % CHECK_EVERY == 0:
            self.queue.put(self.best)
        if state.terminal_test():
            return WON if state.utility(state.player()) > 0 else -WON
        if depth == 0:
            mover = state.player()
            return self.room(state, state.locs[mover]) - self.room(state, state.locs[1 - mover])
        for action in state.actions():
            alpha = max(alpha, -self.search(state.result(action), depth - 1, -beta, -alpha))
            if alpha >= beta:
                break
        return alpha

    def room(self, state, loc):
        """Return the cells within one step, and half those within two."""
        near = state.liberties(loc)
        if loc is None:
            return 0
        far = set(near)
        for cell in near:
            far.update(state.liberties(cell))
        return len(near) + len(far) / 2
