"""Python API: matches, leagues and standings. See ``docs/python.md``.

It uses the application layer like the command line: same settings, same database, same results. Nothing is
printed; all errors that are raised on purpose are in :mod:`botleague.errors`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from os import PathLike, fspath
from typing import Any

import msgspec

from botleague.application import LeagueOptions, Workspace
from botleague.application.authoring import brief as brief_of
from botleague.application.authoring import check_bot, with_imports
from botleague.application.leagues import (
    LeagueFile,
    LeagueOpening,
    UnenteredBot,
    rehearse,
    run_league,
    unentered_bots,
)
from botleague.errors import UsageError, counted
from botleague.film import Film, film, framed, svg
from botleague.league import Progress, Season, Standing, checked_seed, outlast
from botleague.league.season import new_seed
from botleague.league.tables import history as read_history
from botleague.league.tables import read_standings as read_standings
from botleague.names import whole_number
from botleague.referee import MatchReport, read_journal, read_record, read_tags
from botleague.referee import play as hold
from botleague.referee.players.sandboxed_players import error_of
from botleague.row_list import Rows
from botleague.rules import Outcome, Variant, with_names
from botleague_sandbox import SandboxError
from botleague_storage import Database, StorageError, journals, matches, results
from botleague_storage.queries.history_queries import HistoryRow


@dataclass(frozen=True, slots=True)
class Seat:
    """Result of a seat: its place (1 is best), score, faults by kind, and resources used.

    Times are milliseconds, memory is bytes; ``output`` is what the bot printed, cleaned and capped.
    """

    bot: str
    place: int
    score: float
    forfeit: bool
    faults: Mapping[str, int]
    cpu_ms: float
    wall_ms: float
    peak_memory: int
    output: str

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Match:
    """A finished match.

    Attributes:
        variant, seed: variant and seed; with the same bots they give the same match.
        outcome: outcome of the rules.
        reason: reason of its end, in one sentence with the bots' names.
        seats: one per bot, in the order of the bots.
        turns: number of turns.
        wall_ms: duration in milliseconds.
        layers: active layers of the sandbox.
        record: the encoded record, as ``botleague replay`` reads it from a file.
        journals: bot logs by seat, turn by turn, encoded.
    """

    variant: str
    seed: int
    outcome: Outcome
    reason: str
    seats: tuple[Seat, ...]
    turns: int
    wall_ms: float
    layers: tuple[str, ...]
    record: bytes = field(repr=False)
    journals: tuple[bytes, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        """Return variant, seed, places and reason in one line."""
        ranked = sorted(self.seats, key=lambda seat: seat.place)
        places = ", ".join(f"{seat.place}. {seat.bot} ({seat.score:g})" for seat in ranked)
        return f"{self.variant}, seed {self.seed}: {places}. {self.reason} ({counted(self.turns, 'turn')})."

    @property
    def winners(self) -> tuple[str, ...]:
        """The bots in first place."""
        return tuple(seat.bot for seat in self.seats if seat.place == 1)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, without record and journals, and with the outcome as in the seats."""
        fields = asdict(self)
        del fields["record"], fields["journals"], fields["outcome"]
        return fields

    def film(self) -> Film:
        """Return the replay: :func:`~botleague.film.page` makes a page, ``svg`` a picture."""
        return _filmed(self.record, self.journals)

    def _repr_html_(self) -> str:
        """Return the player, for notebooks."""
        return framed(self.film())

    def _repr_svg_(self) -> str:
        """Return the last state, for notebooks without scripts."""
        film = self.film()
        scene = film.scene(-1)
        return svg(scene, 640, film.names) if scene else ""

    def save(self, file: str | PathLike[str]) -> None:
        """Write the record to a new file.

        Raises:
            UsageError: it cannot be written, or the file exists.
        """
        path = text_argument("file", file)
        try:
            with open(path, "xb") as target:
                target.write(self.record)
        except OSError as error:
            raise UsageError(f"The record cannot be written to {path}: {error.strerror}.") from error


@dataclass(frozen=True, slots=True)
class LeagueMatch:
    """A match of a league's season.

    Attributes:
        number: its number in the season, from 1; ``botleague replay`` takes it after the league, like ``cup/17``.
        round, group, label: its place in the format's plan; matches of a group share a seed.
        seed: of the match.
        bots: names by seat, like all fields below; later versions as ``NAME@VERSION``.
        status: ``open`` (not played yet), ``played``, or ``void`` (does not count).
        places, scores: empty without a result.
        forfeits: 1 for a seat that lost by its own faults, else 0.
        reason: reason of its end, "" without a result.
    """

    number: int
    round: int
    group: int
    label: str
    seed: int
    bots: tuple[str, ...]
    status: str
    places: tuple[int, ...]
    scores: tuple[float, ...]
    forfeits: tuple[int, ...]
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class JournalTurn:
    """Log of a bot's turn.

    Attributes:
        turn: its number in the match, from 0; -1 for the time before the first.
        cpu_ms, wall_ms: time of the turn in milliseconds.
        proposals: number of provisional actions.
        printed: output of the bot, cleaned and cut.
        tags: its marks of the turn.
    """

    turn: int
    cpu_ms: float
    wall_ms: float
    proposals: int
    printed: str
    tags: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def brief(variant: str) -> str:
    """Return all that authors of bots for a variant need, as plain text.

    Raises:
        UsageError: no such variant.
    """
    return brief_of(Workspace().plugins.variant(text_argument("variant", variant)))


def check(
    bot: str | PathLike[str],
    variant: str,
    *,
    lenient: bool = False,
    database: str | PathLike[str] | None = None,
    sandbox: str | None = None,
) -> tuple[str, ...]:
    """Return the problems of a bot, one text each; empty if it is accepted. Nothing is stored.

    Arguments and errors are those of :func:`play`.
    """
    with in_our_errors():
        workspace = Workspace(database_argument(database), sandbox=sandbox)
        played = workspace.plugins.variant(text_argument("variant", variant))
        return check_bot(workspace, text_argument("bot", bot), played, lenient=lenient, plays=False).problems


def variants() -> tuple[Variant, ...]:
    """Return all installed variants, by name."""
    offered = Workspace().plugins.variants
    return tuple(offered[name] for name in sorted(offered))


def play(
    variant: str,
    bots: Sequence[str | PathLike[str]],
    *,
    seed: int | None = None,
    openings: int = 0,
    lenient: bool = False,
    database: str | PathLike[str] | None = None,
    sandbox: str | None = None,
) -> Match:
    """Play one match in sandboxes. Nothing is stored.

    Args:
        variant: its name.
        bots: one for each seat: a ``.py`` file, a folder, a zip, or the name of a bot.
        seed: random seed, 0 to 2**63 - 1; None for a new one.
        openings: random opening turns per seat, before the briefing.
        lenient: accept unavailable imports, which fail only where a bot uses them.
        database: searched for bots by name; None for the one in the settings.
        sandbox: the profile: ``strong``, ``weak`` or ``none``; None for the one in the settings.

    Raises:
        UsageError: no such variant or bot, or their number does not fit.
        MachineryError: the match failed because of this machine.
        PluginError: the rules broke their contract.
    """
    with in_our_errors():
        workspace = Workspace(database_argument(database), sandbox=sandbox)
        played = with_imports(workspace.plugins.variant(text_argument("variant", variant)), lenient=lenient)
        players = workspace.find_bots(_named(bots), played)
        number = new_seed() if seed is None else checked_seed(seed)
        with workspace.open_sandbox() as rooms:
            report = hold(played, number, players, rooms, openings=whole_number("openings", openings, 0))
    return _match(variant, number, [player.name for player in players], report)


class League:
    """A league in a database, created if missing.

    Every method opens and closes the database. So an object may live long, and be read while another process
    runs the league.
    """

    def __init__(
        self,
        name: str,
        variant: str | None = None,
        bots: Sequence[str | PathLike[str]] = (),
        *,
        database: str | PathLike[str] | None = None,
        jobs: int | None = None,
        sandbox: str | None = None,
        cluster: str | None = None,
        **terms: Any,
    ) -> None:
        """Open or create the league.

        Args:
            name: name of the league.
            variant: its variant; None for that of an existing league.
            bots: bots that play, as in :func:`play`; empty for every stored bot of the game, or the bundled ones.
            database: a path or URL; None for the one in the settings.
            jobs: number of matches played in parallel.
            sandbox: the profile; None for the one in the settings.
            cluster: address of a Dask scheduler whose workers play the matches, or ``NAME://...`` for the executor of
                a plugin.
            **terms: fields of :class:`~botleague.application.LeagueOptions`, like ``format="swiss", rounds=7``.

        Raises:
            UsageError: the league has other bots or settings, or they do not fit together.
        """
        self.name = text_argument("name", name)
        self._workspace = Workspace(
            database_argument(database),
            jobs,
            sandbox,
            None if cluster is None else text_argument("cluster", cluster),
        )
        try:
            options = msgspec.convert(terms, LeagueOptions)
        except msgspec.ValidationError as error:
            names = ", ".join(LeagueOptions.__struct_fields__)
            raise UsageError(
                f"The settings of {name!r} are not valid: {error}. Settings: {names}."
            ) from error
        if variant is None:
            with self._season() as season:  # raises if the league does not exist
                variant = season.variant.name
            if not (bots or terms):
                return
        with in_our_errors():
            played = self._workspace.plugins.variant(text_argument("variant", variant))
            file = LeagueFile(variant=variant).with_options(options, bots=_named(bots))

            def begin(stored: Database) -> None:
                opening = LeagueOpening(self._workspace, stored, played, name)
                outlast(lambda: opening.open(file))

            rehearse(self._workspace, begin)
            with self._database(create=True) as stored:
                begin(stored)

    def run(
        self, *, batches: int | None = None, progress: Callable[[Progress], None] = lambda progress: None
    ) -> None:
        """Play the season to its end, or resume it.

        Args:
            batches: last round to play; a format without end stores it, and later runs can only increase it.
            progress: called now and then with the progress.

        Raises:
            MachineryError: a match failed in several attempts; stored results stay.
            PluginError: the rules, the format or the rating system broke their contract.
        """
        last = None if batches is None else whole_number("batches", batches)
        with self._database() as stored:
            run_league(self._workspace, stored, self.name, progress, batches=last)

    def unentered(self) -> Rows[UnenteredBot]:
        """Return the submitted bots of the variant that do not play in the current season, with reasons."""
        with self._season() as opened:
            return Rows(unentered_bots(opened))

    def add(self, *bots: str | PathLike[str]) -> None:
        """Add bots to the current season; current entrants stay unchanged.

        Raises:
            UsageError: the season accepts no new entrants any longer, or a name is unknown.
        """
        with self._season() as season:
            played = season.variant
        with self._database() as stored:
            LeagueOpening(self._workspace, stored, played, self.name).add(_named(bots))

    def standings(self, *, season: int | None = None) -> Rows[Standing]:
        """Return the standings, best first.

        Args:
            season: its number; None for the current one.
        """
        with self._season(season) as opened:
            return Rows(read_standings(opened))

    def matches(self, *, season: int | None = None) -> Rows[LeagueMatch]:
        """Return the matches planned so far, in order."""
        with self._season(season) as opened:
            names = {version: row.title for version, row in opened.names.items()}
            noted = {
                match.fixture_id: row.reason for match, row in results.finished(opened.connection, opened.id)
            }
            listed: Rows[LeagueMatch] = Rows()
            for match in matches.matches(opened.connection, opened.id):
                bots = tuple(names[version] for version in match.versions)
                listed.append(
                    LeagueMatch(
                        number=match.ordinal + 1,
                        round=match.round,
                        group=match.group,
                        label=match.label,
                        seed=match.seed,
                        bots=bots,
                        status="void" if match.is_void else "played" if match.is_done else "open",
                        places=match.places,
                        scores=match.scores,
                        forfeits=match.forfeits,
                        reason=with_names(noted.get(match.fixture_id, ""), bots),
                    )
                )
            return listed

    def history(self, bot: str, *, limit: int = 1000) -> Rows[HistoryRow]:
        """Return a bot's newest matches in this and other leagues of the game, with its rating change in each.

        Raises:
            UsageError: no such bot, or an invalid limit.
        """
        most = whole_number("limit", limit)
        with self._season() as opened:
            if bot not in {row.bot for row in opened.names.values()}:
                raise UsageError(f"Unknown bot {bot!r} in {self.name!r}.")
            return Rows(read_history(opened.connection, opened.league.game, bot, most))

    def journal(self, match: int, bot: str) -> Rows[JournalTurn]:
        """Return the stored log of a bot in a match of the current season, turn by turn.

        Args:
            match: its number, from 1.
            bot: its name in the match.

        Raises:
            UsageError: the season has no such match, or the bot did not play in it.
        """
        # Not the number of a data frame itself, which SQLite takes for bytes.
        ordinal = whole_number("match", match) - 1
        with self._season() as opened:
            names = {version: row.title for version, row in opened.names.items()}
            match_row = matches.at(opened.connection, opened.id, ordinal)
            sitting = () if match_row is None else match_row.versions
            seats = [seat for seat, version in enumerate(sitting) if names[version] == bot]
            if match_row is None or not seats:
                raise UsageError(f"No match {match} of {self.name!r} was played by {bot!r}.")
            contents = journals.find(opened.connection, match_row.fixture_id)
            return Rows(
                JournalTurn(
                    note.turn, note.cpu_ms, note.wall_ms, note.proposals, note.printed, read_tags(note.drawn)
                )
                for seat in seats
                if seat in contents
                for note in read_journal(contents[seat])
            )

    @contextmanager
    def _database(self, *, create: bool = False) -> Iterator[Database]:
        with in_our_errors(), self._workspace.database(create=create, is_over=lambda: False) as stored:
            yield stored

    @contextmanager
    def _season(self, number: int | None = None) -> Iterator[Season]:
        season = None if number is None else whole_number("season", number)
        with in_our_errors(), self._workspace.season(self.name, season) as opened:
            yield opened


@contextmanager
def in_our_errors() -> Iterator[None]:
    """Convert errors of storage and sandbox to those of :mod:`botleague.errors`."""
    try:
        yield
    except StorageError as error:
        raise UsageError(str(error)) from error
    except SandboxError as error:
        raise error_of(error) from error


@lru_cache(maxsize=4)
def _filmed(content: bytes, journals: tuple[bytes, ...]) -> Film:
    """Return the replay of an encoded record and its journals; cached, since notebooks use it in several forms."""
    record = read_record(content)
    seats = range(len(record.seats))
    with in_our_errors():
        variant = Workspace().plugins.variant(record.variant)
        return film(record, variant, dict(enumerate(journals)), viewer=seats, views=seats)


def _match(variant: str, seed: int, names: Sequence[str], report: MatchReport) -> Match:
    return Match(
        variant=variant,
        seed=seed,
        outcome=report.outcome,
        reason=with_names(report.outcome.reason, names),
        seats=tuple(
            Seat(bot=name, output=used.output, **result)
            for name, used, result in zip(names, report.seats, report.results(), strict=True)
        ),
        turns=report.turns,
        wall_ms=report.wall_ms,
        layers=report.layers,
        record=report.record,
        journals=tuple(used.journal for used in report.seats),
    )


def _named(bots: Sequence[str | PathLike[str]]) -> list[str]:
    # Each letter of a text would be a bot.
    if isinstance(bots, str | PathLike) or not isinstance(bots, Iterable):
        raise UsageError(f"bots must be a list, like ['greedy', 'random'], not {bots!r}.")
    return [text_argument("a bot", bot) for bot in bots]


def database_argument(database: object) -> str | None:
    """Return a database's path or URL as text, None for the default; raises UsageError if it is neither."""
    return None if database is None else text_argument("database", database)


def text_argument(name: str, value: object) -> str:
    """Return an argument that is a name or a path as text.

    Raises:
        UsageError: it is neither.
    """
    if not isinstance(value, str | PathLike):
        raise UsageError(f"{name} must be a name or a path, not of the type {type(value).__name__}.")
    return fspath(value)
