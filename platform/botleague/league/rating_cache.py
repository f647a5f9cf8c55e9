"""Keeps ratings and sums in the database equal to the fold over the results, no more and no less.

A result counts as soon as every fixture before it has one, so the numbers do not depend on which match was quick.
Matches of a single seat say nothing by themselves: all of one group, which share a seed, count as one contest of
their scores, once the group is complete.
:func:`settle` is called in the transaction that records a result; :func:`rebuild` computes everything anew and
comes to the same bits.
"""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from botleague.league.season import Season
from botleague.plugins.boundary import blaming, read_state
from botleague.ratings import FOLD_VERSION, RatingSystem, Result, Side, is_rated
from botleague.rules import places_by_score
from botleague_storage import events, fixtures, ratings, results
from botleague_storage.ratings import Change, RatingRow
from botleague_storage.results import PlayedRow
from botleague_storage.summaries import Tally

__all__ = ["Contest", "Settled", "as_result", "contests", "folded", "rebuild", "recount", "settle"]

BATCH = 20_000
"""Contests folded at a time in a rebuild, to keep memory flat."""

Contest: TypeAlias = tuple[PlayedRow, ...]


@dataclass(frozen=True, slots=True)
class Settled:
    """What has become countable: changes of ratings, and (ordinal, version) of seats lost by faults, both in order."""

    changes: list[Change] = field(default_factory=list)
    forfeits: list[tuple[int, int]] = field(default_factory=list)


def settle(season: Season, since: int = 0) -> Settled:
    """Extend the season's ratings and sums over all results that have become countable. Needs a write transaction.

    Args:
        since: nothing is told of matches before this ordinal number; a whole history would not fit into memory.
    """
    connection, season_id, system = season.connection, season.id, season.system
    first = ratings.settled(connection, season_id)
    settled = Settled()
    for batch in _batches(contests(season, first)):
        members = sorted({version for contest in batch for row in contest for version in row.versions})
        tally = Tally()
        tally.load(connection, season_id, members)
        for row in itertools.chain.from_iterable(batch):
            tally.add(row)
            if row.ordinal >= since and any(row.forfeits):
                lost = zip(row.versions, row.forfeits, strict=True)
                settled.forfeits.extend((row.ordinal, version) for version, forfeit in lost if forfeit)
        tally.save(connection, season_id)
        stored = ratings.states(connection, season_id, members)
        states = {str(version): read_state(system, text) for version, text in stored.items()}
        made = _step_through(system, batch, states)
        last: dict[int, int] = {change.version_id: change.ordinal for change in made}
        rows = {
            version: _row(system, version, states[str(version)], ordinal) for version, ordinal in last.items()
        }
        ratings.save(connection, season_id, batch[-1][-1].ordinal, rows, made)
        settled.changes.extend(change for change in made if change.ordinal >= since)
    return settled


def recount(season: Season, since: int) -> Settled:
    """Forget a season's ratings and sums, and :func:`settle` all its results again. Needs a write transaction.

    It comes to what :func:`rebuild` does, and also says what changed and who forfeited.
    """
    ratings.forget(season.connection, season.id, FOLD_VERSION)
    rows = {
        version: _row(season.system, version, state, -1) for version, state in _start_states(season).items()
    }
    ratings.save(season.connection, season.id, -1, rows, [])
    return settle(season, since)


def rebuild(season: Season, progress: Callable[[int], None] | None = None) -> int:
    """Forget a season's ratings and sums, and fold all its results again. Needs a write transaction.

    Args:
        progress: called with the number of fixtures done so far.

    Returns:
        How many fixtures the ratings cover.
    """
    connection, season_id, system = season.connection, season.id, season.system
    ratings.forget(connection, season_id, FOLD_VERSION)
    # Start states, carried from another season, count as valid through no match at all.
    last: dict[int, int] = {}
    states: dict[str, Any] = {}
    for version, state in _start_states(season).items():
        last[version], states[str(version)] = -1, state
    done = 0
    tally = Tally()
    for batch in _batches(contests(season)):
        for row in itertools.chain.from_iterable(batch):
            tally.add(row)
        made = _step_through(system, batch, states)
        last.update((change.version_id, change.ordinal) for change in made)
        done = batch[-1][-1].ordinal + 1
        ratings.save(connection, season_id, done - 1, {}, made)
        if progress is not None:
            progress(done)
    rows = {
        version: _row(system, version, states[str(version)], ordinal) for version, ordinal in last.items()
    }
    ratings.save(connection, season_id, done - 1, rows, [])
    tally.save(connection, season_id)
    return done


def folded(season: Season) -> tuple[dict[int, RatingRow], list[Change], int]:
    """Return what :func:`rebuild` would store: ratings, changes, and how many fixtures they cover. Stores nothing."""
    system = season.system
    starts = _start_states(season)
    states: dict[str, Any] = {str(version): state for version, state in starts.items()}
    last = dict.fromkeys(starts, -1)
    changes: list[Change] = []
    done = 0
    for batch in _batches(contests(season)):
        made = _step_through(system, batch, states)
        last.update((change.version_id, change.ordinal) for change in made)
        changes += made
        done = batch[-1][-1].ordinal + 1
    rows = {
        version: _row(system, version, states[str(version)], ordinal) for version, ordinal in last.items()
    }
    return rows, changes, done


def as_result(contest: Contest) -> Result:
    """Return what was played as ratings take it: one side per seat, or per match where each has a single seat."""
    last = contest[-1]
    if len(contest) == 1:
        members, places = last.versions, last.places
    else:
        members = tuple(row.versions[0] for row in contest)
        places = places_by_score([row.scores[0] for row in contest])
    sides = tuple(Side((str(version),), place) for version, place in zip(members, places, strict=True))
    return Result(str(last.fixture_id), last.ordinal, sides)


def contests(season: Season, first: int = 0) -> Iterator[Contest]:
    """Yield what counts as one contest, in order: a match, or a whole group of matches of a single seat."""
    sizes = functools.cache(functools.partial(fixtures.group_size, season.connection, season.id))
    group: list[PlayedRow] = []
    for row in results.played(season.connection, season.id, first):
        if len(row.versions) > 1:
            yield (row,)
            continue
        group.append(row)
        if len(group) == sizes(row.group):
            yield tuple(group)
            group = []


def _step_through(
    system: RatingSystem[Any], contests: Iterable[Contest], states: dict[str, Any]
) -> list[Change]:
    """Fold ``contests`` into ``states`` and return what changed."""
    changes = []
    shown: dict[str, float] = {}
    rated = (result for result in map(as_result, contests) if is_rated(result))
    with blaming("rating system", system.name):
        newcomer = system.initial()
        for result in rated:
            for member, after in system.step(states, result).items():
                before = shown.get(member)
                if before is None:
                    before = system.display(states.get(member, newcomer)).value
                shown[member] = system.display(after).value
                changes.append(Change(result.sequence, int(member), before, shown[member]))
                states[member] = after
    return changes


def _start_states(season: Season) -> dict[int, Any]:
    return {
        version: read_state(season.system, start.state)
        for version, start in events.starts(season.connection, season.id).items()
        if start.state is not None
    }


def _row(system: RatingSystem[Any], version: int, state: Any, through: int) -> RatingRow:
    with blaming("rating system", system.name):
        shown = system.display(state)
        text = json.dumps(dict(sorted(system.dump(state).items())), allow_nan=False)
    return RatingRow(version, text, shown.value, shown.games, through)


def _batches(contests: Iterable[Contest]) -> Iterator[list[Contest]]:
    source = iter(contests)
    while batch := list(itertools.islice(source, BATCH)):
        yield batch
