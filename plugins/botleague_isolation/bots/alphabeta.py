"""Searches ever deeper until its time is up, and has an answer at every moment.

Alpha-beta with the best actions of the last depth first. A position is worth the ways out that a player has,
minus the opponent's.
"""

from sample_players import BasePlayer

WON = 1000
WIDEST = 12  # openings that are tried at all
DEEPEST = 60
PUT_EVERY = 64  # positions: each put asks whether there is time left


class CustomPlayer(BasePlayer):
    def get_action(self, state):
        actions = state.actions()
        if None in state.locs:
            actions.sort(key=lambda cell: -len(state.liberties(cell)))
            del actions[WIDEST:]
        self.best = actions[0]
        self.visited = 0
        self.queue.put(self.best)
        for depth in range(1, DEEPEST):
            if len(actions) == 1:
                return
            actions = self.ranked(state, actions, depth)
            self.best = actions[0]
            self.queue.put(self.best)

    def ranked(self, state, actions, depth):
        """Return the actions, the best first; those that are surely no better keep their order."""
        alpha = -WON
        ranked = []
        for action in actions:
            value = -self.search(state.result(action), depth - 1, -WON, -alpha)
            if value > alpha:
                alpha = value
                ranked.insert(0, action)
            else:
                ranked.append(action)
        return ranked

    def search(self, state, depth, alpha, beta):
        """Return what the position is worth to the player who is to move."""
        self.visited += 1
        if self.visited % PUT_EVERY == 0:
            self.queue.put(self.best)
        mover = state.player()
        if state.terminal_test():
            return WON if state.utility(mover) > 0 else -WON
        if depth == 0:
            own, other = state.locs[mover], state.locs[1 - mover]
            return len(state.liberties(own)) - len(state.liberties(other))
        for action in state.actions():
            alpha = max(alpha, -self.search(state.result(action), depth - 1, -beta, -alpha))
            if alpha >= beta:
                break
        return alpha
