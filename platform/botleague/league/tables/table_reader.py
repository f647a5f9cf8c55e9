"""Readers of the rows of a table: from the stored table, or from all results of a season before an earlier match.

Reading the stored table costs in proportion to the part. A season as of an earlier match is recomputed once per reader.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeVar

import msgspec

from botleague.league.season import Season
from botleague.league.season_ratings import (
    BATCH_MEAN,
    Strengths,
    fold_season,
    is_ranked,
    present_states,
    ranked_round,
    stored_strengths,
    strengths_now,
    sums_of_now,
    write_state,
)
from botleague.ratings import Sums
from botleague.rules.formats import TableKind
from botleague_storage import bots, ratings, table_queries
from botleague_storage.queries.table_queries import TableRow

Row = TypeVar("Row")


class Part(msgspec.Struct, frozen=True):
    """Part of a table.

    Attributes:
        first: number of rows before it.
        limit: maximum number of rows; None for all the rest.
        only: versions whose rows are read, with their ranks in the whole table; None for all.
    """

    first: int = 0
    limit: int | None = None
    only: frozenset[int] | None = None

    def of(self, table: Mapping[int, Row]) -> list[Row]:
        """Return the rows of a whole table, in its order by version, that are in this part."""
        rows = [row for version, row in table.items() if self.only is None or version in self.only]
        return rows[self.first :][: self.limit]


WHOLE = Part()


class TableReader(Protocol):
    """Source of the rows, sums and ratings of a season's table."""

    @property
    def season(self) -> Season:
        """The season."""

    def ranking(self, kind: TableKind | None) -> TableKind:
        """Return what the table ranks by; ``kind`` is None for the default of the season's settings."""

    def can_cut(self, kind: TableKind) -> bool:
        """Return whether :meth:`rows` come in the table's order with ranks, so that a part costs only its size."""

    def rows(self, kind: TableKind, part: Part) -> list[TableRow]:
        """Return rows by online rating, or in a table by batch that can be cut by strength; the best first."""

    def sums(self, versions: Collection[int] | None) -> Mapping[int, Sums]:
        """Return the sums of matches by version; for None of all versions."""

    def strengths(self, versions: Sequence[int]) -> Strengths:
        """Return the batch table, of these versions at least."""

    def newer(self, versions: Sequence[int]) -> Mapping[int, int]:
        """Return the numbers of newer versions that do not play, by the versions that play."""


def table_reader(season: Season) -> TableReader:
    """Return the reader for a season: of the stored table, if that covers the matches that the season is read as of."""
    is_stored = season.end is None or season.end == ratings.coverage(season.connection, season.id)[0]
    return StoredTable(season) if is_stored else FoldedTable(season)


class StoredTable(msgspec.Struct, frozen=True, dict=True):
    """The stored table."""

    season: Season

    def ranking(self, kind: TableKind | None) -> TableKind:
        if kind is not None or self.season.settings.table != "batch":
            return kind or self.season.settings.table
        # Strengths computed round by round: the first round has none, so online ratings rank until it is over.
        return "online" if is_ranked(self.season) and self._round is None else "batch"

    def can_cut(self, kind: TableKind) -> bool:
        # Ratings and some strengths are stored in their order, except for versions without a match.
        return (kind == "online" or self._is_stored(kind)) and not self.season.predecessors

    def rows(self, kind: TableKind, part: Part) -> list[TableRow]:
        season, system, is_stored = self.season, self.season.system, self._is_stored(kind)
        rows = table_queries.table(
            season.connection,
            season.id,
            BATCH_MEAN if is_stored else system.display(system.initial()).value,
            part.first,
            part.limit,
            last=season.roster.disqualified,
            without=[*season.roster.replaced, *season.roster.coming],
            by="strength" if is_stored else "rating",
            only=part.only,
        )
        # A version that is not rated yet has the rating of the previous version.
        unrated = [
            row.version_id for row in rows if row.state is None and row.version_id in season.predecessors
        ]
        if not unrated:
            return rows
        states = present_states(season, unrated)
        return [
            msgspec.structs.replace(row, state=write_state(system, states[row.version_id]))
            if row.version_id in states
            else row
            for row in rows
        ]

    def sums(self, versions: Collection[int] | None) -> Mapping[int, Sums]:
        return sums_of_now(self.season, versions)

    def strengths(self, versions: Sequence[int]) -> Strengths:
        return strengths_now(self.season) if self._round is None else stored_strengths(self.season, versions)

    def newer(self, versions: Sequence[int]) -> Mapping[int, int]:
        if not self.season.is_current:
            return {}
        newest = bots.newest_of(self.season.connection, versions)
        newer = {version: row for version, row in newest.items() if row.id != version}
        entered = set(self.season.roster.entered) if newer else set()
        return {version: row.number for version, row in newer.items() if row.id not in entered}

    def _is_stored(self, kind: TableKind) -> bool:
        return kind == "batch" and self._round is not None

    @cached_property
    def _round(self) -> int | None:
        return ranked_round(self.season)


class FoldedTable(msgspec.Struct, frozen=True, dict=True):
    """A table computed from all results before the season's end."""

    season: Season

    def ranking(self, kind: TableKind | None) -> TableKind:
        return kind or self.season.settings.table

    def can_cut(self, kind: TableKind) -> bool:
        return kind == "online" and not self.season.predecessors

    def rows(self, kind: TableKind, part: Part) -> list[TableRow]:
        system, roster, named = self.season.system, self.season.roster, self.season.names
        out, playing, newcomer = set(roster.disqualified), set(roster.versions), system.initial()
        states, _ = self._folded
        merits = {
            version: (version in out, -system.display(states.get(version, newcomer)).value)
            for version in roster.entered
            if version in playing
        }
        order = sorted(merits, key=merits.__getitem__)  # a stable sort: equals stay in order of entry
        ranks: dict[tuple[bool, float], int] = {}
        for place, version in enumerate(order, start=1):
            ranks.setdefault(merits[version], place)
        return part.of(
            {
                version: TableRow(
                    ranks[merits[version]],
                    version,
                    named[version].bot,
                    named[version].number,
                    named[version].owner,
                    write_state(system, states[version]) if version in states else None,
                )
                for version in order
            }
        )

    def sums(self, versions: Collection[int] | None) -> Mapping[int, Sums]:
        return self._folded[1]

    def strengths(self, versions: Sequence[int]) -> Strengths:
        return strengths_now(self.season)

    def newer(self, versions: Sequence[int]) -> Mapping[int, int]:
        return {}

    @cached_property
    def _folded(self) -> tuple[Mapping[int, Any], Mapping[int, Sums]]:
        return fold_season(self.season)
