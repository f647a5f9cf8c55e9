"""Finding the league that is meant, or making it on the terms that were asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.league_file import LeagueFile
from botleague.application.options import LeagueOptions
from botleague.application.workspace import Workspace
from botleague.errors import UsageError, counted
from botleague.league import (
    LeagueSettings,
    Season,
    create_league,
    new_league_seed,
    open_season,
    organising,
    seasons,
    standings,
)
from botleague.league.entrants import submit
from botleague.names import label
from botleague.referee import config_digest
from botleague.rules import Variant
from botleague_storage import Database, NotFound, bots, fixtures

__all__ = ["LeagueOpening", "MadeLeague", "find_entrants", "read_divisions"]


@dataclass(frozen=True, slots=True)
class MadeLeague:
    """What a new league begins with: how many bots and planned matches, and its settings."""

    entrants: int
    planned: int
    settings: LeagueSettings


@dataclass(frozen=True, slots=True)
class LeagueOpening:
    """Finds a league by its name, or makes it.

    Attributes:
        workspace, database: where.
        variant: what it plays.
        name: its name.
    """

    workspace: Workspace
    database: Database
    variant: Variant
    name: str

    def open(
        self,
        named: Sequence[str],
        options: LeagueOptions,
        division: Sequence[str] = (),
        seeded_by: str | None = None,
        top: int | None = None,
    ) -> MadeLeague | None:
        """Find the league with these terms, or make it; return what was made, None where it was there.

        Args:
            named: who plays; nobody for every stored bot of the game, or the bundled ones.
            options: its terms.
            division: texts of ``NAME=BOT,BOT,...``.
            seeded_by: a league by whose table it is seeded, and whose bots enter if nobody is named.
            top: only the best of that league enter.

        Raises:
            UsageError: the league has other terms, or these do not fit together.
        """
        with self.database.reading() as connection:
            is_there = self._known(connection) is not None
        divisions = read_divisions(self.workspace, self.database, self.variant, division)
        if not is_there:
            made = self._make(named, divisions, options, seeded_by, top)
            if made is not None:
                return made
        self._refuse_other_terms(named, divisions, options)
        return None

    def open_file(self, file: LeagueFile, division: Sequence[str] = ()) -> MadeLeague | None:
        """Open the league of a file of terms, see :meth:`open`; ``division`` stands above its divisions."""
        divisions = division or file.division_texts
        return self.open(file.bots or [], file.options, divisions, file.seeded_by, file.top)

    def add(self, version_ids: Sequence[int]) -> None:
        """Let bots join the running league; who is in already plays on, with which version its terms say."""
        if not version_ids:
            return
        with self.database.writing() as connection:
            season = self._season(connection)
            there = {row.bot for row in season.names.values()}
            rows = bots.versions(connection, version_ids)
            coming = [version for version in version_ids if rows[version].bot not in there]
            if coming:
                organising.add_newcomers(season, coming)

    def _season(self, connection: Connection) -> Season:
        return open_season(connection, self.workspace.plugins, self.name)

    def _known(self, connection: Connection) -> Season | None:
        try:
            return self._season(connection)
        except NotFound:
            return None

    def _make(
        self,
        named: Sequence[str],
        divisions: Mapping[int, str],
        options: LeagueOptions,
        seeded_by: str | None,
        top: int | None,
    ) -> MadeLeague | None:
        """Make the league, unless another process was quicker."""
        label(self.name, "league")
        plugins = self.workspace.plugins
        base = LeagueSettings(
            format_options={"rounds": 1, "seats": self.variant.seats.least},
            seats=self.variant.seats.least,
            seed=new_league_seed(),
            sandbox=self.workspace.settings.sandbox,
            table=plugins.formats.make("round-robin", {}).default_table,
        )
        settings = options.settings(self.variant, plugins, base)
        if top is not None and seeded_by is None:
            raise UsageError("--top needs --seeded-by: the league whose best are to play.")
        if seeded_by is not None and not named and not divisions:
            version_ids = self._best_of(seeded_by, top)
        elif divisions and not named:
            version_ids = list(divisions)
        else:
            version_ids = find_entrants(self.workspace, self.database, self.variant, named)
        if options.staff:
            staff = find_entrants(self.workspace, self.database, self.variant, options.staff)
            version_ids = [*staff, *(version for version in version_ids if version not in staff)]
        if set(divisions) - set(version_ids):
            raise UsageError("--division names a bot that does not play in this league.")
        if divisions and set(version_ids) - set(divisions):
            raise UsageError("With divisions every bot needs one, and some bots are in none.")
        with self.database.writing() as connection:
            if self._known(connection) is not None:
                return None
            starts = (
                ()
                if seeded_by is None
                else seasons.seeds(open_season(connection, plugins, seeded_by), version_ids)
            )
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
            planned, _ = fixtures.counts(connection, season.id)
        return MadeLeague(len(version_ids), planned, settings)

    def _best_of(self, name: str, top: int | None) -> list[int]:
        """Return the versions of a league in order of its table, those left out that are out."""
        with self.database.reading() as connection:
            season = open_season(connection, self.workspace.plugins, name)
            if season.league.game != self.variant.game:
                raise UsageError(f"League {name!r} plays {season.league.game}, not {self.variant.game}.")
            table = [line for line in standings(season) if not line.status]
            ids = {(row.bot, row.number): version for version, row in season.names.items()}
            return [ids[line.bot, line.version] for line in table[:top]]

    def _refuse_other_terms(
        self, named: Sequence[str], divisions: Mapping[int, str], options: LeagueOptions
    ) -> None:
        """A league that has begun keeps its terms: say so instead of playing something else than was asked for."""
        with self.database.reading() as connection:
            season = self._season(connection)
            row, members, stored = season.league, season.roster.members, season.settings
            playing = {season.names[version].bot: member for version, member in members.items()}
        other = "Give another name with --league to begin a new one, or begin its next season: botleague season new."
        if row.variant != self.variant.name:
            raise UsageError(f"League {row.name!r} plays {row.variant}, not {self.variant.name}. {other}")
        # The name is not enough: a variant of the project's own keeps it when its table is edited.
        if row.variant_digest != config_digest(self.variant.config):
            raise UsageError(
                f"League {row.name!r} began with another configuration of {self.variant.name}. {other}"
            )
        examiners = set(list(playing)[: len(options.staff or ())])
        if options.staff and examiners != self._names_of(options.staff):
            raise UsageError(f"League {row.name!r} has begun with another staff. {other}")
        if named:
            asked = self._names_of(named)
            # Who joined while it ran need not be named again; with which versions bots play, the terms say.
            joined = {bot for bot, member in playing.items() if member.joined > 1}
            if not playing.keys() - joined - examiners <= asked <= playing.keys():
                raise UsageError(f"League {row.name!r} has begun with other bots. {other}")
        if any(members[v].division != name for v, name in divisions.items() if v in members):
            raise UsageError(f"League {row.name!r} has begun with other divisions. {other}")
        wanted = options.settings(self.variant, self.workspace.plugins, stored)
        for name, (has, asked_for) in stored.differences(wanted).items():
            raise UsageError(f"League {row.name!r} has {_difference(name, has, asked_for)}. {other}")

    def _names_of(self, named: Sequence[str]) -> set[str]:
        versions = find_entrants(self.workspace, self.database, self.variant, named)
        with self.database.reading() as connection:
            return {one.bot for one in bots.versions(connection, versions).values()}


def find_entrants(
    workspace: Workspace, database: Database, variant: Variant, named: Sequence[str]
) -> list[int]:
    """Return the version ids of those who are to play, storing bots that are not stored yet.

    Args:
        named: see :meth:`Workspace.find_bots`; nobody for every bot in the database, or the bundled ones.

    Raises:
        UsageError: a text names nothing, or two name the same.
    """
    if not named:
        with database.reading() as connection:
            if stored := bots.newest(connection, variant.game):
                return [row.id for row in stored]
        named = [bot.name for bot in workspace.plugins.bots_for(variant)]
    players = workspace.find_bots(named, variant, database)
    seen = set()
    for text, player in zip(named, players, strict=True):
        if (player.name, player.digest) in seen:
            raise UsageError(f"{text!r} was named twice.")
        seen.add((player.name, player.digest))
    return [version.id for version, _ in submit(players, variant, database, workspace.plugins)]


def read_divisions(
    workspace: Workspace, database: Database, variant: Variant, texts: Sequence[str]
) -> dict[int, str]:
    """Return where versions play, from texts of ``NAME=BOT,BOT,...``, in order.

    Raises:
        UsageError: a text is malformed, or a bot is in two divisions.
    """
    found: dict[int, str] = {}
    for text in texts:
        name, sign, members = text.partition("=")
        if not sign or not name or not members:
            raise UsageError(f"--division {text!r}: write NAME=BOT,BOT,...")
        label(name, "division")
        for version_id in find_entrants(workspace, database, variant, members.split(",")):
            if version_id in found:
                raise UsageError(f"--division {text!r}: a bot is in {found[version_id]!r} already.")
            found[version_id] = name
    return found


def _difference(name: str, has: object, wanted: object) -> str:
    """Return one term in which a league is not what was asked for: "3 rounds, not 5"."""
    if isinstance(has, msgspec.Struct) and isinstance(wanted, msgspec.Struct):
        has, wanted = msgspec.structs.asdict(has), msgspec.structs.asdict(wanted)
    if isinstance(has, dict) and isinstance(wanted, dict):
        key = next(key for key in {**has, **wanted} if has.get(key) != wanted.get(key))
        return _difference(str(key), has.get(key, "the default"), wanted.get(key, "the default"))
    if name in ("rounds", "seats") and isinstance(has, int):
        return f"{counted(has, name.removesuffix('s'))}, not {wanted}"
    if has is None:
        return f"no {name.replace('_', ' ')} of its own, not {wanted}"
    return f"{name.replace('_', ' ')} {has}, not {wanted}"
