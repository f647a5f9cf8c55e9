"""Course of a season for the bots of its standings: their race by round, rating curves and newest results.

Each costs one query for all rows of a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from botleague.application.pages.page_header import names_of
from botleague.league import Season, Standing
from botleague.league.scheduling import division_tables
from botleague.league.season import Visible
from botleague_storage import matches, page_queries

MAX_STEPS = 30
"""Maximum number of rounds in a race: with 100 bots it has at most 6 KB, compressed."""

MAX_COUNTED = 8_000
"""Maximum number of matches from which the points of each round are computed: more take seconds."""

RECENT = 5
"""Number of newest results of each bot."""


class Race(msgspec.Struct, frozen=True):
    """Values of bots after rounds.

    Attributes:
        measure: what the standings rank by; the rating if that has no history.
        unit: of the steps; a season of one round is divided by matches.
        steps: numbers of rounds or matches, ascending, the last one that of the newest match.
        values: for each bot of the standings its value after each step; None before its first result.
    """

    measure: Literal["rating", "points"]
    unit: Literal["round", "match"]
    steps: list[int]
    values: list[list[float | None]]


class RecentForm(msgspec.Struct, frozen=True):
    """Course of the season for one bot.

    Attributes:
        curve: its ratings, the oldest first.
        results: its newest results, the oldest first: "W", "D" or "L", in matches of more than two seats its place.
        match: number of its newest match, like ``cup/17``; "" without one.
        summary: the result of that match in words: "beat mcts".
    """

    curve: list[int] = []
    results: list[str] = []
    match: str = ""
    summary: str = ""


def race_and_form(
    season: Season, view: Visible, rows: Sequence[Standing]
) -> tuple[Race | None, list[RecentForm]]:
    """Return the race of some rows of the standings, and the form of each.

    Both are empty while matches of other bots are hidden. There is no race of unrated matches, or of one step.

    Args:
        rows: rows as of the end of the visible part.
    """
    if view.versions is not None or not view.end:
        return None, [RecentForm() for _ in rows]
    connection = season.connection
    entered = page_queries.entered_versions(
        connection, season.id, season.league.game, list({row.bot for row in rows})
    )
    lines = [_line(season, entered.get(row.bot, {}), row.version) for row in rows]
    unit, steps, ends = _steps(season, view.end)
    ratings = _ratings(season, rows, lines, ends)
    form = _form(season, view, rows, lines, ratings)
    if len(steps) < 2 or all(value is None for course in ratings for value in course):
        return None, form
    ranks_by_points = rows and rows[0].ranked_by == "points" and season.settings.seats > 1
    if ranks_by_points and not season.format.has_bracket and unit == "round" and view.end <= MAX_COUNTED:
        return Race("points", unit, steps, _points(season.as_of(view.end), rows, lines, steps)), form
    tenths = [[None if value is None else round(value, 1) for value in course] for course in ratings]
    return Race("rating", unit, steps, tenths), form


def _line(season: Season, entered: Mapping[int, int], last: int) -> list[int]:
    """Return the versions of a row up to its last one; those that play side by side have rows of their own."""
    lineage = season.roster.member(entered.get(last, 0)).lineage
    return [version for number, version in entered.items() if number <= last and version in lineage]


def _steps(season: Season, end: int) -> tuple[Literal["round", "match"], list[int], list[int]]:
    """Return the unit of the steps, their numbers, and the ordinal numbers after them."""
    last = matches.round_of(season.connection, season.id, end - 1)
    if last < 2:
        ends = _spread(end)
        return "match", ends, ends
    rounds, ends = [], [0]
    numbers = _spread(last)
    for number, after in zip(
        numbers, page_queries.round_ends(season.connection, season.id, numbers, end), strict=True
    ):
        # Divisions have rounds of their own, so a round may end before an earlier one.
        if after is not None and after > ends[-1]:
            rounds.append(number)
            ends.append(after)
    return "round", rounds, [*ends[1:-1], end]


def _spread(last: int) -> list[int]:
    """Return at most :data:`MAX_STEPS` numbers from 1 to ``last``, evenly, with both ends."""
    count = min(MAX_STEPS, last)
    return [1 + round(step * (last - 1) / max(1, count - 1)) for step in range(count)]


def _ratings(
    season: Season, rows: Sequence[Standing], lines: Sequence[Sequence[int]], ends: Sequence[int]
) -> list[list[float | None]]:
    versions = [version for line in lines for version in line]
    values = page_queries.values_at(season.connection, season.id, versions, ends)
    return [
        [
            next(
                (values[version, end] + row.shift for version in reversed(line) if (version, end) in values),
                None,
            )
            for end in ends
        ]
        for row, line in zip(rows, lines, strict=True)
    ]


def _points(
    season: Season, rows: Sequence[Standing], lines: Sequence[Sequence[int]], steps: Sequence[int]
) -> list[list[float | None]]:
    """Return the points after each step; the last ones are those of the standings, with penalties."""
    rounds = division_tables.points_by_round(season)
    values = []
    for row, line in zip(rows, lines, strict=True):
        joined = season.roster.member(line[0]).joined if line else 1
        course: list[float | None] = []
        total, done = 0.0, 0
        for step in steps[:-1]:
            total += sum(
                rounds.get(one, {}).get(version, 0.0) for one in range(done + 1, step + 1) for version in line
            )
            done = step
            course.append(total if step >= joined else None)
        values.append([*course, row.points])
    return values


def _form(
    season: Season,
    view: Visible,
    rows: Sequence[Standing],
    lines: Sequence[Sequence[int]],
    ratings: Sequence[Sequence[float | None]],
) -> list[RecentForm]:
    connection = season.connection
    versions = [version for line in lines for version in line]
    newest = page_queries.newest_rated(connection, season.id, versions, view.end, RECENT)
    played = [
        sorted({ordinal for version in line for ordinal in newest.get(version, ())})[-RECENT:]
        for line in lines
    ]
    places = page_queries.places_in(
        connection, season.id, sorted({ordinal for ordinals in played for ordinal in ordinals})
    )
    named = names_of(
        season, {version for ordinals in played if ordinals for version, _ in places.get(ordinals[-1], ())}
    )
    form = []
    for line, ordinals, curve in zip(lines, played, ratings, strict=True):
        seats = [
            sorted(places[ordinal], key=lambda one: one[0] not in line)  # the own seat first
            for ordinal in ordinals
            if len(places.get(ordinal, ())) > 1
        ]
        summary = ""
        if seats:
            (_, own), *others = seats[-1]
            verb = {"W": "beat", "D": "drew with", "L": "lost to"}.get(_result(seats[-1]))
            summary = f"{verb} {named[others[0][0]].bot}" if verb else f"place {own} of {len(seats[-1])}"
        form.append(
            RecentForm(
                [round(value) for value in curve if value is not None],
                [_result(one) for one in seats],
                season.match_number(ordinals[-1]) if seats else "",
                summary,
            )
        )
    return form


def _result(seats: Sequence[tuple[int, int]]) -> str:
    """Return the result of the first seat: a letter against one opponent, else its place."""
    own, other = seats[0][1], seats[1][1]
    if len(seats) > 2:
        return str(own)
    return "D" if own == other else "W" if own < other else "L"
