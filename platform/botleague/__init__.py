"""botleague: the platform on which people let programs compete.

``botleague.rules`` is the contract for authors of games. Everything else is the platform.
"""

__version__ = "0.1.0"
