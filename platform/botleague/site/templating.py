"""Templates of pages: one for each type of page, all in the same frame.

Templates escape all untrusted texts. No text is marked as safe except pictures, which are
built from escaped text themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from botleague import film
from botleague.application import pages
from botleague.listing import Column
from botleague.people import CurrentUser
from botleague.rules import FAULT_KINDS
from botleague.rules.scene import SEAT_COLORS
from botleague.site import urls
from botleague.site.bracket_svg import tree_svg
from botleague.site.links import Links
from botleague.site.page import RenderedPage
from botleague.site.rating_curve_svg import curve_svg
from botleague.site.text_filters import FILTERS
from botleague.version import __version__

PUBLISHED = ("style.css", "sort.js", "icon.svg", "player.js", "player.css")
"""Files of published pages, in ``static/``; the player comes from ``botleague.film``."""

ASSETS = (*PUBLISHED, "live.js", "reveal.js", "htmx.min.js", "hx-sse.min.js", "htmx.LICENSE")
"""Files of served pages."""


class Cell(NamedTuple):
    """A cell of a table on a page.

    Attributes:
        column: its column.
        classes: its classes in the style sheet, separated by spaces.
        order: the number by which the page sorts its rows; None to sort by the text.
        text: the value as text.
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


def asset(name: str) -> bytes:
    """Return one of :data:`ASSETS`."""
    if name.startswith("player."):
        return (film.ASSETS / name).read_bytes()
    return files("botleague.site").joinpath("static", name).read_bytes()


@dataclass(frozen=True, slots=True)
class Rendered:
    """Content of a page as HTML.

    Attributes:
        title: of the document.
        main: the content of its ``main``.
        has_player: whether it has a replay or a live view.
    """

    title: Markup
    main: Markup
    has_player: bool = False

    @property
    def digest(self) -> str:
        """Digest of the content."""
        return hashlib.sha256(self.main.encode()).hexdigest()[:16]


class Renderer:
    """Templates and their globals.

    Args:
        is_open: people can log in, so every page has a login link.
        packages: packages with a folder ``templates``; the first one with a template's file is used.
    """

    def __init__(self, *, is_open: bool = False, packages: Sequence[str] = ("botleague.site",)) -> None:
        self._is_open = is_open
        self._environment = jinja2.Environment(
            loader=jinja2.ChoiceLoader([jinja2.PackageLoader(package) for package in packages]),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
            auto_reload=False,
        )
        self._environment.filters.update(FILTERS)
        self._environment.globals.update(
            paths=urls,
            version=__version__,
            fault_kinds=FAULT_KINDS,
            seat_colors=len(SEAT_COLORS),
            curve=lambda *of: Markup(curve_svg(*of)),
            tree=lambda *of: Markup(tree_svg(*of)),
            standings_table=pages.standings_table,
            cells_of=_cells,
        )

    def main(self, template: str, page: RenderedPage[Any], links: Links, **more: Any) -> Rendered:
        """Return the content of a page without its frame, which is the part that live pages replace.

        Args:
            template: the name of its file.
            links: links of the page.
            more: further arguments of its template.
        """

        def match_address(called: str) -> str | None:
            head = page.value.head
            match = urls.match(head.league, head.season, called)
            return links.page(match) if links.has(match) else None

        values = {"page": page.value, "path": page.path, "links": links, "match_address": match_address}
        return self._rendered(template, {**values, **page.more, **more})

    def error(self, title: str, what: str, links: Links) -> str:
        """Return an error page with a message."""
        rendered = self._rendered("error.html", {"title": title, "what": what, "links": links})
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
    ) -> str:
        """Return a whole HTML document.

        Args:
            main: content of the page.
            path: its path; None for a page without JSON.
            links: links of the page.
            live: address of the events that keep it up to date, "" for none.
            query: of the address, with its question mark.
            handle: handle of the page's user; "" for a shared page.
        """
        return self._environment.get_template("frame.html").render(
            title=main.title,
            main=main.main,
            has_player=main.has_player,
            path=path,
            links=links,
            live=live,
            query=query,
            is_open=self._is_open,
            handle=handle,
            assets=self._asset_version,
        )

    def _rendered(self, name: str, values: dict[str, Any]) -> Rendered:
        template = self._environment.get_template(name)
        head = getattr(values.get("page"), "head", None)
        context = template.new_context({"head": head, "film": None, "film_says": "", "live": "", **values})
        title, main = ("".join(template.blocks[block](context)) for block in ("title", "main"))
        return Rendered(Markup(title), Markup(main), bool(values.get("film") or values.get("live")))

    @cached_property
    def _asset_version(self) -> str:
        """Version in the addresses of files, so that browsers may cache them for ever."""
        digest = hashlib.sha256()
        for name in ASSETS:
            digest.update(asset(name))
        return digest.hexdigest()[:10]
