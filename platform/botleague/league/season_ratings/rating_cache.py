"""The fold over a season's results, stored: ratings, their history, and the sums that tables show.

A result counts as soon as every fixture before it has one, so the numbers do not depend on which match finished first.
Single-seat matches allow no comparison by themselves: all of one group, which share a seed, count as one contest of
their scores, once the group is complete.

The fold itself is :func:`botleague.ratings.replay`. :func:`settle` continues it in the transaction that records a
result, or recomputes it, and stores its state; :func:`walk` does the same without writing to the database, for
comparisons.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import msgspec

from botleague.errors import UsageError
from botleague.league.season import Season
from botleague.plugins.boundary import Boundary
from botleague.ratings import (
    FOLD_VERSION,
    RatingSystem,
    Result,
    Side,
    Sums,
    Table,
    count,
    replay,
    start_state,
)
from botleague.ratings import Change as Step
from botleague.rules import places_by_score
from botleague_storage import events, fixtures, matches, ratings, table_queries
from botleague_storage.league_rows.fixtures import Match
from botleague_storage.league_rows.ratings import RatingChange, RatingRow
from botleague_storage.league_rows.results import NO_FAULTS, read_faults
from botleague_storage.queries.table_queries import Totals

PORTION = 2_000
"""Contests folded at a time: more would only fill memory, which each garbage collection must search."""

NO_COUNTS: Mapping[str, int] = {}

Contest: TypeAlias = tuple[Match, ...]


class Settled(msgspec.Struct):
    """Result of extending the fold over newly countable matches.

    Attributes:
        covered: number of fixtures that the ratings cover now.
        changes: of ratings, in order.
        forfeits: (ordinal, version) of seats lost by faults, in order.
    """

    covered: int
    changes: list[RatingChange] = msgspec.field(default_factory=list)
    forfeits: list[tuple[int, int]] = msgspec.field(default_factory=list)


class Portion(NamedTuple):
    """Some contests of a history, in order, as ratings take them, and what they did to ratings.

    The first match that counts, from ordinal number ``first`` on, is the first of them.
    """

    first: int
    contests: list[Contest]
    results: list[Result]
    changes: list[RatingChange]

    @property
    def through(self) -> int:
        """The ordinal number of its last match."""
        return self.contests[-1][-1].ordinal


def settle(
    season: Season,
    *,
    recompute: bool = False,
    since: int | None = None,
    lists_changes: bool = True,
    progress: Callable[[int], None] | None = None,
    folded: Callable[[Portion], None] | None = None,
) -> Settled:
    """Extend the stored fold over all results that have become countable. Needs a write transaction.

    Args:
        recompute: forget what is stored, and fold all results again. The numbers are the same to the bit, unless
            stored ones were wrong. The fold of another version of botleague is always forgotten.
        since: list changes and forfeits of matches from this ordinal number on; by default only of newly covered ones.
        lists_changes: list changes at all; those of a whole history would not fit into memory.
        progress: called with the number of fixtures covered so far.
        folded: called with each portion, so that other readers need not read all of it again.
    """
    connection, system = season.connection, season.system
    covered, version = ratings.coverage(connection, season.id)
    first = 0 if recompute or version != FOLD_VERSION else covered
    since = covered if since is None else since
    settled = Settled(first)
    if first:
        table: Table[Any] = Table()
        last: dict[int, int] = {}
    else:
        ratings.forget(connection, season.id, FOLD_VERSION)
        table = starting_table(season)
        # Start states, carried from another season, count as valid through no match at all.
        last = {int(member): -1 for member in table.states}
    for portion in walk(season, table, first):
        settled.covered = portion.through + 1
        last.update((change.version_id, change.ordinal) for change in portion.changes)
        ratings.add_changes(connection, season.id, portion.changes)
        if lists_changes:
            settled.changes += [change for change in portion.changes if change.ordinal >= since]
        settled.forfeits += [
            (row.ordinal, version)
            for row in itertools.chain.from_iterable(portion.contests)
            if row.ordinal >= since and any(row.forfeits)
            for version, forfeit in zip(row.versions, row.forfeits, strict=True)
            if forfeit
        ]
        if folded is not None:
            folded(portion)
        if progress is not None:
            progress(settled.covered)
    ratings.save(connection, season.id, settled.covered, rows_of(system, table, last))
    table_queries.save_totals(connection, season.id, totals_of(table.sums))
    return settled


def walk(season: Season, table: Table[Any], first: int = 0) -> Iterator[Portion]:
    """Fold a season's results into ``table``, and yield them portion by portion.

    Args:
        table: from :func:`starting_table`; or an empty one to continue a fold, which is filled as far as needed.
        first: the ordinal number to start from.
    """
    system = season.system
    source, start = contests(season, first), first
    while taken := list(itertools.islice(source, PORTION)):
        predecessors = _load(season, table, taken) if first else _lineage(season)
        results = [as_result(contest) for contest in taken]
        with Boundary("rating system", system.name):
            steps = replay(system, results, table, predecessors)
            portion = Portion(start, taken, results, list(_shown(system, steps)))
        yield portion
        start = portion.through + 1


def starting_table(season: Season) -> Table[Any]:
    """Return the initial table of the season's fold, with the states that were carried into it."""
    starts = events.starts(season.connection, season.id)
    texts = {version: start.state for version, start in starts.items() if start.state is not None}
    return Table(read_states(season.system, texts))


def fold_season(season: Season) -> tuple[dict[int, Any], dict[int, Sums]]:
    """Return a season's ratings and sums recomputed from all results before its end, without the stored ones.

    Returns:
        The ratings of the versions that play then, as :func:`present_states` does, and the sums of all versions.
    """
    table = starting_table(season)
    for _ in walk(season, table):
        pass
    states = _present(season, season.lines(season.roster.versions), table.states)
    return states, {int(member): total for member, total in table.sums.items()}


def sums_of_now(season: Season, versions: Collection[int] | None = None) -> dict[int, Sums]:
    """Return the sums over all finished matches, including those that are not covered yet.

    Args:
        season: as of the matches that are covered, or of later ones.
        versions: versions to sum; None for all.
    """
    chosen = None if versions is None else sorted(versions)
    stored = table_queries.totals(season.connection, season.id, chosen)
    sums = {str(version): Sums(*total) for version, total in stored.items()}
    covered, _ = ratings.coverage(season.connection, season.id)
    for row in matches.played_out_of_order(season.connection, season.id, covered):
        if season.end is not None and row.ordinal >= season.end:
            break
        count(sums, as_result((row,)))
    return {int(member): summed for member, summed in sums.items()}


def rows_of(system: RatingSystem[Any], table: Table[Any], through: Mapping[int, int]) -> dict[int, RatingRow]:
    """Return ratings as they are stored.

    Args:
        through: ordinal number of the match through which each version's rating is valid.
    """
    with Boundary("rating system", system.name):
        states = {version: table.states[str(version)] for version in through}
        rated = {version: (system.dump(state), system.display(state)) for version, state in states.items()}
        return {
            version: RatingRow(version, _text_of(dump), rating.value, rating.games, through[version])
            for version, (dump, rating) in rated.items()
        }


def totals_of(sums: Mapping[str, Sums]) -> dict[int, Totals]:
    """Return sums as they are stored."""
    return {
        int(member): Totals(
            of.matches, of.wins, of.draws, of.losses, of.forfeits, of.faults, of.score, of.cpu_ms
        )
        for member, of in sums.items()
    }


def as_result(contest: Contest) -> Result:
    """Return what was played as ratings take it: one side per seat, or per match where each has a single seat."""
    last = contest[-1]
    if len(contest) == 1:
        seats: Iterable[tuple[Any, ...]] = zip(
            last.versions, last.places, last.scores, last.forfeits, last.faults, last.cpu_ms, strict=True
        )
    else:
        places = places_by_score([row.scores[0] for row in contest])
        seats = (
            (row.versions[0], place, row.scores[0], row.forfeits[0], row.faults[0], row.cpu_ms[0])
            for row, place in zip(contest, places, strict=True)
        )
    sides = [
        Side(
            (str(version),),
            place,
            score,
            forfeit == 1,
            NO_COUNTS if faults == NO_FAULTS else read_faults(faults),
            cpu_ms,
        )
        for version, place, score, forfeit, faults, cpu_ms in seats
    ]
    return Result(str(last.fixture_id), last.ordinal, tuple(sides), set_size=last.set_size)


def contests(season: Season, first: int = 0) -> Iterator[Contest]:
    """Yield the contests in order: each is a match, or a whole group of single-seat matches."""
    sizes = functools.cache(functools.partial(fixtures.group_size, season.connection, season.id))
    group: list[Match] = []
    for row in matches.played(season.connection, season.id, first):
        if season.end is not None and row.ordinal >= season.end:
            return
        if len(row.versions) > 1:
            yield (row,)
            continue
        group.append(row)
        if len(group) == sizes(row.group):
            yield tuple(group)
            group = []


def read_state(system: RatingSystem[Any], text: str) -> Any:
    """Return one rating's state; see :func:`read_states`."""
    return read_states(system, {0: text})["0"]


def read_states(system: RatingSystem[Any], texts: Mapping[int, str]) -> dict[str, Any]:
    """Return ratings' states, by version, as they were stored.

    Raises:
        UsageError: a text is damaged.
    """
    try:
        return {str(version): system.load(json.loads(text)) for version, text in texts.items()}
    except Exception as error:  # code of a plugin, applied to a row that may have been changed
        raise UsageError(
            f"Cannot read a stored rating ({error}). Recompute it with `botleague ratings rebuild`."
        ) from error


def present_states(season: Season, versions: Collection[int] | None = None) -> dict[int, Any]:
    """Return the ratings of the versions that play now, without those that no match of their lineage has rated.

    A version that has not been rated has the rating that it would enter with now.

    Args:
        versions: versions to return; None for all.
    """
    lines = season.lines(season.roster.versions if versions is None else versions)
    stored = ratings.states(season.connection, season.id, sorted(set().union(*lines.values())))
    return _present(season, lines, read_states(season.system, stored))


def _present(season: Season, lines: Mapping[int, Sequence[int]], states: Mapping[str, Any]) -> dict[int, Any]:
    """Return the ratings of versions, without those that no match of their lineage has rated.

    Args:
        lines: the versions, each with its earlier versions.
        states: the existing ratings.
    """
    # A version without a rating enters with the next match: for a reader of an earlier state, that after its end.
    number = fixtures.counts(season.connection, season.id)[0] if season.end is None else season.end
    return {
        version: states[str(version)]
        if str(version) in states
        else start_state(season.system, str(version), number, states, _lineage(season))
        for version, line in lines.items()
        if any(str(one) in states for one in line)
    }


def write_state(system: RatingSystem[Any], state: Any) -> str:
    """Return a rating's state as text that :func:`read_state` reads back to the last bit."""
    return _text_of(system.dump(state))


def _text_of(dump: Mapping[str, Any]) -> str:
    return json.dumps(dict(sorted(dump.items())), allow_nan=False)


def _load(season: Season, table: Table[Any], taken: Iterable[Contest]) -> dict[str, str]:
    """Read the state of the fold for all versions in these contests; return the predecessors of new ones among them."""
    # Only the versions of these contests are read: the fold is part of recording, and takes a millisecond per match.
    versions = {version for contest in taken for row in contest for version in row.versions}
    uncounted = sorted(version for version in versions if str(version) not in table.sums)
    for version, total in table_queries.totals(season.connection, season.id, uncounted).items():
        table.sums[str(version)] = Sums(*total)
    _load_states(season, table, versions)
    # The lineage reads the whole log, and only new versions need it.
    if all(str(version) in table.states for version in versions):
        return {}
    predecessors = _lineage(season)
    _load_states(season, table, {int(before) for before in predecessors.values()})
    return predecessors


def _load_states(season: Season, table: Table[Any], versions: Iterable[int]) -> None:
    unread = sorted(version for version in versions if str(version) not in table.states)
    table.states |= read_states(season.system, ratings.states(season.connection, season.id, unread))


def _lineage(season: Season) -> dict[str, str]:
    return {str(version): str(before) for version, before in season.predecessors.items()}


def _shown(system: RatingSystem[Any], steps: Iterable[Step[Any]]) -> Iterator[RatingChange]:
    """Yield the steps of a fold as displayed ratings."""
    displayed: dict[str, float] = {}
    value_of = system.shown_value
    for _, sequence, states, states_after in steps:
        for member, state in states_after.items():
            before = displayed.get(member)
            if before is None:
                before = value_of(states[member])
            displayed[member] = after = value_of(state)
            if not math.isfinite(after):
                raise ValueError(f"a rating of {after!r}, which no table can rank")
            yield RatingChange(sequence, int(member), before, after)
