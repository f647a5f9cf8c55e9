"""The original's GreedyPlayer, as an opponent."""

from sample_players import GreedyPlayer


class CustomPlayer(GreedyPlayer):
    pass
