"""Links between pages: from the root of a server, or relative, so that a folder of files works anywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import quote, urlencode

import msgspec


class ServedLinks(msgspec.Struct, frozen=True):
    """Links of a server."""

    is_served = True

    def at(self, here: str) -> ServedLinks:
        """Return the same links for every page."""
        return self

    def page(self, path: str, **query: object) -> str:
        """Return the address of a page from the server's root; ``query`` filters its list, None for no filter."""
        return "/" + quote(path) + _query(query)

    def file(self, path: str) -> str:
        """Return the address of a file from the server's root."""
        return "/" + quote(path)

    def has(self, path: str) -> bool:
        """Return True, because a server has all pages."""
        return True


class PublishedLinks(msgspec.Struct, frozen=True):
    """Links of a folder of files.

    Attributes:
        here: path of the page that contains the links.
        is_published: returns whether a page is published.
    """

    here: str
    is_published: Callable[[str], bool]

    is_served = False

    def at(self, here: str) -> PublishedLinks:
        """Return the links of another page of the same folder."""
        return msgspec.structs.replace(self, here=here)

    def page(self, path: str, **query: object) -> str:
        """Return the relative address of a page; scripts on it read the query."""
        return self.file(path + "index.html") + _query(query)

    def file(self, path: str) -> str:
        """Return the relative address of a file."""
        return "../" * self.here.count("/") + quote(path)

    def has(self, path: str) -> bool:
        """Return whether the page is published."""
        return self.is_published(path)


Links: TypeAlias = ServedLinks | PublishedLinks
"""Links from one page to others."""


def _query(query: dict[str, object]) -> str:
    values = {name: str(value) for name, value in query.items() if value is not None}
    return f"?{urlencode(values)}" if values else ""
