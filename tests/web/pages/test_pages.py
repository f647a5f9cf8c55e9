"""Pages in a browser: published and served ones, while a league runs and with hostile names."""

from __future__ import annotations

import html
import itertools
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from ...conftest import PATIENCE_S
from ..conftest import violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route

Command = Callable[..., subprocess.CompletedProcess[str]]
Contexts = Callable[..., "BrowserContext"]
Until = Callable[..., None]

PROGRAM = [sys.executable, "-c", "from botleague.cli import main; main()"]

PLATFORM = Path(__file__).parents[3] / "platform"
TEMPLATES = (PLATFORM / "botleague/site/templates", PLATFORM / "botleague_server/templates")
PLUGIN = Path(__file__).parents[2] / "platform" / "plugin" / "guessing.py"

GATED = """

import time

BOTS = Path({bots!r})

def gated(self, state, replies, rng, apply=Guessing.apply):
    while state.turn >= int(Path(__file__).with_name("gate").read_text()):
        time.sleep(0.01)
    return apply(self, state, replies, rng)

Guessing.apply = gated
"""
"""Lets as many turns be played as a file says."""

CUP = "leagues/cup/seasons/1/"
PAGES = (
    "",
    "about/",
    "variants/",
    "variants/guessing/",
    "leagues/cup/",
    CUP,
    f"{CUP}cross-table/",
    f"{CUP}bracket/",
    f"{CUP}matches/",
    f"{CUP}queue/",
    f"{CUP}bots/lucky/",
    "leagues/ko/seasons/1/bracket/",
    f"{CUP}matches/2/",
)

DIFFERENT = (CUP, "leagues/ko/seasons/1/bracket/", f"{CUP}matches/2/")
"""Pages that look different without scripts."""


class Served:
    """A server in a process of its own."""

    def __init__(self, folder: Path, port: int = 0, *options: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, "serve", "--port", str(port), *options],
            cwd=folder,
            env={**os.environ, "HOME": str(folder), "NO_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("Serving "), line + (self.process.stderr.read() if self.process.stderr else "")
        self.url = line.split()[1]
        self.port = int(self.url.rstrip("/").rsplit(":", 1)[1])

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, errors


@contextmanager
def serving(folder: Path, port: int = 0, *options: str) -> Iterator[Served]:
    server = Served(folder, port, *options)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.end(signal.SIGKILL)


def get(url: str, **headers: str) -> tuple[int, Any, bytes]:
    """Return status, headers and content, whatever the status."""
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=headers), timeout=PATIENCE_S
        ) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


def serious(page: Page) -> list[str]:
    """What axe finds that keeps people out."""
    return [
        f"{one['id']} at {one['nodes'][0]['html'][:120]}"
        for one in violations(page)
        if one["impact"] in ("serious", "critical")
    ]


Look = tuple[int, Literal["light", "dark"]]

WIDTHS = (360, 768, 1440, 1920)
"""Widths of windows in pixels: phone, tablet, laptop and projector."""

FITS = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"

LOOKS: list[Look] = [(width, scheme) for width in WIDTHS for scheme in ("light", "dark")]


def look_at(page: Page, address: str, path: str, look: Look) -> None:
    """Go to a page and judge it; a tab that has shown one before takes a third of a new one's time.

    It must fit into windows of all widths. Axe takes most of the time: it sees the page only in one ``look``.
    """
    from playwright.sync_api import TimeoutError as Late

    width, scheme = look
    page.emulate_media(color_scheme=scheme)
    page.goto(address)
    assert page.locator("h1").count() == 1, path
    assert len(page.locator("main").inner_text()) > 20, path
    for each in (320, *WIDTHS):
        page.set_viewport_size({"width": each, "height": 800})
        try:  # the player draws itself again after the window has changed
            page.wait_for_function(FITS, timeout=20_000)
        except Late:
            pytest.fail(f"{path} is wider than a window of {each} pixels")
    page.set_viewport_size({"width": width, "height": 800})
    assert serious(page) == [], f"{path}, {width} pixels, {scheme}"


def test_numbers_of_bots_and_turns_have_a_singular() -> None:
    templates = [path for folder in TEMPLATES for path in folder.glob("*.html")]
    assert len(templates) > 40
    plural = re.compile(r"(?<!of ){{ [^{}]*\|number }} (bot|turn)s")
    assert [path.name for path in templates if plural.search(path.read_text())] == []


@pytest.mark.chromium
def test_short_page_ends_at_the_bottom_of_the_window(published: Path, new_context: Contexts) -> None:
    page = new_context(viewport={"width": 1280, "height": 1000}).new_page()
    page.goto(f"file://{published}/site/{CUP}queue/index.html")
    footer = page.locator("footer.site").bounding_box()
    assert footer is not None
    assert footer["y"] + footer["height"] == pytest.approx(1000, abs=1)


@pytest.mark.chromium
def test_every_page_of_a_published_site_renders_from_a_disk(published: Path, new_context: Contexts) -> None:
    page = new_context().new_page()
    telephone = {"width": 360, "height": 740}
    without_scripts = new_context(java_script_enabled=False, viewport=telephone).new_page()
    for path, look in zip(PAGES, itertools.cycle(LOOKS), strict=False):
        address = f"file://{published}/site/{path}index.html"
        look_at(page, address, path, look)
        without_scripts.goto(address)
        assert len(without_scripts.locator("main").inner_text()) > 20, path
        assert without_scripts.evaluate(FITS), path
    # Axe is a script itself: here the page's own scripts are empty.
    page.route("**/*.js*", lambda route: route.fulfill(body="", content_type="text/javascript"))
    for path in DIFFERENT:
        page.goto(f"file://{published}/site/{path}index.html")
        assert serious(page) == [], f"{path} without scripts"
    page.unroute("**/*.js*")
    page.goto(f"file://{published}/site/{CUP}matches/2/index.html")
    page.locator(".bl-player canvas").first.wait_for()
    page.goto(f"file://{published}/site/{CUP}matches/index.html?bot=lucky&opponent=five")
    rows = page.locator("table.matches tbody tr:visible")
    assert 0 < rows.count() < page.locator("table.matches tbody tr").count()
    assert all("lucky" in row and "five" in row for row in rows.all_inner_texts())


@pytest.mark.chromium
def test_menu_leads_everywhere_and_fits_a_telephone(
    leagues: Path, published: Path, new_context: Contexts
) -> None:
    context = new_context(viewport={"width": 360, "height": 740}, java_script_enabled=False)
    page = context.new_page()
    menu = page.get_by_role("navigation", name="Site").get_by_role("link")
    page.goto(f"file://{published}/site/{CUP}matches/2/index.html")
    assert menu.all_inner_texts() == ["Leagues", "Games"], "nothing is live in a folder"
    page.get_by_role("link", name="Games").click()
    assert menu.last.get_attribute("aria-current") == "page"
    page.get_by_role("link", name="guessing", exact=True).click()
    assert page.locator("h1").inner_text() == "guessing"
    page.get_by_role("link", name="Leagues").first.click()
    page.get_by_role("heading", name="cup", exact=True).wait_for()
    with serving(leagues) as server:
        page.goto(server.url)
        assert menu.all_inner_texts() == ["Leagues", "Live", "Games"]
        for link in menu.all():
            box = link.bounding_box()
            assert box is not None
            assert box["height"] >= 40
        page.get_by_role("link", name="Live").click()
        page.get_by_text("No league is being played.").wait_for()
        assert page.evaluate(FITS)
        page.get_by_role("link", name="Games").click()
        assert page.evaluate(FITS)
        assert "Also installed" in page.locator("main").inner_text()
        page.close()


@pytest.mark.chromium
def test_telephone_shows_what_ranks_and_the_newest_match(published: Path, new_context: Contexts) -> None:
    page = new_context(viewport={"width": 390, "height": 844}).new_page()
    page.goto(f"file://{published}/site/{CUP}index.html")
    table = page.locator("table.table")
    for column in ("Points", "Newest"):
        box = table.locator("thead th", has_text=column).bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390
    assert not table.locator("thead th", has_text="Rating").is_visible()
    assert table.locator("a.watch").first.get_attribute("title")
    assert page.locator(".names .value").first.is_visible()


@pytest.mark.chromium
def test_long_name_in_a_sentence_fits_a_telephone(published: Path, new_context: Contexts) -> None:
    page = new_context(viewport={"width": 360, "height": 740}).new_page()
    page.goto((published / "site/leagues/ko/seasons/1/bracket/index.html").as_uri())
    for text in ("p.note", ".facts span"):
        page.locator(text).first.evaluate("text => text.textContent = 'W'.repeat(64)")
        assert page.evaluate(FITS), text


@pytest.mark.chromium
def test_long_name_leaves_room_for_that_of_the_opponent(published: Path, new_context: Contexts) -> None:
    page = new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto((published / "site/index.html").as_uri())
    names = page.locator(".hero .results li").first.locator("a.bot")
    for name, text in zip(names.all(), ("W" * 64, "rival"), strict=False):
        name.evaluate("(name, text) => name.replaceChildren(text)", text)
    is_whole = "name => name.scrollWidth <= name.clientWidth"
    assert [name.evaluate(is_whole) for name in names.all()[:2]] == [False, True]


@pytest.mark.chromium
def test_long_name_stays_in_its_card_of_a_round(published: Path, new_context: Contexts) -> None:
    page = new_context(viewport={"width": 768, "height": 800}).new_page()
    page.goto((published / f"site/{CUP}bracket/index.html").as_uri())
    card = page.locator(".meetings-grid li").first
    card.locator(".bot").first.evaluate("name => name.replaceChildren('W'.repeat(64))")
    for media in ("screen", "print"):
        page.emulate_media(media=media)
        assert card.evaluate("card => card.scrollWidth <= card.clientWidth"), media


@pytest.mark.chromium
def test_still_of_a_league_plays_while_its_card_has_the_focus(published: Path, new_context: Contexts) -> None:
    page = new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto((published / "site" / "index.html").as_uri())
    frames = page.locator(".card iframe")
    assert frames.count() == 0, "no replay is loaded before"
    page.locator(".card h2 a").first.focus()
    board = page.frame_locator(".card iframe").locator("canvas.bl-canvas")
    board.wait_for()
    assert not page.frame_locator(".card iframe").get_by_role("button", name="Pause").is_visible()
    page.locator(".brand").focus()
    frames.wait_for(state="detached")


@pytest.mark.chromium
def test_every_page_of_a_server_renders_with_its_headers_and_objects(
    leagues: Path, new_context: Contexts, until: Until
) -> None:
    with serving(leagues) as server:
        page = new_context(viewport={"width": 1280, "height": 800}).new_page()
        # A film is made meanwhile, and comes into the open page by itself, which is loaded anew for it.
        page.goto(f"{server.url}{CUP}matches/2/")
        page.locator(".bl-player canvas").first.wait_for()
        # Each page in another width and in the other scheme than from a disk.
        for path, look in zip(PAGES, itertools.cycle(reversed(LOOKS)), strict=False):
            look_at(page, server.url + path, path, look)
            status, headers, content = get(f"{server.url}{path}index.json")
            assert (status, headers["content-type"]) == (200, "application/json")
            assert json.loads(content)
            status, headers, _ = get(server.url + path)
            assert "default-src 'none'" in headers["content-security-policy"]
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert get(server.url + path, **{"If-None-Match": headers["etag"]})[0] in (200, 304)
        # The picture of a variant comes by itself, too, beside how its bots are written.
        # A script that is late keeps nothing from it.
        late: list[Route] = []
        page.route("**/hx-sse.min.js*", lambda route: late.append(route))
        with page.expect_request("**/hx-sse.min.js*"):
            page.goto(f"{server.url}variants/pelita/", wait_until="commit")
        until(page, "window.htmx")
        page.evaluate("new Promise(done => setTimeout(done))")
        late[0].continue_()
        page.locator("figure.still svg").wait_for()
        assert (
            page.locator("figure.still text").first.evaluate("text => getComputedStyle(text).fontSize")
            == "0.42px"
        )
        interface = json.loads(get(f"{server.url}variants/pelita/index.json")[2])["interface"]
        assert page.get_by_role("region", name="A complete bot").inner_text() == interface["example"].strip(
            "\n"
        )
        assert all(item["meaning"] in page.locator("main").inner_text() for item in interface["told"])
        assert serious(page) == []
        page.close()  # before the server: it would miss it


def test_missing_or_foreign_page_is_reported_without_a_traceback(leagues: Path) -> None:
    with serving(leagues, 0, "--league", "cup") as server:
        for path, status in {
            "nowhere/": 404,
            "leagues/nobody/": 404,
            "leagues/ko/": 404,
            f"{CUP}bots/nobody/": 404,
            "leagues/cup/seasons/9/": 404,
            "leagues/cup/seasons/99999999999999999999/": 404,
            f"{CUP}matches/999999/": 404,
            f"{CUP}matches/0/": 404,
            f"{CUP}matches/one/": 404,
            "leagues/nobody/matches/1/": 404,
            "matches/1/": 404,
            "matches/999999/": 404,
            "matches/one/": 404,
            "variants/nothing/": 404,
            f"{CUP}matches/?fault=nothing": 400,
            f"{CUP}matches/?before=x": 404,
            f"{CUP}matches/?bot=nobody": 404,
            "static/../server.py": 404,
        }.items():
            answered, headers, content = get(server.url + path)
            assert answered == status, path
            assert b"Traceback" not in content
            assert headers["content-security-policy"].startswith("default-src 'none'"), path
        assert get(server.url, Host="evil.example")[0] == 421
        assert get(server.url, Host=f"localhost:{server.port}")[0] == 200
        assert b"ko" not in get(f"{server.url}index.json")[2].replace(b"unknown", b"")
        status, headers, content = get(f"{server.url}llms.txt")
        assert (status, headers["content-type"]) == (200, "text/plain; charset=utf-8")
        assert b"(leagues/cup/index.json)" in content
        assert b"leagues/ko/" not in content
        assert b"botleague submit NAME --variant VARIANT --server --json" in content
        assert b"A COMPLETE BOT" in get(f"{server.url}variants/pelita/brief.md")[2]
        assert server.end() == (130, "")


@pytest.mark.chromium
def test_hostile_names_stay_texts_on_every_page(
    leagues: Path,
    command: Command,
    new_context: Contexts,
    nasty: tuple[str, ...],
    wait_until: Callable[..., bool],
) -> None:
    names = [f"bot-{number}" for number in range(9)]
    for number, name in enumerate(names):
        (leagues / f"{name}.py").write_text(f"def move(observation): return {number}\n")
    command(leagues, "run", "guessing", *(f"{name}.py" for name in names), "--league", "many", "--seats", "2")
    database = sqlite3.connect(leagues / "league.db")
    numbers = [row[0] for row in database.execute("select id from bot where name like 'bot-%'")]
    context = new_context()
    page = context.new_page()
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    database.execute("update league set name = ? where name = 'many'", (nasty[0],))
    with serving(leagues) as server:
        for first in range(0, len(nasty), len(names)):
            chosen = (nasty * 2)[first : first + len(names)]
            for number, name in zip(numbers, chosen, strict=True):
                database.execute("update bot set name = ?, owner = ? where id = ?", (name, name, number))
            database.commit()
            expected = {as_parsed(name) for name in chosen}
            page.goto(server.url)
            address = page.evaluate(
                "name => [...document.querySelectorAll('main h2 a')].find(one => one.textContent === name).href",
                nasty[0],
            )
            for part in ("", "cross-table/", "bracket/", "matches/"):
                # A page that was just read is answered as it was then; one of a season that is over stays so.
                assert wait_until(server.process, partial(names_all, address + part, expected)), part
                page.goto(address + part)
                linked = page.locator("main a.bot")
                assert set(linked.evaluate_all("all => all.map(one => one.textContent)")) == expected, part
            for link in linked.evaluate_all("all => [...new Set(all.map(one => one.href))]"):
                page.goto(link)
                assert page.locator("h1").text_content() in expected
            assert page.evaluate("window.harmed") is None
            assert page.locator("main script, main iframe, main img").count() == 0
        page.close()  # before the server: it would miss it


def names_all(address: str, names: Collection[str]) -> bool:
    text = as_parsed(html.unescape(get(address)[2].decode()))
    return all(name in text for name in names)


def as_parsed(text: str) -> str:
    """A text as a browser has it when it has read it from HTML."""
    return text.replace("\x00", "").replace("\r\n", "\n")


@pytest.mark.chromium
def test_standings_follow_a_league_and_survive_its_server(
    leagues: Path, browser: Browser, command: Command, until: Until
) -> None:
    command(leagues, "run", "guessing", "--league", "live", "--seeded-by", "cup", "--rounds", "1")
    # Not of the fixture that wants silence: a browser tells of a server that is away.
    context = browser.new_context()
    context.set_default_timeout(1000 * PATIENCE_S)
    page = context.new_page()
    server = Served(leagues)
    try:
        page.goto(f"{server.url}leagues/cup/")
        until(page, "document.querySelector('main[data-live]')")
        page.evaluate("window.stayed = true")
        before = page.locator("table.table").inner_text()
        run = subprocess.Popen(
            [*PROGRAM, "organise", "disqualify", "cup", "five", "--reason", "a test"],
            cwd=leagues,
            stdout=subprocess.DEVNULL,
        )
        until(page, "document.querySelector('table.table').innerText !== given", before)
        assert run.wait() == 0
        page.locator("table.table .chip", has_text="disqualified").wait_for()
        assert server.end(signal.SIGKILL)[0] == -signal.SIGKILL
        command(leagues, "organise", "reinstate", "cup", "five")
        server = Served(leagues, server.port)
        page.locator("table.table .chip", has_text="disqualified").wait_for(state="detached")
        assert page.evaluate("window.stayed")
        assert server.end() == (130, ""), "it does not wait for the end of this page's stream"
    finally:
        context.close()
        if server.process.poll() is None:
            server.end(signal.SIGKILL)


@pytest.fixture
def gated(tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Begins a runner of a league of two matches, of which a file says how many turns are played."""
    content = PLUGIN.read_text() + GATED.format(bots=str(PLUGIN.parent / "guessing_bots"))
    (tmp_path / "guessing.py").write_text(content)
    (tmp_path / "botleague.toml").write_text("database = 'league.db'\nplugins = ['guessing.py']\njobs = 1\n")
    runners: list[subprocess.Popen[bytes]] = []

    def begin() -> subprocess.Popen[bytes]:
        command = [*PROGRAM, "run", "guessing", "five", "lucky", "--league", "cup"]
        runners.append(subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL))
        return runners[-1]

    yield begin
    for runner in runners:
        runner.kill()
        runner.wait()


def open_gate(folder: Path, turns: int) -> None:
    new = folder / "gate.new"
    new.write_text(str(turns))
    new.rename(folder / "gate")


@pytest.mark.chromium
def test_live_view_survives_killed_processes(
    tmp_path: Path,
    gated: Callable[[], subprocess.Popen[Any]],
    browser: Browser,
    wait_until: Callable[..., bool],
) -> None:
    open_gate(tmp_path, 2)
    runner = gated()
    assert wait_until(runner, (tmp_path / "league.db").exists)
    # Not of the fixture that wants silence: a browser tells of a server that is away.
    context = browser.new_context()
    context.set_default_timeout(1000 * PATIENCE_S)
    server = Served(tmp_path)
    try:
        assert wait_until(runner, lambda: get(f"{server.url}{CUP}matches/1/")[0] == 200)
        page = context.new_page()

        def shows(turns: int) -> None:
            page.get_by_text(f"{turns} / {turns}", exact=True).wait_for()

        page.goto(f"{server.url}{CUP}matches/1/")
        page.locator(".state.playing").wait_for()
        on_air = context.new_page()
        on_air.goto(f"{server.url}live/")
        assert on_air.get_by_role("link", name="watch").get_attribute("href") == f"/{CUP}matches/1/"
        on_air.close()
        # Nobody looks for watchers in the middle of a turn, and at this gate a turn may last.
        assert wait_until(runner, (tmp_path / "league.db-watch" / "1").exists)
        open_gate(tmp_path, 4)
        shows(4)
        page.evaluate("window.stayed = true")
        # Another server finds the match where it is, and the page finds that server.
        server.end(signal.SIGKILL)
        server = Served(tmp_path, server.port)
        open_gate(tmp_path, 5)
        shows(5)
        # Who looks at an earlier turn goes on looking at it; who comes later sees all.
        page.keyboard.press("Home")
        late = context.new_page()
        late.goto(f"{server.url}{CUP}matches/1/")
        late.get_by_text("5 / 5", exact=True).wait_for()
        late.goto(server.url)
        late.locator(".hero").get_by_text("5 / 5", exact=True).wait_for()
        late.close()
        page.get_by_text("0 / 5", exact=True).wait_for()
        page.keyboard.press("End")
        # The match begins anew, and is told anew.
        runner.kill()
        runner.wait()
        open_gate(tmp_path, 3)
        runner = gated()
        shows(3)
        table = context.new_page()
        table.goto(f"{server.url}{CUP}")
        table.locator(".state.playing").wait_for()
        table.evaluate("window.stayed = true")
        open_gate(tmp_path, 6)
        page.locator("text=Play it again").wait_for()
        page.locator(".bl-player[data-film] canvas").first.wait_for()
        shows(6)
        assert page.evaluate("window.stayed")
        # The table of the league fills while it is looked at.
        table.locator(".state.complete").wait_for()
        assert table.evaluate("window.stayed")
        assert runner.wait() == 0
        assert server.end() == (130, "")
        assert not (tmp_path / "league.db-watch").exists()
    finally:
        context.close()
        if server.process.poll() is None:
            server.end(signal.SIGKILL)


@pytest.mark.chromium
def test_page_that_missed_the_end_of_a_match_follows_the_next(
    tmp_path: Path,
    gated: Callable[[], subprocess.Popen[Any]],
    browser: Browser,
    until: Until,
    wait_until: Callable[..., bool],
) -> None:
    open_gate(tmp_path, 2)
    runner = gated()
    assert wait_until(runner, (tmp_path / "league.db").exists)
    # Not of the fixture that wants silence: a browser tells of a match that is not played.
    context = browser.new_context()
    context.set_default_timeout(1000 * PATIENCE_S)
    server = Served(tmp_path)
    try:
        assert wait_until(runner, lambda: get(f"{server.url}{CUP}matches/1/")[0] == 200)
        page = context.new_page()
        page.clock.set_fixed_time(10**9)  # the page cannot wait for a later look
        page.route("**/matches/1/live?*", lambda route: route.fulfill(status=404))
        page.goto(server.url)
        page.locator("[data-live-now]").evaluate("now => now.dataset.liveNow = '/matches/2/live'")
        swapped = "document.dispatchEvent(new Event('htmx:after:swap'))"
        followed = "document.querySelector('#live').dataset.liveFilm === '/matches/2/live'"
        until(page, f"{swapped} && {followed}")
    finally:
        context.close()
        server.end()
