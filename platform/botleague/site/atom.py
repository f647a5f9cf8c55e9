"""Feeds as Atom documents. Source: RFC 4287, The Atom Syndication Format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

from botleague.application.pages import ANNOUNCEMENTS, RESULTS, Feed, FeedEntry
from botleague.site import urls
from botleague.site.text_filters import iso
from botleague.version import __version__

NAME = "feed.xml"
"""Address of a feed below the address of its page."""

FEED_TYPE = "application/atom+xml"

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document can contain, not even escaped. Source: XML 1.0, production 2."""


def atom(feed: Feed, path: str, address: Callable[[str], str]) -> bytes:
    """Return a feed as a document.

    Args:
        path: of the page that the feed belongs to.
        address: returns the link to the page at a path.
    """
    return "".join(f"{line}\n" for line in _document(feed, path, address)).encode()


def _document(feed: Feed, path: str, address: Callable[[str], str]) -> Iterator[str]:
    title = f"{feed.bot} in {feed.league}" if feed.bot else feed.league
    yield '<?xml version="1.0" encoding="utf-8"?>'
    yield '<feed xmlns="http://www.w3.org/2005/Atom">'
    yield f"<id>{feed.id}</id>"
    yield f"<title>{_text(title)}</title>"
    yield f"<updated>{iso(feed.at)}</updated>"
    yield f"<author><name>{_text(feed.league)}</name></author>"
    yield f'<generator version="{__version__}">botleague</generator>'
    yield f'<link rel="self" type="{FEED_TYPE}" href="{_text(address(path).removesuffix("index.html"))}{NAME}"/>'
    yield f'<link rel="alternate" type="text/html" href="{_text(address(path))}"/>'
    for one in feed.entries:
        # A list as HTML: plain text would lose its line breaks.
        item = "li" if len(one.lines) > 1 else "p"
        lines = "".join(f"<{item}>{escape(line)}</{item}>" for line in one.lines)
        content = f"<ul>{lines}</ul>" if item == "li" else lines
        yield "<entry>"
        yield f"<id>{one.id}</id>"
        yield f"<title>{_text(one.title)}</title>"
        yield f"<updated>{iso(one.at)}</updated>"
        yield f'<link rel="alternate" type="text/html" href="{_text(address(_page(feed.league, one)))}"/>'
        yield f'<content type="html">{_text(content)}</content>'
        yield "</entry>"
    yield "</feed>"


def _page(league: str, entry: FeedEntry) -> str:
    if entry.subject == ANNOUNCEMENTS:
        return urls.announcements(league)
    if entry.subject == RESULTS:
        return urls.part(league, entry.season, "matches")
    return urls.bot(league, entry.season, entry.subject[1:])


def _text(text: str) -> str:
    """Return a text escaped for elements and attributes."""
    return escape(_FORBIDDEN.sub("\ufffd", text))
