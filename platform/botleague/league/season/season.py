"""An open season: everything that belongs together within one transaction.

Whatever is done with a season, be it to plan it, to record its matches, to decide about it or to print its table, takes
this one value. It holds the transaction and what names the season, and reads the rest when first asked for it.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from sqlalchemy.engine import Connection

from botleague.errors import UsageError, VariantNotFound
from botleague.league.season.freeze import frozen, note_freeze
from botleague.league.season.gathered_results import Gathered
from botleague.league.season.league_settings import LeagueSettings
from botleague.league.season.module_sources import lacks_source
from botleague.league.season.opening_book import OpeningBook
from botleague.league.season.roster import MEMBER_EVENTS, EntryList, EventKind, events_until, in_force
from botleague.league.season.season_calendar import CALENDAR_EVENTS, Calendar, Frozen, calendar_in
from botleague.plugins import PluginHost, Registry
from botleague.ratings import RatingError, RatingSystem
from botleague.rules import TimeControl, Variant
from botleague.rules.formats import Format, Leaving
from botleague_storage import SourceErased, bots, events, extensions, fixtures, leagues, ratings
from botleague_storage.league_rows.bots import VersionRow
from botleague_storage.league_rows.events import EventRow
from botleague_storage.league_rows.leagues import LeagueRow, SeasonRow
from botleague_storage.queries.match_numbers import MatchNumber

T = TypeVar("T")

PAUSE_EVENTS = ("paused", "resumed")
"""Events about the league of a season: the newest one of all its seasons applies."""


class LeaguePaused(UsageError):
    """An organiser paused the league, so no match of it starts."""


@dataclass(eq=False)
class Season:
    """A season inside a transaction. Make one with :func:`open_season`.

    What was read is kept, and read again only after :meth:`log` or :meth:`enter` changed it. Rows, settings and what
    plugins make outlive the transaction; :meth:`within` opens the same season in another one.

    Attributes:
        id: what the tables of the database call it.
        connection: the transaction; a writing one for whatever changes the season.
        plugins: where format, rating system and variant come from.
        league, row: as they were when the season was opened.
        end: only matches with ordinal numbers below it exist for this reader; None for all there are.
        kept: the part of its log read so far, for a caller that opens it repeatedly; None for others.
        clock: says what time it is, in seconds since the epoch.
    """

    connection: Connection
    plugins: PluginHost
    league: LeagueRow
    row: SeasonRow
    end: int | None = None
    kept: tuple[EventRow, ...] | None = None
    clock: Callable[[], float] = time.time
    id: int = field(init=False)
    _is_read: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.id = self.row.id

    @cached_property
    def gathered(self) -> Gathered:
        """The results read so far for batch ratings; code that reads more extends or replaces it."""
        return Gathered()

    @property
    def title(self) -> str:
        """Title to print above its tables."""
        return self.league.name if self.row.number == 1 else f"{self.league.name}, season {self.row.number}"

    @cached_property
    def is_current(self) -> bool:
        """Whether the league has no newer season."""
        return leagues.current_season(self.connection, self.league.id).number == self.row.number

    def match_id(self, number: int) -> int:
        """Return the id in the database of the match with a number of this season, from 1."""
        return fixtures.ids(self.connection, self.id, [number - 1])[number - 1]

    def match_number(self, ordinal: int) -> str:
        """Return the name of the match with an ordinal number: ``cup/17``, in an older season ``cup@2/17``."""
        return str(MatchNumber(self.league.name, None if self.is_current else self.row.number, ordinal + 1))

    def match_called(self, fixture_id: int) -> str:
        """Return the same for the match with an id; the id itself if it is not a match of this season."""
        ordinal = events.ordinal(self.connection, self.id, fixture_id)
        return str(fixture_id) if ordinal is None else self.match_number(ordinal)

    @cached_property
    def settings(self) -> LeagueSettings:
        """Its settings; raises UsageError if they are damaged."""
        return LeagueSettings.decode(self.row.settings)

    @cached_property
    def variant(self) -> Variant:
        """Its variant; raises VariantNotFound if that is not installed."""
        try:
            return self.plugins.variant(self.league.variant)
        except VariantNotFound as error:
            raise error.of(f"League {self.league.name!r}") from None

    @property
    def time(self) -> TimeControl:
        """The time control of its matches."""
        return self.settings.time.apply(self.variant.time)

    @cached_property
    def format(self) -> Format:
        """Its format; raises UsageError if that is not installed, or refuses its options."""
        return self._made(self.plugins.formats, self.settings.format, self.settings.format_options)

    @property
    def leaving(self) -> Leaving:
        """Handling of the results of bots that leave: by its settings, or else its format."""
        return self.settings.leaving or self.format.default_leaving

    @cached_property
    def openings(self) -> OpeningBook | None:
        """The openings of its matches; None if they begin without."""
        turns = self.settings.openings
        return OpeningBook(self.variant, self.settings.seats, turns) if turns else None

    @cached_property
    def system(self) -> RatingSystem[Any]:
        """The online rating system; raises UsageError if it is not installed, or refuses its options."""
        return self._made(self.plugins.ratings, self.settings.rating, self.settings.rating_options)

    def _made(self, registry: Registry[T], name: str, options: Mapping[str, Any]) -> T:
        if name not in registry:
            raise UsageError(
                f"League {self.league.name!r} uses the {registry.kind} {name!r}, which is not installed here. Run this "
                "in the folder of the botleague.toml that names its plugin, or install it."
            )
        return registry.make(name, options)

    @cached_property
    def roster(self) -> EntryList:
        """Its entrants, with times; raises UsageError if the log cannot be read."""
        log = self.said(MEMBER_EVENTS)
        had_been = log
        if self.end is not None:
            settled, _ = ratings.coverage(self.connection, self.id)
            had_been = events_until(log, self.end, settled)
        # For a reader of an earlier state, later versions have not entered yet.
        later = {row.version_id for row in log if row.kind == "updated" and row.version_id is not None}
        later -= {row.version_id for row in had_been if row.kind == "updated" and row.version_id is not None}
        # Not the season itself: the circle would hold all entrants of each transaction until garbage is collected.
        connection, season_id = self.connection, self.id
        try:
            return EntryList(
                [row for row in had_been if row.version_id not in later],
                lambda: [one for one in leagues.entrants(connection, season_id) if one not in later],
                later,
            )
        except (KeyError, TypeError, ValueError, StopIteration) as error:
            raise UsageError(
                f"The log of {self.title} holds an event that cannot be read ({error!r}). "
                "`botleague verify` shows the event; restore a backup."
            ) from error

    @cached_property
    def names(self) -> dict[int, VersionRow]:
        """Names, owners and digests of all versions that ever entered."""
        return bots.versions(self.connection, self.roster.entered)

    @cached_property
    def predecessors(self) -> dict[int, int]:
        """The version whose rating each version continues, for those that continue one.

        None does where versions start afresh, by the season's settings or because the rating system knows nothing else.
        """
        if self.settings.version_start == "fresh":
            return {}
        try:
            self.system.succeed(self.system.initial(), 0)
        except RatingError:  # of a plugin
            return {}
        return self.roster.predecessors

    def lines(self, versions: Iterable[int]) -> dict[int, list[int]]:
        """Return each of some versions with the earlier versions whose rating it continues, the latest first."""
        predecessors = self.predecessors
        lines = {version: [version] for version in versions}
        for line in lines.values():
            while line[-1] in predecessors:
                line.append(predecessors[line[-1]])
        return lines

    @cached_property
    def calendar(self) -> Calendar:
        """Its calendar; raises DamagedRow if that is damaged."""
        return calendar_in(self.said(CALENDAR_EVENTS))

    @property
    def frozen(self) -> Frozen | None:
        """The point where it ends for others now, None while they see all of it."""
        return frozen(self.connection, self.id, self.clock())

    def note_freeze(self) -> None:
        """Record where it ends for others if a freeze has begun, before anything else is written."""
        if note_freeze(self.connection, self.id, self.clock(), self.said(CALENDAR_EVENTS)):
            self._forget()

    def said(self, kinds: Collection[str] = (), *, after: int = 0) -> list[EventRow]:
        """Return its events in order: only those of some kinds, where kinds are given, and with greater numbers."""
        if self.kept is None:
            return events.events(self.connection, self.id, sorted(kinds), after=after)
        if not self._is_read:
            last = self.kept[-1].number if self.kept else 0
            self.kept += tuple(events.events(self.connection, self.id, after=last))
            self._is_read = True
        return [row for row in self.kept if row.number > after and (not kinds or row.kind in kinds)]

    def last_event(self, kinds: Collection[str] = ()) -> int:
        """Return the number of its last event, or of the last one of some kinds; 0 for none."""
        if self.kept is None:
            return events.last(self.connection, self.id, sorted(kinds))
        return max((row.number for row in self.said(kinds)), default=0)

    def unread(self) -> None:
        """Forget everything that was read, because changes since a savepoint have been rolled back."""
        self.gathered = Gathered()
        self.kept = None if self.kept is None else ()
        self._forget()

    @property
    def is_closed(self) -> bool:
        """Whether the organiser ended it: nothing more is planned then."""
        return bool(in_force(self.said(("closed", "undone"))))

    @property
    def is_closed_unseen(self) -> bool:
        """Whether it was ended during a freeze, so that others learn of it at the reveal."""
        hidden = self.frozen
        if hidden is None or not self.is_closed:
            return False
        closing = self.said(("closed", "undone"))
        return not in_force([row for row in closing if row.number <= hidden.events])

    def calendar_of(self, owner: str) -> Calendar:
        """Return its calendar with the deadline of an owner, which an organiser may have extended."""
        return self.calendar.extended(extensions.extensions(self.connection, self.id).get(owner.lower()))

    @property
    def pause(self) -> EventRow | None:
        """The event that paused its league, None while matches may start."""
        newest = events.newest(self.connection, self.league.id, PAUSE_EVENTS)
        return newest if newest is not None and newest.kind == "paused" else None

    @property
    def target(self) -> tuple[int | None, int | None]:
        """The last requested round of an endless format, and the last round to play; None without a request."""
        targets = self.said(("target",))
        if not targets:
            return None, None
        rounds = int(targets[-1].content["rounds"])
        return int(targets[-1].content.get("asked", rounds)), rounds

    def within(self, connection: Connection) -> Season:
        """Return the same season in another transaction; what may have changed is read again when asked for."""
        again = copy(self)  # with what is computed from its settings, which never change
        again.connection = connection
        again._forget()
        return again

    def as_of(self, end: int) -> Season:
        """Return the season as it was when only the matches below an ordinal number existed, for reading."""
        then = self.within(self.connection)
        then.end = end
        return then

    def enter(self, version_ids: Sequence[int]) -> None:
        """Register entrants after those that are registered.

        Raises:
            SourceErased: the source of one was erased.
            UsageError: one needs lenient imports, or is a module without source, and the settings refuse that.
        """
        refuse_if_erased(self.connection, version_ids)
        rows = bots.versions(self.connection, version_ids)
        if refused := [
            rows[version].title for version in version_ids if not self._accepts_imports(rows[version])
        ]:
            raise UsageError(
                f"{self.title} has the setting imports 'refuse', and lenient imports are needed by: "
                f"{', '.join(refused)}. Choose `--imports lenient`, or other bots."
            )
        if refused := [
            rows[version].title for version in version_ids if not self._accepts_files(rows[version])
        ]:
            raise UsageError(
                f"{self.title} has the setting module source 'required', and these modules have no source next to "
                f"them: {', '.join(refused)}. Submit their folders with the source, or choose other bots."
            )
        leagues.add_entrants(self.connection, self.id, version_ids)
        self._forget()

    def refusal(self, version: VersionRow) -> str:
        """Return the setting that excludes a version, as in "imports 'refuse'"; empty for none."""
        if not self._accepts_imports(version):
            return "imports 'refuse'"
        return "" if self._accepts_files(version) else "module source 'required'"

    def _accepts_imports(self, version: VersionRow) -> bool:
        return version.imports == "refuse" or (self.settings.imports or self.variant.imports) == "lenient"

    def _accepts_files(self, version: VersionRow) -> bool:
        if self.settings.module_source == "optional":
            return True
        try:
            return not lacks_source(bots.source_of(self.connection, version.id))
        except SourceErased:  # Other code refuses it.
            return True

    def log(
        self, kind: EventKind, version_id: int | None = None, fixture_id: int | None = None, **content: object
    ) -> None:
        """Record an event in the season's log, with the bot or match that it is about."""
        self.note_freeze()
        events.append(
            self.connection, self.id, kind, version_id=version_id, fixture_id=fixture_id, content=content
        )
        self._forget()

    def _forget(self) -> None:
        # This is where cached_property keeps what it has found.
        for name in ("roster", "names", "predecessors", "calendar", "is_current"):
            self.__dict__.pop(name, None)
        self._is_read = False


def paused_leagues(connection: Connection) -> list[str]:
    """Return the names of the leagues that are paused."""
    newest = {league: row.kind for _, league, row in events.everywhere(connection, PAUSE_EVENTS)}
    return [league for league, kind in newest.items() if kind == "paused"]


def paused_text(season: Season) -> str:
    """Return since when and why the league of a season is paused, in sentences; "" if it is not."""
    pause = season.pause
    if pause is None:
        return ""
    calendar, name, reason = season.calendar, season.league.name, pause.content["reason"]
    return (
        f"The league {name!r} is paused since {calendar.local(pause.recorded_at):%Y-%m-%d %H:%M} {calendar.zone}"
        f"{f' ({reason})' if reason else ''}, so no match of it starts. To resume it: "
        f"{shlex.join(['botleague', 'organise', 'resume', name])}"
    )


def refuse_if_paused(season: Season) -> None:
    """Refuse to play a season of a paused league, with LeaguePaused."""
    if text := paused_text(season):
        raise LeaguePaused(text)


def refuse_if_erased(connection: Connection, version_ids: Sequence[int]) -> None:
    """Refuse versions whose source was erased, with SourceErased."""
    for row in bots.erased(connection, version_ids):
        raise SourceErased(row.title)


def open_season(
    connection: Connection,
    plugins: PluginHost,
    league: str | None = None,
    number: int | None = None,
    clock: Callable[[], float] = time.time,
) -> Season:
    """Open a season in a transaction.

    Args:
        league: its name; None for the league that was made last.
        number: of the season, counted from 1; None for the current one.
        clock: says what time it is, in seconds since the epoch.

    Raises:
        NotFound: there is no such league.
        UsageError: it has no season of that number.
    """
    seasons = seasons_of(connection, plugins, league, clock)
    if number is None:
        return seasons[-1]
    if not 0 < number <= len(seasons):
        raise UsageError(
            f"League {seasons[0].league.name!r} has {len(seasons)} season{'s' * (len(seasons) > 1)}, "
            f"so there is no season {number}."
        )
    return seasons[number - 1]


def seasons_of(
    connection: Connection,
    plugins: PluginHost,
    league: str | None = None,
    clock: Callable[[], float] = time.time,
) -> list[Season]:
    """Open all seasons of a league, in order; raises NotFound if there is no such league."""
    row = leagues.find(connection, league)
    return [
        Season(connection, plugins, row, season, clock=clock)
        for season in leagues.seasons(connection, row.id)
    ]
