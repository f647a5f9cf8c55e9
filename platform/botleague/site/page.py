"""What a page is, declared once: where it is, its template, what reads it, and who may look.

Of a server the routes follow from that, with the gate before them, the objects and the stream; of a published site the
files. Public and private pages are declared alike: a page that is not for everybody is private.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, Literal, TypeAlias, TypeVar
from urllib.parse import urlencode

from sqlalchemy.engine import Connection

from botleague.application.pages import LeagueLine, TablePage, read_table_page
from botleague.errors import UsageError
from botleague.league import Season, open_season
from botleague.league.season import Visible, visible
from botleague.people import CurrentUser, Scope, Viewer
from botleague.plugins import PluginHost
from botleague.site import urls
from botleague.site.film_embedding import Films, PublishedFilms
from botleague.site.links import Links
from botleague.struct_fields import LARGEST
from botleague_storage import Database, NotFound, leagues

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

LIST_QUERY = ("from", "bot", "opponent", "fault", "round", "before", "first", "step")
"""What may restrict a list."""

LONGEST_QUERY = 64
"""Characters of what a list is restricted to: no name is longer."""


class Query:
    """What an address says.

    Args:
        path: the parts of its path, by name.
        given: what restricts the page, by name; nothing is empty.
    """

    def __init__(self, path: Mapping[str, str], given: Mapping[str, str] | None = None) -> None:
        self.path = path
        self.given = given or {}

    @classmethod
    def of(cls, path: Mapping[str, object], values: Mapping[str, str], names: Iterable[str]) -> Query:
        """Return what an address says, of its query only what is looked at."""
        given = {name: values[name][: LONGEST_QUERY + 1] for name in names if values.get(name)}
        return cls({name: str(value) for name, value in path.items()}, given)

    def __str__(self) -> str:
        """Return the query with its question mark, as links and keys have it; "" for none."""
        return f"?{urlencode(self.given)}" if self.given else ""

    def text(self, name: str) -> str | None:
        """Return a text of the query or the path, None where there is none."""
        return self.given.get(name, self.path.get(name))

    def number(self, name: str) -> int | None:
        """Return a whole number, None where there is none.

        Raises:
            NotFound: it is something else, which leads nowhere.
        """
        text = self.text(name)
        if text is None:
            return None
        if not (text.isascii() and text.isdecimal() and len(text) < 20 and int(text) <= LARGEST):
            raise NotFound(f"{name} {text[:40]!r} is not a number.")
        return int(text)


@dataclass(frozen=True, slots=True)
class Reading:
    """One short transaction, which holds what the visitor may see.

    Attributes:
        user: who looks.
        now: seconds since the epoch.
        links: of the page, to others.
        only: the leagues that are shown; none for all.
        is_watched: whether matches can be watched while they are played.
        opened: the only season there is, of a published site.
        database, profile: of an open server, the database itself and the profile of its sandbox.
    """

    connection: Connection
    plugins: PluginHost
    user: CurrentUser
    now: float
    links: Links
    films: Films | PublishedFilms
    only: Sequence[str] = ()
    is_watched: bool = False
    opened: tuple[Season, Visible] | None = None
    database: Database | None = None
    profile: str = ""

    @property
    def viewer(self) -> Viewer:
        """Who looks, as far as it matters for what they see and do."""
        return self.user.viewer

    def leagues(self) -> list[str]:
        """Return the names of the leagues that are shown."""
        return [name for name in leagues.names(self.connection) if not self.only or name in self.only]

    def league(self, query: Query) -> str:
        """Return the name of the league that an address names, "" if there is none."""
        return next((name for name in self.leagues() if urls.slug(name) == query.path["league"]), "")

    def season(self, query: Query) -> tuple[Season, Visible]:
        """Open the season that an address names, the current one if it says none; what is not shown does not exist.

        Raises:
            NotFound: there is none.
        """
        if self.opened is not None:
            return self.opened
        name = self.league(query)
        if not name:
            raise NotFound(f"No league is called {query.path['league']!r} here.")
        try:
            found = open_season(self.connection, self.plugins, name, query.number("season"))
        except UsageError as error:
            raise NotFound(str(error)) from error
        return found, visible(self.viewer, found)


@dataclass
class Publication:
    """What a published site holds of a season.

    Attributes:
        reading: opens this season, and no other.
        first: the ordinal number of the first match that is chosen.
        matches: the numbers of those that are done, from 1.
        bots: names.
        leagues: that lie in the same folder, as the list shows them.
    """

    reading: Reading
    season: Season
    seen: Visible
    first: int
    matches: Sequence[int]
    bots: Sequence[str]
    leagues: list[LeagueLine] = field(default_factory=list)

    @cached_property
    def table(self) -> TablePage:
        """The whole table."""
        return read_table_page(self.season, self.seen, self.reading.now, limit=None)


@dataclass(frozen=True, slots=True)
class RenderedPage(Generic[T_co]):
    """A page as it was read.

    Attributes:
        value: what it shows, and its ``index.json`` holds.
        path: where it is.
        more: what else its template takes.
        refresh_s: after so many seconds a browser asks again by itself, 0 for never.
    """

    value: T_co
    path: str
    more: Mapping[str, Any] = field(default_factory=dict)
    refresh_s: int = 0


@dataclass(frozen=True, slots=True)
class Owned:
    """Whose something is, and in which league; "" for none in particular."""

    owner: str
    league: str


OwnerOf: TypeAlias = Callable[[Reading, Query], Owned]
"""Reads, as everybody sees it, whose the thing is that an address names; raises NotFound if there is no such thing."""

Who: TypeAlias = Literal["everybody", "account", "author", "helper", "organiser"]
"""Whoever comes along; whoever is logged in; whoever has this role or a later one."""


@dataclass(frozen=True, slots=True)
class AccessRule:
    """Who may use an address.

    Attributes:
        who: with a session, in the league that the address names if it does.
        scopes: with a token, which has one of these and belongs to somebody who may; none for no token.
        owner: it names something that is a team's own: besides, only that team may; whoever sees everything may look.
        is_for_machine: it is for who runs the machine: programs on it, and organisers of all that is on it.
    """

    who: Who
    scopes: tuple[Scope, ...] = ()
    owner: OwnerOf | None = None
    is_for_machine: bool = False

    @property
    def is_own(self) -> bool:
        """Whether it names something that is a team's own."""
        return self.owner is not None


EVERYBODY = AccessRule("everybody", ("submit", "read-own", "organise"))

Form: TypeAlias = Literal["html", "json", "events", "csv"]

NAMES: Mapping[Form, str] = {"html": "", "json": "index.json", "events": "events", "csv": "table.csv"}
"""Each form of a page, by its address below the page's own."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A page.

    Attributes:
        path: its address, with names in braces for what differs.
        template: its file.
        read: reads it.
        rule: who may look; it is never left out by mistake, so it has no default.
        query: what may restrict it; whatever else stands in an address is not looked at.
        is_for_browsers: a token reads its objects alone.
        is_kept: a server keeps it for a moment; else it is read for each request.
        csv: makes the whole list of it.
        published: reads all of it that a published site holds; None for nothing.
    """

    path: str
    template: str
    read: Callable[[Reading, Query], RenderedPage[T]]
    rule: AccessRule
    query: tuple[str, ...] = LIST_QUERY
    is_for_browsers: bool = False
    is_kept: bool = True
    csv: Callable[[Reading, Query], bytes] | None = None
    published: Callable[[Publication], Iterable[RenderedPage[T]]] | None = None

    @property
    def is_private(self) -> bool:
        """Whether it is read for each visitor alone, and followed by no stream."""
        return self.rule != EVERYBODY

    def addresses(self) -> Iterator[tuple[Form, str, AccessRule]]:
        """Yield its forms, where they are, and who may look there."""
        forms: list[Form] = ["html", "json"]
        forms += [] if self.is_private else ["events"]
        forms += [] if self.csv is None else ["csv"]
        for form in forms:
            rule = replace(self.rule, scopes=()) if self.is_for_browsers and form == "html" else self.rule
            yield form, self.path + NAMES[form], rule
