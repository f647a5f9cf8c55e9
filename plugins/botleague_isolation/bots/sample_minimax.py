"""The original's MinimaxPlayer, as an opponent."""

from sample_players import MinimaxPlayer


class CustomPlayer(MinimaxPlayer):
    pass
