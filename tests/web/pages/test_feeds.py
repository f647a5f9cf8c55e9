"""Atom feeds of leagues and bots: valid documents, on servers and in published sites, whatever strangers write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree as ET

from botleague.application.pages import Feed, FeedEntry
from botleague.site.atom import FEED_TYPE, atom
from botleague_storage import announcements
from botleague_storage import leagues as stored_leagues

from ..conftest import Command, Open

ATOM = "{http://www.w3.org/2005/Atom}"


class Content(HTMLParser):
    """Collects the elements and the text of an entry."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not attrs
        self.elements.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(document: bytes) -> ET.Element:
    """Return a feed after checking the elements that RFC 4287 requires."""
    feed = ET.fromstring(document)
    assert feed.tag == f"{ATOM}feed"
    ids = [one.text or "" for one in feed.iter(f"{ATOM}id")]
    assert len(set(ids)) == len(ids), "an id twice"
    assert all(re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", one) for one in ids)
    for element in (feed, *feed.iter(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"{ATOM}{name}")) == 1, name
        time = element.findtext(f"{ATOM}updated") or ""
        assert datetime.fromisoformat(time).tzinfo is not None
        links = [(one.get("rel"), one.get("type"), one.get("href")) for one in element.findall(f"{ATOM}link")]
        assert len({link[:2] for link in links}) == len(links) > 0
    assert feed.findtext(f"{ATOM}author/{ATOM}name")
    for one in feed.iter(f"{ATOM}content"):
        assert one.get("type") == "html"
        assert Content(one.text or "").elements <= {"ul", "li", "p"}
    times = [one.findtext(f"{ATOM}updated") or "" for one in feed.iter(f"{ATOM}entry")]
    assert times == sorted(times, reverse=True)
    return feed


def titles(feed: ET.Element) -> list[str]:
    return [one.findtext(f"{ATOM}title") or "" for one in feed.iter(f"{ATOM}entry")]


def hrefs(feed: ET.Element) -> Iterator[str]:
    yield from (one.get("href") or "" for one in feed.iter(f"{ATOM}link"))


def test_hostile_text_stays_text_in_a_feed(nasty: tuple[str, ...]) -> None:
    entries = [
        FeedEntry(f"urn:uuid:{at:036}", text, [text, text], float(at), f":{text}", 1)
        for at, text in reversed(list(enumerate(nasty)))
    ]
    for name in nasty:
        feed = parsed(atom(Feed(f"urn:uuid:{99:036}", name or "a", name, 99.0, entries), "p/", "/{}".format))
        expected = [re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f]", "\ufffd", text) for text in reversed(nasty)]
        # XML reads an end of line as one character.
        assert titles(feed) == [text.replace("\r\n", "\n") for text in expected]
        texts = [Content(one.text or "").text for one in feed.iter(f"{ATOM}content")]
        assert texts == [2 * text.replace("\r\n", "\n") for text in expected]


def test_pages_link_to_feeds_of_league_and_bot(open_site: Open, nasty: tuple[str, ...]) -> None:
    with open_site.database.writing() as connection:
        cup = stored_leagues.find(connection, "cup").id
        for at, text in enumerate(nasty):
            announcements.add(connection, cup, text, 4e9 + at)
    feeds: dict[str, None] = {}
    for path in ("/leagues/cup/", "/leagues/cup/seasons/1/matches/", "/leagues/cup/seasons/1/bots/lucky/"):
        text = open_site.ask("GET", path)[2]
        links = re.findall(r'<link rel="alternate" type="application/atom\+xml" href="([^"]+)"', text)
        assert links[0] == "/leagues/cup/feed.xml"
        feeds |= dict.fromkeys(links)
    assert list(feeds) == ["/leagues/cup/feed.xml", "/leagues/cup/seasons/1/bots/lucky/feed.xml"]
    for path in feeds:
        status, headers, text = open_site.ask("GET", path)
        assert (status, headers.get_content_type()) == (200, FEED_TYPE)
        feed = parsed(text.encode())
        for href in hrefs(feed):
            assert open_site.ask("GET", urlsplit(urljoin(path, href)).path)[0] == 200, href
        is_bot = "bots" in path
        assert any("matches of" in one for one in titles(feed))
        assert any(one.startswith("New bot lucky in cup") for one in titles(feed))
        assert any(one.startswith("New bot five") for one in titles(feed)) != is_bot
        assert any(one.startswith("Announcement") for one in titles(feed)) != is_bot
    assert open_site.ask("GET", "/leagues/cup/seasons/1/bots/nobody/feed.xml")[0] == 404
    assert open_site.ask("GET", "/leagues/nowhere/feed.xml")[0] == 404


def test_published_site_has_the_same_feeds(published: Path) -> None:
    site = published / "site"
    feeds = sorted(site.rglob("feed.xml"))
    bots = [one for one in feeds if "bots" in one.parts]
    assert len(feeds) > len(bots) == len(list(site.glob("leagues/*/seasons/*/bots/*/index.html"))) > 0
    for place in feeds:
        for href in hrefs(parsed(place.read_bytes())):
            assert (place.parent / href.replace("%20", " ")).resolve().is_file(), href
    page = (site / "leagues/cup/seasons/1/bots/lucky/index.html").read_text()
    assert 'href="../../../../../../leagues/cup/feed.xml"' in page
    assert 'bots/lucky/feed.xml"' in page


def test_feed_continues_through_a_new_season(
    leagues: Path, command: Command, open_server: type[Open]
) -> None:
    command(
        leagues, "publish", "cup", "--out", "site", "--public-url", "https://cup.example", "--matches", "none"
    )
    before = parsed((leagues / "site/leagues/cup/feed.xml").read_bytes())
    assert all(href.startswith("https://cup.example/leagues/cup/") for href in hrefs(before))
    command(leagues, "season", "new", "cup")
    server = open_server(leagues)
    for path in ("/leagues/cup/feed.xml", "/leagues/cup/seasons/1/bots/lucky/feed.xml"):
        after = parsed(server.fetch(path))
        assert any("matches of" in title and title.endswith("cup") for title in titles(after)), path
        is_bot = "bots" in path
        assert (after.findtext(f"{ATOM}id") == before.findtext(f"{ATOM}id")) != is_bot
        if not is_bot:
            assert titles(after) == titles(before), "a version keeps its entry"
    server.end()
