"""The original's RandomPlayer, as an opponent."""

from sample_players import RandomPlayer


class CustomPlayer(RandomPlayer):
    pass
