"""A season as its format sees it: points with tie-breaks, the cross-table, the bracket; each division separately."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from botleague.errors import UsageError
from botleague.formats import CrossTable, PointsRow, cross_table, division_results, standings, without_leavers
from botleague.league.scheduling.planning import by_division, group_results, round_count, season_entrants
from botleague.league.season import EntryList, Season
from botleague.plugins.boundary import Boundary
from botleague.rules.formats import BYE, Bracket, Bye, Entrant, GroupResult
from botleague_storage import matches
from botleague_storage.league_rows.fixtures import Match


class Division(msgspec.Struct, frozen=True):
    """One division of a season, or all of it.

    Attributes:
        name: "" if there are no divisions.
        versions: of its entrants; formats number them by their place here.
        entrants: as formats take them, under the names that people know.
        results: groups whose matches are all done, with walkovers; void matches are left out.
        planned: the same for planning: with annulled results, but for a bracket without groups that were closed before
            their end.
    """

    name: str
    versions: list[int]
    entrants: list[Entrant]
    results: list[GroupResult]
    planned: list[GroupResult]

    @property
    def names(self) -> Mapping[int, str]:
        """Names to print, by entrant."""
        return {number: entrant.bot for number, entrant in enumerate(self.entrants)}


def divisions(season: Season, window: Iterable[Match] | None = None) -> list[Division]:
    """Return the divisions of a season in order of their first entrant.

    Args:
        window: whole groups of matches whose results are wanted; None for all matches.
    """
    roster = season.roster
    played = matches.matches(season.connection, season.id) if window is None else window
    visible = [match for match in played if season.end is None or match.ordinal < season.end]
    entrants = [
        msgspec.structs.replace(entrant, bot=season.names[version].title)
        for version, entrant in zip(roster.versions, season_entrants(season, "start"), strict=True)
    ]
    counting = group_results(visible, roster, counting=True)
    if season.is_closed and season.format.has_bracket:
        cancelled = {match.group for match in visible if _is_cancelled(roster, match)}
        visible = [match for match in visible if match.group not in cancelled]
    planned = group_results(visible, roster)
    tables = []
    for name in roster.divisions:
        members, results = division_results(entrants, counting, name)
        _, for_planning = division_results(entrants, planned, name)
        versions = [roster.versions[member] for member in members]
        tables.append(
            Division(name, versions, [entrants[member] for member in members], results, for_planning)
        )
    return tables


def points_table(season: Season, division: Division, penalties: Mapping[int, float]) -> Sequence[PointsRow]:
    """Return a division's table by points, after subtracting penalties.

    Args:
        penalties: points to take off, by version.
    """
    form = season.format
    with Boundary("format", form.name):
        return standings(
            division.entrants,
            _counting(season, division),
            byes(season, division),
            form.tie_breaks,
            round_worth=form.round_worth,
            penalties={
                number: penalties.get(version, 0.0) for number, version in enumerate(division.versions)
            },
        )


def points_by_round(season: Season) -> dict[int, dict[int, float]]:
    """Return the points of every round by version: of all results that count now, byes included, without penalties."""
    points: dict[int, dict[int, float]] = {}
    for division in divisions(season):
        won = [(bye.round, bye.entrant, bye.points) for bye in byes(season, division)]
        won += [
            (result.round, entrant, number)
            for result in _counting(season, division)
            for entrant, number in result.points().items()
        ]
        for round_number, entrant, number in won:
            of_round = points.setdefault(round_number, {})
            version = division.versions[entrant]
            of_round[version] = of_round.get(version, 0.0) + number
    return points


def byes(season: Season, division: Division) -> Sequence[Bye]:
    """Return the byes of a division's finished rounds, also of those that do not count.

    Raises:
        PluginError: the format broke its contract.
    """
    with Boundary("format", season.format.name):
        # Byes depend on the plan alone: a bot of a void match had an opponent.
        return season.format.byes(division.entrants, division.planned)


def _counting(season: Season, division: Division) -> list[GroupResult]:
    """Return a division's results without those that are annulled because an entrant left."""
    return without_leavers(
        division.entrants,
        division.results,
        season.leaving,
        [
            number
            for number, version in enumerate(division.versions)
            if season.roster.member(version).expulsions
        ],
    )


def settled_places(season: Season, division: Division) -> tuple[dict[int, int], dict[int, int]]:
    """Return the places that a bracket has settled, and the best places that are still possible, each by version.

    Bots that still play can reach the first free place: they are above those that are out, but below the finalists if
    only third place is open. Both are empty for formats without a bracket.
    """
    bracket = _bracket(season, division) if season.format.has_bracket else None
    if bracket is None:
        return {}, {}
    places = {division.versions[entrant]: place for entrant, place in bracket.places.items()}
    free = next(place for place in itertools.count(1) if place not in places.values())
    sides = (side for slot in bracket.slots for side in slot.sides)
    entered = [division.versions[side] for side in sides if side is not None and side != BYE]
    return places, {**dict.fromkeys(entered, free), **places}


def cross_tables(season: Season) -> list[tuple[Division, CrossTable]]:
    """Return the cross-table of each division, of the results that count, without penalties.

    Raises:
        UsageError: matches have one seat, so bots do not meet.
    """
    if season.settings.seats == 1:
        raise UsageError(
            "Every match in this league is single-player, so it has no cross-table. See `standings`."
        )
    return [
        (division, cross_table(points_table(season, division, {}), _counting(season, division)))
        for division in divisions(season)
    ]


def has_rounds_left(season: Season) -> bool:
    """Return whether a season whose planned matches are all done has more rounds, unless too few bots are left.

    Pages ask this between two rounds; nothing is planned for it.

    Raises:
        PluginError: the format broke its contract.
    """
    form = season.format
    if form.has_bracket:
        begun = brackets(season)
        return len(begun) < len(season.roster.divisions) or any(
            slot.winner is None and slot.needed for _, bracket in begun for slot in bracket.slots
        )
    rounds = form.last_round
    if form.is_endless:
        _, rounds = season.target
    elif rounds is None:
        fields = by_division(season_entrants(season, "start"))
        rounds = max((round_count(form, field) or 0 for field in fields), default=0)
    return rounds is None or matches.last_round(season.connection, season.id) < rounds


def brackets(season: Season) -> list[tuple[Division, Bracket]]:
    """Return the bracket as far as it is known, for each division.

    Raises:
        UsageError: the season's format has none, or one that does not fit the entrants and results.
        PluginError: the format broke its contract.
    """
    if not season.format.has_bracket:
        raise UsageError(
            f"The format {season.settings.format} has no bracket; knockout and double-knockout have."
        )
    pairs = ((division, _bracket(season, division)) for division in divisions(season))
    return [(division, bracket) for division, bracket in pairs if bracket is not None]


def _is_cancelled(roster: EntryList, match: Match) -> bool:
    """Return whether a match was not played, although both bots were in: the end of a season decides no series."""
    return (
        match.is_void
        and not match.places
        and not roster.is_walkover(match.versions, match.ordinal)
        and not any(roster.member(version).expelled_at(match.ordinal) for version in match.versions)
    )


def _bracket(season: Season, division: Division) -> Bracket | None:
    with Boundary("format", season.format.name):
        return season.format.bracket(division.entrants, division.planned, season.settings.seed)
