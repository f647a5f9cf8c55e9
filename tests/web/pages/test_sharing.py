"""Links to matches on other sites, their pictures, and matches in frames of other pages."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

import msgspec
import pytest

from botleague.film import Film, can_make_cards, film
from botleague.film.link_card import MAX_BYTES, card_png, card_svg
from botleague.plugins import PluginHost
from botleague.referee import Record

from ..conftest import Command, Open

MATCH = "/leagues/cup/seasons/1/matches/1/"

needs_cards = pytest.mark.skipif(not can_make_cards(), reason="the extra `cards` is not installed")


@pytest.fixture(scope="module")
def server(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """A server with a public address."""
    folder = Path(shutil.copytree(played, tmp_path_factory.mktemp("shared") / "project"))
    server = Open(folder, "--public-url", "https://league.example.org")
    yield server
    server.end()


@pytest.fixture(scope="module")
def match(games: PluginHost, sample_match: Callable[..., Record]) -> Film:
    variant = games.variant("isolation-5x5")
    return film(sample_match(variant, ["ann", "bob"]), variant)


def described(page: str) -> dict[str, str]:
    """Return what a page says of itself to sites that link to it."""
    tags = re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)">', page)
    return {name: unescape(content) for name, content in tags}


def test_links_to_a_published_match_are_described(played: Path, tmp_path: Path, command: Command) -> None:
    shutil.copytree(played, tmp_path / "project")
    publish = ("publish", "cup", "--matches", "last:1", "--out")
    command(tmp_path / "project", *publish, "site", "--public-url", "https://u.example.org/bots/")
    (page,) = (tmp_path / "project/site/leagues/cup/seasons/1/matches").glob("*/index.html")
    tags = described(page.read_text())
    address = f"https://u.example.org/bots/leagues/cup/seasons/1/matches/{page.parent.name}/"
    assert tags["og:url"] == address
    assert tags["og:title"].endswith(" · cup")
    assert "guessing, round " in tags["og:description"]
    assert tags.get("og:image") == (f"{address}card.png" if can_make_cards() else None)
    assert (page.parent / "card.png").exists() == can_make_cards()
    league = described((tmp_path / "project/site/leagues/cup/index.html").read_text())
    assert (league["og:title"], league["twitter:card"]) == ("cup", "summary")
    assert "bots, " in league["og:description"]
    command(tmp_path / "project", *publish, "plain")
    assert list((tmp_path / "project/plain").rglob("card.png")) == []
    assert not any(described(page.read_text()) for page in (tmp_path / "project/plain").rglob("*.html"))
    command(tmp_path / "project", *publish, "blank", "--public-url", "https://u.example.org/our bots/%C3%BC")
    feed = (tmp_path / "project/blank/leagues/cup/feed.xml").read_text()
    assert 'href="https://u.example.org/our%20bots/%C3%BC/leagues/cup/index.html"' in feed
    for address, reason in (
        ("bots", "public_url must be an address"),
        ("https://u.example.org/bots?a=b", "the address of a folder, without ? and #"),
    ):
        assert reason in command(tmp_path / "project", *publish, "x", "--public-url", address, code=2).stderr


def test_only_an_embedded_match_may_be_framed(server: Open) -> None:
    for address, is_embedded in ((MATCH, False), (f"{MATCH}?embed", True), ("/leagues/cup/?embed", False)):
        status, headers, page = server.ask("GET", address)
        assert status == 200
        assert ("frame-ancestors *" in headers["Content-Security-Policy"]) == is_embedded
        assert (headers["X-Frame-Options"] is None) == is_embedded
        assert ('<html lang="en" class="embed">' in page) == is_embedded


def test_server_describes_links_and_makes_no_card_without_a_result(server: Open) -> None:
    tags = described(server.ask("GET", MATCH)[2])
    assert tags["og:url"] == f"https://league.example.org{MATCH}"
    assert ("og:image" in tags) == can_make_cards()
    assert server.ask("GET", MATCH.replace("/1/", "/999/") + "card.png")[0] == 404


@needs_cards
def test_first_request_for_a_card_waits_for_it(server: Open) -> None:
    card = server.fetch(f"{MATCH.replace('/matches/1/', '/matches/2/')}card.png")
    assert card.startswith(b"\x89PNG")


@needs_cards
def test_card_is_small_and_shows_text(match: Film) -> None:
    card = card_png(match, "cup · final")
    assert [int.from_bytes(card[at : at + 4], "big") for at in (16, 20)] == [1200, 630]
    assert 5000 < len(card) <= MAX_BYTES
    assert card != card_png(match, "cup · semifinal")


def test_texts_of_strangers_stay_text_and_inside(match: Film, nasty: tuple[str, ...]) -> None:
    for name in (*nasty, "W" * 64):
        seats = tuple(msgspec.structs.replace(seat, name=name) for seat in match.seats)
        picture = card_svg(msgspec.structs.replace(match, seats=seats), name)
        assert "<image" not in picture
        assert "<script" not in picture
    assert re.findall(r">(W+…)</text>", picture), "cut to the room it has"
    assert not re.findall(r">W{30,}…?</text>", picture)
