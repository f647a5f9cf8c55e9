"""Orders for executors, made from fixtures; each bot's source is read once while it is in use."""

from __future__ import annotations

from collections.abc import Sequence, Set

from sqlalchemy.engine import Connection

from botleague.executors import MatchOrder
from botleague.league.season import Season, TimeChanges
from botleague.referee import Player
from botleague_storage import bots

MAX_SOURCES = 500
"""Maximum number of bot versions whose sources stay in memory."""


class MatchOrders:
    """Orders of the matches of one season.

    Args:
        season: its terms may change the variant's time control and the allowed imports.

    Attributes:
        names: of bots, by version, as far as they were loaded.
    """

    def __init__(self, season: Season) -> None:
        self.league = season.league
        self.names: dict[int, str] = {}
        self._players: dict[int, Player] = {}
        self._time = season.time if season.settings.time != TimeChanges() else None
        self._imports = season.settings.imports
        self._openings = season.settings.openings

    def load(self, connection: Connection, version_ids: Set[int]) -> None:
        """Read the sources of these versions, unless they are in memory."""
        loaded = {
            version_id: self._players.pop(version_id) for version_id in version_ids & self._players.keys()
        }
        self._players |= loaded  # at the end: used last
        for version, source in bots.with_sources(connection, sorted(version_ids - loaded.keys())):
            self._players[version.id] = Player(version.bot, version.digest, source.files, source.entry)
            self.names[version.id] = version.bot

    def make(self, fixture_id: int, epoch: int, seed: int, versions: Sequence[int]) -> MatchOrder:
        """Return the order for a match of loaded versions; its report will carry ``fixture_id`` and ``epoch``."""
        return MatchOrder(
            fixture_id,
            epoch,
            self.league.variant,
            self.league.variant_digest,
            seed,
            tuple(self._players[version_id] for version_id in versions),
            self._time,
            self._imports,
            self._openings,
        )

    def forget(self) -> None:
        """Drop the least recently used sources, if there are too many."""
        for version_id in list(self._players)[: max(0, len(self._players) - MAX_SOURCES)]:
            del self._players[version_id]
