"""Looks three plies ahead: its action, the reply, and its next action.

Openings are not searched, there are too many: it takes the cell with the most ways out.
"""

from sample_players import BasePlayer

DEPTH = 3


class CustomPlayer(BasePlayer):
    def get_action(self, state):
        if None in state.locs:
            self.queue.put(max(state.actions(), key=lambda cell: len(state.liberties(cell))))
        else:
            self.queue.put(
                max(state.actions(), key=lambda action: self.value(state.result(action), DEPTH - 1))
            )

    def value(self, state, depth):
        if state.terminal_test():
            return state.utility(self.player_id)
        if depth == 0:
            own, other = state.locs[self.player_id], state.locs[1 - self.player_id]
            return len(state.liberties(own)) - len(state.liberties(other))
        values = [self.value(state.result(action), depth - 1) for action in state.actions()]
        return max(values) if state.player() == self.player_id else min(values)
