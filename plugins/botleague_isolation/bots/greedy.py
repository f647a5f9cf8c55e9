"""Looks one action ahead: many ways out for itself, few for the opponent.

The opponent's ways out weigh double, because in a narrow place the one who is chased loses.
"""

from sample_players import BasePlayer


class CustomPlayer(BasePlayer):
    def get_action(self, state):
        self.queue.put(max(state.actions(), key=lambda action: self.worth(state.result(action))))

    def worth(self, state):
        if state.terminal_test():
            return state.utility(self.player_id)
        own, other = state.locs[self.player_id], state.locs[1 - self.player_id]
        return len(state.liberties(own)) - 2 * len(state.liberties(other))
