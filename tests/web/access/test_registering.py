"""Registration by invite, or while an organiser has opened it."""

from __future__ import annotations

import http.client
import http.server
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from botleague_server.accounts.account_service import make_invite
from botleague_server.accounts.login_service import MAX_REGISTRATIONS
from botleague_storage import accounts, credentials

from ..conftest import FORM, PASSWORD, Open, violations

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


def test_invite_has_a_limit_and_excludes_taken_names(site: Open) -> None:
    with site.database.writing() as connection:
        connection.exec_driver_sql("insert into bot values (null, 'guessing', 'old', 'Owner', 0)")
        _, code = make_invite(connection, time.time(), role="helper", league="cup", team=None, uses=1, days=1)
    assert "as helper" in site.ask("GET", f"/join/{code}/")[2]
    for handle, message in {"owner": "is taken", "ann": "is taken", "../x": "letter or digit first"}.items():
        status, _, text = site.post(f"/join/{code}/", handle=handle, password=PASSWORD)
        assert (status, message in text) == (422, True), handle
    status, headers, _ = site.post(f"/join/{code}/", handle="newcomer", password=PASSWORD)
    assert (status, headers["location"]) == (303, "/me/")
    assert site.post(f"/join/{code}/", handle="another", password=PASSWORD)[0] == 404
    with site.database.reading() as connection:
        assert accounts.find(connection, "newcomer").roles == {"cup": "helper"}


def test_open_registration_ends_at_its_limit(site: Open, nasty: tuple[str, ...]) -> None:
    def sent(handle: str, invite: object, password: str = PASSWORD) -> tuple[int, Any, str]:
        answer: tuple[int, Any, str] = site.post(
            "/register/", handle=handle, password=password, invite=str(invite)
        )
        return answer

    with site.database.writing() as connection:
        private, _ = make_invite(
            connection, time.time(), role="helper", league="cup", team=None, uses=9, days=1
        )
    for status, _, text in (site.ask("GET", "/register/"), sent("early", 1), sent("early", private)):
        assert (status, "Ask an organiser for an invite" in text) == (404, True)
    assert "/register/" not in site.ask("GET", "/login/")[2]

    olga = site.session("olga")
    assert site.post("/leagues/cup/desk/decide/register/", olga, count="9")[0] == 200
    status, _, text = site.post("/leagues/cup/desk/decide/register/", olga, count="2", reason="open day")
    assert (status, "Anyone can register as an author in cup, 2 accounts" in text) == (200, True), text
    with site.database.reading() as connection:
        (opened,) = credentials.public_invites(connection, time.time())
    assert (opened.role, opened.league, opened.uses_left) == ("author", "cup", 2)
    assert "/register/" in site.ask("GET", "/login/")[2]
    assert "/register/" in site.post("/login/", handle="early", password="a wrong password")[2]
    text = site.ask("GET", "/register/")[2]
    assert f'value="{opened.id}"' in text
    for handle in (*nasty[:3], "ann", "OLGA", "", "../x", "x" * 33, "a b"):
        status, _, text = sent(handle, opened.id)
        assert status == 422, handle
        assert not handle or handle not in nasty or handle not in text, "shown as text"
    assert sent("weak", opened.id, "short")[0] == 422
    assert sent("late", private)[0] == 404, "an invite for somebody is not for anybody"
    form = urlencode({"handle": "forged", "password": PASSWORD, "invite": opened.id})
    assert site.ask("POST", "/register/", form, Content_Type=FORM, Sec_Fetch_Site="cross-site")[0] == 403

    # Two strangers with one handle: one of them has it, and only that one is counted.
    answers: list[int] = []
    both = [
        threading.Thread(target=lambda name=name: answers.append(sent(name, opened.id)[0]))
        for name in ("Twin", "twin")
    ]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert sorted(answers) == [303, 422]
    status, headers, _ = sent("last", opened.id)
    assert (status, headers["location"]) == (303, "/me/")
    assert sent("too-late", opened.id)[0] == 404
    with site.database.reading() as connection:
        assert accounts.find(connection, "last").roles == {"cup": "author"}
        assert [row.uses_left for row in credentials.invites(connection) if row.is_public] == [0, 0]
        assert not any(
            accounts.is_taken(connection, name) for name in ("early", "late", "forged", "weak", "too-late")
        )


def opened(site: Open, *leagues: str) -> list[int]:
    """Open registration; return the numbers of the invites."""
    with site.database.writing() as connection:
        return [
            make_invite(
                connection,
                time.time(),
                role="author",
                league=league,
                team=None,
                uses=99,
                days=1,
                is_public=True,
            )[0]
            for league in leagues
        ]


def closed(site: Open, *numbers: int) -> None:
    with site.database.writing() as connection:
        for number in numbers:
            credentials.withdraw(connection, number)


def test_registration_attempts_count_per_address_of_a_trusted_proxy(site: Open) -> None:
    (number,) = opened(site, "cup")

    def tried(forwarded: str, source: str = "127.0.0.1") -> int:
        connection = http.client.HTTPConnection("127.0.0.1", site.port, 60, source_address=(source, 0))
        body = urlencode({"handle": "many", "password": "short", "invite": number})
        headers = {
            "X-Forwarded-For": forwarded,
            "Sec-Fetch-Site": "same-origin",
            "Content-Type": FORM,
        }
        connection.request("POST", "/register/", body, headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    assert [tried("192.0.2.7") for _ in range(MAX_REGISTRATIONS + 1)] == [422] * MAX_REGISTRATIONS + [429]
    assert tried("198.51.100.1, 192.0.2.7") == 429, (
        "what a client says itself comes before what the proxy says"
    )
    assert tried("192.0.2.8") == 422
    others = [tried(f"198.51.100.{last}", "127.0.0.2") for last in range(MAX_REGISTRATIONS + 1)]
    assert others == [422] * MAX_REGISTRATIONS + [429], "who is no proxy is one address whatever it says"
    closed(site, number)


@pytest.mark.chromium
def test_user_registers_without_scripts_on_a_narrow_screen(
    site: Open, new_context: Callable[..., BrowserContext]
) -> None:
    numbers = opened(site, "cup", "open ladder: ½ & <more>")
    page = new_context(java_script_enabled=False, viewport={"width": 320, "height": 640}).new_page()
    page.goto(f"{site.url}login/")
    page.get_by_role("link", name="Register").click()
    page.locator("option").first.evaluate("option => option.textContent = 'W'.repeat(64)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320, "the longest name of a league, too"
    page.get_by_label("Author in").select_option("open ladder: ½ & <more>")
    page.get_by_label("Handle").fill("newt")
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    assert page.url == f"{site.url}me/"
    assert page.get_by_role("heading", level=1).inner_text() == "newt"
    page.goto(f"{site.url}register/")
    assert page.url == f"{site.url}me/", "who is in needs no other account"
    status, _, text = site.post("/register/", handle="Newt", password=PASSWORD, invite=str(numbers[1]))
    assert (status, "taken. Choose another" in text) == (422, True)
    assert f'<option value="{numbers[1]}" selected>' in text, "what was chosen stays so"
    closed(site, *numbers)
    with site.database.reading() as connection:
        assert accounts.find(connection, "newt").roles == {"open ladder: ½ & <more>": "author"}


@pytest.mark.chromium
def test_login_pages_are_accessible(site: Open, new_context: Callable[..., BrowserContext]) -> None:
    with site.database.writing() as connection:
        _, invite = make_invite(
            connection, time.time(), role="author", league="cup", team=None, uses=1, days=1
        )
    context = new_context(viewport={"width": 1280, "height": 800}, color_scheme="dark")
    judge(context, f"{site.url}join/{invite}/")
    numbers = opened(site, "cup", "ko")
    judge(context, f"{site.url}register/")
    closed(site, *numbers)
    site.token("olga", "submit")
    context.add_cookies([{"name": "botleague", "value": site.session("olga"), "url": site.url}])
    judge(context, f"{site.url}me/")


def judge(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(address)
    assert [f"{one['id']} at {one['nodes'][0]['html'][:120]}" for one in violations(page)] == [], address
    page.close()
