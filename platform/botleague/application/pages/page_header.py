"""Header of every page of a season: variant, progress, remaining time."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from botleague.errors import PluginError, UsageError
from botleague.league import Season, Standing
from botleague.league.scheduling import has_rounds_left
from botleague.league.season import DATES, Visible
from botleague_storage import announcements, bots, fixtures, leagues, page_queries, runners
from botleague_storage.league_rows.bots import VersionRow

State: TypeAlias = Literal["playing", "waiting", "paused", "complete", "closed", "frozen"]
"""In progress; matches are planned; they do not start; none are left; closed by the organiser; results are hidden."""

JUST_NOW_S = 30.0
"""Maximum age in seconds of the newest result of a season in progress, for the time between two claims."""


class Pause(msgspec.Struct, frozen=True):
    """Start of a league's pause in seconds since the epoch, and its reason, which may be empty."""

    since: float
    reason: str


class Announcement(msgspec.Struct, frozen=True):
    """Text of the league's organisers; ``at`` is in seconds since the epoch."""

    number: int
    text: str
    at: float


class LeagueNotices(msgspec.Struct, frozen=True):
    """Notices on every page of a league.

    Attributes:
        pause: None while matches start, and in an earlier season.
        announcement: the newest one, None without one.
    """

    league: str
    pause: Pause | None
    announcement: Announcement | None


class SeasonHead(msgspec.Struct, frozen=True):
    """Summary of a season.

    Attributes:
        league, season: its name and number; ``seasons`` are all season numbers of its league.
        format, table, rating: format, ranking of the standings, and online rating system.
        seats: bots in a match.
        bots: number of entrants.
        done, planned: numbers of matches; in an endless format more are planned later.
        is_endless: whether the format never ends by itself.
        remaining_s: seconds that the planned matches may still take at the pace of the newest ones, None if unknown.
        settled: number of matches that the page uses: all below this ordinal number.
        newest_at: time of the newest result, in seconds since the epoch; None without one.
        has_cross_table: whether a match has more than one seat.
        calendar: dates with the zone, by name.
        is_blind: whether matches of other bots are hidden.
        hides_from: for organisers, the ordinal number of the first match that others do not see; None without one.
        is_revealed: whether it was frozen, and now everyone sees all results.
        notices: shown on each of its pages.
    """

    league: str
    season: int
    seasons: list[int]
    variant: str
    game: str
    format: str
    table: str
    rating: str
    seats: int
    bots: int
    state: State
    done: int
    planned: int
    is_endless: bool
    remaining_s: float | None
    settled: int
    newest_at: float | None
    has_cross_table: bool
    calendar: dict[str, str] = {}
    is_blind: bool = False
    hides_from: int | None = None
    is_revealed: bool = False
    notices: LeagueNotices | None = None

    @property
    def state_in_words(self) -> str:
        """The state as a label."""
        if self.state == "waiting":
            return "blind" if self.is_blind else "waiting" if self.done else "not started"
        return "being played" if self.state == "playing" else self.state

    @property
    def is_over(self) -> bool:
        """Whether its first place is final."""
        return self.state == "closed" or (self.state == "complete" and not self.is_endless)


def is_champion(season: Season, head: SeasonHead, row: Standing) -> bool:
    """Return whether a row of the standings has won its season; in a bracket, only who won the final."""
    has_won = row.place == 1 if season.format.has_bracket else bool(row.matches or row.points)
    return head.is_over and row.rank == 1 and has_won


def season_head(season: Season, view: Visible, now: float) -> SeasonHead:
    """Return the header of a season's pages."""
    connection, settings = season.connection, season.settings
    # During a freeze, the number of planned matches beyond its start would reveal results; of a blind season, only
    # matches of the viewer's bots could be counted.
    is_blind = view.versions is not None
    planned = view.end if view.is_frozen or is_blind else fixtures.counts(connection, season.id)[0]
    pace = page_queries.pace(connection, season.id, view.end)
    left = planned - view.end
    notices = league_notices(season)
    state = _state(season, view, now, left=left, last_at=pace.last_at, is_paused=notices.pause is not None)
    try:
        is_endless = season.format.is_endless
    except (PluginError, UsageError):  # the format is missing or broken; matches can be read nevertheless
        is_endless = False
    each = (pace.last_at - pace.first_at) / (pace.matches - 1) if pace.matches > 1 else None
    return SeasonHead(
        league=season.league.name,
        season=season.row.number,
        seasons=[row.number for row in leagues.seasons(connection, season.league.id)],
        variant=season.league.variant,
        game=season.league.game,
        format=settings.format,
        table=settings.table,
        rating=settings.rating,
        seats=settings.seats,
        bots=leagues.bots_of_season(connection, season.id),
        state=state,
        done=view.end,
        planned=planned,
        is_endless=is_endless,
        remaining_s=each * left if state == "playing" and each is not None else None,
        settled=view.end,
        newest_at=pace.last_at or None,
        has_cross_table=settings.seats > 1,
        calendar={name: season.calendar.shown(name) for name in DATES if season.calendar.shown(name)},
        is_blind=is_blind,
        hides_from=view.hides_from,
        is_revealed=season.calendar.freeze is not None and season.calendar.is_revealed(now),
        notices=notices,
    )


def _state(season: Season, view: Visible, now: float, *, left: int, last_at: float, is_paused: bool) -> State:
    """Return the state of a season as a viewer may know it.

    Args:
        left: number of planned matches without a result that they see.
        last_at: time of the newest result, in seconds since the epoch.
    """
    is_blind = view.versions is not None
    if view.is_frozen:
        return "frozen"
    if season.is_closed:
        return "closed"
    if is_paused and (left or is_blind):
        return "paused"
    # Claims of a runner that was killed stay until another runner comes.
    claimants = fixtures.claimants(season.connection, season.id)
    if claimants and any(
        row.name in claimants and not row.is_silent_at(now) for row in runners.runners(season.connection, now)
    ):
        return "playing"
    if now - last_at < JUST_NOW_S and (left or (not is_blind and _has_rounds_left(season))):
        return "playing"
    return "waiting" if left or is_blind or not view.end else "complete"


def _has_rounds_left(season: Season) -> bool:
    try:
        return has_rounds_left(season)
    except (PluginError, UsageError):  # see :func:`season_head`
        return False


def league_notices(season: Season) -> LeagueNotices:
    """Return the notices on the pages of a season."""
    event = season.pause if season.is_current else None
    return LeagueNotices(
        season.league.name,
        None if event is None else Pause(event.recorded_at, event.content["reason"]),
        next(iter(announcements_of(season, limit=1)), None),
    )


def announcements_of(season: Season, limit: int | None = None) -> list[Announcement]:
    """Return the announcements of a season's league, the newest first."""
    rows = announcements.announcements(season.connection, season.league.id, limit)
    return [Announcement(row.number, row.text, row.announced_at) for row in rows]


def names_of(season: Season, version_ids: set[int]) -> dict[int, VersionRow]:
    """Return the names of some versions; all entrants may be too many."""
    return bots.versions(season.connection, sorted(version_ids))
