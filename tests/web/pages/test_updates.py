"""Open pages after an update."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ...conftest import PATIENCE_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext


@pytest.mark.chromium
def test_first_page_shows_the_replay_that_its_heading_names(
    leagues: Path,
    browser: Browser,
    command: Callable[..., Any],
    open_server: Callable[..., Any],
    wait_until: Callable[..., bool],
) -> None:
    server = open_server(leagues)
    # Not of the fixture that wants silence: a browser reports streams that fail.
    context = browser.new_context()
    context.set_default_timeout(1000 * PATIENCE_S)
    try:
        page = context.new_page()
        page.route("**/events?*", lambda route: route.abort())
        assert wait_until(server.process, lambda: b'id="film"' in server.fetch("/"))
        page.goto(server.url)
        page.locator(".bl-player canvas").first.wait_for()
        command(leagues, "run", "guessing", "lucky", "five", "--league", "later")
        # The next update is the first one of this page, as after a while in the background.
        newest = (b">later/", b'id="film"')
        assert wait_until(server.process, lambda: all(part in server.fetch("/") for part in newest))
        page.unroute("**/events?*")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.locator("#hero-heading", has_text="later/").wait_for()
        page.locator(".bl-player canvas").first.wait_for()
        played = page.locator(".bl-player").evaluate(
            "root => root.botleague.reel.head.seats.map(seat => seat.name)"
        )
        assert sorted(played) == ["five", "lucky"]
    finally:
        context.close()
        server.end()


@pytest.mark.chromium
def test_page_of_a_match_shows_that_it_was_cancelled(
    leagues: Path,
    new_context: Callable[..., BrowserContext],
    command: Callable[..., Any],
    open_server: Callable[..., Any],
) -> None:
    command(leagues, "season", "new", "cup")
    server = open_server(leagues)
    try:
        page = new_context().new_page()
        page.goto(f"{server.url}leagues/cup/seasons/2/matches/1/")
        assert "2 matches to play" in page.locator("main").inner_text()
        command(leagues, "organise", "close", "cup", "--reason", "it rains")
        page.get_by_text("This match will not be played.").wait_for()
        text = page.locator("main").inner_text()
        assert not [wrong for wrong in ("to play", "not played yet", "Live:") if wrong in text]
        page.close()
    finally:
        server.end()


@pytest.mark.chromium
def test_open_pages_follow_to_the_next_season_and_out_of_sight(
    leagues: Path,
    browser: Browser,
    command: Callable[..., Any],
    open_server: Callable[..., Any],
    until: Callable[..., None],
) -> None:
    server = open_server(leagues)
    # Not of the fixture that wants silence: a browser reports a page that is not found.
    context = browser.new_context()
    context.set_default_timeout(1000 * PATIENCE_S)
    try:
        page, table = context.new_page(), context.new_page()
        table.goto(f"{server.url}leagues/cup/")
        command(leagues, "season", "new", "cup")
        until(table, "document.title === 'cup, season 2 · botleague'")
        page.goto(f"{server.url}leagues/cup/seasons/2/matches/1/")
        command(leagues, "organise", "calendar", "cup", "--freeze", "2026-01-01 00:00")
        page.get_by_text("No match 1 in 'cup, season 2'. Matches that are hidden now appear at").wait_for()
    finally:
        context.close()
        server.end()
