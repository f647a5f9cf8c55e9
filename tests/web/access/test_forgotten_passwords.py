"""Forgotten passwords: requests on the login page, and one-time links of organisers for people of their own leagues."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from botleague_server.accounts.account_service import Person, granted, join, make_account
from botleague_server.accounts.login_service import MAX_LINK_REQUESTS
from botleague_storage import accounts, bots

from ..conftest import FORM, PASSWORD, Open, violations

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

DECIDE = "/leagues/cup/desk/decide/link/"


@pytest.fixture(scope="module")
def people(open_site: Open) -> Open:
    """The site with an organiser of the cup alone, and people of the cup who also are something else."""
    with open_site.database.writing() as connection:
        for handle, role in (("oda", "organiser"), ("una", "author"), ("uli", "author"), ("ute", "author")):
            account = make_account(connection, Person(handle), 0.0, role=role, league="cup")  # type: ignore[arg-type]
            accounts.set_password(connection, account.id, f"of {handle}")
        make_account(connection, Person("oki"), 0.0, role="organiser", league="cup")
        make_account(connection, Person("eva"), 0.0)  # an author in every league
        granted(connection, "uli", "author", "ko")
        # Bots of the team play in another league, whatever the role there.
        make_account(connection, Person("ulf", "gold"), 0.0, role="spectator", league="ko")
        join(connection, "ute", "gold")
        bots.transfer(connection, bots.find(connection, "guessing", "five").id, "gold")
    return open_site


def asked(site: Open, handle: str) -> bool:
    with site.database.reading() as connection:
        return accounts.find(connection, handle).asked_at is not None


def test_answer_is_the_same_for_every_handle(people: Open) -> None:
    answers = {
        handle: people.post("/forgotten/", handle=handle) for handle in ("una", "una", "UNA", "nobody", "<b>")
    }
    texts = {(status, text) for status, _, text in answers.values()}
    assert len(texts) == 1
    (status, text) = texts.pop()
    assert (status, "If there is an account with this handle" in text) == (200, True)
    assert asked(people, "una")
    headers = {tuple(sorted(name for name in headers)) for _, headers, _ in answers.values()}
    assert len(headers) == 1


def test_requests_are_limited_by_address(people: Open) -> None:
    def ask(handle: str, address: str) -> int:
        form = urlencode({"handle": handle})
        how = {"Sec_Fetch_Site": "same-origin", "Content_Type": FORM, "X_Forwarded_For": address}
        return people.ask("POST", "/forgotten/", form, **how)[0]

    statuses = [ask(f"nobody-{number}", "192.0.2.77") for number in range(MAX_LINK_REQUESTS + 1)]
    assert statuses == [200] * MAX_LINK_REQUESTS + [429]
    assert ask("hal", "192.0.2.77") == 429
    assert not asked(people, "hal")
    assert ask("hal", "192.0.2.78") == 200


def test_link_is_only_for_people_whose_rights_are_all_of_the_organisers_leagues(people: Open) -> None:
    people.post("/forgotten/", handle="una")
    allowed = {
        "una": True,
        "uli": False,
        "ute": False,
        "eva": False,
        "oki": False,
        "olga": False,
        "vera": False,
    }
    for handle, is_allowed in allowed.items():
        status, _, text = people.post(DECIDE, people.session("oda"), handle=handle)
        assert status == (200 if is_allowed else 422), handle
        assert bool(re.search(r"/welcome/[\w-]+/", text)) == is_allowed, handle
    assert not asked(people, "una"), "the request is closed"
    for handle in ("ann", "hal", "kai", "vera"):
        assert people.post(DECIDE, people.session(handle), handle="una")[0] == 403, handle
    for handle in allowed:
        assert people.post(DECIDE, people.session("olga"), handle=handle)[0] == 200, handle
    with people.database.reading() as connection:
        assert accounts.find(connection, "una").roles == {"cup": "author"}


def test_link_ends_when_its_account_gets_other_rights(people: Open) -> None:
    def link() -> str:
        text = people.post(DECIDE, people.session("oda"), handle="una")[2]
        path: str = re.findall(r"/welcome/[\w-]+/", text)[0]
        return path

    for is_role in (True, False):
        path = link()
        assert people.ask("GET", path)[0] == 200
        with people.database.writing() as connection:
            if is_role:
                granted(connection, "una", "author", "lab")
            else:
                join(connection, "una", "gold")
        assert people.ask("GET", path)[0] == 404
        with people.database.writing() as connection:
            granted(connection, "una", None, "lab")


@pytest.mark.chromium
def test_user_gets_a_new_password_without_mail(
    people: Open, new_context: Callable[..., BrowserContext]
) -> None:
    with people.database.writing() as connection:
        lia = make_account(connection, Person("lia"), 0.0, role="author", league="cup")
        accounts.set_password(connection, lia.id, "forgotten")
    context = new_context(bypass_csp=True)
    page = context.new_page()
    page.goto(f"{people.url}login/")
    page.click("text=Forgot your password?")
    assert violations(page) == []
    page.fill("[name=handle]", "lia")
    page.click("button >> text=Request link")
    assert "organisers now see your request" in page.inner_text("[role=status]")
    context.add_cookies([{"name": "botleague", "value": people.session("oda"), "url": people.url}])
    page.goto(f"{people.url}leagues/cup/desk/")
    page.click("nav >> text=People")
    assert violations(page) == []
    request = page.locator("form", has_text="lia asked for a login link")
    request.get_by_role("button", name="Create login link").click()
    link = re.findall(r"http\S+/welcome/\S+/", page.inner_text("[role=status]"))[0]
    context.clear_cookies()
    page.goto(link)
    page.fill("[name=password]", PASSWORD)
    page.click("button >> text=Save and log in")
    assert page.inner_text("h1") == "lia"
    text = people.ask(
        "GET", "/leagues/cup/desk/people/index.json", Cookie=f"botleague={people.session('oda')}"
    )[2]
    assert "lia" not in [one["handle"] for one in json.loads(text)["requests"]]
