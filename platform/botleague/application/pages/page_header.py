"""What stands above every page of a season: what it plays, how far it is, and how long it may still take."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from botleague.league import Season
from botleague.league.season import DATES, Visible
from botleague_storage import bots, fixtures, leagues, page_queries
from botleague_storage.league_rows.bots import VersionRow

State: TypeAlias = Literal["playing", "waiting", "complete", "closed", "frozen"]
"""Somebody plays it now; matches are planned; nothing is left to play; its organiser ended it; others see no more."""

JUST_NOW_S = 30.0
"""A season whose newest result is not older is being played, also between two claims."""


class SeasonHead(msgspec.Struct, frozen=True):
    """A season in short.

    Attributes:
        league, season: its name and number; ``seasons`` are all numbers of its league.
        variant, game: what is played.
        format, table, rating: who meets whom, what ranks, and the online rating system.
        seats: bots in a match.
        bots: how many entered.
        state: see :data:`State`.
        done, planned: matches; of an endless format more are planned later.
        is_endless: whether the format never ends by itself.
        remaining_s: seconds that the planned matches may still take at the pace of the newest ones, None if unknown.
        settled: matches that the numbers on the page follow from: all below this ordinal number.
        newest_at: when the newest of them was recorded, in seconds since the epoch; None without one.
        has_cross_table: whether bots meet; where everybody plays alone they do not.
        calendar: when what happens, with the zone, by name.
        is_blind: whether matches of others' bots are not shown.
        hides_from: for organisers, the ordinal number from which on others see nothing; None if they see all.
        is_revealed: whether it was frozen, and everybody sees all of it now.
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


def season_head(season: Season, seen: Visible, now: float) -> SeasonHead:
    """Return what stands above the pages of a season.

    Args:
        seen: what exists for the viewer.
        now: seconds since the epoch.
    """
    connection, settings = season.connection, season.settings
    # While it is frozen, what is planned beyond its end tells of results.
    planned = seen.end if seen.is_frozen else fixtures.counts(connection, season.id)[0]
    pace = page_queries.pace(connection, season.id, seen.end)
    left = planned - seen.end
    is_played = bool(fixtures.claimants(connection, season.id)) or (
        left > 0 and now - pace.last_at < JUST_NOW_S
    )
    state: State = "playing" if is_played else "waiting" if left else "complete"
    if season.is_closed:
        state = "closed"
    if seen.is_frozen:
        state = "frozen"
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
        bots=page_queries.entrants(connection, season.id),
        state=state,
        done=seen.end,
        planned=planned,
        is_endless=season.format.is_endless,
        remaining_s=each * left if state == "playing" and each is not None else None,
        settled=seen.end,
        newest_at=pace.last_at or None,
        has_cross_table=settings.seats > 1,
        calendar={name: season.calendar.shown(name) for name in DATES if season.calendar.shown(name)},
        is_blind=seen.versions is not None,
        hides_from=seen.hides_from,
        is_revealed=season.calendar.freeze is not None and season.calendar.is_revealed(now),
    )


def names_of(season: Season, version_ids: set[int]) -> dict[int, VersionRow]:
    """Return the names of some versions; those of everybody who entered may be very many."""
    return bots.versions(season.connection, sorted(version_ids))
