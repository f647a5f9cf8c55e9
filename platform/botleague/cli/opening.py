"""Finding the league that a command means, or making it on the terms that were asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from botleague.cli.context import Context
from botleague.cli.terms import Terms
from botleague.errors import UsageError, counted
from botleague.names import label

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from botleague.league import Season
    from botleague.rules import Variant
    from botleague_storage import Database

__all__ = ["Opening", "entrants", "read_divisions"]


def entrants(context: Context, database: Database, variant: Variant, named: Sequence[str]) -> list[int]:
    """Return the version ids of those who are to play, storing bots that are not stored yet.

    Args:
        named: as on the command line; none for every bot in the database, or the bundled ones.
    """
    from botleague.league.entrants import submit
    from botleague_storage import bots

    if not named:
        with database.reading() as connection:
            if stored := bots.newest(connection, variant.game):
                return [row.id for row in stored]
        named = [bot.name for bot in context.plugins.bots_for(variant)]
    players = context.find_bots(named, variant, database)
    seen = set()
    for text, player in zip(named, players, strict=True):
        if (player.name, player.digest) in seen:
            raise UsageError(f"{text!r} was named twice.")
        seen.add((player.name, player.digest))
    return [version.id for version, _ in submit(players, variant, database, context.plugins)]


def read_divisions(
    context: Context, database: Database, variant: Variant, texts: Sequence[str]
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
    ) -> str:
        """Find the league of that name with these terms, or make it. Return its name."""
        with self._database.reading() as connection:
            is_there = self._known(connection) is not None
        divisions = read_divisions(self._context, self._database, self._variant, division)
        if is_there:
            self._refuse_other_terms(named, divisions, terms)
        else:
            self._make(named, divisions, terms, seeded_by, top)
        return self._name

    def _known(self, connection: Connection) -> Season | None:
        from botleague.league import open_season
        from botleague_storage import NotFound

        try:
            return open_season(connection, self._context.plugins, self._name)
        except NotFound:
            return None

    def find(self, named: Sequence[str]) -> list[int]:
        """Return the version ids of bots that are to join, storing those that are not stored yet."""
        return entrants(self._context, self._database, self._variant, named) if named else []

    def add(self, league: str, version_ids: Sequence[int]) -> None:
        """Let bots join the running league; who has joined already is left as it is."""
        from botleague.league import open_season, organising

        if not version_ids:
            return
        with self._database.writing() as connection:
            season = open_season(connection, self._context.plugins, league)
            coming = [version for version in version_ids if version not in season.roster.members]
            if coming:
                organising.add_newcomers(season, coming)

    def _make(
        self,
        named: Sequence[str],
        divisions: Mapping[int, str],
        terms: Terms,
        seeded_by: str | None,
        top: int | None,
    ) -> None:
        from botleague.cli.show import say
        from botleague.league import LeagueSettings, create_league, new_league_seed, open_season, seasons
        from botleague_storage import fixtures

        label(self._name, "league")
        base = LeagueSettings(
            format_options={"rounds": 1, "seats": self._variant.seats.least},
            seats=self._variant.seats.least,
            seed=new_league_seed(),
            sandbox=self._context.settings.sandbox,
            table=self._context.plugins.formats.make("round-robin", {}).default_table,
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
            if made is None:
                plugins = self._context.plugins
                season = create_league(
                    connection,
                    plugins,
                    self._name,
                    self._variant,
                    settings,
                    version_ids,
                    divisions=divisions,
                    starts=()
                    if seeded_by is None
                    else seasons.seeds(open_season(connection, plugins, seeded_by), version_ids),
                )
                planned, _ = fixtures.counts(connection, season.id)
        if made is not None:
            self._refuse_other_terms(named, divisions, terms)
            return
        say(
            f"League {self._name!r}: {len(version_ids)} bots, {settings.format}, "
            f"{counted(planned, 'match', 'matches')} of {self._variant.name} planned, seed {settings.seed}."
        )

    def _best_of(self, name: str, top: int | None) -> list[int]:
        """Return the versions of a league in order of its table, those left out that are out."""
        from botleague.league import open_season, standings

        with self._database.reading() as connection:
            season = open_season(connection, self._context.plugins, name)
            if season.league.game != self._variant.game:
                raise UsageError(f"League {name!r} plays {season.league.game}, not {self._variant.game}.")
            table = [line for line in standings(season) if not line.status]
            ids = {(row.bot, row.number): version for version, row in season.names.items()}
            return [ids[line.bot, line.version] for line in table[:top]]

    def _refuse_other_terms(self, named: Sequence[str], divisions: Mapping[int, str], terms: Terms) -> None:
        """A league that has begun keeps its terms: say so instead of playing something else than was asked for."""
        from botleague.league import open_season
        from botleague.referee import config_digest

        with self._database.reading() as connection:
            season = open_season(connection, self._context.plugins, self._name)
            row, members, stored = season.league, season.roster.members, season.settings
        other = "Give another name with --league to begin a new one, or begin its next season: botleague season new."
        if row.variant != self._variant.name:
            raise UsageError(f"League {row.name!r} plays {row.variant}, not {self._variant.name}. {other}")
        if row.variant_digest != config_digest(self._variant.config):
            raise UsageError(
                f"League {row.name!r} began with another configuration of {self._variant.name}. {other}"
            )
        if named:
            asked = entrants(self._context, self._database, self._variant, named)
            joined = {version for version, member in members.items() if member.joined > 1}
            if not set(members) - joined <= set(asked) <= set(members):
                raise UsageError(
                    f"League {row.name!r} has begun with other bots or other versions of them. {other}"
                )
        if any(members[v].division != name for v, name in divisions.items() if v in members):
            raise UsageError(f"League {row.name!r} has begun with other divisions. {other}")
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
        return f"{counted(has, name.removesuffix('s'))}, not {wanted}"
    if has is None:
        return f"no {name.replace('_', ' ')} of its own, not {wanted}"
    return f"{name.replace('_', ' ')} {has}, not {wanted}"
