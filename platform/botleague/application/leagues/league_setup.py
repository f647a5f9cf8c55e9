"""Finding a league, or creating it with the given settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.leagues.entry import (
    Entering,
    bots_of_divisions,
    entering,
    in_divisions,
    refuse_divided_staff,
    warn_of_frozen,
)
from botleague.application.leagues.league_file import LeagueFile
from botleague.application.leagues.league_options import LeagueOptions
from botleague.application.leagues.unentered import unentered_bots
from botleague.application.workspace import Workspace
from botleague.errors import UsageError, counted
from botleague.league import LeagueSettings, Season, create_league, new_league_seed, open_season
from botleague.league.decisions import season_decisions, season_start
from botleague.league.scheduling import expected_matches
from botleague.league.tables import read_standings
from botleague.names import league_name
from botleague.plugins import PluginHost
from botleague.plugins.boundary import Boundary
from botleague.referee import config_digest
from botleague.rules import Variant
from botleague.rules.formats import Entrant, Format
from botleague_sandbox import Profile
from botleague_storage import Database, NotFound, bots, fixtures


class MadeLeague(msgspec.Struct, frozen=True):
    """A new league.

    Attributes:
        entrants, planned: numbers of bots, and of matches planned so far.
        matches: number of matches in words.
    """

    entrants: int
    planned: int
    settings: LeagueSettings
    matches: str


class LeagueOpening(msgspec.Struct, frozen=True):
    """Finder and creator of a league.

    Attributes:
        staff: staff bots of a new league. The other bots are then those in the database that people submitted;
                None for no such difference.
        takes_submitted: whether the bots that people submitted to its variant enter a new league with ``staff``.
    """

    workspace: Workspace
    database: Database
    variant: Variant
    name: str
    staff: Sequence[str] | None = None
    takes_submitted: bool = True

    def open(
        self,
        terms: LeagueFile,
        division: Sequence[str] = (),
        add: Sequence[str] = (),
        *,
        takes_all: bool = False,
    ) -> MadeLeague | None:
        """Find or create the league with these settings; return the new league, None if it existed.

        Args:
            terms: its settings. Without bots, those of the league that seeds it enter, else every stored bot of the
                    game, or the bundled ones. An existing league keeps its own calendar.
            division: texts of ``NAME=BOT,BOT,...``, in place of the divisions of ``terms``.
            add: bots that join the running league; current entrants stay unchanged.
            takes_all: all submitted bots enter too, or join an existing league that accepts new entrants.

        Raises:
            UsageError: the league has other settings, these do not fit together, or the league that seeds it is frozen;
                    then nothing is stored.
        """
        if terms.top is not None and terms.seeded_by is None:
            raise UsageError("--top needs --seeded-by LEAGUE.")
        division = division or terms.division_texts
        staff = [*(terms.staff or ()), *(self.staff or ())]
        texts = [*(terms.bots or ()), *add, *bots_of_divisions(division), *staff]
        with entering(self.workspace, self.database, self.variant, texts) as entry:
            coming = entry.versions(add) if add else []
            divisions = entry.divisions(division)
            season, made = self._known(entry.connection), None
            if season is None:
                season, made = self._make(entry, terms, divisions, takes_all=takes_all)
                season_decisions.set_calendar(season, terms.calendar or {})
            else:
                self._refuse_other_terms(entry, season, terms, divisions)
                if takes_all and not season_decisions.why_nobody_joins(season):
                    others = entry.others(coming)
                    coming += [
                        one.version
                        for one in unentered_bots(season)
                        if one.version in others and not one.is_out
                    ]
            self._join(season, coming)
        return made

    def refuse_fewer_batches(self, batches: int | None) -> None:
        """Refuse, before any change, fewer rounds of an endless format than an earlier run had."""
        with self.database.reading() as connection:
            season = self._known(connection)
            if season is not None:
                season_decisions.refuse_fewer_rounds(season, batches)

    def add(self, named: Sequence[str]) -> None:
        """Add bots to the running league; current entrants keep the version that the settings require.

        Raises:
            UsageError: the format accepts no new entrants, or a name is unknown.
        """
        with entering(self.workspace, self.database, self.variant, named) as entry:
            coming = entry.versions(named) if named else []
            self._join(open_season(entry.connection, self.workspace.plugins, self.name), coming)

    def _join(self, season: Season, version_ids: Sequence[int]) -> None:
        there = {row.bot for row in season.names.values()}
        rows = bots.versions(season.connection, version_ids)
        if coming := [version for version in version_ids if rows[version].bot not in there]:
            season_decisions.add_newcomers(season, coming, season.roster.divisions[-1])
            warn_of_frozen(season.connection, coming)

    def _known(self, connection: Connection) -> Season | None:
        try:
            return open_season(connection, self.workspace.plugins, self.name)
        except NotFound:
            return None

    def _make(
        self, entry: Entering, terms: LeagueFile, divisions: Mapping[int, str], *, takes_all: bool
    ) -> tuple[Season, MadeLeague]:
        league_name(self.name)
        if terms.staff or self.staff:
            refuse_divided_staff(divisions.values())
        plugins, connection = self.workspace.plugins, entry.connection
        base = default_settings(self.variant, plugins, self.workspace.settings.sandbox)
        settings = terms.settings(self.variant, plugins, base)
        source = None if terms.seeded_by is None else open_season(connection, plugins, terms.seeded_by)
        if source is not None:
            season_start.refuse_unrevealed(source, "--seeded-by")
        version_ids = self._entrants(entry, terms, divisions, source, takes_all=takes_all)
        is_endless = plugins.formats.make(settings.format, settings.format_options).is_endless
        waits = self.staff is not None and is_endless
        if not waits and not terms.staff and len(version_ids) < settings.seats:
            advice = "Enter the bundled bots, or choose a ladder, which waits for bots."
            raise UsageError(
                f"A match needs {counted(settings.seats, 'bot')}, but only {len(version_ids)} entered. "
                f"{'Name more bots.' if self.staff is None else advice}"
            )
        starts = () if source is None else season_start.seeds(source, version_ids)
        season = create_league(
            connection,
            plugins,
            self.name,
            self.variant,
            settings,
            version_ids,
            divisions=divisions,
            starts=starts,
        )
        if terms.bots or divisions or terms.staff:
            warn_of_frozen(connection, version_ids)
        planned, _ = fixtures.counts(connection, season.id)
        return season, MadeLeague(len(version_ids), planned, settings, matches_in_words(season))

    def _entrants(
        self,
        entry: Entering,
        terms: LeagueFile,
        divisions: Mapping[int, str],
        source: Season | None,
        *,
        takes_all: bool,
    ) -> list[int]:
        """Return the versions that enter, those of the staff first.

        Raises:
            UsageError: a bot has no division, or a division has a bot that does not enter.
        """
        if source is not None and not terms.bots and not divisions:
            version_ids = self._best_of(source, terms.top)
        elif divisions and not terms.bots:
            version_ids = list(divisions)
        elif self.staff is not None and not terms.bots:
            version_ids = entry.others(()) if self.takes_submitted else []
        else:
            version_ids = entry.versions(terms.bots or ())
        if takes_all:
            version_ids = [*version_ids, *entry.others(version_ids)]
        staff = terms.staff or self.staff
        of_staff = entry.versions(staff) if staff else []
        version_ids = [*dict.fromkeys([*of_staff, *version_ids])]
        if divisions:
            version_ids = in_divisions(version_ids, divisions)
        return [*dict.fromkeys([*of_staff, *version_ids])]

    def _best_of(self, season: Season, top: int | None) -> list[int]:
        """Return the active versions of a league in order of its standings."""
        if season.league.game != self.variant.game:
            raise UsageError(
                f"League {season.league.name!r} plays {season.league.game}, not {self.variant.game}."
            )
        table = [line for line in read_standings(season) if not line.status]
        ids = {(row.bot, row.number): version for version, row in season.names.items()}
        return [ids[line.bot, line.version] for line in table[:top]]

    def _refuse_other_terms(
        self, entry: Entering, season: Season, terms: LeagueFile, divisions: Mapping[int, str]
    ) -> None:
        """Refuse settings that a running league does not have: it keeps its own."""
        row, members, stored = season.league, season.roster.members, season.settings
        playing = {season.names[version].bot: member for version, member in members.items()}
        advice = (
            "Start a new league with a different --league name, "
            "or start its next season with `botleague season new`."
        )
        if row.variant != self.variant.name:
            raise UsageError(f"League {row.name!r} plays {row.variant}, not {self.variant.name}. {advice}")
        # The name is not enough: a project's own variant keeps its name when its table is edited.
        if row.variant_digest != config_digest(self.variant.config):
            raise UsageError(
                f"League {row.name!r} uses a different configuration of {self.variant.name}. {advice}"
            )
        staff = _names_of(entry, terms.staff or self.staff or ())
        examiners = set([*playing][: len(staff)])
        if self.staff and not (terms.bots or divisions or terms.seeded_by):
            # Besides them only bots of people entered, so other bundled bots are staff, too.
            staff_names = staff | {bot.name for bot in self.workspace.plugins.bots_for(self.variant)}
            examiners = {bot for bot, member in playing.items() if member.joined == 1} & staff_names
        if staff and examiners != staff:
            has, not_these = (", ".join(sorted(names)) or "nobody" for names in (examiners, staff))
            raise UsageError(
                f"League {row.name!r} uses different staff bots: {has}, not {not_these}. {advice}"
            )
        if terms.bots:
            names_given = _names_of(entry, terms.bots)
            # Later entrants need not be named again; the settings decide about versions.
            joined = {
                season.names[event.version_id].bot for event in season.said(["joined"]) if event.version_id
            }
            if not playing.keys() - joined - examiners <= names_given <= playing.keys():
                raise UsageError(f"League {row.name!r} has different bots. {advice}")
        if any(members[v].division != name for v, name in divisions.items() if v in members):
            raise UsageError(f"League {row.name!r} has different divisions. {advice}")
        requested = terms.settings(self.variant, self.workspace.plugins, stored)
        for name, (has, asked_for) in stored.differences(requested).items():
            raise UsageError(f"League {row.name!r} has {_difference(name, has, asked_for)}. {advice}")


def default_settings(variant: Variant, plugins: PluginHost, sandbox: Profile) -> LeagueSettings:
    """Return the settings of a new league before any are given: a round-robin."""
    return LeagueSettings(
        format_options={"rounds": 1, "seats": variant.seats.least},
        seats=variant.seats.least,
        seed=new_league_seed(),
        sandbox=sandbox,
        table=plugins.formats.make("round-robin", {}).default_table,
    )


def matches_in_words(season: Season) -> str:
    """Return how many matches a new season has: "120 matches", "46 to 92 matches" or "6 matches per round"."""
    return _in_words(expected_matches(season), season.format)


def matches_of_format(variant: Variant, plugins: PluginHost, name: str, number: int) -> str:
    """Return how many matches ``number`` bots play in a format with its default options, in words.

    Raises:
        UsageError: the format does not fit the variant, or cannot work with this number of bots.
        PluginError: the format broke its contract.
    """
    base = default_settings(variant, plugins, "strong")
    settings = LeagueOptions(format=name).settings(variant, plugins, base)
    form = plugins.formats.make(name, settings.format_options)
    entrants = [Entrant(f"bot {index}") for index in range(number)]
    with Boundary("format", name):
        count = form.match_count(entrants)
        if count is None:
            planned = len(form.plan(entrants, [], settings.seed).pairings)
            rounds = 1 if form.is_endless else form.last_round or 1
            count = planned * rounds, planned * rounds
    return _in_words(count, form)


def _in_words(count: tuple[int, int], form: Format) -> str:
    least, most = count
    number = counted(most, "match", "matches")
    if form.is_endless:
        return f"{number} per round"
    return number if least == most else f"{least} to {number}"


def _names_of(entry: Entering, named: Sequence[str]) -> set[str]:
    if not named:  # `versions` would return all bots
        return set()
    return {one.bot for one in bots.versions(entry.connection, entry.versions(named)).values()}


def _difference(name: str, has: object, requested: object) -> str:
    """Return one difference between a league's settings and the requested ones: "3 rounds, not 5"."""
    if isinstance(has, msgspec.Struct) and isinstance(requested, msgspec.Struct):
        has, requested = msgspec.structs.asdict(has), msgspec.structs.asdict(requested)
    if isinstance(has, dict) and isinstance(requested, dict):
        key = next(key for key in {**has, **requested} if has.get(key) != requested.get(key))
        return _difference(str(key), has.get(key, "the default"), requested.get(key, "the default"))
    if name in ("rounds", "seats") and isinstance(has, int):
        return f"{counted(has, name.removesuffix('s'))}, not {requested}"
    if has is None:
        return f"no {name.replace('_', ' ')} of its own, not {requested}"
    return f"{name.replace('_', ' ')} {has}, not {requested}"
