"""A season as a folder of files for any web server, or to be opened from a disk.

Only pages whose keys changed are drawn again (:mod:`botleague.site.page_keys`); the folder stores the keys.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from botleague.application import pages
from botleague.application.pages import LeagueLine
from botleague.errors import UsageError
from botleague.league import Season
from botleague.league.season import Visible
from botleague.league.verification import exported, terms
from botleague.listing import write_csv
from botleague.people import NOBODY
from botleague.site import urls
from botleague.site.film_embedding import PublishedFilms
from botleague.site.links import PublishedLinks
from botleague.site.page import NAMES, Page, Publication, Query, Reading, RenderedPage, Site
from botleague.site.page_keys import code_key, key_of, without_progress
from botleague.site.public_pages import NOTHING, PUBLIC_PAGES, SEASON, league_still, table_csv
from botleague.site.site_folder import SiteFolder
from botleague.site.templating import PUBLISHED, Renderer, asset
from botleague_storage import horizon_of, page_queries, row_digests


class Matches(msgspec.Struct, frozen=True):
    """Published matches: the newest ``last``; None for all."""

    last: int | None

    @classmethod
    def parse(cls, text: str) -> Matches:
        """Return the meaning of ``last:200``, ``all`` or ``none``.

        Raises:
            UsageError: another text.
        """
        word, _, number = text.partition(":")
        if text == "all":
            return cls(None)
        if text == "none":
            return cls(0)
        if word == "last" and number.isascii() and number.isdecimal() and len(number) < 10:
            return cls(int(number))
        raise UsageError(
            f"--matches {text}: use last:200 (or another number of the newest matches), all, or none."
        )


class Published(msgspec.Struct, frozen=True):
    """Result of publishing: numbers of files of the site, written files and removed files."""

    files: int
    written: int
    removed: int


def publish(
    season: Season,
    view: Visible,
    out: Path,
    chosen: Matches,
    progress: Callable[[int, int], None],
    public_url: str = "",
) -> Published:
    """Write or update a season's site in a folder.

    Args:
        view: the published part of the season.
        out: the folder; other leagues published there stay.
        chosen: the published matches.
        progress: called with the number of pages written, and of all pages.
        public_url: public address of the site, for links on other sites; "" for none.

    Raises:
        UsageError: the folder cannot be written, has a file of another origin at a page's path, or pages of another
            league of this name.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        league = urls.slug(season.league.name)
        with SiteFolder(out, f"{league}/{season.row.number}") as folder:
            folder.claim(urls.league(season.league.name), season.league.created_at)
            leagues = folder.manifest.leagues
            others = [line for name, line in leagues.items() if name != league]
            site = _Site(season, view, chosen, public_url, folder, others)
            if folder.is_current(site.key):
                return Published(len(folder.own), 0, 0)
            if site.is_newest:
                leagues[league] = site.line()
            for name, content in site.files(list(leagues.values())):
                folder.add(name, content)
                progress(len(folder.files), site.expected)
            folder.finish(site.key if site.is_complete else "")
            return Published(len(folder.files), folder.written, folder.removed)
    except OSError as error:
        raise UsageError(
            f"--out {out}: {error.filename or out} cannot be written ({error.strerror})."
        ) from error


class _Site:
    """The files of one season's site.

    Attributes:
        key: of the whole site.
        expected: estimated number of files.
        is_newest: whether the folder has no newer season of the league. An older one has no pages outside its own
            folder: those of the site and of the league belong to the newest.
    """

    def __init__(
        self,
        season: Season,
        view: Visible,
        chosen: Matches,
        public_url: str,
        folder: SiteFolder,
        others: Sequence[LeagueLine],
    ) -> None:
        self._folder = folder
        self._renderer = Renderer(public_url=public_url)
        league = season.league.name
        # The time of its newest result, so that the same results make the same files.
        now = page_queries.pace(season.connection, season.id, view.end).last_at
        last = view.end if chosen.last is None else min(chosen.last, view.end)
        first = view.end - last
        ordinals = page_queries.finished(season.connection, season.id, first, view.end)
        bots = list(dict.fromkeys(row.bot for row in season.names.values()))
        self._top = urls.season(league, season.row.number)
        paths = (
            page.path[1:].replace("{league}", urls.slug(league)).replace("{season}", str(season.row.number))
            for page in PUBLIC_PAGES
            if page.published is not None
        )
        self._paths = {path for path in paths if "{" not in path}
        self._paths |= {urls.bot(league, season.row.number, name) for name in bots}
        self._paths |= {urls.match(league, season.row.number, str(ordinal + 1)) for ordinal in ordinals}
        numbers = folder.numbers_of(urls.slug(league))
        self.is_newest = all(number <= season.row.number for number in numbers)
        # Not the newer ones: then an older season would look different if it is published before or after them.
        elsewhere = {urls.season(league, number) for number in numbers if number < season.row.number}
        elsewhere |= {urls.season(one.head.league, one.head.season) for one in others}
        elsewhere |= {
            urls.variant(name) for name in (season.league.variant, *(one.head.variant for one in others))
        }
        self._paths |= elsewhere
        self.expected = len(self._paths) * 2 + len(PUBLISHED)
        self._films = PublishedFilms(season.plugins, public_url)
        base = key_of(
            code_key(season), public_url, self._films.has_cards, elsewhere, view.versions, view.is_frozen
        )
        # Standings show that there is a newer version, except in a season with hidden results.
        is_limited = horizon_of(season.connection, season.id) is not None
        rows = row_digests.of_league(season.connection, season.league.id, has_all_versions=not is_limited)
        self.key = key_of(base, view, first, others, rows)
        site = Site(
            season.plugins,
            PublishedLinks("", self._paths.__contains__),
            self._films,
            only=(league, *(one.head.league for one in others)),
            opened=(season, view),
            public_url=public_url,
        )
        reading = Reading(site, season.connection, NOBODY, now)
        matches = [ordinal + 1 for ordinal in ordinals]
        self._out = Publication(reading, season, view, first, matches, bots, base, folder.keep)

    @property
    def is_complete(self) -> bool:
        """Whether all rows could be read; else the next run tries again."""
        return self._films.is_readable

    def line(self) -> LeagueLine:
        """Return the season as a line of the list of leagues."""
        return pages.league_line(self._out.season, self._out.view, self._out.reading.now)

    def files(self, leagues: Sequence[LeagueLine]) -> Iterator[tuple[str, bytes]]:
        """Yield names and contents, the shared pages of all leagues first; without pages that are current."""
        for name in PUBLISHED:
            yield f"static/{name}", asset(name)
        self._out.leagues = list(leagues)
        failures = 0
        for page in PUBLIC_PAGES:
            if not (self.is_newest or page.path.startswith(SEASON)):
                continue
            for rendered in page.published(self._out) if page.published is not None else ():
                yield from self._drawn(page, rendered)
                if self._films.failures > failures:  # the record may be repaired
                    failures = self._films.failures
                    self._folder.keys.pop(rendered.path, None)
        if self.is_newest:
            yield (
                f"{urls.league(self._out.season.league.name)}still.svg",
                league_still(self._out.reading, NOTHING),
            )
        yield f"{self._top}table.csv", table_csv(self._out.table.rows)
        yield from _verifiable(self._out.season.as_of(self._out.view.end), f"{self._top}verify/")

    def _drawn(self, page: Page[Any], rendered: RenderedPage[Any]) -> Iterator[tuple[str, bytes]]:
        """Yield the forms of a page."""
        path, links = rendered.path, self._out.reading.site.links.at(rendered.path)
        main = self._renderer.main(page.template, rendered, links)
        yield f"{path}index.html", self._renderer.framed(main, path, links).encode()
        value = rendered.value
        if not page.has_progress:
            value = {**msgspec.structs.asdict(value), "head": without_progress(value.head)}
        yield f"{path}index.json", msgspec.json.encode(value) + b"\n"
        card = rendered.more.get("card")
        if card is not None and (picture := card()):
            yield f"{path}card.png", picture
        if page.text is not None:
            yield f"{path}{page.text.name}", page.text.write(rendered).encode()
        if page.feed is not None:
            query = Query({"bot_slug": path.split("/")[-2]})
            yield f"{path}{NAMES['feed']}", page.feed(self._out.reading, query)


def _verifiable(season: Season, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files from which an outsider can recompute all standings, as ``botleague export`` writes them.

    Without the reasons of matches' ends, which may quote details of a bot's fault.
    """
    for table in exported(season, lambda _: None):
        words = table.columns.index("reason") if table.name in ("results", "replaced") else None
        text = io.StringIO()
        write_csv(
            text,
            table.columns,
            (["" if at == words else cell for at, cell in enumerate(row)] for row in table.rows),
        )
        yield f"{path}{table.name}.csv", text.getvalue().encode()
    settings = msgspec.json.format(msgspec.json.encode(terms(season)))
    yield f"{path}settings.json", settings + b"\n"
