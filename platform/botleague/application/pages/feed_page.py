"""Data of feeds: what is new in a league or about a bot, by day.

A feed of a season continues with the later seasons of its league, so that a subscription lasts. Everything comes from
the part of each season that the viewer may see.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from botleague.application.pages.match_rows import MatchLine, match_lines
from botleague.application.pages.page_header import announcements_of
from botleague.errors import counted
from botleague.league import Season
from botleague.league.season import Visible
from botleague_storage import page_queries
from botleague_storage.league_rows.bots import VersionRow

MAX_ENTRIES = 60
"""Entries of a feed: the newest ones."""

MAX_DAYS = 14
"""Days with results of a season in a feed: the newest ones."""

LISTED = 20
"""Matches that an entry lists: the newest ones of its day."""


class FeedEntry(msgspec.Struct, frozen=True):
    """An entry of a feed.

    Attributes:
        id: permanent identifier, an IRI.
        at: time of its last change, in seconds since the epoch.
        subject: what its link leads to: the results or announcements of the league, or the bot with this name.
    """

    id: str
    title: str
    lines: Sequence[str]
    at: float
    subject: str
    season: int


RESULTS, ANNOUNCEMENTS = "results", "announcements"
"""Subjects of entries that are about no single bot; bots have a colon before their name."""


class Feed(msgspec.Struct, frozen=True):
    """A feed of a league, or of a bot in it.

    Attributes:
        id: permanent identifier, an IRI.
        bot: name of the bot, "" for the feed of the league.
        at: time of its last change, in seconds since the epoch.
        entries: newest first.
    """

    id: str
    league: str
    bot: str
    at: float
    entries: Sequence[FeedEntry]


def league_feed(seasons: Sequence[tuple[Season, Visible]]) -> Feed:
    """Return the feed of a league: results by day, new versions, and announcements.

    Args:
        seasons: at least one of the league, newest first, each with its visible part.
    """
    newest, _ = seasons[0]
    name = newest.league.name
    entries = [
        FeedEntry(
            _id(newest, "announcement", one.number),
            f"Announcement {one.number} of {name}",
            [one.text],
            one.at,
            ANNOUNCEMENTS,
            newest.row.number,
        )
        for one in announcements_of(newest, MAX_ENTRIES)
    ]
    for season, view in seasons:
        entries += _versions(season, season.names.values())
        entries += _days(season, view, season.title, None)
    return _feed(newest, "", entries)


def bot_feed(seasons: Sequence[tuple[Season, Visible]], bot: str) -> Feed:
    """Return the feed of a bot: its results by day, and its new versions.

    Args:
        seasons: as for :func:`league_feed`; the bot may play in some of them only.
    """
    entries: list[FeedEntry] = []
    for season, view in seasons:
        rows = [row for row in season.names.values() if row.bot == bot]
        if rows:
            entries += _versions(season, rows)
            entries += _days(season, view, f"{bot} in {season.title}", [row.id for row in rows])
    return _feed(seasons[0][0], bot, entries)


def _feed(newest: Season, bot: str, entries: Sequence[FeedEntry]) -> Feed:
    # A version keeps its entry of the first season in which it plays.
    by_id = {one.id: one for one in entries}
    ordered = sorted(by_id.values(), key=lambda one: (-one.at, one.id))[:MAX_ENTRIES]
    at = ordered[0].at if ordered else newest.league.created_at
    return Feed(_id(newest, "bot" if bot else "league", bot), newest.league.name, bot, at, ordered)


def _versions(season: Season, rows: Iterable[VersionRow]) -> Iterator[FeedEntry]:
    """Yield an entry for each of the newest versions."""
    newest = sorted(rows, key=lambda row: (-row.submitted_at, row.id))[:MAX_ENTRIES]
    for row in newest:
        what = f"New version {row.number} of {row.bot}" if row.number > 1 else f"New bot {row.bot}"
        owner = f" It belongs to {row.owner}." if row.owner else ""
        yield FeedEntry(
            _id(season, "version", f"{row.number} {row.bot}"),
            f"{what} in {season.league.name}",
            [f"{row.title} plays in {season.title}.{owner}"],
            row.submitted_at,
            f":{row.bot}",
            season.row.number,
        )


def _days(season: Season, view: Visible, title: str, versions: Sequence[int] | None) -> Iterator[FeedEntry]:
    """Yield an entry for each of the newest days with results, in the zone of the calendar."""
    results, is_whole = page_queries.result_times(season.connection, season.id, view.end, versions)
    days: dict[str, list[tuple[int, float]]] = {}
    for fixture_id, at in results:
        days.setdefault(f"{season.calendar.local(at):%Y-%m-%d}", []).append((fixture_id, at))
    chosen = sorted(days, reverse=True)[:MAX_DAYS]
    if not is_whole and len(chosen) == len(days) > 1:
        chosen.pop()  # its first matches were not read
    listed = [fixture_id for day in chosen for fixture_id, _ in days[day][:LISTED]]
    rows = page_queries.described(season.connection, season.id, listed)
    lines = {row.fixture_id: line for row, line in zip(rows, match_lines(season, rows), strict=True)}
    for day in chosen:
        matches = [lines[fixture_id] for fixture_id, _ in days[day][:LISTED] if fixture_id in lines]
        more = len(days[day]) - len(matches)
        yield FeedEntry(
            _id(season, "results", f"{season.row.number} {day} {title if versions else ''}"),
            f"{day}: {counted(len(days[day]), 'match', 'matches')} of {title}",
            [
                *map(_result, matches),
                *([f"and {counted(more, 'earlier match', 'earlier matches')}"] if more else []),
            ],
            max(at for _, at in days[day]),
            RESULTS,
            season.row.number,
        )


def _result(line: MatchLine) -> str:
    """Return a result as text: the bots by place, and void matches marked."""
    seats = ", ".join(f"{seat.place}. {seat.bot}" for seat in sorted(line.seats, key=lambda seat: seat.place))
    return f"{line.match}: {seats}" + ("" if line.counts else " (void)")


def _id(season: Season, *of: object) -> str:
    """Return a permanent identifier, which no other league has, and which shows no number of the database."""
    text = "\n".join(map(str, (season.league.created_at, season.league.name, *of)))
    return uuid.uuid5(uuid.NAMESPACE_OID, text).urn
