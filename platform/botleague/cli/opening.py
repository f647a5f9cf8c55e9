"""Finding the league that a command means, or making it on the terms that were asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from botleague.cli.context import Context
from botleague.cli.names import label
from botleague.cli.terms import Terms

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from botleague.rules import Variant
    from botleague_storage import Database
    from botleague_storage.leagues import LeagueRow

__all__ = ["Opening", "entrants", "read_divisions"]


def entrants(context: Context, database: Database, variant: Variant, named: Sequence[str]) -> list[int]:
    """Return the version ids of those who are to play, storing bots that are not stored yet.

    Args:
        named: as on the command line; none for every bot in the database, or the bundled ones.
    """
    from botleague.cli.entrants import find_bot, register
    from botleague.errors import UsageError
    from botleague_storage import bots

    if not named:
        with database.reading() as connection:
            stored = bots.bots(connection, variant.game)
        named = [row.name for row in stored] or [bot.name for bot in context.plugins.bots_for(variant)]
    found: list[int] = []
    for text in named:
        candidate = find_bot(text, variant, context.plugins, database)
        version_id = candidate.version_id
        if version_id is None:
            version_id = register(candidate, variant, database)[0].id
        if version_id in found:
            raise UsageError(f"{text!r} was named twice.")
        found.append(version_id)
    return found


def read_divisions(
    context: Context, database: Database, variant: Variant, texts: Sequence[str]
) -> dict[int, str]:
    """Return where versions play, from texts of ``NAME=BOT,BOT,...``, in order.

    Raises:
        UsageError: a text is malformed, or a bot is in two divisions.
    """
    from botleague.errors import UsageError

    found: dict[int, str] = {}
    for text in texts:
        name, sign, members = text.partition("=")
        if not sign or not name or not members:
            raise UsageError(f"--division {text!r}: write NAME=BOT,BOT,...")
        label(name, "division")
        for version_id in entrants(context, database, variant, members.split(",")):
            if version_id in found:
                raise UsageError(f"--division {text!r}: a bot is in {found[version_id]!r} already.")
            found[version_id] = name
    return found


class Opening:
    """Finds the league to run, or makes it."""

    def __init__(self, context: Context, database: Database, variant: Variant, name: str) -> None:
        self._context = context
        self._database = database
        self._variant = variant
        self._name = name

    def open(
        self,
        named: Sequence[str],
        terms: Terms,
        division: Sequence[str] = (),
        seeded_by: str | None = None,
        top: int | None = None,
    ) -> LeagueRow:
        """Return the league of that name if it is there and has these terms, else a new one."""
        with self._database.reading() as connection:
            row = self._known(connection)
        divisions = read_divisions(self._context, self._database, self._variant, division)
        if row is not None:
            self._refuse_other_terms(row, named, divisions, terms)
            return row
        return self._make(named, divisions, terms, seeded_by, top)

    def _known(self, connection: Connection) -> LeagueRow | None:
        from botleague_storage import NotFound, leagues

        try:
            return leagues.find(connection, self._name)
        except NotFound:
            return None

    def find(self, named: Sequence[str]) -> list[int]:
        """Return the version ids of bots that are to join, storing those that are not stored yet."""
        return entrants(self._context, self._database, self._variant, named) if named else []

    def add(self, row: LeagueRow, version_ids: Sequence[int]) -> None:
        """Let bots join the running league; who has joined already is left as it is."""
        from botleague.league import organising
        from botleague_storage import leagues

        if not version_ids:
            return
        with self._database.writing() as connection:
            season = leagues.current_season(connection, row.id)
            known = leagues.entrants(connection, season.id)
            coming = [version for version in version_ids if version not in known]
            if coming:
                organising.add_newcomers(connection, season, coming, self._context.plugins)

    def _make(
        self,
        named: Sequence[str],
        divisions: Mapping[int, str],
        terms: Terms,
        seeded_by: str | None,
        top: int | None,
    ) -> LeagueRow:
        from botleague.cli.show import say
        from botleague.errors import UsageError
        from botleague.league import LeagueSettings, create_league, new_league_seed, seasons
        from botleague_storage import leagues
        from botleague_storage.events import StartRow

        label(self._name, "league")
        base = LeagueSettings(
            format_options={"rounds": 1, "seats": self._variant.seats.least},
            seats=self._variant.seats.least,
            seed=new_league_seed(),
            sandbox=self._context.settings.sandbox,
        )
        settings = terms.settings(self._variant, self._context.plugins, base)
        if top is not None and seeded_by is None:
            raise UsageError("--top needs --seeded-by: the league whose best are to play.")
        if seeded_by is not None and not named and not divisions:
            version_ids = self._best_of(seeded_by, top)
        elif divisions and not named:
            version_ids = list(divisions)
        else:
            version_ids = entrants(self._context, self._database, self._variant, named)
        if set(divisions) - set(version_ids):
            raise UsageError("--division names a bot that does not play in this league.")
        if divisions and set(version_ids) - set(divisions):
            raise UsageError("With divisions, every bot needs one: some are in none.")
        with self._database.writing() as connection:
            # Another process may have been quicker to make it.
            made = self._known(connection)
            starts: list[StartRow] = []
            if made is None and seeded_by is not None:
                starts = seasons.seeds(
                    connection, leagues.find(connection, seeded_by), version_ids, self._context.plugins
                )
            row = made or create_league(
                connection,
                self._name,
                self._variant,
                settings,
                version_ids,
                self._context.plugins,
                divisions=divisions,
                starts=starts,
            )
        if made is not None:
            self._refuse_other_terms(row, named, divisions, terms)
            return row
        say(
            f"League {self._name!r}: {row.entrants} bots, {settings.format}, {row.fixtures} matches of "
            f"{self._variant.name} planned, seed {settings.seed}."
        )
        return row

    def _best_of(self, name: str, top: int | None) -> list[int]:
        """Return the versions of a league in order of its table, those left out that are out."""
        from botleague.errors import UsageError
        from botleague.league import standings
        from botleague_storage import bots, leagues

        with self._database.reading() as connection:
            row = leagues.find(connection, name)
            if row.game != self._variant.game:
                raise UsageError(f"League {name!r} plays {row.game}, not {self._variant.game}.")
            table = [line for line in standings(connection, row.id, self._context.plugins) if not line.status]
            return [
                bots.find_version(connection, row.game, line.bot, number=line.version).id
                for line in table[:top]
            ]

    def _refuse_other_terms(
        self, row: LeagueRow, named: Sequence[str], divisions: Mapping[int, str], terms: Terms
    ) -> None:
        """A league that has begun keeps its terms: say so instead of playing something else than was asked for."""
        from botleague.errors import UsageError
        from botleague.league import LeagueSettings, read_roster
        from botleague.referee import config_digest
        from botleague_storage import leagues

        other = "Give another name with --league to begin a new one, or begin its next season: botleague season new."
        if row.variant != self._variant.name:
            raise UsageError(f"League {row.name!r} plays {row.variant}, not {self._variant.name}. {other}")
        if row.variant_digest != config_digest(self._variant.config):
            raise UsageError(
                f"League {row.name!r} began with another configuration of {self._variant.name}. {other}"
            )
        with self._database.reading() as connection:
            season = leagues.current_season(connection, row.id)
            roster = read_roster(connection, season.id)
        if named:
            asked = entrants(self._context, self._database, self._variant, named)
            joined = {version for version, member in roster.members.items() if member.joined > 1}
            if not set(roster.versions) - joined <= set(asked) <= set(roster.versions):
                raise UsageError(
                    f"League {row.name!r} has begun with other bots or other versions of them. {other}"
                )
        if any(roster.members[v].division != name for v, name in divisions.items() if v in roster.members):
            raise UsageError(f"League {row.name!r} has begun with other divisions. {other}")
        stored = LeagueSettings.decode(season.settings)
        wanted = terms.settings(self._variant, self._context.plugins, stored)
        for name, (has, asked_for) in stored.differences(wanted).items():
            raise UsageError(f"League {row.name!r} has {_difference(name, has, asked_for)}. {other}")


def _difference(name: str, has: object, wanted: object) -> str:
    """Return one term in which a league is not what was asked for: "3 rounds, not 5"."""
    import msgspec

    if isinstance(has, msgspec.Struct) and isinstance(wanted, msgspec.Struct):
        has, wanted = msgspec.structs.asdict(has), msgspec.structs.asdict(wanted)
    if isinstance(has, dict) and isinstance(wanted, dict):
        key = next(key for key in {**has, **wanted} if has.get(key) != wanted.get(key))
        return _difference(str(key), has.get(key, "the default"), wanted.get(key, "the default"))
    if name in ("rounds", "seats") and isinstance(has, int):
        return f"{has} {name}, not {wanted}"
    if has is None:
        return f"no {name.replace('_', ' ')} of its own, not {wanted}"
    return f"{name.replace('_', ' ')} {has}, not {wanted}"
