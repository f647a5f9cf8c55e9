"""The batch table of a season that is played round by round: computed when a round is complete, and stored.

It covers complete rounds and is shown as of the last of them, so a page reads it and fits nothing. It depends on the
results that count, on the status of bots and on the anchor. When one of these changes, it is recomputed; only a runner
may pass over rounds while matches follow. Its numbers are rounded, so that they do not depend on the machine.

Source: RATINGS, section 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from botleague.league.season import Season
from botleague.league.season_ratings.batch_ratings import (
    DIGITS,
    Strengths,
    anchor_of,
    done_so_far,
    gather,
    prior_of,
    spread_of,
    tie_of,
)
from botleague.ratings import Tie, fit_columns
from botleague_storage import fixtures, matches, strengths
from botleague_storage.league_rows.strengths import StrengthRow

DECIDING = (
    "retired",
    "suspended",
    "disqualified",
    "reinstated",
    "anchored",
    "voided",
    "replayed",
    "closed",
    "undone",
)
"""Events that a table depends on."""


def rank(season: Season, *, recompute: bool = False, may_lag: bool = False) -> bool:
    """Store the batch table that is due. Needs a write transaction.

    Args:
        recompute: even if it is stored already.
        may_lag: not if it only lacks some rounds, and more of them may come.

    Returns:
        False if the stored table may lack some rounds.
    """
    if not is_ranked(season):
        return True
    may_lag = may_lag and not recompute
    stored = strengths.coverage(season.connection, season.id)
    # A runner asks after each portion of a round.
    if (
        may_lag
        and stored[0]
        and stored[1] == _last_event(season)
        and fixtures.is_open(season.connection, season.id)
    ):
        return False
    due = _due(season)
    if may_lag and _may_lag(season, stored, due):
        return False
    if recompute or due != stored:
        strengths.save(season.connection, season.id, *due, *_table(season, due[0]))
    return True


def ranked_round(season: Season) -> int | None:
    """Return the last round that the stored batch table includes; None if none is stored."""
    covered, _ = strengths.coverage(season.connection, season.id)
    return matches.round_of(season.connection, season.id, covered - 1) if covered else None


def stored_strengths(season: Season, versions: Sequence[int]) -> Strengths:
    """Return the stored batch table as standings show it, of some versions."""
    connection = season.connection
    covered, _ = strengths.coverage(connection, season.id)
    return Strengths(
        strengths.strengths(connection, season.id, versions),
        _tie(season, covered).games,
        prior_of(season)[1],
        strengths.spread(connection, season.id),
        matches.round_of(connection, season.id, covered - 1),
    )


def check_ranking(season: Season) -> Iterator[str]:
    """Yield each difference between the stored batch table and the one computed from the results."""
    connection = season.connection
    due = _due(season) if is_ranked(season) else (0, 0)
    coverage = strengths.coverage(connection, season.id)
    if not _may_lag(season, coverage, due):
        for what, number, stored in zip(("matches", "events"), due, coverage, strict=True):
            if number != stored:
                yield f"the table of strengths covers {stored} {what}, but {number} are due"
                return
    rows, spread = _table(season, coverage[0])
    stored_rows, stored_spread = (
        strengths.strengths(connection, season.id),
        strengths.spread(connection, season.id),
    )
    if stored_spread != spread:
        yield f"the spread of the field is stored as {stored_spread!r}, but the results give {spread!r}"
    for version in sorted(rows.keys() | stored_rows.keys()):
        if rows.get(version) != stored_rows.get(version):
            name = season.names[version].title if version in season.names else f"bot version {version}"
            actual, expected = _told(stored_rows.get(version)), _told(rows.get(version))
            yield f"{name} has strength {actual}, but the results give {expected}"


def is_ranked(season: Season) -> bool:
    """Return whether a season's batch table is stored."""
    return season.format.is_ranked_by_round and season.settings.table == "batch"


def _due(season: Season) -> tuple[int, int]:
    """Return the number of fixtures that a table would cover now, and the last event that it would include."""
    connection = season.connection
    covered = done_so_far(season)
    if fixtures.is_open(connection, season.id):
        last = matches.last_round(connection, season.id)
        covered = min(covered, matches.round_start(connection, season.id, last))
    return covered, _last_event(season)


def _last_event(season: Season) -> int:
    return season.last_event(DECIDING)


def _may_lag(season: Season, stored: tuple[int, int], due: tuple[int, int]) -> bool:
    """Return whether a stored table only lacks the last rounds, and more may follow."""
    (covered, event), (last, last_event) = stored, due
    if not 0 < covered < last or event != last_event or _is_over(season, last):
        return False
    before, after = (matches.round_of(season.connection, season.id, one) for one in (covered - 1, covered))
    return before < after


def _table(season: Season, covered: int) -> tuple[dict[int, StrengthRow], float | None]:
    """Return the table of the first ``covered`` fixtures, and the spread of its field if it is estimated."""
    results = gather(season, covered)
    prior, _ = prior_of(season)
    if prior == "estimated":
        table = fit_columns(results.units, prior, anchor_of(season, results), _tie(season, covered))
    else:  # seasons of older versions keep their method
        table = results.fit(_tie(season, covered)).table(anchor_of(season, results))
    digits = 2 if table.field is None else DIGITS
    rows = {
        int(bot): StrengthRow(round(rating, digits), round(error, digits))
        for bot, rating, error in zip(table.bots, table.ratings, table.errors(), strict=True)
    }
    return rows, spread_of(table)


def _tie(season: Season, covered: int) -> Tie:
    return tie_of(season, is_running=not _is_over(season, covered))


def _is_over(season: Season, covered: int) -> bool:
    """Return whether nothing is played after the first ``covered`` fixtures."""
    last = season.format.last_round
    is_last = last is not None and matches.round_of(season.connection, season.id, covered - 1) >= last
    return is_last or season.is_closed


def _told(row: StrengthRow | None) -> str:
    return "nothing" if row is None else f"{row.rating!r} with error {row.error!r}"
