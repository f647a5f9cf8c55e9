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
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from sqlalchemy.engine import Connection

from botleague.ratings import RatingSystem, Result, Side, is_rated
from botleague.rules import places_by_score
from botleague_storage import fixtures, ratings, results
from botleague_storage.ratings import Change, RatingRow
from botleague_storage.results import PlayedRow
from botleague_storage.summaries import Tally

__all__ = ["as_result", "rebuild", "settle"]

BATCH = 5_000
"""Contests folded at a time in a rebuild, to keep memory flat."""

Contest: TypeAlias = tuple[PlayedRow, ...]


def settle(connection: Connection, season_id: int, system: RatingSystem[Any]) -> list[Change]:
    """Extend the season's ratings and sums over all results that have become countable. Needs a write transaction.

    Returns:
        What changed, in order.
    """
    first = ratings.settled(connection, season_id)
    changes: list[Change] = []
    for batch in _batches(_contests(connection, season_id, first)):
        members = sorted({version for contest in batch for row in contest for version in row.versions})
        tally = Tally()
        tally.load(connection, season_id, members)
        for row in itertools.chain.from_iterable(batch):
            tally.add(row)
        tally.save(connection, season_id)
        stored = ratings.states(connection, season_id, members)
        states = {str(version): system.load(json.loads(text)) for version, text in stored.items()}
        made = _step_through(system, batch, states)
        last: dict[int, int] = {change.version_id: change.ordinal for change in made}
        rows = {
            version: _row(system, version, states[str(version)], ordinal) for version, ordinal in last.items()
        }
        ratings.save(connection, season_id, batch[-1][-1].ordinal, rows, made)
        changes += made
    return changes


def rebuild(
    connection: Connection,
    season_id: int,
    system: RatingSystem[Any],
    progress: Callable[[int], None] | None = None,
) -> int:
    """Forget a season's ratings and sums, and fold all its results again. Needs a write transaction.

    Args:
        progress: called with the number of fixtures done so far.

    Returns:
        How many fixtures the ratings cover.
    """
    ratings.forget(connection, season_id)
    states: dict[str, Any] = {}
    last: dict[int, int] = {}
    done = 0
    tally = Tally()
    for batch in _batches(_contests(connection, season_id, 0)):
        for row in itertools.chain.from_iterable(batch):
            tally.add(row)
        made = _step_through(system, batch, states)
        last.update((change.version_id, change.ordinal) for change in made)
        done = batch[-1][-1].ordinal + 1
        ratings.save(connection, season_id, done - 1, {}, made)
        if progress is not None:
            progress(done)
    if done:
        rows = {
            version: _row(system, version, states[str(version)], ordinal) for version, ordinal in last.items()
        }
        ratings.save(connection, season_id, done - 1, rows, [])
        tally.save(connection, season_id)
    return done


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


def _contests(connection: Connection, season_id: int, first: int) -> Iterator[Contest]:
    """Yield what counts as one contest, in order: a match, or a whole group of matches of a single seat."""
    sizes = functools.cache(functools.partial(fixtures.group_size, connection, season_id))
    group: list[PlayedRow] = []
    for row in results.played(connection, season_id, first):
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
    newcomer = system.initial()
    for contest in contests:
        result = as_result(contest)
        if not is_rated(result):
            continue
        for member, after in system.step(states, result).items():
            before = states.get(member, newcomer)
            changes.append(
                Change(
                    result.sequence, int(member), system.display(before).value, system.display(after).value
                )
            )
            states[member] = after
    return changes


def _row(system: RatingSystem[Any], version: int, state: Any, through: int) -> RatingRow:
    shown = system.display(state)
    return RatingRow(version, json.dumps(_plain(system.dump(state))), shown.value, shown.games, through)


def _plain(dumped: Mapping[str, object]) -> dict[str, object]:
    return dict(sorted(dumped.items()))


def _batches(contests: Iterable[Contest]) -> Iterator[list[Contest]]:
    source = iter(contests)
    while batch := list(itertools.islice(source, BATCH)):
        yield batch
