"""Takes any action, all alike."""

import random

from sample_players import BasePlayer


class CustomPlayer(BasePlayer):
    def get_action(self, state):
        self.queue.put(random.choice(state.actions()))
