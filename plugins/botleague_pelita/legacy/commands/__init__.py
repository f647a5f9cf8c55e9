"""Command habits of Pelita's users: ``botleague pelita play``, ``maze`` and ``tournament``.

Bad input is a ValueError or an OSError, which the command line shows as one message.

Source: rules/pelita.md, sections 14 and 15.
"""

from botleague_pelita.legacy.commands.maze import maze
from botleague_pelita.legacy.commands.play import play_game
from botleague_pelita.legacy.commands.tournament import tournament

__all__ = ["maze", "play_game", "tournament"]
