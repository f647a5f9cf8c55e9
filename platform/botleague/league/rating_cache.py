"""Keeps the ratings in the database equal to the fold over the results, no more and no less.

A result counts as soon as every fixture before it has one, so the numbers do not depend on which match was quick.
:func:`settle` is called in the transaction that records a result; :func:`rebuild` computes everything anew and
comes to the same bits.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sqlalchemy.engine import Connection

from botleague.ratings import RatingSystem, Result, Side, is_rated
from botleague_storage import ratings, results
from botleague_storage.ratings import Change, RatingRow
from botleague_storage.results import PlayedRow

__all__ = ["as_result", "rebuild", "settle"]

BATCH = 5_000
"""Fixtures folded at a time in a rebuild, to keep memory flat."""


def settle(connection: Connection, season_id: int, system: RatingSystem[Any]) -> list[Change]:
    """Extend the season's ratings over all results that have become countable. Needs a write transaction.

    Returns:
        What changed, in order.
    """
    first = ratings.settled(connection, season_id)
    changes: list[Change] = []
    for batch in _batches(results.played(connection, season_id, first)):
        members = sorted({version for row in batch for version in row.versions})
        stored = ratings.states(connection, season_id, members)
        states = {str(version): system.load(json.loads(text)) for version, text in stored.items()}
        made = _step_through(system, batch, states)
        last: dict[int, int] = {change.version_id: change.ordinal for change in made}
        rows = {
            version: _row(system, version, states[str(version)], ordinal) for version, ordinal in last.items()
        }
        ratings.save(connection, season_id, batch[-1].ordinal, rows, made)
        changes += made
    return changes


def rebuild(
    connection: Connection,
    season_id: int,
    system: RatingSystem[Any],
    progress: Callable[[int], None] | None = None,
) -> int:
    """Forget a season's ratings and fold all its results again. Needs a write transaction.

    Args:
        progress: called with the number of fixtures done so far.

    Returns:
        How many fixtures the ratings cover.
    """
    ratings.forget(connection, season_id)
    states: dict[str, Any] = {}
    last: dict[int, int] = {}
    done = 0
    for batch in _batches(results.played(connection, season_id)):
        made = _step_through(system, batch, states)
        last.update((change.version_id, change.ordinal) for change in made)
        done = batch[-1].ordinal + 1
        ratings.save(connection, season_id, done - 1, {}, made)
        if progress is not None:
            progress(done)
    if done:
        rows = {
            version: _row(system, version, states[str(version)], ordinal) for version, ordinal in last.items()
        }
        ratings.save(connection, season_id, done - 1, rows, [])
    return done


def as_result(row: PlayedRow) -> Result:
    """Return a played match as ratings take it: one side per seat."""
    sides = tuple(
        Side((str(version),), place) for version, place in zip(row.versions, row.places, strict=True)
    )
    return Result(str(row.fixture_id), row.ordinal, sides)


def _step_through(
    system: RatingSystem[Any], rows: Iterable[PlayedRow], states: dict[str, Any]
) -> list[Change]:
    """Fold ``rows`` into ``states`` and return what changed."""
    changes = []
    newcomer = system.initial()
    for row in rows:
        result = as_result(row)
        if not is_rated(result):
            continue
        for member, after in system.step(states, result).items():
            before = states.get(member, newcomer)
            changes.append(
                Change(row.ordinal, int(member), system.display(before).value, system.display(after).value)
            )
            states[member] = after
    return changes


def _row(system: RatingSystem[Any], version: int, state: Any, through: int) -> RatingRow:
    shown = system.display(state)
    return RatingRow(version, json.dumps(_plain(system.dump(state))), shown.value, shown.games, through)


def _plain(dumped: Mapping[str, object]) -> dict[str, object]:
    return dict(sorted(dumped.items()))


def _batches(rows: Iterable[PlayedRow]) -> Iterable[list[PlayedRow]]:
    source = iter(rows)
    while batch := list(itertools.islice(source, BATCH)):
        yield batch
