"""botleague from Python: play a match, hold a league, read its tables. See ``docs/python.md``.

It is the application layer in few words, and stands beside the command line: same settings, same database, same
results. Nothing is printed; everything raised on purpose is one of :mod:`botleague.errors`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from os import PathLike, fspath
from typing import Any

import msgspec

from botleague.application import LeagueOptions, Workspace
from botleague.application.authoring import brief as brief_of
from botleague.application.authoring import check_bot
from botleague.application.leagues import LeagueOpening, rehearse, run_league
from botleague.errors import MachineryError, UsageError
from botleague.film import Film, film, framed, svg
from botleague.league import Progress, Season, Standing, checked_seed, outlast
from botleague.league.season import new_seed
from botleague.league.tables import history as read_history
from botleague.league.tables import read_standings as read_standings
from botleague.referee import MatchReport, read_journal, read_record
from botleague.referee import play as hold
from botleague.row_list import Rows
from botleague.rules import Outcome, Variant, with_names
from botleague_sandbox import SandboxError
from botleague_storage import Database, StorageError, journals, matches, results
from botleague_storage.queries.table_queries import HistoryRow


@dataclass(frozen=True, slots=True)
class Seat:
    """How one seat of a match did: its place (1 is best), score, faults by kind, and what it used.

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
    """A match that was played.

    Attributes:
        variant, seed: what was played; with the same bots they give the same match.
        outcome: as the rules tell it.
        reason: why it ended so, in one sentence with the bots' names.
        seats: one per bot, in the order in which they were given.
        turns: how many there were.
        wall_ms: how long it took, in milliseconds.
        layers: of the sandbox that protected this machine.
        record: everything that is needed to replay it, as ``botleague replay`` reads it from a file.
        journals: what each seat printed, drew and used, turn by turn, encoded.
    """

    variant: str
    seed: int
    outcome: Outcome
    reason: str
    seats: tuple[Seat, ...]
    turns: int
    wall_ms: float
    layers: tuple[str, ...]
    record: bytes
    journals: tuple[bytes, ...] = ()

    @property
    def winners(self) -> tuple[str, ...]:
        """The bots in first place."""
        return tuple(seat.bot for seat in self.seats if seat.place == 1)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, without record and journals, and with the outcome told by the seats."""
        fields = asdict(self)
        del fields["record"], fields["journals"], fields["outcome"]
        return fields

    def film(self) -> Film:
        """Return the match as it can be shown: :func:`~botleague.film.film_page` makes a page, ``svg`` a picture."""
        return _filmed(self.record, self.journals)

    def _repr_html_(self) -> str:
        """Return the player, for notebooks."""
        return framed(self.film())

    def _repr_svg_(self) -> str:
        """Return the last state, for notebooks that run no scripts."""
        film = self.film()
        scene = film.scene(-1)
        return svg(scene, 640, film.names) if scene else ""

    def save(self, file: str | PathLike[str]) -> None:
        """Write the record to a new file.

        Raises:
            UsageError: it cannot be written, or there is a file of that name.
        """
        try:
            with open(file, "xb") as target:
                target.write(self.record)
        except OSError as error:
            raise UsageError(f"The record cannot be written to {fspath(file)}: {error.strerror}.") from error


@dataclass(frozen=True, slots=True)
class LeagueMatch:
    """A match of a league's season.

    Attributes:
        number: of the match in its season, from 1; ``botleague replay`` takes it behind the league, like ``cup/17``.
        round, group, label: where the format planned it; matches of a group share a seed.
        seed: of the match.
        bots: by seat, like everything below; a version above the first as ``NAME@VERSION``.
        status: ``open`` while it is to be played, ``played``, or ``void``: it counts for nothing.
        places, scores: empty without a result.
        forfeits: 1 for a seat that lost by its own faults, else 0.
        reason: why it ended so, "" without a result.
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
    """What a bot did in one turn of a match beside its move.

    Attributes:
        turn: its number in the match, from 0; -1 for what came before the first.
        cpu_ms, wall_ms: what the turn took.
        proposals: provisional answers.
        printed: what the bot printed, cleaned and capped.
    """

    turn: int
    cpu_ms: float
    wall_ms: float
    proposals: int
    printed: str

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def brief(variant: str) -> str:
    """Return all that an author of bots must know about a variant, as one plain text.

    Raises:
        UsageError: there is no such variant.
    """
    return brief_of(Workspace().plugins.variant(variant))


def check(
    bot: str | PathLike[str],
    variant: str,
    *,
    database: str | PathLike[str] | None = None,
    sandbox: str | None = None,
) -> tuple[str, ...]:
    """Return why a bot is not accepted, one text a reason; nothing for one that is. Nothing is stored.

    Arguments and errors are those of :func:`play`.
    """
    with in_our_errors():
        workspace = Workspace(_path(database), sandbox=sandbox)
        played = workspace.plugins.variant(variant)
        return check_bot(workspace, fspath(bot), played, plays=False).problems


def variants() -> tuple[Variant, ...]:
    """Return everything that can be played here, by name."""
    offered = Workspace().plugins.variants
    return tuple(offered[name] for name in sorted(offered))


def play(
    variant: str,
    bots: Sequence[str | PathLike[str]],
    *,
    seed: int | None = None,
    openings: int = 0,
    database: str | PathLike[str] | None = None,
    sandbox: str | None = None,
) -> Match:
    """Play one match in sandboxes. Nothing is stored.

    Args:
        variant: its name.
        bots: one for each seat: a ``.py`` file, a folder, a zip, or the name of a bot.
        seed: decides all chance, 0 to 2**63 - 1; None for a new one.
        openings: turns a seat that are played by lot first, before the bots are briefed.
        database: where bots are found by name; None for the one of the settings.
        sandbox: the profile: ``strong``, ``weak`` or ``none``; None for the one of the settings.

    Raises:
        UsageError: there is no such variant or bot, or their number does not fit.
        MachineryError: this machine failed; the match counts for nothing.
        PluginError: the rules broke their contract.
    """
    with in_our_errors():
        workspace = Workspace(_path(database), sandbox=sandbox)
        played = workspace.plugins.variant(variant)
        players = workspace.find_bots([fspath(bot) for bot in bots], played)
        number = new_seed() if seed is None else checked_seed(seed)
        with workspace.open_sandbox() as rooms:
            report = hold(played, number, players, rooms, openings=openings)
    return _match(variant, number, [player.name for player in players], report)


class League:
    """A league in a database, made if it is not there.

    Every method opens the database for its own time, so a league can be kept as long as one likes, and read while
    another process runs it.
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
        """Open the league, or make it.

        Args:
            name: of the league.
            variant: what it plays; can be left out for a league that is there.
            bots: who plays, as in :func:`play`; nobody for every stored bot of the game, or the bundled ones.
            database: a path or URL; None for the one of the settings.
            jobs: matches played at a time.
            sandbox: the profile; None for the one of the settings.
            cluster: address of a Dask scheduler whose workers play the matches.
            **terms: fields of :class:`~botleague.application.LeagueOptions`, like ``format="swiss", rounds=7``.

        Raises:
            UsageError: the league has begun with other bots or terms, or they do not fit together.
        """
        self.name = name
        self._workspace = Workspace(_path(database), jobs, sandbox, cluster)
        try:
            options = msgspec.convert(terms, LeagueOptions)
        except msgspec.ValidationError as error:
            known = ", ".join(LeagueOptions.__struct_fields__)
            raise UsageError(f"The terms of {name!r} cannot be used: {error}. Terms are: {known}.") from error
        # Opened and closed again: the league is there, or this raises.
        if variant is None:
            with self._season():
                return
        with in_our_errors():
            played = self._workspace.plugins.variant(variant)
            named = [fspath(bot) for bot in bots]

            def begin(stored: Database) -> None:
                opening = LeagueOpening(self._workspace, stored, played, name)
                outlast(lambda: opening.open(named, options))

            rehearse(self._workspace, begin)
            with self._database(create=True) as stored:
                begin(stored)

    def run(
        self, *, batches: int | None = None, progress: Callable[[Progress], None] = lambda progress: None
    ) -> None:
        """Play the season to its end; interrupted and called again, it goes on.

        Args:
            batches: through which round to play; a format without end keeps it, and only more can be asked for then.
            progress: called now and then with how far the season is.

        Raises:
            MachineryError: a match could not be held in several attempts; what was recorded stays.
            PluginError: the rules, the format or the rating system broke their contract.
        """
        with self._database() as stored:
            run_league(self._workspace, stored, self.name, progress, batches=batches)

    def add(self, *bots: str | PathLike[str]) -> None:
        """Let bots join the running season; who has joined already is left as it is.

        Raises:
            UsageError: the format takes no newcomers, or a name leads nowhere.
        """
        with self._season() as season:
            played = season.variant
        with self._database() as stored:
            LeagueOpening(self._workspace, stored, played, self.name).add([fspath(bot) for bot in bots])

    def standings(self, *, season: int | None = None) -> Rows[Standing]:
        """Return the table, best first.

        Args:
            season: its number; None for the current one.
        """
        with self._season(season) as opened:
            return Rows(read_standings(opened))

    def matches(self, *, season: int | None = None) -> Rows[LeagueMatch]:
        """Return the matches that are planned so far, in order."""
        with self._season(season) as opened:
            names = {version: row.title for version, row in opened.names.items()}
            noted = {
                match.fixture_id: row.reason for match, row in results.finished(opened.connection, opened.id)
            }
            found: Rows[LeagueMatch] = Rows()
            for match in matches.matches(opened.connection, opened.id):
                bots = tuple(names[version] for version in match.versions)
                found.append(
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
            return found

    def history(self, bot: str, *, limit: int = 1000) -> Rows[HistoryRow]:
        """Return a bot's newest matches in this and other leagues of the game, and what each did to its rating.

        Raises:
            UsageError: there is no such bot.
        """
        with self._season() as opened:
            if bot not in {row.bot for row in opened.names.values()}:
                raise UsageError(f"No bot of {self.name!r} is called {bot!r}.")
            return Rows(read_history(opened.connection, opened.league.game, bot, limit))

    def journal(self, match: int, bot: str) -> Rows[JournalTurn]:
        """Return what a bot did in a match of the current season beside its moves, turn by turn, as far as it is kept.

        Args:
            match: its number, from 1.
            bot: as the match names it.

        Raises:
            UsageError: the season has no such match, or the bot did not play in it.
        """
        with self._season() as opened:
            names = {version: row.title for version, row in opened.names.items()}
            found = matches.at(opened.connection, opened.id, match - 1)
            sitting = () if found is None else found.versions
            seats = [seat for seat, version in enumerate(sitting) if names[version] == bot]
            if found is None or not seats:
                raise UsageError(f"No match {match} of {self.name!r} was played by {bot!r}.")
            kept = journals.find(opened.connection, found.fixture_id)
            return Rows(
                JournalTurn(note.turn, note.cpu_ms, note.wall_ms, note.proposals, note.printed)
                for seat in seats
                if seat in kept
                for note in read_journal(kept[seat])
            )

    @contextmanager
    def _database(self, *, create: bool = False) -> Iterator[Database]:
        with in_our_errors(), self._workspace.database(create=create, is_over=lambda: False) as stored:
            yield stored

    @contextmanager
    def _season(self, number: int | None = None) -> Iterator[Season]:
        with in_our_errors(), self._workspace.season(self.name, number) as opened:
            yield opened


@contextmanager
def in_our_errors() -> Iterator[None]:
    """Raise what storage and sandbox raise as errors of :mod:`botleague.errors`."""
    try:
        yield
    except StorageError as error:
        raise UsageError(str(error)) from error
    except SandboxError as error:
        raise MachineryError(str(error)) from error


@lru_cache(maxsize=4)
def _filmed(content: bytes, journals: tuple[bytes, ...]) -> Film:
    """Return the film of an encoded record and its journals; a notebook asks for it once for each way to show it."""
    record = read_record(content)
    seats = range(len(record.seats))
    with in_our_errors():
        variant = Workspace().plugins.variant(record.variant)
        return film(record, variant, dict(enumerate(journals)), viewer=seats, views=seats)


def _match(variant: str, seed: int, names: Sequence[str], report: MatchReport) -> Match:
    outcome = report.outcome
    return Match(
        variant=variant,
        seed=seed,
        outcome=outcome,
        reason=with_names(outcome.reason, names),
        seats=tuple(
            Seat(
                bot=name,
                place=outcome.places[number],
                score=outcome.scores[number],
                forfeit=number in outcome.forfeits,
                faults=used.faults,
                cpu_ms=used.cpu_ms,
                wall_ms=used.wall_ms,
                peak_memory=used.peak_memory,
                output=used.output,
            )
            for number, (name, used) in enumerate(zip(names, report.seats, strict=True))
        ),
        turns=report.turns,
        wall_ms=report.wall_ms,
        layers=report.layers,
        record=report.record,
        journals=tuple(used.journal for used in report.seats),
    )


def _path(database: str | PathLike[str] | None) -> str | None:
    return None if database is None else fspath(database)
