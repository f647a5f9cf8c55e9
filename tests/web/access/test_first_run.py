"""First run of a server: a link for the first organiser, and a league made in the browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from botleague_server.accounts.account_service import Person, make_account
from botleague_storage import accounts, credentials, leagues

from ..conftest import PASSWORD, Open, violations, write_project

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], Open]]:
    """Starts a server with logins in a folder without a database; each start ends the one before."""
    write_project(tmp_path)
    servers: list[Open] = []

    def make() -> Open:
        for server in servers:
            server.end()
        servers[:] = [Open(tmp_path)]
        return servers[0]

    yield make
    for server in servers:
        server.end()


def link_of(server: Open) -> str:
    """Return the path of the link that a first start prints."""
    assert server.process.stdout is not None
    text, note = server.process.stdout.readline(), server.process.stdout.readline()
    assert "once, for one hour. Only a browser on this machine can open this link" in note
    path = text.partition(server.url)[2].strip()
    assert path.startswith("join/")
    return f"/{path}"


def test_first_link_makes_one_organiser_and_opens_the_server(start: Callable[[], Open]) -> None:
    server = start()
    old = link_of(server)
    server = start()
    link = link_of(server)
    assert server.ask("GET", old)[0] == 404, "the link of an earlier start"
    for path in ("/", "/login/", "/register/", "/me/", "/new-league/", "/index.json"):
        status, _, text = server.ask("GET", path)
        assert (status, "Not set up yet" in text) == (503, True), path
        assert "<code>botleague serve --open</code>" in text
    assert server.ask("GET", "/healthz")[0] == 200
    assert "as organiser" in server.ask("GET", link)[2]
    assert server.post(link, handle="ada", password="short")[0] == 422
    assert server.post(link, handle="ada", password=PASSWORD)[0] == 303
    assert server.post(link, handle="eve", password=PASSWORD)[0] == 404
    assert server.ask("GET", "/")[0] == 200
    with server.database.reading() as connection:
        assert accounts.find(connection, "ada").roles == {None: "organiser"}
        assert [one.uses_left for one in credentials.invites(connection)] == [0, 0]
    # With an account there is no further link: the next line would be one.
    server = start()
    server.process.send_signal(2)
    assert server.process.stdout is not None
    assert server.process.stdout.read() == ""


def test_only_organisers_of_all_leagues_create_leagues(site: Open) -> None:
    form = {"variant": "guessing", "league": "spring cup", "format": "round-robin", "bundled": "yes"}
    for handle in ("ann", "olga"):
        status = 403 if handle == "ann" or not _is_everywhere(site, handle) else 200
        secret = site.session(handle)
        assert site.ask("GET", "/new-league/", Cookie=f"botleague={secret}")[0] == status
        assert site.post("/new-league/", secret, **form)[0] == (303 if status == 200 else 403)
    assert site.ask("GET", "/new-league/")[0] == 303
    assert site.post("/new-league/", **form)[0] == 401


def _is_everywhere(site: Open, handle: str) -> bool:
    with site.database.reading() as connection:
        return accounts.find(connection, handle).roles.get(None) == "organiser"


@pytest.mark.chromium
def test_an_organiser_creates_a_league_in_the_browser(
    start: Callable[[], Open], new_context: Callable[..., BrowserContext]
) -> None:
    server = start()
    page = new_context(bypass_csp=True).new_page()
    page.goto(server.url.rstrip("/") + link_of(server))
    page.fill("[name=handle]", "ada")
    page.fill("[name=password]", PASSWORD)
    page.click("text=Create account")
    page.click("text=Create a league")
    page.wait_for_selector("h2 >> text=guessing")
    assert violations(page) == []
    page.click("h2 >> text=guessing")
    assert "870 matches with 30 bots" in page.inner_text("form.fields")
    page.fill("[name=bots]", "10")
    page.click("text=Count matches")
    assert "90 matches with 10 bots" in page.inner_text("form.fields")
    assert violations(page) == []
    page.fill("[name=league]", "spring cup")
    page.check("[value=round-robin]")
    page.check("[value=everyone]")
    page.fill("[name=deadline]", "2099-07-10 18:00")
    page.click("button >> text=Create league")
    assert page.inner_text("h1").startswith("spring cup")
    assert page.input_value("[name=deadline]") == "2099-07-10 18:00"
    with server.database.reading() as connection:
        assert leagues.names(connection) == ["spring cup"]
        (opened,) = credentials.public_invites(connection, 0.0)
        assert (opened.league, opened.role) == ("spring cup", "author")


def test_a_program_creates_a_league(site: Open) -> None:
    secret = site.session("olga")
    with site.database.writing() as connection:
        accounts.grant(connection, accounts.find(connection, "olga").id, None, "organiser")
    values: dict[str, Any] = {
        "variant": "guessing",
        "league": "api cup",
        "format": "ladder",
        "bundled": "yes",
    }
    refusals = {
        "is taken": {"league": "cup"},
        "name": {"league": ""},
        "is not a time": {"deadline": "tomorrow", "entry": "everyone"},
        "Unknown format": {"format": "nothing"},
        "Unknown variant": {"variant": "nothing"},
        "or choose a ladder": {"variant": "isolation-5x5", "format": "swiss", "bundled": ""},
    }
    for message, wrong in refusals.items():
        status, _, text = site.post("/new-league/", secret, **{**values, **wrong})
        assert (status, message in text, 'role="alert"' in text) == (422, True, True), wrong
        assert (
            'name="league" maxlength="64" required value="api cup"' in text
            or "league" in wrong
            or "variant" in wrong
        )
    assert site.post("/new-league/", secret, **values)[0] == 303
    status, _, text = site.ask(
        "GET", "/new-league/index.json?variant=guessing&bots=4", Cookie=f"botleague={secret}"
    )
    assert (status, '"matches":"12 matches"' in text) == (200, True)


def test_link_is_printed_as_long_as_there_is_no_organiser(start: Callable[[], Open]) -> None:
    server = start()
    link_of(server)
    with server.database.writing() as connection:
        make_account(connection, Person("ann"), 0.0)
    server = start()
    link = link_of(server)
    assert server.ask("GET", "/")[0] == 200, "somebody uses it already"
    assert server.post(link, handle="ada", password=PASSWORD)[0] == 303
    with server.database.reading() as connection:
        assert accounts.find(connection, "ada").roles == {None: "organiser"}
