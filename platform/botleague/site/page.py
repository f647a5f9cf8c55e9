"""Declaration of pages: address, template, reader and access rule.

From it, a server computes routes with their access checks, JSON and event streams; a published site computes
files. Public and private pages are declared alike: every page with another rule than :data:`EVERYBODY` is private.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import msgspec
from sqlalchemy.engine import Connection

from botleague.application.pages import (
    BotRows,
    LeagueLine,
    MatchLine,
    TablePage,
    read_bot_rows,
    read_table_page,
)
from botleague.errors import UsageError
from botleague.league import Season
from botleague.league.season import Visible, open_visible
from botleague.people import CurrentUser, Scope, Viewer
from botleague.plugins import PluginHost
from botleague.site import urls
from botleague.site.atom import NAME
from botleague.site.film_embedding import Films, PublishedFilms
from botleague.site.links import Links
from botleague.site.page_keys import PageKeys
from botleague.struct_fields import LARGEST
from botleague_storage import Database, NotFound, leagues, results

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

LIST_QUERY = ("from", "bot", "opponent", "fault", "round", "before", "first", "step")
"""Query parameters that may filter a list."""

FLAGS = ("embed",)
"""Query parameters without a value."""

MAX_QUERY_LENGTH = 64
"""Maximum length of a query parameter in characters: no name is longer."""


class Query(msgspec.Struct, frozen=True):
    """Parameters of an address.

    Attributes:
        path: the parts of its path, by name.
        filters: filters of the page by name, without empty ones.
    """

    path: Mapping[str, str]
    filters: Mapping[str, str] = msgspec.field(default_factory=dict)

    def text(self, name: str) -> str | None:
        """Return a text of the query or the path, None if missing."""
        return self.filters.get(name, self.path.get(name))

    def number(self, name: str) -> int | None:
        """Return a whole number, None if missing.

        Raises:
            NotFound: it is not a number, so no page has this address.
        """
        text = self.text(name)
        if text is None:
            return None
        if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) <= LARGEST):
            raise NotFound(f"{name} {text[:40]!r} is not a number.")
        return int(text)

    def path_number(self, name: str) -> int:
        """Return the number in the path; raises NotFound as :meth:`number` does."""
        return self.number(name) or 0


class Site(msgspec.Struct, frozen=True):
    """Values that the readers of all pages of a site share.

    Attributes:
        only: names of visible leagues; empty for all.
        is_watched: whether matches in progress have a live view.
        opened: the only season of a published site.
        database, profile: of an open server, the database itself and its sandbox profile.
        public_url: public address of the site, "" if unknown.
    """

    plugins: PluginHost
    links: Links
    films: Films | PublishedFilms
    only: Sequence[str] = ()
    is_watched: bool = False
    opened: tuple[Season, Visible] | None = None
    database: Database | None = None
    profile: str = ""
    public_url: str = ""

    def read(
        self,
        work: Callable[[Reading, Query], T],
        user: CurrentUser,
        query: Query,
        now: float,
        connection: Connection,
    ) -> T:
        """Return what ``work`` reads of an address in a transaction; see :class:`Reading`."""
        return work(Reading(self, connection, user, now), query)


class Reading(msgspec.Struct, frozen=True):
    """A short transaction for one request, limited to the data that the visitor may see.

    Attributes:
        user: the visitor.
        now: seconds since the epoch.
    """

    site: Site
    connection: Connection
    user: CurrentUser
    now: float

    @property
    def viewer(self) -> Viewer:
        """The visitor's roles, which decide what they see and do."""
        return self.user.viewer

    def leagues(self) -> list[str]:
        """Return the names of the visible leagues."""
        only = self.site.only
        return [name for name in leagues.names(self.connection) if not only or name in only]

    def league(self, query: Query) -> str:
        """Return the name of the league in an address, "" if there is no such league."""
        return next((name for name in self.leagues() if urls.slug(name) == query.path["league"]), "")

    def season(self, query: Query) -> tuple[Season, Visible]:
        """Open the season of an address, by default the current one.

        Raises:
            NotFound: no such season, or it is not visible.
        """
        if self.site.opened is not None:
            return self.site.opened
        name, number = self.league(query), query.number("season")
        if not name:
            raise NotFound(f"No league {query.path['league']!r} on this server.")
        try:
            return open_visible(self.user.viewer, self.connection, self.site.plugins, name, number)
        except UsageError as error:
            raise NotFound(str(error)) from error

    def current_seasons(self) -> Iterator[tuple[Season, Visible]]:
        """Yield the current season of each visible league, with what the visitor may see of it."""
        for name in self.leagues():
            yield open_visible(self.viewer, self.connection, self.site.plugins, name)

    def recorded(self, season: Season, line: MatchLine) -> tuple[MatchLine, str, Callable[[], bytes]]:
        """Return a finished match of a season as replays are made of it: with its game, and a reader of its record."""

        def record() -> bytes:
            return results.find(self.connection, season.match_id(line.ordinal + 1)).content

        return line, season.league.game, record

    def seasons(self, query: Query) -> list[tuple[Season, Visible]]:
        """Open the season of an address and all later ones of its league, newest first; without a number, all.

        Raises:
            NotFound: no such season, or it is not visible.
        """
        if self.site.opened is not None:
            return [self.site.opened]
        newest, _ = self.season(Query({"league": query.path["league"]}))
        first = query.number("season") or 1
        numbers = [
            row.number for row in leagues.seasons(self.connection, newest.league.id) if row.number >= first
        ]
        return [self.season(Query({**query.path, "season": str(one)})) for one in numbers[::-1]] or [
            self.season(query)
        ]


@dataclass
class Publication:
    """Contents of a season's published site.

    Attributes:
        reading: opens only this season.
        first: ordinal number of the first published match.
        matches: numbers of its finished matches, from 1.
        bots: names of the bots.
        base_key: key of what all pages depend on, such as code and options.
        is_current: for a path and a key, returns whether the files of the page were drawn under this key.
        leagues: all leagues in the same folder, for the list of leagues.
    """

    reading: Reading
    season: Season
    view: Visible
    first: int
    matches: Sequence[int]
    bots: Sequence[str]
    base_key: str
    is_current: Callable[[str, str], bool]
    leagues: list[LeagueLine] = field(default_factory=list)

    @cached_property
    def table(self) -> TablePage:
        """The whole standings."""
        return read_table_page(self.season, self.view, self.reading.now, limit=None)

    @cached_property
    def bot_rows(self) -> BotRows:
        """Rows of all bots."""
        return read_bot_rows(self.season, self.view, self.bots, self.table.rows)

    @cached_property
    def keys(self) -> PageKeys:
        """Keys of the pages of matches and bots."""
        published = {number - 1 for number in self.matches}
        return PageKeys(self.season, self.view, self.reading.now, self.base_key, self.bot_rows, published)


class RenderedPage(msgspec.Struct, Generic[T_co], frozen=True):
    """Data of a page.

    Attributes:
        value: content of the page, and of its ``index.json``.
        more: further arguments of its template.
        refresh_s: seconds after which a browser reloads the page, 0 for never.
    """

    value: T_co
    path: str
    more: Mapping[str, Any] = msgspec.field(default_factory=dict)
    refresh_s: int = 0


class Owned(msgspec.Struct, frozen=True):
    """Owner and league of an object; "" for no league."""

    owner: str
    league: str


OwnerOf: TypeAlias = Callable[[Reading, Query], Owned]
"""Returns the owner of what an address names, as the public sees it; raises NotFound if there is no such thing."""

Who: TypeAlias = Literal["everybody", "account", "author", "helper", "organiser"]
"""Every visitor; every logged-in user; users with this role or a higher one."""


class AccessRule(msgspec.Struct, frozen=True):
    """Access rule of an address.

    Attributes:
        who: visitors with a session; in the league of the address, if it has one.
        scopes: accepted scopes of tokens, whose account must also have access; empty for no tokens.
        owner: for a team's own object: only that team may use it; users who see everything may read it.
        is_for_machine: for programs on this machine, and organisers of all its leagues.
        is_everywhere: the role is needed in all leagues.
    """

    who: Who
    scopes: tuple[Scope, ...] = ()
    owner: OwnerOf | None = None
    is_for_machine: bool = False
    is_everywhere: bool = False

    @property
    def is_own(self) -> bool:
        """Whether the address belongs to a team's own object."""
        return self.owner is not None


EVERYBODY = AccessRule("everybody", ("submit", "read-own", "organise"))

Form: TypeAlias = Literal["html", "json", "events", "csv", "svg", "png", "feed", "text"]

NAMES: Mapping[Form, str] = {
    "html": "",
    "json": "index.json",
    "events": "events",
    "csv": "table.csv",
    "svg": "still.svg",
    "png": "card.png",
    "feed": NAME,
}
"""Address of each form of a page, below the page's own; texts have names of their own."""


class TextForm(msgspec.Struct, Generic[T], frozen=True):
    """Plain text of a page, for programs.

    Attributes:
        name: its address, below the page's own.
    """

    name: str
    write: Callable[[RenderedPage[T]], str]


class Page(msgspec.Struct, Generic[T], frozen=True):
    """A page.

    Attributes:
        path: its address, with placeholders in braces.
        rule: who may look; it is never left out by mistake, so it has no default.
        query: what may restrict it; whatever else stands in an address is not looked at.
        is_for_browsers: a token reads its objects alone.
        is_kept: a server keeps it for a moment; else it is read for each request.
        csv: makes the whole list of it.
        svg: makes a picture of it.
        png: makes a picture for links on other sites; None while it is not ready.
        feed: makes its Atom feed, with links for a public address.
        has_progress: whether it shows the progress of its season.
        published: reads all of it that a published site holds; None for nothing. Pages without progress are left out
            if they are current.
    """

    path: str
    template: str
    read: Callable[[Reading, Query], RenderedPage[T]]
    rule: AccessRule
    query: tuple[str, ...] = LIST_QUERY
    is_for_browsers: bool = False
    is_kept: bool = True
    csv: Callable[[Reading, Query], bytes] | None = None
    text: TextForm[T] | None = None
    svg: Callable[[Reading, Query], bytes] | None = None
    png: Callable[[Reading, Query], bytes | None] | None = None
    feed: Callable[[Reading, Query], bytes] | None = None
    has_progress: bool = True
    published: Callable[[Publication], Iterable[RenderedPage[T]]] | None = None

    @property
    def is_private(self) -> bool:
        """Whether it is read for each visitor separately, without an event stream."""
        return self.rule != EVERYBODY

    def addresses(self) -> Iterator[tuple[Form, str, AccessRule]]:
        """Yield its forms, where they are, and who may look there."""
        made = {
            "events": not self.is_private,
            "csv": self.csv,
            "svg": self.svg,
            "png": self.png,
            "feed": self.feed,
        }
        for form in NAMES:
            if not made.get(form, True):
                continue
            rule = (
                msgspec.structs.replace(self.rule, scopes=())
                if self.is_for_browsers and form == "html"
                else self.rule
            )
            yield form, self.path + NAMES[form], rule
        if self.text is not None:
            yield "text", self.path + self.text.name, self.rule
