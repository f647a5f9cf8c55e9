"""Start of the next season of a league, with frozen settings and fresh or carried ratings.

The start ratings of a season are stored with it, so its ratings are reproduced without the previous season. A frozen
season provides no start ratings: bots that are named by hand start as new bots, in the given order.

Source: RATINGS, section 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from shlex import quote
from typing import Any

from botleague.errors import UsageError
from botleague.league.decisions.season_decisions import is_over
from botleague.league.scheduling import begin_season, settings_for_field
from botleague.league.season import LeagueSettings, Season, open_season, refuse_to_derive
from botleague.league.season_ratings import last_sequence, online_shift, present_states, write_state
from botleague.league.tables import Standing, read_standings
from botleague.ratings import RatingError, RatingSystem
from botleague_storage import bots, fixtures, leagues
from botleague_storage.league_rows.events import StartRow


def new_season(
    last: Season,
    settings: LeagueSettings,
    version_ids: Sequence[int],
    *,
    carry: float | None = None,
    divisions: Mapping[int, str] | None = None,
) -> Season:
    """Start the next season of a league. Needs a write transaction.

    Args:
        last: the previous season.
        settings: those of the new one.
        version_ids: its entrants.
        carry: the share of a rating's distance to the start that stays, above 0 to 1; None for a fresh start, where
            the previous season only decides the seeding, and not even that while it is frozen.
        divisions: division of each version, if there are divisions.

    Raises:
        UsageError: the previous season is not over, or its ratings cannot be carried into this one, or not before
            its reveal.
    """
    connection, league, is_frozen = last.connection, last.league, last.frozen is not None
    if fixtures.is_open(connection, last.id):
        planned, done = fixtures.counts(connection, last.id)
        raise UsageError(
            f"Season {last.row.number} of {league.name!r} has {planned - done} unplayed matches. Play them with "
            f"`botleague run {league.variant} --league {quote(league.name)}`, or cancel them with --close."
        )
    if not is_over(last):
        raise UsageError(
            f"Season {last.row.number} of {league.name!r} is not over: rounds are left. Play them with "
            f"`botleague run {league.variant} --league {quote(league.name)}`, or end it with --close."
        )
    starts: list[StartRow] = []
    if carry is None and not is_frozen:
        starts = seeds(last, version_ids)
    elif carry is not None:
        starts = [
            StartRow(version, write_state(last.system, state), last.system.display(state).value)
            for version, state in carried(last, settings, version_ids, carry).items()
        ]
    settings = settings_for_field(settings, last.plugins, version_ids, divisions, has_starts=bool(starts))
    leagues.add_season(connection, league.id, settings.encode())
    season = open_season(connection, last.plugins, league.name)
    begin_season(season, version_ids, divisions=divisions, starts=starts)
    for version, value in last.roster.anchors.items():
        if version in version_ids and not is_frozen:
            # Tables of seasons are comparable if the same bots have the same values in all of them.
            season.log("anchored", version, value=value)
    return season


def carried(
    season: Season, settings: LeagueSettings, version_ids: Sequence[int], share: float
) -> dict[int, Any]:
    """Return the start ratings of versions in the next season, from the final states of ``season`` in its table.

    Elo keeps ``share`` of the distance to its start. Glicko-2 keeps the rating and gains uncertainty: (1 - share) of a
    newcomer's variance. Plackett-Luce keeps the skill and doubles its deviation, up to a newcomer's. A newer version
    than the last played one starts from the carried rating like a version submitted while a season runs.

    Args:
        settings: those of the next season.
        version_ids: its entrants; bots that were not rated are missing in the answer.

    Raises:
        UsageError: a share out of range, another rating system, or the season is frozen.
    """
    refuse_unrevealed(season, "--carry")
    if not 0 < share <= 1:
        raise UsageError(f"--carry {share:g} must be above 0 and at most 1.")
    before = season.settings
    if (before.rating, before.rating_options) != (settings.rating, settings.rating_options):
        raise UsageError("Ratings can only be carried into a season with the same rating system and options.")
    system, shift, ended = season.system, online_shift(season), last_sequence(season)
    states, lasts = present_states(season), _lasts(season, version_ids)
    states_by_version = {}
    for version, last in lasts.items():
        if last not in states or (last != version and settings.version_start == "fresh"):
            continue
        state = states[last] if ended is None else system.at(states[last], ended)
        state = _carry(system, system.moved(state, shift) if shift else state, share)
        with suppress(RatingError):  # the system of a plugin may only have the start of a new bot
            states_by_version[version] = state if version == last else system.succeed(state, 0)
    return states_by_version


def seeds(season: Season, version_ids: Sequence[int]) -> list[StartRow]:
    """Return numbers for seeding from the table of a season: the better the place, the higher the number.

    A version without a row in that table is missing, and counts as a new bot, below all others.

    Raises:
        UsageError: the season is frozen.
    """
    refuse_unrevealed(season, "Seeding")
    table = read_standings(season)
    ranks = _ranks(season, table)
    newcomer = season.system.display(season.system.initial()).value
    return [
        StartRow(version, None, newcomer + 1 + len(table) - ranks[last])
        for version, last in _lasts(season, version_ids).items()
    ]


def moved(season: Season, number: int) -> dict[int, str]:
    """Return the divisions of the next season: the last ``number`` of each go down, the first ``number`` go up.

    Divisions are in the order of their first entrants, the highest first. Bots that are out keep their division.

    Raises:
        UsageError: there are no divisions, or one is too small, or the season is frozen.
    """
    refuse_unrevealed(season, "--promote")
    roster = season.roster
    names = roster.divisions
    if len(names) < 2:
        raise UsageError("--promote needs a season with divisions.")
    ranks = _ranks(season, read_standings(season))
    after = {version: member.division for version, member in roster.members.items()}
    ranked = {
        name: sorted(
            (v for v, member in roster.members.items() if member.division == name and not member.is_out),
            key=lambda version: ranks[version],
        )
        for name in names
    }
    for upper, lower in pairwise(names):
        if min(len(ranked[upper]), len(ranked[lower])) < 2 * number:
            raise UsageError(f"--promote {number}: divisions {upper!r} and {lower!r} are too small for that.")
        after.update(dict.fromkeys(ranked[upper][-number:], lower))
        after.update(dict.fromkeys(ranked[lower][:number], upper))
    return after


def refuse_unless_current(season: Season, number: str) -> None:
    """Refuse a form of an earlier season with a UsageError.

    Args:
        number: of the season that the form is about.
    """
    if number != str(season.row.number):
        raise UsageError(
            f"Season {season.row.number} of {season.league.name} has begun since this form was opened. Open the page "
            "again."
        )


def refuse_unrevealed(season: Season, derived: str) -> None:
    """Refuse to derive something from the table of a season that is frozen, with a UsageError.

    Args:
        derived: the option or step that reads its table, as the subject of a sentence.
    """
    refuse_to_derive(season.frozen, season.title, season.calendar, derived)


def _carry(system: RatingSystem[Any], state: Any, share: float) -> Any:
    try:
        return system.carry(state, share)
    except RatingError as error:
        raise UsageError(f"--carry: {error}.") from error


def _lasts(season: Season, version_ids: Sequence[int]) -> dict[int, int]:
    """Return for each version the one that its bot played last in a season, if it played there."""
    roster = season.roster
    latest = {season.names[version].bot: version for version in roster.versions}
    rows = bots.versions(season.connection, version_ids)
    lasts = {}
    for version in version_ids:
        last = roster.member(version).version if version in roster.entered else latest.get(rows[version].bot)
        if last is not None:
            lasts[version] = last
    return lasts


def _ranks(season: Season, table: Sequence[Standing]) -> dict[int, int]:
    """Return the ranks in a table by the versions that played last."""
    ranks = {(row.bot, row.version): row.rank for row in table}
    return {
        version: ranks[season.names[version].bot, season.names[version].number]
        for version in season.roster.versions
    }
