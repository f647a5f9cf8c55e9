"""Data of the pages without a season: home, live matches, games, variants, about."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.authoring import plain_interface, schemas
from botleague.application.pages.match_rows import MatchLine, PlannedLine, match_lines, planned_lines
from botleague.application.pages.page_header import (
    Announcement,
    SeasonHead,
    announcements_of,
    is_champion,
    season_head,
)
from botleague.application.pages.race import race_and_form
from botleague.errors import PluginError, UsageError
from botleague.league import Season
from botleague.league.season import Visible
from botleague.league.tables import Part, read_standings
from botleague.plugins import PluginHost
from botleague.referee import plain_config
from botleague.rules import Variant
from botleague_storage import leagues, page_queries, whole_season

NEWEST = 3

NEXT = 5
"""Maximum number of matches of a league on the page of live matches."""


class LeagueLine(msgspec.Struct, frozen=True):
    """A league with its current season and the newest results.

    Attributes:
        leader: first bot of the standings; "" before the first match.
        is_won: whether the leader is the champion.
        curve: ratings of the leader, the oldest first.
        planned: matches in progress and next ones, of a season in progress.
    """

    head: SeasonHead
    newest: list[MatchLine]
    leader: str = ""
    curve: list[int] = []
    planned: list[PlannedLine] = []
    is_won: bool = False


class LiveMatch(msgspec.Struct, frozen=True):
    """A match in progress and its season."""

    league: str
    season: int
    match: str


class HomePage(msgspec.Struct, frozen=True):
    """All visible leagues.

    Attributes:
        leagues: those with the newest results first.
        live: a match in progress that can be watched; None without one.
    """

    leagues: list[LeagueLine]
    live: LiveMatch | None = None


class LiveLeague(msgspec.Struct, frozen=True):
    """A season in progress; ``matches`` are those that are being played and the next ones."""

    head: SeasonHead
    matches: list[PlannedLine]


class LivePage(msgspec.Struct, frozen=True):
    """Seasons in progress.

    Attributes:
        live: the first match in progress; None without one.
    """

    leagues: list[LiveLeague]
    live: LiveMatch | None


class AnnouncementsPage(msgspec.Struct, frozen=True):
    """All announcements of a league, the newest first."""

    head: SeasonHead
    announcements: list[Announcement]


class VariantLeague(msgspec.Struct, frozen=True):
    """A league that plays a variant."""

    league: str
    season: int


class VariantPage(msgspec.Struct, frozen=True):
    """A variant and its limits.

    Attributes:
        variant, game, summary: as `botleague variants` prints them.
        seats, time, tier, imports, entries, config, memory_mib, reply_bytes: its limits.
        interface, schemas: the bot interface, as `botleague variants NAME --json` prints it.
        bots: summaries of bundled bots, by name.
        leagues: leagues that play it.
    """

    variant: str
    game: str
    summary: str
    seats: str
    time: dict[str, Any]
    tier: str
    imports: str
    entries: list[str]
    config: dict[str, Any]
    memory_mib: int | None
    reply_bytes: int
    interface: dict[str, Any] | None
    schemas: dict[str, Any]
    bots: dict[str, str]
    leagues: list[VariantLeague]


class GameVariant(msgspec.Struct, frozen=True):
    """A variant and its summary."""

    variant: str
    summary: str


class GameLine(msgspec.Struct, frozen=True):
    """A game.

    Attributes:
        variants: the one with the name of the game first.
        leagues: leagues that play one of them.
    """

    game: str
    variants: list[GameVariant]
    leagues: list[VariantLeague]


class GamesPage(msgspec.Struct, frozen=True):
    """Games by name, those that a league plays first."""

    games: list[GameLine]


class RatingAbout(msgspec.Struct, frozen=True):
    """A rating system, its summary, and the leagues that use it."""

    name: str
    summary: str
    leagues: list[str]


class AboutPage(msgspec.Struct, frozen=True):
    """Explanation of ratings and their verification.

    Attributes:
        ratings: rating systems in use.
        layers: sandbox layers of each league's newest match.
    """

    ratings: list[RatingAbout]
    layers: dict[str, list[str]]


def home_page(seasons: Iterable[tuple[Season, Visible]], now: float) -> HomePage:
    """Return the leagues of some seasons, those with the newest results first."""
    lines, live = [], None
    for season, view in seasons:
        line = league_line(season, view, now)
        lines.append(line)
        playing = next((planned for planned in line.planned if planned.playing), None)
        if live is None and view.is_live and playing is not None:
            live = LiveMatch(season.league.name, season.row.number, playing.match)
    return HomePage(sorted(lines, key=lambda line: -(line.head.newest_at or 0.0)), live)


def league_line(season: Season, view: Visible, now: float) -> LeagueLine:
    """Return a season as a line of the list of leagues."""
    head = season_head(season, view, now)
    listed, _ = page_queries.listed(season.connection, season.id, view.end, NEWEST)
    try:
        with whole_season(season.connection, season.id):
            first = read_standings(season.as_of(view.end), Part(0, 1)) if listed else []
            _, form = race_and_form(season, view, first)
        is_won = any(is_champion(season, head, row) for row in first)
    # Its format or rating system is not installed, or fails; other leagues are listed all the same.
    except (PluginError, UsageError):
        first, form, is_won = [], [], False
    planned, _ = (
        page_queries.queue(season.connection, season.id, NEWEST) if head.state == "playing" else ([], None)
    )
    return LeagueLine(
        head,
        match_lines(season, listed),
        first[0].bot if first else "",
        form[0].curve if form else [],
        planned_lines(season, planned, head.done, None),
        is_won,
    )


def live_page(seasons: Iterable[tuple[Season, Visible]], now: float) -> LivePage:
    """Return the seasons in progress whose matches the viewer may watch, with these matches and the next ones."""
    lines: list[LiveLeague] = []
    for season, view in seasons:
        head = season_head(season, view, now) if view.is_live else None
        if head is not None and head.state == "playing":
            planned, _ = page_queries.queue(season.connection, season.id, NEXT)
            lines.append(LiveLeague(head, planned_lines(season, planned, head.done, None)))
    playing = [(line.head, match.match) for line in lines for match in line.matches if match.playing]
    live = next((LiveMatch(head.league, head.season, match) for head, match in playing), None)
    return LivePage(lines, live)


def games_page(variants: Iterable[Variant], playing: Sequence[tuple[str, VariantLeague]]) -> GamesPage:
    """Return the games of variants; ``playing`` are leagues, each with its game."""
    lines = [
        GameLine(
            game,
            [
                GameVariant(variant.name, variant.summary)
                for variant in sorted(group, key=lambda one: (one.name != game, one.name))
            ],
            [league for played, league in playing if played == game],
        )
        for game, group in groupby(sorted(variants, key=lambda one: one.game), lambda one: one.game)
    ]
    return GamesPage(sorted(lines, key=lambda line: not line.leagues))


def announcements_page(season: Season, view: Visible, now: float) -> AnnouncementsPage:
    """Return the announcements of a season's league."""
    return AnnouncementsPage(season_head(season, view, now), announcements_of(season))


def variant_page(
    connection: Connection, plugins: PluginHost, variant: Variant, only: Sequence[str] = ()
) -> VariantPage:
    """Return the page of a variant."""
    return VariantPage(
        variant=variant.name,
        game=variant.game,
        summary=variant.summary,
        seats=str(variant.seats),
        time=msgspec.to_builtins(variant.time),
        tier=variant.tier,
        imports=variant.imports,
        entries=list(variant.entries),
        config=plain_config(variant.config),
        memory_mib=variant.memory_mib,
        reply_bytes=variant.reply_bytes,
        interface=plain_interface(variant),
        schemas=schemas(variant),
        bots={bot.name: bot.summary for bot in plugins.bots_for(variant)},
        leagues=[
            VariantLeague(row.name, leagues.current_season(connection, row.id).number)
            for row in leagues.leagues(connection)
            if row.variant == variant.name and (not only or row.name in only)
        ],
    )


def about_page(seasons: Iterable[tuple[Season, Visible]]) -> AboutPage:
    """Return the explanation of the leagues' ratings."""
    ratings: dict[str, RatingAbout] = {}
    layers = {}
    for season, view in seasons:
        league, system = season.league.name, season.system
        rating = ratings.setdefault(system.name, RatingAbout(system.name, system.summary, []))
        rating.leagues.append(league)
        layer_text = page_queries.newest_layers(season.connection, season.id, view.end)
        if layer_text is not None:
            layers[league] = list(json.loads(layer_text))
    return AboutPage(list(ratings.values()), layers)
