"""Public pages of a server, and of a season's published site."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec

from botleague.application import pages
from botleague.application.authoring import brief
from botleague.league import Season, Standing, open_season
from botleague.league.season import Visible
from botleague.listing import write_csv
from botleague.rules import Variant
from botleague.site import urls
from botleague.site.atom import atom
from botleague.site.llms_text import llms_text
from botleague.site.page import EVERYBODY, FLAGS, Page, Publication, Query, Reading, RenderedPage, TextForm
from botleague_storage import NotFound, leagues, page_queries

T = TypeVar("T")

SEASON = "/leagues/{league}/seasons/{season}/"

MATCH = f"{SEASON}matches/{{match}}/"

LISTED = 200
"""Number of matches on a page of a published list: pages start at its multiples, so only the newest ones change."""

EMPTY_PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
"""Picture of a league while another one is made: its width tells the page to request it again."""

NOTHING = Query({})
"""Parameters of pages in a folder of files."""


def bot_name(season: Season, slug: str) -> str:
    """Return the name of a bot in a season.

    Raises:
        NotFound: no such bot.
    """
    if page_queries.entered(season.connection, season.id, season.league.game, slug):
        return slug
    # Only a name that is not its own slug needs a search through all names.
    name = next((row.bot for row in season.names.values() if urls.slug(row.bot) == slug), None)
    if name is None:
        raise NotFound(f"No bot {slug!r} plays in {season.title!r}.")
    return name


def table_csv(rows: Iterable[Standing]) -> bytes:
    """Return standings as CSV, with the fields of :class:`~botleague.league.Standing` as columns."""
    text = io.StringIO()
    columns = [field.name for field in dataclasses.fields(Standing)]
    write_csv(text, columns, ([getattr(row, column) for column in columns] for row in rows))
    return text.getvalue().encode()


def _once(
    read: Callable[[Reading, Query], RenderedPage[T]],
) -> Callable[[Publication], list[RenderedPage[T]]]:
    """Return a function that publishes a page with its default parameters."""
    return lambda out: [read(out.reading, NOTHING)]


def _of_season(
    name: str, make: Callable[[Season, Visible, float, Query], T]
) -> Callable[[Reading, Query], RenderedPage[T]]:
    """Return the reader of the season's page with this name."""

    def read(reading: Reading, query: Query) -> RenderedPage[T]:
        season, view = reading.season(query)
        path = urls.part(season.league.name, season.row.number, name)
        return RenderedPage(make(season, view, reading.now, query), path)

    return read


def _home(reading: Reading, query: Query) -> RenderedPage[pages.HomePage]:
    """Read the list of leagues, with the live match, or else the replay of the newest match."""
    page = pages.home_page(reading.current_seasons(), reading.now)
    more: dict[str, Any] = {"is_served": reading.site.links.is_served}
    if address := _live_address(reading, page.live):
        more["live"] = address
    elif page.leagues and all(line.head.state != "playing" for line in page.leagues):
        # Not while results come in: each would send its replay to all viewers.
        newest = page.leagues[0]
        more |= _newest_replay(
            reading, newest, open_season(reading.connection, reading.site.plugins, newest.head.league)
        )
    return RenderedPage(page, urls.HOME, more)


def _live_address(reading: Reading, live: pages.LiveMatch | None) -> str:
    """Return the address of the live view of a match, "" without one."""
    if live is None or not reading.site.is_watched:
        return ""
    return f"/{urls.match(live.league, live.season, live.match)}live"


def _live(reading: Reading, query: Query) -> RenderedPage[pages.LivePage]:
    """Read the matches in progress."""
    page = pages.live_page(reading.current_seasons(), reading.now)
    return RenderedPage(page, urls.LIVE, {"live": _live_address(reading, page.live)})


def _games(reading: Reading, query: Query) -> RenderedPage[pages.GamesPage]:
    """Read the list of games: all that are installed, or those of the visible leagues."""
    plugins = reading.site.plugins
    rows = [
        row
        for row in leagues.leagues(reading.connection)
        if not reading.site.only or row.name in reading.site.only
    ]
    playing = [
        (row.game, pages.VariantLeague(row.name, leagues.current_season(reading.connection, row.id).number))
        for row in rows
    ]
    names = {row.variant for row in rows}
    variants = [plugins.variant(name) for name in names] if reading.site.only else plugins.variants.values()
    return RenderedPage(pages.games_page(variants, playing), urls.GAMES)


def _published_games(out: Publication) -> Iterator[RenderedPage[pages.GamesPage]]:
    heads = [line.head for line in out.leagues]
    variants = [out.reading.site.plugins.variant(name) for name in {head.variant for head in heads}]
    playing = [(head.game, pages.VariantLeague(head.league, head.season)) for head in heads]
    yield RenderedPage(pages.games_page(variants, playing), urls.GAMES)


def _published_home(out: Publication) -> Iterator[RenderedPage[pages.HomePage]]:
    newest_first = sorted(out.leagues, key=lambda one: -(one.head.newest_at or 0.0))
    line = next(one for one in out.leagues if one.head.league == out.season.league.name)
    more = _newest_replay(out.reading, line, out.season) if out.matches else {}
    yield RenderedPage(pages.HomePage(newest_first), urls.HOME, more)


def _newest_replay(reading: Reading, line: pages.LeagueLine, season: Season) -> dict[str, Any]:
    """Return the replay of a league's newest match as arguments of a template."""
    if not line.newest:
        return {}
    film, message = reading.site.films.get(*reading.recorded(season, line.newest[0]))
    return {"film": film, "film_says": message, "replayed": line}


def _about(reading: Reading, query: Query) -> RenderedPage[pages.AboutPage]:
    """Read the page about ratings."""
    return RenderedPage(pages.about_page(reading.current_seasons()), urls.ABOUT)


def _variant(reading: Reading, variant: Variant) -> RenderedPage[pages.VariantPage]:
    page = pages.variant_page(reading.connection, reading.site.plugins, variant, reading.site.only)
    more = {"still": reading.site.films.sample(variant), "brief": brief(variant)}
    return RenderedPage(page, urls.variant(page.variant), more)


def _published_variant(out: Publication) -> Iterator[RenderedPage[pages.VariantPage]]:
    variant = out.season.variant
    rendered = _variant(out.reading, variant)
    heads = [line.head for line in out.leagues]
    playing = [
        pages.VariantLeague(head.league, head.season) for head in heads if head.variant == variant.name
    ]
    yield msgspec.structs.replace(rendered, value=msgspec.structs.replace(rendered.value, leagues=playing))


def _table(reading: Reading, query: Query) -> RenderedPage[pages.TablePage]:
    """Read a season's standings, by default of a league's current season."""
    season, view = reading.season(query)
    page = pages.read_table_page(season, view, reading.now, query.number("from") or 1)
    league = season.league.name
    return RenderedPage(
        page, urls.season(league, season.row.number) if "season" in query.path else urls.league(league)
    )


def _whole_table(reading: Reading, query: Query) -> bytes:
    season, view = reading.season(query)
    return table_csv(pages.each_row(season, view))


def _published_table(out: Publication) -> Iterator[RenderedPage[pages.TablePage]]:
    """Yield the standings in portions, from one read."""
    table, top = out.table, urls.season(out.season.league.name, out.season.row.number)
    for first in range(1, max(1, table.total) + 1, pages.ROWS):
        portion = slice(first - 1, first - 1 + pages.ROWS)
        part = msgspec.structs.replace(
            table,
            rows=table.rows[portion],
            gained=table.gained[portion],
            apart=table.apart[portion],
            race=table.race if first == 1 else None,
            form=table.form[portion],
            first=first,
        )
        yield RenderedPage(part, top if first == 1 else f"{top}from-{first}/")


def _published_league(out: Publication) -> Iterator[RenderedPage[pages.TablePage]]:
    first = next(_published_table(out))
    yield msgspec.structs.replace(first, path=urls.league(out.season.league.name))


def league_still(reading: Reading, query: Query) -> bytes:
    """Return a picture of the end of the newest match of a league's current season, else of its variant."""
    season, view = reading.season(query)
    listed, _ = page_queries.listed(season.connection, season.id, view.end, 1)
    picture = None
    if listed:
        (line,) = pages.match_lines(season, listed)
        picture = reading.site.films.still(*reading.recorded(season, line))
    return (picture or reading.site.films.sample(season.variant) or EMPTY_PICTURE).encode()


_cross = _of_season("cross-table", lambda season, view, now, _: pages.cross_page(season, view, now))


def _published_cross(out: Publication) -> Iterable[RenderedPage[pages.CrossPage]]:
    head = pages.season_head(out.season, out.view, out.reading.now)
    return _once(_cross)(out) if head.has_cross_table else []


_rounds = _of_season("bracket", lambda season, view, now, _: pages.rounds_page(season, view, now))

_queue = _of_season(
    "queue", lambda season, view, now, query: pages.queue_page(season, view, now, query.number("first") or 0)
)

_reveal = _of_season(
    "reveal",
    lambda season, view, now, query: pages.read_reveal_page(season, view, now, query.number("step") or 0),
)


def _announcements(reading: Reading, query: Query) -> RenderedPage[pages.AnnouncementsPage]:
    """Read all announcements of a league."""
    season, view = reading.season(query)
    page = pages.announcements_page(season, view, reading.now)
    return RenderedPage(page, urls.announcements(season.league.name))


def _matches(reading: Reading, query: Query) -> RenderedPage[pages.MatchesPage]:
    """Read a portion of the matches."""
    season, view = reading.season(query)
    page = pages.matches_page(
        season,
        view,
        reading.now,
        bot=query.text("bot"),
        opponent=query.text("opponent"),
        fault=query.text("fault"),
        round=query.number("round"),
        before=query.number("before"),
    )
    path = urls.part(season.league.name, season.row.number, "matches")
    older = reading.site.links.page(
        path, bot=page.bot, opponent=page.opponent, fault=page.fault, round=page.round, before=page.older
    )
    return RenderedPage(page, path, {"older_address": older})


def _published_matches(out: Publication) -> Iterator[RenderedPage[pages.MatchesPage]]:
    """Yield the list of published matches, newest first, in pages that start at fixed ordinal numbers."""
    season, view, now = out.season, out.view, out.reading.now
    path = urls.part(season.league.name, season.row.number, "matches")
    before: int | None = None
    end = view.end
    first = max(out.first, (end // LISTED - 1) * LISTED)
    while True:
        portion = pages.matches_page(season, view, now, before=end, limit=max(1, end - first))
        older = first if first > out.first else None
        part = msgspec.structs.replace(
            portion,
            matches=[line for line in portion.matches if line.ordinal >= first],
            before=before,
            older=older,
        )
        here = path if before is None else f"{path}before-{before}/"
        address = out.reading.site.links.at(here).page(path if older is None else f"{path}before-{older}/")
        yield RenderedPage(part, here, {"older_address": address, "left_out": out.first})
        if older is None:
            return
        end = before = first
        first = max(out.first, first - LISTED)


def _bot(reading: Reading, query: Query) -> RenderedPage[pages.BotPage]:
    season, view = reading.season(query)
    name = bot_name(season, query.path["bot_slug"])
    page = pages.read_bot_page(season, view, reading.now, name)
    return RenderedPage(page, urls.bot(season.league.name, season.row.number, name))


def _published_bots(out: Publication) -> Iterator[RenderedPage[pages.BotPage]]:
    league, number = out.season.league.name, out.season.row.number
    changed = [
        name for name in out.bots if not out.is_current(urls.bot(league, number, name), out.keys.bot(name))
    ]
    for page in pages.bot_pages(out.season, out.view, out.reading.now, changed, out.bot_rows):
        yield RenderedPage(page, urls.bot(league, number, page.bot))


def _league_feed(reading: Reading, query: Query) -> bytes:
    feed = pages.league_feed(reading.seasons(query))
    return _atom(reading, feed, urls.league(feed.league))


def _bot_feed(reading: Reading, query: Query) -> bytes:
    seasons = reading.seasons(query)
    first, _ = seasons[-1]
    feed = pages.bot_feed(seasons, bot_name(first, query.path["bot_slug"]))
    return _atom(reading, feed, urls.bot(feed.league, first.row.number, feed.bot))


def _atom(reading: Reading, feed: pages.Feed, path: str) -> bytes:
    links = reading.site.links.at(path)

    def address(page: str) -> str:
        # Absolute where the address of the site is known: not every reader understands relative links.
        if not reading.site.public_url:
            return links.page(page)
        return f"{reading.site.public_url}/{quote(page)}{'' if links.is_served else 'index.html'}"

    return atom(feed, path, address)


def read_match(reading: Reading, query: Query) -> RenderedPage[pages.MatchPage]:
    """Read one match; its replay is queued, and in the page once it is made.

    Raises:
        NotFound: no such match, or it is not visible.
    """
    season, view = reading.season(query)
    number = query.path_number("match")
    page = pages.match_page(season, view, reading.now, number)
    film, message, card = None, "", None
    if page.match is not None:
        stored = reading.recorded(season, page.match)
        film, message = reading.site.films.get(*stored)
        if reading.site.films.has_cards:
            label = " · ".join(part for part in (season.league.name, page.match.label) if part)
            card = partial(reading.site.films.card, *stored, label)
    path = urls.match(season.league.name, season.row.number, season.match_number(number - 1))
    live = f"/{path}live" if page.is_live and reading.site.is_watched else ""
    more: dict[str, Any] = {"film": film, "film_says": message, "live": live, "card": card}
    return RenderedPage(page, path, more)


def _published_match_pages(out: Publication) -> Iterator[RenderedPage[pages.MatchPage]]:
    season = out.season
    for number in out.matches:
        path = urls.match(season.league.name, season.row.number, season.match_number(number - 1))
        if not out.is_current(path, out.keys.match(number - 1)):
            yield read_match(out.reading, Query({"match": str(number)}))


def _card(reading: Reading, query: Query) -> bytes | None:
    """Return the link card of a match; None while it is made.

    Raises:
        NotFound: the match has none, or is not visible.
    """
    make = read_match(reading, query).more["card"]
    card: bytes | None = b"" if make is None else make()
    if card == b"":
        raise NotFound("There is no link card of this match.")
    return card


def _variant_of_address(reading: Reading, query: Query) -> RenderedPage[pages.VariantPage]:
    """Read the variant that an address names.

    Raises:
        NotFound: no plugin offers it.
    """
    name = query.path["variant"]
    if name not in reading.site.plugins.variants:
        raise NotFound(f"No variant {name[:80]!r} on this server.")
    return _variant(reading, reading.site.plugins.variant(name))


PUBLIC_PAGES: tuple[Page[Any], ...] = (
    Page("/", "home.html", _home, EVERYBODY, text=TextForm("llms.txt", llms_text), published=_published_home),
    Page("/live/", "live.html", _live, EVERYBODY),
    Page("/variants/", "games.html", _games, EVERYBODY, published=_published_games),
    Page("/about/", "about.html", _about, EVERYBODY, published=_once(_about)),
    Page(
        "/variants/{variant}/",
        "variant.html",
        _variant_of_address,
        EVERYBODY,
        text=TextForm("brief.md", lambda rendered: rendered.more["brief"]),
        published=_published_variant,
    ),
    Page(
        "/leagues/{league}/",
        "table.html",
        _table,
        EVERYBODY,
        svg=league_still,
        feed=_league_feed,
        published=_published_league,
    ),
    Page(
        "/leagues/{league}/announcements/",
        "announcements.html",
        _announcements,
        EVERYBODY,
        published=_once(_announcements),
    ),
    Page(SEASON, "table.html", _table, EVERYBODY, csv=_whole_table, published=_published_table),
    Page(f"{SEASON}cross-table/", "cross.html", _cross, EVERYBODY, published=_published_cross),
    Page(f"{SEASON}bracket/", "rounds.html", _rounds, EVERYBODY, published=_once(_rounds)),
    Page(f"{SEASON}queue/", "queue.html", _queue, EVERYBODY, published=_once(_queue)),
    Page(f"{SEASON}matches/", "matches.html", _matches, EVERYBODY, published=_published_matches),
    Page(
        f"{SEASON}bots/{{bot_slug}}/",
        "bot.html",
        _bot,
        EVERYBODY,
        feed=_bot_feed,
        has_progress=False,
        published=_published_bots,
    ),
    Page(
        MATCH,
        "match.html",
        read_match,
        EVERYBODY,
        query=FLAGS,
        png=_card,
        has_progress=False,
        published=_published_match_pages,
    ),
    Page(f"{SEASON}reveal/", "reveal.html", _reveal, EVERYBODY),
)
"""All public pages; those of a published site in the order of writing."""
