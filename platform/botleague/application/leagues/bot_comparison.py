"""Comparing two bots: the league in which it is done, and playing it until the test decides.

A comparison is a league of its own. The same question again goes on where it stopped; other bounds, other openings or
another seed are another question, and get a league beside it.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from botleague.application.leagues.entry import entering
from botleague.application.workspace import Workspace
from botleague.errors import UsageError
from botleague.formats import Comparison
from botleague.league import (
    LeagueSettings,
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


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about two bots.

    Attributes:
        variant: what they play.
        bots: the one that is asked about first.
        bounds: options of :class:`~botleague.formats.Comparison`.
        openings: turns a seat that are played by lot first; None for the variant's own.
        seed: None for a new one, or the one it began with.
    """

    variant: Variant
    bots: tuple[str, str]
    bounds: Mapping[str, float]
    openings: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class OpenComparison:
    """A comparison under way.

    Attributes:
        league: the name of its league.
        form: its bounds.
        watch: where it stands.
    """

    workspace: Workspace
    database: Database
    league: str
    form: Comparison
    watch: ComparisonWatch

    def play(self, progress: Callable[[Progress], None], is_stopped: Callable[[], bool]) -> None:
        """Play until the test decides, or somebody stops it.

        Args:
            progress: called now and then.
            is_stopped: asked after each round of reports.
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
        # The last pair may have come in after the last look.
        Transactions(self.database, is_stopped).read(self.watch.refresh)


def open_comparison(workspace: Workspace, database: Database, question: Question) -> OpenComparison:
    """Find the comparison that answers a question, or make it, and look where it stands.

    Raises:
        UsageError: it cannot be held in this variant or within these bounds, or one bot is a copy of the other.
    """
    variant = question.variant
    # Where everybody plays alone, both play the same seed and their scores are one contest.
    seats = next((number for number in (2, 1) if number in variant.seats), None)
    if seats is None:
        raise UsageError(
            f"A match of {variant.name} has {variant.seats} seats: two bots cannot be compared in it."
        )
    options = {**question.bounds, "seats": seats}
    try:
        form = Comparison(**options)  # type: ignore[arg-type]  # some are whole numbers
    except OptionError as error:
        raise UsageError(f"The comparison cannot be held: {error}") from error
    openings = default_openings(variant, form) if question.openings is None else question.openings
    check_openings(variant, openings)
    settings = LeagueSettings(
        format=form.name,
        format_options=options,
        seats=seats,
        seed=new_league_seed() if question.seed is None else checked_seed(question.seed),
        sandbox=workspace.settings.sandbox,
        openings=openings,
    )
    # In the transaction that looks: of two processes with the same question only one makes the league.
    with entering(workspace, database, variant) as entry:
        connection = entry.connection
        _refuse_copies([bot.player for bot in workspace.find_named(question.bots, variant, connection)])
        versions = entry.versions(question.bots)
        rows = bots.versions(connection, versions)
        whole = "-".join(["compare", *(f"{rows[v].bot}@{rows[v].number}" for v in versions), variant.name])
        league, season = _find(connection, workspace, whole, question, versions, settings)
        if season is None:
            season = create_league(connection, workspace.plugins, league, variant, settings, versions)
        known = None if variant.opening_turns is None else openings
        watch = ComparisonWatch(form, season.id, (rows[versions[0]].title, rows[versions[1]].title), known)
        watch.refresh(connection)
    return OpenComparison(workspace, database, league, form, watch)


def _refuse_copies(players: Sequence[Player]) -> None:
    """Refuse two names of one source; nobody is stronger than himself."""
    one, other = players
    if one.name != other.name and _content(one) == _content(other):
        raise UsageError(
            f"{one.name!r} is a copy of {other.name!r}: their sources are the same, so there is nothing to compare."
        )


def _content(player: Player) -> dict[str, bytes]:
    """Return a bot's files whatever its entry module is called: a lone file has the name that its author gave it."""
    return {"" if path == player.entry else path: content for path, content in player.files.items()}


def _find(
    connection: Connection,
    workspace: Workspace,
    whole: str,
    question: Question,
    versions: Sequence[int],
    wanted: LeagueSettings,
) -> tuple[str, Season | None]:
    """Return the league that answers a question, or the first free name for one.

    Args:
        whole: the name of the first league about these bots; later ones have a number behind it.
        wanted: its terms.
    """
    digest = config_digest(question.variant.config)
    for number in itertools.count(1):
        name = _league_name(whole if number == 1 else f"{whole}-{number}")
        try:
            season = open_season(connection, workspace.plugins, name)
        except NotFound:
            return name, None
        has = season.settings
        if (
            (has.format, has.openings) == (wanted.format, wanted.openings)
            and question.seed in (None, has.seed)
            and season.league.variant_digest == digest
            and season.roster.versions == versions
            and season.format == workspace.plugins.formats.make(wanted.format, wanted.format_options)
        ):
            return name, season
    raise AssertionError("numbers do not end")


def _league_name(whole: str) -> str:
    """Return a name of bounded length, the same for the same text."""
    longest = LONGEST["name"]
    if len(whole) <= longest:
        return whole
    # A name that was only cut would let two questions share a league.
    digest = hashlib.sha256(whole.encode()).hexdigest()[:8]
    return f"{whole[: longest - 9]}-{digest}"
