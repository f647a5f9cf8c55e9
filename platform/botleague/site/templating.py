"""Templates of pages: one for each type of page, all in the same frame.

Templates escape all untrusted texts. No text is marked as safe except pictures, which are
built from escaped text themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache, partial
from importlib.resources import files
from typing import Any, NamedTuple

import jinja2
import msgspec
from markupsafe import Markup

from botleague import film
from botleague.application import pages
from botleague.emblems import emblem_of, emblem_svg, symbol_sheet
from botleague.formats import SET
from botleague.listing import Column
from botleague.people import CurrentUser
from botleague.rules import FAULT_KINDS
from botleague.site import urls
from botleague.site.links import Links, ServedLinks
from botleague.site.page import RenderedPage
from botleague.site.pictures import (
    RacePictures,
    curve_svg,
    final_of,
    race_data,
    race_svg,
    series_text,
    spark_svg,
    tree_svg,
)
from botleague.site.text_filters import FILTERS
from botleague.version import __version__

PUBLISHED = (
    "style.css",
    "sort.js",
    "race.js",
    "stage.js",
    "preview.js",
    "icon.svg",
    "player.js",
    "player.css",
)
"""Files of published pages, in ``static/``; the player comes from ``botleague.film``."""

ASSETS = (*PUBLISHED, "forms.js", "live.js", "reveal.js", "htmx.min.js", "hx-sse.min.js", "htmx.LICENSE")
"""Files of served pages."""

SERVED = ServedLinks()

NOTHING = Markup()


class Cell(NamedTuple):
    """A cell of a table on a page.

    Attributes:
        classes: its classes in the style sheet, separated by spaces.
        order: the number by which the page sorts its rows; None to sort by the text.
    """

    column: Column
    classes: str
    order: float | None
    text: str


def _cells(columns: Iterable[Column], row: Any, classes: Mapping[str, str]) -> Iterator[Cell]:
    """Yield the cells of a row; ``classes`` are additional classes by name of the column."""
    # Not in the template: a large table has thousands of cells, and a macro call costs ten times a call of Python.
    for column in columns:
        if column.filter and not (column.is_optional and column.value(row) is None):
            text = FILTERS[column.filter](column.value(row))
        else:
            text = column.cell(row)
        extra = classes.get(column.name, "")
        yield Cell(
            column, f"{column.classes} {extra}".strip() if extra else column.classes, column.order(row), text
        )


@lru_cache(maxsize=4096)
def _emblem(name: str) -> Markup:
    return Markup(emblem_svg(emblem_of(name)))


def asset(name: str) -> bytes:
    """Return one of :data:`ASSETS`."""
    if name.startswith("player."):
        return film.player_file(name).encode()
    content = files("botleague.site").joinpath("static", name).read_bytes()
    return film.lean(content.decode(), is_css=True).encode() if name == "style.css" else content


class Rendered(msgspec.Struct, frozen=True):
    """Content of a page as HTML.

    Attributes:
        main: the content of its ``main``.
        scripts: names of its further scripts.
        has_player: whether it has a replay or a live view, or gets one.
        description: of links to it, empty for a page without.
        has_card: whether it has a link card.
        feeds: titles of its Atom feeds, by the paths of their pages.
    """

    title: Markup
    main: Markup
    scripts: Sequence[str] = ()
    has_player: bool = False
    description: Markup = NOTHING
    has_card: bool = False
    feeds: Mapping[str, str] = msgspec.field(default_factory=dict)

    @property
    def update(self) -> str:
        """New content and title of an open page: htmx takes the title from a head."""
        return f"<head><title>{self.title} · botleague</title></head>{self.main}"

    @property
    def digest(self) -> str:
        """Digest of the content."""
        return hashlib.sha256(self.main.encode()).hexdigest()[:16]


def _feeds(head: pages.SeasonHead | None, values: Mapping[str, Any]) -> dict[str, str]:
    """Return the titles of a page's feeds: that of its league, and that of its bot."""
    if head is None:
        return {}
    page = values.get("page")
    bots = {values["path"]: f"{page.bot} in {head.league}"} if isinstance(page, pages.BotPage) else {}
    return {urls.league(head.league): head.league, **bots}


@cache
def _environment(packages: tuple[str, ...]) -> jinja2.Environment:
    """Return the templates of packages; they are compiled once in a process, whatever serves or publishes them."""
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(package) for package in packages]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
    )
    environment.filters.update(FILTERS)
    environment.globals.update(
        paths=urls,
        version=__version__,
        fault_kinds=FAULT_KINDS,
        emblem=_emblem,
        symbols=Markup(symbol_sheet()),
        curve=lambda *of: Markup(curve_svg(*of)),
        race_pictures=lambda *of: RacePictures(*map(Markup, race_svg(*of))),
        race_data=race_data,
        racing=pages.RACING,
        spark=lambda *of: Markup(spark_svg(*of)),
        series_text=series_text,
        final_of=final_of,
        set_explained=SET,
        tree=lambda *of: Markup(tree_svg(*of)),
        standings_table=pages.standings_table,
        cells_of=_cells,
    )
    return environment


class Renderer:
    """Templates and their globals.

    Args:
        is_open: people can log in, so every page has a login link.
        has_live: matches in progress can be watched, so every page links to them.
        public_url: public address, with which pages describe themselves to sites that link to them; "" for none.
        packages: packages with a folder ``templates``; the first one with a template's file is used.
    """

    def __init__(
        self,
        *,
        is_open: bool = False,
        has_live: bool = False,
        public_url: str = "",
        packages: Sequence[str] = ("botleague.site",),
    ) -> None:
        self._is_open = is_open
        self._has_live = has_live
        self._public_url = public_url
        self._environment = _environment(tuple(packages))

    def main(self, template: str, page: RenderedPage[Any], links: Links, **more: Any) -> Rendered:
        """Return the content of a page without its frame, which is the part that live pages replace.

        Args:
            more: further arguments of its template.
        """

        def address(path: Callable[[str, int, str], str], name: str) -> str | None:
            """Return the address of a match or bot of the page's season, None if it has no page."""
            where = path(page.value.head.league, page.value.head.season, name)
            return links.page(where) if links.has(where) else None

        values = {
            "page": page.value,
            "path": page.path,
            "links": links,
            "match_address": partial(address, urls.match),
            "bot_address": partial(address, urls.bot),
        }
        return self._rendered(template, {**values, **page.more, **more})

    def error(self, title: str, what: str, links: Links, *, login: str) -> str:
        """Return an error page with a message, and the address of a login, "" for none."""
        values = {"title": title, "what": what, "links": links, "login": login}
        rendered = self._rendered("error.html", values)
        return self.framed(rendered, None, links)

    def of_people(self, name: str, links: Links, who: CurrentUser, **values: Any) -> str:
        """Return a page for one person, by the name of its template."""
        rendered = self._rendered(name, {"links": links, "who": who, **values})
        return self.framed(rendered, values.get("path"), links, handle=who.viewer.handle)

    def framed(
        self,
        main: Rendered,
        path: str | None,
        links: Links,
        *,
        live: str = "",
        query: str = "",
        handle: str = "",
        is_embedded: bool = False,
    ) -> str:
        """Return a whole HTML document.

        Args:
            path: its path; None for a page without JSON.
            live: address of the events that keep it up to date, "" for none.
            query: of the address, with its question mark.
            handle: handle of the page's user; "" for a shared page.
            is_embedded: only the replay is shown, for a frame in another page.
        """
        return self._environment.get_template("frame.html").render(
            title=main.title,
            main=main.main,
            scripts=main.scripts,
            has_player=main.has_player,
            path=path,
            links=links,
            live=live,
            query=query,
            is_open=self._is_open,
            menu=self._menu(path),
            handle=handle,
            assets=self._asset_version,
            feeds=main.feeds,
            shared=main if self._public_url and main.description else None,
            address=f"{self._public_url}{SERVED.page(path or '')}",
            is_embedded=is_embedded,
        )

    def _menu(self, path: str | None) -> list[tuple[str, str, bool]]:
        """Return title and path of each page of the menu, and whether it is current or above the current page."""
        menu = [("Leagues", urls.HOME, path == urls.HOME or (path or "").startswith("leagues/"))]
        menu += [("Live", urls.LIVE, path == urls.LIVE)] if self._has_live else []
        return [*menu, ("Games", urls.GAMES, (path or "").startswith(urls.GAMES))]

    def _rendered(self, name: str, values: dict[str, Any]) -> Rendered:
        template = self._environment.get_template(name)
        head = values.get("head", getattr(values.get("page"), "head", None))
        defaults = {"head": head, "notices": head and head.notices, "film": None, "film_says": "", "live": ""}
        context = template.new_context({**defaults, **values})
        title, main, description, scripts = (
            Markup("".join(template.blocks[block](context))) if block in template.blocks else Markup()
            for block in ("title", "main", "description", "scripts")
        )
        if context["notices"]:
            main = Markup(self._environment.get_template("notices.html").render(context.get_all())) + main
        # Also while a replay is made: it comes with an event.
        has_player = any(values.get(name) for name in ("film", "film_says", "live"))
        card = values.get("card") is not None
        return Rendered(title, main, scripts.split(), has_player, description, card, _feeds(head, values))

    @cached_property
    def _asset_version(self) -> str:
        """Version in the addresses of files, so that browsers may cache them forever."""
        digest = hashlib.sha256()
        for name in ASSETS:
            digest.update(asset(name))
        return digest.hexdigest()[:10]
