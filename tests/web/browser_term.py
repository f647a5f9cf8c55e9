"""A term of six weeks with 30 authors, led in the browser alone. It takes minutes, so it is run by hand.

``pytest -s tests/web/browser_term.py`` prints what the organiser did, and how long each week took. Bots and weeks are
those of ``tests/e2e/running/test_term.py``, which plays the same term on the command line; authors upload from the web.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from tests.e2e.running.test_term import (
    BROKEN,
    COPIED,
    COPY,
    FAILING,
    LATE,
    MOVED_AWAY,
    RESUBMIT,
    STUDENTS,
    WEEKS,
    source,
)

from .conftest import PASSWORD, Command, Open

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

ROOT = Path(__file__).parents[2]

DESK = "leagues/cup/desk/"

UPLOAD = "/leagues/cup/hand-in/"

FORM = '--xyz\r\nContent-Disposition: form-data; name="{}"{}\r\n\r\n{}\r\n'


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Open]:
    """A new server that plays the test game."""
    plugin = ROOT / "tests" / "platform" / "plugin" / "guessing.py"
    (tmp_path / "botleague.toml").write_text(f"database = 'league.db'\nplugins = ['{plugin}']\njobs = 2\n")
    server = Open(tmp_path, "--play")
    yield server
    server.end()


class Organiser:
    """The organiser at the browser; counts pages that are opened and forms that are sent."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.actions = 0
        self._url = url

    def open(self, path: str) -> None:
        """Open a page."""
        self.actions += 1
        self.page.goto(path if path.startswith("http") else f"{self._url}{path}")

    def click(self, name: str) -> None:
        """Follow a link, or send a form."""
        self.actions += 1
        button = self.page.get_by_role("button", name=name, exact=True)
        link = self.page.get_by_role("link", name=name, exact=True)
        (button if button.count() else link).first.click()

    def decide(self, title: str, page: str = "", **values: str) -> None:
        """Send a form of the organiser pages."""
        self.open(f"{DESK}{page}")
        form = self.page.locator(f"form:has(button:text-is('{title}'))").first
        if form.locator("xpath=ancestor::details").count():
            self.page.click(f"summary >> text=/^{title}$/")
        for name, value in values.items():
            field = form.locator(f"[name={name}]")
            if field.evaluate("field => field.tagName") == "SELECT":
                field.select_option(value)
            else:
                field.fill(value)
        self.actions += 1
        form.get_by_role("button").click()
        self.page.locator("[role=status]").wait_for()


def upload(server: Open, session: str, bot: str, text: str) -> int:
    """Send a bot as its author does; return the number of the upload."""
    body = FORM.format("bot", "", bot) + FORM.format("file", '; filename="bot.py"', text) + "--xyz--\r\n"
    how = {"Sec_Fetch_Site": "same-origin", "Content_Type": "multipart/form-data; boundary=xyz"}
    status, headers, answer = server.ask("POST", UPLOAD, body, Cookie=f"botleague={session}", **how)
    assert status == 303, answer[-2000:]
    return int(re.findall(r"/uploads/(\d+)/", headers["location"])[0])


def verdict(server: Open, session: str, number: int) -> str:
    """Wait for the verdict on an upload."""
    while True:
        text = server.ask("GET", f"/uploads/{number}/index.json", Cookie=f"botleague={session}")[2]
        state: str = json.loads(text)["state"]
        if state in ("accepted", "unchanged", "refused"):
            return state
        time.sleep(0.2)


def head(server: Open, league: str = "cup") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(server.fetch(f"/leagues/{league}/index.json"))["head"]
    return found


@pytest.mark.chromium
def test_term_of_six_weeks_in_the_browser(
    server: Open, new_context: Callable[..., BrowserContext], command: Command, tmp_path: Path
) -> None:
    assert server.process.stdout is not None
    link = re.findall(r"http\S+", server.process.stdout.readline())[0]
    ada = Organiser(new_context().new_page(), server.url)
    begun = time.monotonic()
    ada.open(link)
    ada.page.fill("[name=handle]", "ada")
    ada.page.fill("[name=password]", PASSWORD)
    ada.click("Create account")
    ada.click("Create a league")
    ada.click("guessing")
    ada.page.fill("[name=league]", "cup")
    ada.page.check("[value=swiss]")
    ada.click("Create league")
    ada.decide("Create invite", "people/", count=str(len(STUDENTS)))
    join = re.findall(r"/join/[\w-]+/", ada.page.inner_text("[role=status]"))[0]
    ada.decide("Save limits", gap="0", a_day="100")
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda one: server.post(join, handle=one, password=PASSWORD), STUDENTS))
    sessions = {handle: server.session(handle) for handle in STUDENTS}
    print(f"set up in {time.monotonic() - begun:.0f} s, {ada.actions} actions", flush=True)
    for week in range(1, WEEKS + 1):
        begun, actions = time.monotonic(), ada.actions
        sent = {
            author: upload(
                server,
                sessions[author],
                author,
                BROKEN.get(author) or FAILING.get(author) or source(author, week),
            )
            for author in STUDENTS
            if LATE.get(author, 1) == week or (LATE.get(author, 1) < week and author in RESUBMIT) or week == 1
            if LATE.get(author, 1) <= week
        }
        verdicts = {author: verdict(server, sessions[author], number) for author, number in sent.items()}
        refused = {author for author, state in verdicts.items() if state == "refused"}
        assert refused == (set(BROKEN) if week == 1 else set())
        ada.decide("Start next season", carry="0.75" if week > 1 else "")
        if week in MOVED_AWAY:
            ada.decide("Retire", bot=MOVED_AWAY[week], reason="moved")
        while head(server)["state"] != "complete":
            assert server.process.poll() is None
            time.sleep(0.3)
        if week == 4:
            ada.open(f"{DESK}likeness/")
            ada.actions += 1
            ada.page.locator("form button").first.click()
            ada.page.get_by_text(COPY).first.wait_for()
            for bot in (COPIED, COPY):
                ada.decide("Disqualify", bot=bot, reason="copied")
            log = json.loads(
                server.ask("GET", f"/{DESK}index.json", Cookie=f"botleague={server.session('ada')}")[2]
            )["log"]
            entry = next(
                one["number"] for one in log if one["event"] == "disqualified" and one["bot"] == COPIED
            )
            ada.decide("Undo a decision", entry=str(entry), reason="appeal")
        bots = {row["bot"]: row for row in json.loads(server.fetch("/leagues/cup/index.json"))["rows"]}
        assert {author for author in LATE if author in bots} == {
            one for one, first in LATE.items() if first <= week
        }
        print(
            f"week {week}: {len(sent)} uploads, {head(server)['done']} matches, {len(bots)} bots, "
            f"{ada.actions - actions} actions, {time.monotonic() - begun:.0f} s",
            flush=True,
        )
    assert {bots[bot]["version"] for bot in RESUBMIT} == {WEEKS}
    assert bots.keys().isdisjoint({COPY, *MOVED_AWAY.values()})
    begun = time.monotonic()
    ada.open("new-league/?variant=guessing")
    ada.page.fill("[name=league]", "finals")
    ada.page.check("[value=knockout]")
    ada.click("Create league")
    while head(server, "finals")["state"] != "complete":
        time.sleep(0.3)
    ada.open("leagues/finals/")
    print(f"final: {head(server, 'finals')['done']} matches, {time.monotonic() - begun:.0f} s", flush=True)
    status, _, feed = server.ask("GET", f"/leagues/{quote('cup')}/feed.xml")
    assert status == 200
    assert feed.count("<entry>") > WEEKS
    for league in ("cup", "finals"):
        command(tmp_path, "verify", league)
    print(f"{ada.actions} actions in all", os.getloadavg()[0], flush=True)
