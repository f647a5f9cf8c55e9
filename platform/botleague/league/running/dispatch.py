"""Turns fixtures into orders for executors, reading each bot's source once while it is wanted."""

from __future__ import annotations

from collections.abc import Sequence, Set

from sqlalchemy.engine import Connection

from botleague.executors import MatchOrder
from botleague.league.season import Season, TimeChanges
from botleague.referee import Player
from botleague_storage import bots

SOURCES_KEPT = 500
"""Sources of so many bot versions stay in memory."""


class MatchOrders:
    """Makes the orders of one season.

    Args:
        season: its terms may change the variant's time control and what bots may import.

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
        """Read the sources of these versions, if they are not at hand."""
        known = {
            version_id: self._players.pop(version_id) for version_id in version_ids & self._players.keys()
        }
        self._players |= known  # at the end: they were used last
        for version, source in bots.with_sources(connection, sorted(version_ids - known.keys())):
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
        """Let go of the sources that were used longest ago, if there are many."""
        for version_id in list(self._players)[: max(0, len(self._players) - SOURCES_KEPT)]:
            del self._players[version_id]
