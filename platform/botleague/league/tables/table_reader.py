"""Where the rows of a table come from: what is stored of a season, or all its results before an earlier match.

What is stored costs a page what a page holds. A season as of an earlier match is folded anew, once for a reader.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, TypeVar

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


@dataclass(frozen=True, slots=True)
class Part:
    """Part of a table.

    Attributes:
        first: how many rows come before it.
        limit: how many rows it has; None for all the rest.
        only: versions of which the rows are wanted, with their ranks in the whole table; None for all.
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
    """Reads what a season's table is made of."""

    @property
    def season(self) -> Season:
        """The season."""

    def ranking(self, wanted: TableKind | None) -> TableKind:
        """Return what the table ranks by; ``wanted`` is None for what the season's settings say."""

    def can_cut(self, kind: TableKind) -> bool:
        """Whether :meth:`rows` come in the table's order with their ranks, so that a part costs what it holds."""

    def rows(self, kind: TableKind, part: Part) -> list[TableRow]:
        """Return rows by online rating, or in a table by batch that can be cut by strength; the best first."""

    def sums(self, versions: Collection[int] | None) -> Mapping[int, Sums]:
        """Return what matches add up to by version; for None of everybody."""

    def strengths(self, versions: Sequence[int]) -> Strengths:
        """Return the batch table, of these versions at least."""

    def newer(self, versions: Sequence[int]) -> Mapping[int, int]:
        """Return the numbers of newer versions that do not play, by those that do."""


def table_reader(season: Season) -> TableReader:
    """Return the reader for a season: of what is stored, if that is of the matches that the season is read as of."""
    is_stored = season.end is None or season.end == ratings.coverage(season.connection, season.id)[0]
    return StoredTable(season) if is_stored else FoldedTable(season)


@dataclass(frozen=True)
class StoredTable:
    """The table as it is stored."""

    season: Season

    def ranking(self, wanted: TableKind | None) -> TableKind:
        if wanted is not None or self.season.settings.table != "batch":
            return wanted or self.season.settings.table
        # Where strengths are made round by round, the first round has none: until it is over, the ratings rank.
        return "online" if is_ranked(self.season) and self._round is None else "batch"

    def can_cut(self, kind: TableKind) -> bool:
        # Ratings and some strengths are stored in their order, but for versions without a match.
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
        # A version that was not rated yet stands where the one before does.
        unrated = [
            row.version_id for row in rows if row.state is None and row.version_id in season.predecessors
        ]
        if not unrated:
            return rows
        states = present_states(season, unrated)
        return [
            replace(row, state=write_state(system, states[row.version_id]))
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


@dataclass(frozen=True)
class FoldedTable:
    """The table that all results before the season's end make, folded anew."""

    season: Season

    def ranking(self, wanted: TableKind | None) -> TableKind:
        return wanted or self.season.settings.table

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
