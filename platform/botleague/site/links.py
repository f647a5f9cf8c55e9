"""Links from one page to another: from the root of a server, or relative, so that a folder of files works anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol
from urllib.parse import quote, urlencode


class Links(Protocol):
    """How one page links to others."""

    is_served: bool

    def at(self, here: str) -> Links:
        """Return how the page at a path links to others."""
        ...

    def page(self, path: str, **query: object) -> str:
        """Return the address of a page; ``query`` restricts what it lists, None for no restriction."""
        ...

    def file(self, path: str) -> str:
        """Return the address of a file."""
        ...

    def has(self, path: str) -> bool:
        """Whether there is such a page."""
        ...


@dataclass(frozen=True, slots=True)
class ServedLinks:
    """Links of a server."""

    is_served = True

    def at(self, here: str) -> ServedLinks:
        """All pages link alike."""
        return self

    def page(self, path: str, **query: object) -> str:
        """Return the address of a page from the server's root."""
        return "/" + quote(path) + _query(query)

    def file(self, path: str) -> str:
        """Return the address of a file from the server's root."""
        return "/" + quote(path)

    def has(self, path: str) -> bool:
        """All pages are there."""
        return True


@dataclass(frozen=True, slots=True)
class PublishedLinks:
    """Links of a folder of files.

    Attributes:
        here: the path of the page that links.
        known: whether a page is published.
    """

    here: str
    known: Callable[[str], bool]

    is_served = False

    def at(self, here: str) -> PublishedLinks:
        """Return how another page of the same folder links to others."""
        return replace(self, here=here)

    def page(self, path: str, **query: object) -> str:
        """Return the address of a page from this one; scripts read the query, where there are any."""
        return self.file(path + "index.html") + _query(query)

    def file(self, path: str) -> str:
        """Return the address of a file from this page."""
        return "../" * self.here.count("/") + quote(path)

    def has(self, path: str) -> bool:
        """Whether the page is published."""
        return self.known(path)


def _query(query: dict[str, object]) -> str:
    given = {name: str(value) for name, value in query.items() if value is not None}
    return f"?{urlencode(given)}" if given else ""
