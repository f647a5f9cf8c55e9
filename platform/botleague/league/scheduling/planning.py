"""Creation of leagues and seasons, and planning of their fixtures: from pairings to rows of the match queue."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from sqlalchemy.engine import Connection

from botleague.errors import UsageError
from botleague.formats import plan_divisions
from botleague.league.results import count_in
from botleague.league.season import (
    EntryList,
    Expulsion,
    LeagueSettings,
    Season,
    SetSeeds,
    begin,
    open_season,
)
from botleague.league.season_ratings import present_states, prior_for, season_strengths
from botleague.plugins import PluginHost
from botleague.plugins.boundary import Boundary
from botleague.ratings import Rating
from botleague.referee import check_openings, config_digest, plain_config
from botleague.rules import Variant
from botleague.rules.formats import Entrant, EntrantRatings, Format, Game, GroupResult, Pairing
from botleague.rules.storable import require_storable
from botleague.struct_fields import LARGEST
from botleague_storage import events, fixtures, leagues, matches
from botleague_storage.league_rows.events import StartRow
from botleague_storage.league_rows.fixtures import Match, Planned
from botleague_storage.schema.league_tables import LABEL_LENGTH, LARGEST_ORDINAL

MAX_NAME_LENGTH = 64


def create_league(
    connection: Connection,
    plugins: PluginHost,
    name: str,
    variant: Variant,
    settings: LeagueSettings,
    version_ids: Sequence[int],
    *,
    divisions: Mapping[int, str] | None = None,
    starts: Iterable[StartRow] = (),
) -> Season:
    """Make a league with its entrants and first fixtures, and return its open season. Needs a write transaction.

    Args:
        divisions: where versions play, if there are divisions.
        starts: ratings to begin with, or numbers to seed by.

    Raises:
        UsageError: the name cannot be one, or the format cannot work with these entrants.
    """
    if not (0 < len(name) <= MAX_NAME_LENGTH and name.isprintable()):
        raise UsageError(
            f"{name[:MAX_NAME_LENGTH]!r} cannot be a league's name: it has 1 to {MAX_NAME_LENGTH} printable characters."
        )
    # Match hosts compare it with their own before every match: no league is played in two configurations.
    digest = config_digest(variant.config)
    config = msgspec.json.encode(plain_config(variant.config), order="sorted").decode()
    check_openings(variant, settings.openings)
    variant_id = leagues.variant_id(connection, variant.name, variant.game, digest, config)
    starts = list(starts)
    settings = settings_for_field(settings, plugins, version_ids, divisions, has_starts=bool(starts))
    leagues.create(connection, name, variant_id, settings.encode())
    season = open_season(connection, plugins, name)
    begin_season(season, version_ids, divisions=divisions, starts=starts)
    return season


def settings_for_field(
    settings: LeagueSettings,
    plugins: PluginHost,
    version_ids: Sequence[int],
    divisions: Mapping[int, str] | None,
    *,
    has_starts: bool,
) -> LeagueSettings:
    """Return ``settings`` with what follows from the entrants.

    These are the missing options that the rating system derives from their number, and the prior of batch tables that
    the pairings allow.
    """
    system = plugins.ratings.make(settings.rating, settings.rating_options)
    with Boundary("rating system", system.name):
        derived = system.field_options(len(version_ids), settings.seats)
    form = plugins.formats.make(settings.format, settings.format_options)
    where = [(divisions or {}).get(version, "") for version in version_ids]
    return msgspec.structs.replace(
        settings,
        rating_options={**derived, **settings.rating_options},
        prior=prior_for(form, where, has_starts=has_starts),
    )


def begin_season(
    season: Season,
    version_ids: Sequence[int],
    *,
    divisions: Mapping[int, str] | None = None,
    starts: Iterable[StartRow] = (),
) -> None:
    """Register the entrants of a new season and plan its first fixtures; see :func:`create_league`."""
    season.enter(version_ids)
    for version_id, division in (divisions or {}).items():
        if division:
            season.log("division", version_id, name=division)
    events.add_starts(season.connection, season.id, starts)
    begin(season)
    # Stores the start of the fold: the states that were carried into the season.
    count_in(season, recompute=True)
    plan_more(season)


def plan_more(season: Season) -> int:
    """Plan the next fixtures of a season whose fixtures are all done. Needs a write transaction.

    A pairing with a bot that is out is a walkover: it is recorded as cancelled, and planning continues. A season that
    was closed stays as it is.

    Returns:
        The number of matches to play; 0 when the season is over.

    Raises:
        UsageError: the format cannot work with these entrants or options.
        PluginError: the format failed, or planned what cannot be played.
    """
    if season.is_closed:
        return 0
    connection, form, roster = season.connection, season.format, season.roster
    # If every match of a round is a walkover, no match is left to play, and nothing would request the next round.
    while True:
        window = _recent_matches(season)
        number, _ = fixtures.counts(connection, season.id)
        entrants = season_entrants(season, form.entrant_ratings, number)
        coming = next_fixtures(season, entrants, window, number)
        planned = fixtures.plan(connection, season.id, coming)
        absent = roster.out.intersection(version for item in coming for version in item.versions)
        cancelled = sum(matches.cancel(connection, season.id, version) for version in sorted(absent))
        if planned > cancelled or not planned:
            return planned - cancelled


def _recent_matches(season: Season) -> list[Match]:
    """Return the matches of the format's window; matches that were read for an earlier plan are not read again."""
    connection, gathered, rounds = season.connection, season.gathered, season.format.window
    first = matches.window_start(connection, season.id, rounds)
    last = season.last_event()
    window: list[Match] = []
    # Without an event, a finished match stays as it is.
    if last == gathered.recent_event:
        window = [match for match in gathered.recent if match.ordinal >= first]
    if window and window[0].ordinal != first:
        window = []
    window += matches.matches(connection, season.id, first + len(window))
    if rounds and all(match.is_done for match in window):
        gathered.recent, gathered.recent_event = list(window), last
    return window


def expected_matches(season: Season, rounds: int | None = None) -> tuple[int, int]:
    """Return the least and most matches of a season, as far as they can be known before all are planned.

    Args:
        rounds: last round of an endless format; None if unknown.
    """
    connection, form = season.connection, season.format
    planned, _ = fixtures.counts(connection, season.id)
    last = matches.last_round(connection, season.id)
    end = form.last_round or (rounds if form.is_endless else None)
    if season.is_closed or not planned:
        return planned, planned
    present = (entrant for entrant in season_entrants(season, "start") if entrant.left is None)
    with Boundary("format", form.name):
        counts = [form.match_count(field) for field in by_division(present) if len(field) > 1]
        require_storable(counts, list[tuple[int, int] | None], "match_count")
    ranges = [count for count in counts if count is not None]
    if ranges:
        least, most = (sum(ends) for ends in zip(*ranges, strict=True))
    else:
        # Rounds of a ladder are alike.
        size = planned - matches.round_start(connection, season.id, last)
        least = most = planned + (0 if end is None else max(0, end - last) * size)
    return max(planned, least), max(planned, most)


def by_division(entrants: Iterable[Entrant]) -> list[list[Entrant]]:
    """Return the entrants of each division."""
    fields: dict[str, list[Entrant]] = {}
    for entrant in entrants:
        fields.setdefault(entrant.division, []).append(entrant)
    return list(fields.values())


def round_count(form: Format, field: Sequence[Entrant]) -> int | None:
    """Return the number of rounds of a format, None if it is unknown.

    Raises:
        PluginError: the format broke its contract.
    """
    with Boundary("format", form.name):
        rounds = form.round_count(field)
        require_storable(rounds, int | None, "round_count")
    return rounds


def next_fixtures(
    season: Season, entrants: Sequence[Entrant], window: Iterable[Match], number: int
) -> list[Planned]:
    """Return the format's plan after the known matches: the same plan for the same arguments.

    Args:
        entrants: as they stand, those first who entered first.
        window: all matches of the format's window, with their results.
        number: the ordinal number of the first match to be planned; it says which versions play.

    Raises:
        UsageError: the format cannot work with these entrants or options.
        PluginError: the format failed, or planned what cannot be played.
    """
    if season.format.is_endless and len(entrants) < season.settings.seats:
        return []  # the league waits for people to submit bots
    window, members, seed = list(window), list(season.roster.members.values()), season.settings.seed
    last = max((match.round for match in window), default=0)
    playing = [member.planned_at(number, last) for member in members]
    entrants = _with_former_groups(entrants, window, playing, season.roster.numbers)
    pairings = _plan(season.format, entrants, group_results(window, season.roster, planned=number), seed)
    # Formats return every match without a result, those that are planned already included.
    groups = {match.group for match in window}
    coming = [pairing for pairing in pairings if pairing.group not in groups]
    seats: dict[int, list[int]] = {}
    for pairing in coming:
        if pairing.seed is None:
            seats.setdefault(pairing.group, []).extend(pairing.seats)
    draws = SetSeeds(seed, season.openings, window, season.roster.numbers.__getitem__)
    seeds = {group: draws.draw(group, entrants) for group, entrants in seats.items()}
    return [
        Planned(
            pairing.round,
            pairing.group,
            seeds[pairing.group] if pairing.seed is None else pairing.seed,
            tuple(members[entrant].version_at(ordinal) for entrant in pairing.seats),
            pairing.label[:LABEL_LENGTH],
        )
        for ordinal, pairing in enumerate(coming, start=number)
    ]


def _with_former_groups(
    entrants: Sequence[Entrant],
    window: Iterable[Match],
    playing: Sequence[int],
    numbers: Mapping[int, int],
) -> list[Entrant]:
    """Return entrants with the groups that they played before the versions for which more is planned."""
    former: dict[int, set[int]] = {}
    for match in window:
        for version in match.versions:
            if playing[numbers[version]] != version:
                former.setdefault(numbers[version], set()).add(match.group)
    return [
        msgspec.structs.replace(entrant, former=frozenset(former[one])) if one in former else entrant
        for one, entrant in enumerate(entrants)
    ]


def _plan(
    form: Format, entrants: Sequence[Entrant], results: Sequence[GroupResult], seed: int
) -> Sequence[Pairing]:
    """Return the format's plan, after checking that it can be stored."""
    with Boundary("format", form.name):
        pairings = plan_divisions(form, entrants, results, seed).pairings
        members = range(len(entrants))
        for pairing in pairings:
            require_storable(pairing, Pairing, "plan")
            if not pairing.seats or not all(entrant in members for entrant in pairing.seats):
                raise ValueError(f"a match of entrants {pairing.seats}, of {len(entrants)} that there are")
            if len(set(pairing.seats)) < len(pairing.seats):
                raise ValueError(f"a match of entrants {pairing.seats}: each has one seat")
            if not (0 < pairing.round <= LARGEST_ORDINAL and 0 < pairing.group <= LARGEST_ORDINAL):
                numbers = f"round {pairing.round} and group {pairing.group}"
                raise ValueError(f"a match of {numbers}; both are from 1 to {LARGEST_ORDINAL}")
            # `verify` derives every other match's seed from the season's and the group.
            if pairing.seed is not None and not form.draws_seeds:
                raise ValueError("a match with a seed of its own, where draws_seeds is False")
            if pairing.seed is not None and not 0 <= pairing.seed <= LARGEST:
                raise ValueError(f"a match of seed {pairing.seed}, which is not from 0 to {LARGEST}")
    return pairings


def season_entrants(season: Season, which: EntrantRatings, number: int = 0) -> list[Entrant]:
    """Return the entrants as formats take them, in order of entry.

    Args:
        which: their ratings of the season's start, online as they are now, or by batch: by the results of all matches
            before match ``number``, of the versions that were to play in it when it was planned.
    """
    system, roster = season.system, season.roster
    with Boundary("rating system", system.name):
        initial = _numbers(system.display(system.initial()))
        online = present_states(season) if which == "online" else {}
        ratings = {version: _numbers(system.display(state)) for version, state in online.items()}
    _, deviation, games = initial
    if which == "batch":
        strengths = season_strengths(season, number)
        ratings = {one: (rating, math.sqrt(variance), games) for one, (rating, variance) in strengths.items()}
    if which == "start":
        starts = events.starts(season.connection, season.id)
        ratings = {
            version: (starts[member.entered].value, deviation, games)
            for version, member in roster.members.items()
            if member.entered in starts
        }
    return [
        Entrant(
            str(member.entered),
            *ratings.get(version, initial),
            division=member.division,
            joined=member.joined,
            left=member.left,
            away=member.away,
        )
        for version, member in roster.members.items()
    ]


def _numbers(rating: Rating) -> tuple[float, float | None, int]:
    """Return the parts of a rating that an :class:`Entrant` has, in its order: value, deviation and number of games."""
    return rating.value, rating.deviation, rating.games


def group_results(
    window: Iterable[Match], roster: EntryList, *, counting: bool = False, planned: int | None = None
) -> list[GroupResult]:
    """Return the groups whose matches are all done, in the form for formats.

    Args:
        counting: leave out what counts for nothing, as tables do: void matches in which no bot was out. Otherwise, for
            planning, a result that was annulled later stands: its bots are not paired again.
        planned: how many matches are planned; what a disqualification of later decides is not known yet.

    A match with a bot that was out is a walkover, won by the bot that was there. So is each match of a bot whose
    disqualification decides about sets, played or not; unless it annuls them, or both bots are disqualified: then the
    match counts for neither.
    """
    numbers, expelled = roster.numbers, roster.expelled
    groups: dict[int, list[Match]] = {}
    for match in window:
        groups.setdefault(match.group, []).append(match)
    results: list[GroupResult] = []
    for group, members in sorted(groups.items()):
        # A season as of a match may end within a group.
        if len(members) < members[0].set_size or not all(match.is_done for match in members):
            continue
        games = []
        for match in members:
            seats = tuple(numbers[version] for version in match.versions)
            if match.places and not match.is_void and expelled.isdisjoint(match.versions):
                games.append(Game(seats, match.places, match.scores))
                continue
            gone = [roster.member(one).expelled_at(match.ordinal, planned) for one in match.versions]
            decided = {one.sets for one in gone if one}
            if counting and decided and ("annul" in decided or all(gone)):
                continue
            is_walkover = match.is_void and (
                "forfeit" in decided or roster.is_walkover(match.versions, match.ordinal)
            )
            if match.is_void and counting and not is_walkover:
                continue
            if is_walkover or not match.places:
                games.append(Game(seats, _walkover(match, roster, gone), is_walkover=True))
            else:
                games.append(Game(seats, match.places, match.scores))
        if games:
            results.append(GroupResult(group, members[0].round, tuple(games)))
    return results


def _walkover(match: Match, roster: EntryList, gone: Sequence[Expulsion | None]) -> tuple[int, ...]:
    """Return places as if every bot that was out had lost, or was disqualified later."""
    out = [
        expulsion is not None or roster.member(version).was_out_at(match.ordinal)
        for version, expulsion in zip(match.versions, gone, strict=True)
    ]
    return tuple(1 + (is_out and not all(out)) * (len(out) - sum(out)) for is_out in out)
