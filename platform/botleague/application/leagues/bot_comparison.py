"""Comparison of two bots: its league, and its matches until the test decides.

A comparison is a league of its own. The same comparison resumes where it stopped; other bounds, other openings or
another seed make another comparison, with a league of its own.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.leagues.entry import entering
from botleague.application.workspace import Workspace
from botleague.errors import UsageError
from botleague.formats import Comparison
from botleague.league import (
    LeagueSettings,
    Penalties,
    Progress,
    Runner,
    Season,
    Transactions,
    checked_seed,
    create_league,
    new_league_seed,
    open_season,
    runner_name,
)
from botleague.league.season import default_openings
from botleague.league.tables import ComparisonWatch
from botleague.names import LONGEST
from botleague.referee import Player, check_openings, config_digest
from botleague.rules import Variant
from botleague.rules.options import OptionError
from botleague_storage import Database, NotFound, bots


class ComparisonSpec(msgspec.Struct, frozen=True):
    """Specification of a comparison of two bots.

    Attributes:
        bots: both bots; the test is about the first.
        bounds: options of :class:`~botleague.formats.Comparison`.
        openings: random opening turns per seat; None for the variant's own.
        seed: random seed; None for a new one, or for the seed of an existing comparison.
    """

    variant: Variant
    bots: tuple[str, str]
    bounds: Mapping[str, float]
    openings: int | None = None
    seed: int | None = None


class OpenComparison(msgspec.Struct, frozen=True):
    """A comparison in progress."""

    workspace: Workspace
    database: Database
    league: str
    form: Comparison
    watch: ComparisonWatch

    def play(self, progress: Callable[[Progress], None], is_stopped: Callable[[], bool]) -> None:
        """Play until the test decides or is stopped.

        Args:
            progress: called now and then with the progress.
            is_stopped: checked after each round of reports.
        """

        def is_over() -> bool:
            if is_stopped():
                return True
            with self.database.reading() as connection:
                self.watch.refresh(connection)
            return self.watch.is_over

        with self.workspace.executor() as executor:
            runner = Runner(self.database, self.workspace.plugins, executor, runner_name())
            runner.run(self.league, progress, is_over=is_over)
        # The last pair may be stored after the last check.
        Transactions(self.database, is_stopped).read(self.watch.refresh)


def open_comparison(workspace: Workspace, database: Database, spec: ComparisonSpec) -> OpenComparison:
    """Find or create the league of a comparison, and read its state.

    Raises:
        UsageError: it is not possible in this variant or within these bounds, or one bot is a copy of the other.
    """
    variant = spec.variant
    # In matches with one seat, both bots play the same seed, and the comparison uses their scores.
    seats = next((number for number in (2, 1) if number in variant.seats), None)
    if seats is None:
        raise UsageError(
            f"A match of {variant.name} has {variant.seats} seats, so it cannot compare two bots."
        )
    options = {**spec.bounds, "seats": seats}
    try:
        form = Comparison(**options)  # type: ignore[arg-type]  # some are whole numbers
    except OptionError as error:
        raise UsageError(f"Cannot run the comparison: {error}") from error
    openings = default_openings(variant, form) if spec.openings is None else spec.openings
    check_openings(variant, openings)
    settings = LeagueSettings(
        format=form.name,
        format_options=options,
        seats=seats,
        seed=new_league_seed() if spec.seed is None else checked_seed(spec.seed),
        sandbox=workspace.settings.sandbox,
        openings=openings,
        penalties=Penalties(failures=0),  # a version that never loads loses every match, and the test decides
    )
    # In the same transaction: of two processes with the same comparison only one creates the league.
    with entering(workspace, database, variant, spec.bots) as entry:
        connection = entry.connection
        _refuse_copies([bot.player for bot in workspace.find_named(spec.bots, variant, connection)])
        versions = entry.versions(spec.bots)
        rows = bots.versions(connection, versions)
        full_name = "-".join(
            ["compare", *(f"{rows[v].bot}@{rows[v].number}" for v in versions), variant.name]
        )
        if any(row.imports == "lenient" for row in rows.values()):
            settings = msgspec.structs.replace(settings, imports="lenient")
        league, season = _find(connection, workspace, full_name, spec, versions, settings)
        if season is None:
            season = create_league(connection, workspace.plugins, league, variant, settings, versions)
        turns = None if variant.opening_turns is None else openings
        watch = ComparisonWatch(form, season.id, (rows[versions[0]].title, rows[versions[1]].title), turns)
        watch.refresh(connection)
    return OpenComparison(workspace, database, league, form, watch)


def _refuse_copies(players: Sequence[Player]) -> None:
    """Refuse two names of one source: a bot cannot be stronger than itself."""
    one, other = players
    if one.name != other.name and _content(one) == _content(other):
        raise UsageError(
            f"{one.name!r} is a copy of {other.name!r}: their sources are the same. Compare two different bots."
        )


def _content(player: Player) -> dict[str, bytes]:
    """Return a bot's files without the name of its entry module: authors choose names of lone files."""
    return {"" if path == player.entry else path: content for path, content in player.files.items()}


def _find(
    connection: Connection,
    workspace: Workspace,
    full_name: str,
    spec: ComparisonSpec,
    versions: Sequence[int],
    settings: LeagueSettings,
) -> tuple[str, Season | None]:
    """Return the league of a comparison, or the first free name for one.

    Args:
        full_name: name of the first league for these bots; later ones have a number after it.
    """
    digest = config_digest(spec.variant.config)
    for number in itertools.count(1):
        name = _league_name(full_name if number == 1 else f"{full_name}-{number}")
        try:
            season = open_season(connection, workspace.plugins, name)
        except NotFound:
            return name, None
        has = season.settings
        if (
            (has.format, has.openings) == (settings.format, settings.openings)
            and spec.seed in (None, has.seed)
            and season.league.variant_digest == digest
            and season.roster.versions == versions
            and season.format == workspace.plugins.formats.make(settings.format, settings.format_options)
        ):
            return name, season
    raise AssertionError("numbers do not end")


def _league_name(full_name: str) -> str:
    """Return a name of bounded length, the same for the same text."""
    longest = LONGEST["name"]
    if len(full_name) <= longest:
        return full_name
    # A name that was only cut could be the same for two comparisons.
    digest = hashlib.sha256(full_name.encode()).hexdigest()[:8]
    return f"{full_name[: longest - 9]}-{digest}"
