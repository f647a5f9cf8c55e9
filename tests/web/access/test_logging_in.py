"""Passwords, one-time links, sessions and tokens: what they open, and what ends them."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from botleague.application import Workspace
from botleague.application.decisions import DecisionContext, decide
from botleague.people import digest
from botleague_server.accounts.account_decisions import OfAccount, unlock
from botleague_server.accounts.account_service import Person, granted, make_account, make_code
from botleague_storage import credentials

from ..conftest import FORM, PASSWORD, Open

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


def test_login_opens_a_new_session_and_ends_the_previous_one(site: Open) -> None:
    planted = site.session("vera")
    status, headers, _ = site.post(
        "/login/", planted, handle="ANN", password=PASSWORD, then="//evil.example/"
    )
    assert (status, headers["location"]) == (303, "/me/"), "nowhere but here"
    cookie = headers["set-cookie"]
    assert re.fullmatch(r"botleague=([\w-]{43}); HttpOnly; Max-Age=2592000; Path=/; SameSite=lax", cookie), (
        cookie
    )
    secret = cookie.partition("=")[2].partition(";")[0]
    assert secret != planted
    assert site.ask("GET", "/me/", Cookie=f"botleague={planted}")[0] == 303, "fixed by nobody"
    assert "<bdi>ann</bdi>" in site.ask("GET", "/me/", Cookie=f"botleague={secret}")[2]
    with site.database.reading() as connection:
        digests = connection.exec_driver_sql("select digest from session").scalars().all()
    assert digest(secret) in digests
    assert secret not in digests
    assert site.post("/logout/", secret)[0] == 303
    assert site.ask("GET", "/me/", Cookie=f"botleague={secret}")[0] == 303


def test_five_wrong_passwords_lock_the_login_and_no_session(site: Open) -> None:
    open_ = site.session("otto")

    def log_in(password: str, address: str = "192.0.2.1") -> tuple[int, Any, str]:
        form = urlencode({"handle": "otto", "password": password})
        how = {"Sec_Fetch_Site": "same-origin", "Content_Type": FORM, "X_Forwarded_For": address}
        answer: tuple[int, Any, str] = site.ask("POST", "/login/", form, **how)
        return answer

    for _ in range(5):
        status, _, text = log_in("a wrong password")
        assert (status, "Wrong handle or password" in text) == (403, True)
    status, headers, text = log_in(PASSWORD)
    assert status == 429
    assert 50 < int(headers["retry-after"]) <= 61
    assert "Too many attempts" in text
    assert site.ask("GET", "/me/", Cookie=f"botleague={open_}")[0] == 200
    assert site.post("/login/", handle="hal", password=PASSWORD)[0] == 303, "a class sits behind one address"
    assert log_in(PASSWORD, "192.0.2.2")[0] == 303, "it is this address that is locked"
    assert log_in(PASSWORD)[0] == 429
    with site.database.writing() as connection:
        decide(unlock, OfAccount("otto"), DecisionContext(connection, Workspace()))
    assert log_in(PASSWORD)[0] == 303


def test_one_time_link_is_used_once_and_not_by_a_visit(site: Open) -> None:
    with site.database.writing() as connection:
        new = make_account(connection, Person("wim"), 0.0)
        code = make_code(connection, new.id, time.time())
    for method in ("GET", "HEAD", "GET"):
        assert site.ask(method, f"/welcome/{code}/")[0] == 200
    status, _, text = site.post(f"/welcome/{code}/", password="wim wim wim")
    assert (status, "too common" in text) == (422, True)
    status, headers, _ = site.post("/login/", handle="Wim", password=f" {code.upper()}")
    assert (status, headers["location"]) == (303, f"/welcome/{code}/"), (
        "a sheet's code is typed into the login"
    )
    assert "set-cookie" not in headers
    assert site.post(f"/welcome/{code}/", password=PASSWORD)[0] == 303
    assert site.post(f"/welcome/{code}/", password=PASSWORD)[0] == 404
    assert site.post("/login/", handle="wim", password=PASSWORD)[0] == 303


def test_a_token_is_shown_once_and_cannot_make_another(site: Open) -> None:
    secret = site.session("ann")
    text = site.post("/me/tokens/", secret, name="laptop", submit="yes")[2]
    (token,) = re.findall(r"blt_[\w-]{43}", text)
    bearer = {"Authorization": f"Bearer {token}"}
    assert token not in site.ask("GET", "/me/", Cookie=f"botleague={secret}")[2]
    account = json.loads(site.ask("GET", "/me/index.json", **bearer)[2])
    assert (account["handle"], account["scopes"]) == ("ann", ["submit"])
    assert account["roles"] == [{"league": league, "role": "author"} for league in ("cup", "lab")]
    assert site.ask("POST", "/me/tokens/", "name=x", Content_Type=FORM, **bearer)[0] == 403
    assert site.post("/me/tokens/", secret, name="nothing")[0] == 422
    with site.database.reading() as connection:
        (row,) = [one for one in credentials.tokens(connection, 1, time.time()) if one.name == "laptop"]
    assert row.used_at is not None
    assert site.post(f"/me/tokens/{row.id}/end/", site.session("otto"))[0] == 303
    assert site.ask("GET", "/me/index.json", **bearer)[0] == 200, "nobody else can void it"
    assert site.post(f"/me/tokens/{row.id}/end/", secret)[0] == 303
    assert site.ask("GET", "/me/index.json", **bearer)[0] == 401


def test_form_of_an_expired_session_leads_to_the_login(site: Open) -> None:
    status, _, text = site.post("/me/tokens/", "expired", name="laptop")
    assert (status, '<a href="/login/">Log in</a>' in text) == (401, True)
    status, _, text = site.ask(
        *("POST", "/leagues/cup/desk/decide/pause/", ""),
        Referer=f"{site.url}leagues/cup/desk/?part=1",
        Sec_Fetch_Site="same-origin",
        Content_Type=FORM,
    )
    assert (status, 'href="/login/?then=%2Fleagues%2Fcup%2Fdesk%2F"' in text) == (401, True)


def test_changed_password_ends_every_other_session(site: Open) -> None:
    one, other = site.session("vera"), site.session("vera")
    token = site.token("vera", "read-own")
    assert site.post("/me/password/", one, old="not this one at all", new=PASSWORD)[0] == 403
    assert site.post("/me/password/", one, old=PASSWORD, new="quite another set of words")[0] == 200
    assert site.ask("GET", "/me/", Cookie=f"botleague={one}")[0] == 200
    assert site.ask("GET", "/me/", Cookie=f"botleague={other}")[0] == 303
    assert site.ask("GET", "/me/index.json", Authorization=f"Bearer {token}")[0] == 200


@pytest.mark.chromium
def test_user_logs_in_and_out_without_scripts(site: Open, new_context: Callable[..., BrowserContext]) -> None:
    with site.database.writing() as connection:
        new = make_account(connection, Person("pia", "gold"), 0.0)
        granted(connection, "pia", "author", "cup")
        code = make_code(connection, new.id, time.time())
    context = new_context(java_script_enabled=False, viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto(f"{site.url}welcome/{code}/")
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Save and log in").click()
    assert page.url == f"{site.url}me/"
    assert page.get_by_role("heading", level=1).inner_text() == "pia"
    page.get_by_label("Name").fill("<script>alert(1)</script>")
    page.get_by_role("button", name="Create token").click()
    assert page.locator(".done code").inner_text().startswith("blt_")
    page.get_by_role("button", name="Log out").click()
    assert page.url == site.url
    page.get_by_role("link", name="Your account").click()
    assert page.url == f"{site.url}login/?then=/me/"
    page.get_by_label("Handle").fill("pia")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    assert page.url == f"{site.url}me/"
    page.get_by_role("button", name="Revoke the token").click()
    assert page.get_by_role("button", name="Revoke the token").count() == 0
