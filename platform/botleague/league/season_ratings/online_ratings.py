"""The online ratings of a season as tables show them: the fold's numbers, shifted to fit its anchors.

Source: RATINGS, section 10, "Anchored online tables".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from botleague.league.season import Season
from botleague.league.season_ratings.rating_cache import read_state
from botleague.ratings import Rating, RatingError, anchor_shift
from botleague_storage import ratings

BATCH_MEAN = 1500.0
BATCH_SCALE = 400.0
"""Scale of batch tables, on which the values of anchors are given."""


class OnlineRating(NamedTuple):
    """Online rating of one bot in a table.

    Attributes:
        shown: the rating of the version that plays now, moved by the season's shift.
        change: difference to the bot's start in this season, by the fold; None without a match. A version that
            continues a previous one starts from its rating.
    """

    shown: Rating
    change: float | None


def online_shift(season: Season) -> float:
    """Return the shift of the online table that gives its anchors their values in the mean.

    A value is in the points of batch tables. On another scale it is as far from a new bot, by expected score.
    Anchors that are out are ignored.
    """
    system = season.system
    values = dict(season.roster.anchors)
    if not values:
        return 0.0
    if system.scale != BATCH_SCALE:
        middle, stretch = system.centre(system.initial()), system.scale / BATCH_SCALE
        values = {version: middle + (value - BATCH_MEAN) * stretch for version, value in values.items()}
    states = ratings.states(season.connection, season.id, list(values))
    shift = anchor_shift(
        system,
        {str(version): read_state(system, text) for version, text in states.items()},
        {str(version): value for version, value in values.items()},
    )
    try:
        system.moved(system.initial(), shift)
    except RatingError:  # a system of a plugin without anchors
        return 0.0
    return shift


def last_sequence(season: Season) -> int | None:
    """Return the sequence number of the last match that ratings cover, None for none."""
    covered = ratings.coverage(season.connection, season.id)[0] if season.end is None else season.end
    return covered - 1 if covered else None


def read_online_ratings(
    season: Season, states: Mapping[int, str | None], shift: float | None = None
) -> dict[int, OnlineRating]:
    """Return the online ratings of some versions.

    Args:
        states: as stored, None for a version that was never rated.
        shift: from :func:`online_shift`; computed if None.
    """
    system, lines = season.system, season.lines(states)
    shift = online_shift(season) if shift is None else shift
    starts = ratings.starts(season.connection, season.id, sorted(set().union(*lines.values())))
    last = last_sequence(season)

    def rating(version: int, text: str | None) -> OnlineRating:
        state: Any = system.initial() if text is None else read_state(system, text)
        start = next((starts[one] for one in reversed(lines[version]) if one in starts), None)
        change = None if start is None else system.display(state).value - start
        state = state if last is None else system.at(state, last)
        return OnlineRating(system.display(system.moved(state, shift) if shift else state), change)

    return {version: rating(version, text) for version, text in states.items()}
