"""Who gets in, and who may do what: a real server, asked over the wire and by a browser."""

from __future__ import annotations

import http.client
import http.server
import json
import os
import re
import resource
import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from botleague.application import Workspace
from botleague.application.decisions import DecisionContext, decide
from botleague.people import SCOPES, Passwords, digest
from botleague.site.page import Page, RenderedPage
from botleague_server.accounts.account_decisions import OfAccount, unlock
from botleague_server.accounts.account_service import Person, granted, make_account, make_code, make_invite
from botleague_server.accounts.login_service import NEWCOMERS
from botleague_server.app import RULES as TABLE
from botleague_server.serving.server import Endpoint
from botleague_storage import accounts, bots, credentials

from .conftest import Open

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext
    from playwright.sync_api import Page as Tab


PASSWORD = "four plain words here"
FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def site(open_site: Open) -> Open:
    """A server that people log in to."""
    return open_site


STEPS = ("everybody", "account", "author", "helper", "organiser")

PERSONAS = {  # of the league cup
    "nobody": "everybody",
    "vera": "account",
    "otto": "account",
    "ann": "author",
    "hal": "helper",
    "olga": "organiser",
}

PLACES = {
    "league": "cup",
    "season": "1",
    "match": "1",
    "variant": "guessing",
    "bot_slug": "lucky",
    "name": "style.css",
    "code": "0000-0000-0000-0000",
    "number": "999",
    "upload": "1",
    "practice": "1",
    "version": "1",
    "turn": "0",
    "one": "lucky",
    "other": "five",
    "decision": "retire",
}


SEES_ANNS = {"GET": ("ann", "hal", "olga"), "POST": ("ann",)}
"""Whoever may look at what is the team ann's in the cup, and whoever may change it."""


def is_let_through(status: int, headers: Any, *, is_own: bool = False) -> bool:
    """Whether the gate let a request through; what it led to then is another question."""
    return status not in ((401, 403, 404) if is_own else (401, 403)) and not str(
        headers.get("location", "")
    ).startswith("/login/?")


@pytest.mark.parametrize("persona", PERSONAS)
def test_every_address_is_allowed_exactly_where_the_table_says_so(site: Open, persona: str) -> None:
    wrong = []
    tokens = {} if persona == "nobody" else {scope: site.token(persona, scope) for scope in SCOPES}
    for (method, path), line in TABLE.items():
        address = path.format(**PLACES)
        steps = STEPS.index(PERSONAS[persona] if "{league}" in path else highest(persona))
        may = steps >= STEPS.index(line.who) and (not line.is_own or persona in SEES_ANNS[method])
        # An empty form of a kind that nobody reads: what is let through changes nothing.
        how = {"Sec_Fetch_Site": "same-origin", "Content_Type": "text/plain"}
        shown = {} if persona == "nobody" else {"Cookie": f"botleague={site.session(persona)}"}
        status, headers, _ = site.ask(method, address, **how, **shown)
        if is_let_through(status, headers, is_own=line.is_own) != may:
            wrong.append((method, path, "session"))
        for scope, token in tokens.items():
            status, headers, _ = site.ask(method, address, **how, Authorization=f"Bearer {token}")
            is_through = is_let_through(status, headers, is_own=line.is_own)
            # A scope binds whoever holds the token: without this one, an organiser is an author like others.
            is_bound = scope != "organise" and (
                STEPS.index(line.who) > STEPS.index("author") or (line.is_own and persona != "ann")
            )
            if is_through != (may and scope in line.scopes and not is_bound):
                wrong.append((method, path, scope))
        if path == "/logout/" and persona != "nobody":  # which ends what was shown
            tokens = {scope: site.token(persona, scope) for scope in SCOPES}
    assert wrong == []


def test_a_token_makes_no_tokens_and_shows_its_own_team_alone(site: Open) -> None:
    form = {"Sec_Fetch_Site": "same-origin", "Content_Type": FORM}
    for scope in SCOPES:
        token = site.token("olga", scope)
        shown = {"Authorization": f"Bearer {token}"}
        assert (
            site.ask("POST", "/me/tokens/", urlencode({"name": "more", "submit": "1"}), **form, **shown)[0]
            == 403
        )
        may_decide = scope == "organise"
        role = json.loads(site.ask("GET", "/me/index.json", **shown)[2]).get("role")
        assert role == (None if may_decide else "author"), "without a scope for it the account is not shown"
    reads = {"Authorization": f"Bearer {site.token('olga', 'read-own')}"}
    # The match is of ann's bot: her session sees it from inside, and so does the organiser's.
    for path in ("/leagues/cup/inside/lucky/index.json", "/uploads/1/index.json", "/practice/1/index.json"):
        assert site.ask("GET", path, Cookie=f"botleague={site.session('olga')}")[0] == 200, path
        assert site.ask("GET", path, **reads)[0] == 404, path
    whole = json.loads(
        site.ask(
            "GET",
            "/leagues/cup/seasons/1/matches/1/inside/index.json",
            Cookie=f"botleague={site.session('olga')}",
        )[2]
    )
    bound = site.ask("GET", "/leagues/cup/seasons/1/matches/1/inside/index.json", **reads)
    assert whole["seats"]
    assert bound[0] == 404 or json.loads(bound[2])["seats"] == []


def highest(persona: str) -> str:
    return "author" if persona == "otto" else PERSONAS[persona]


def test_everybody_downloads_what_is_stored_of_them_and_of_nobody_else(site: Open) -> None:
    status, headers, text = site.ask("GET", "/me/export.zip", Cookie=f"botleague={site.session('ann')}")
    assert (status, headers["content-type"], headers["cache-control"]) == (200, "application/zip", "no-store")
    assert headers["content-disposition"] == 'attachment; filename="ann.zip"'
    assert text.startswith("PK")
    assert "tables/upload.jsonl" in text
    _, _, text = site.ask("GET", "/me/export.zip", Cookie=f"botleague={site.session('vera')}")
    assert "tables/account.jsonl" in text
    assert "tables/upload.jsonl" not in text


def test_everybody_is_told_whether_the_server_is_well_and_who_runs_it_what_it_comes_to(site: Open) -> None:
    assert json.loads(site.ask("GET", "/healthz")[2]) == {"status": "ok"}, "a stranger, through a proxy"
    seen = json.loads(
        site.ask("GET", "/healthz", Authorization=f"Bearer {site.token('olga', 'organise')}")[2]
    )
    assert seen["parts"] == {"database": "ok", "storing": "ok", "uploads": "ok"}
    assert json.loads(site.fetch("/healthz")) == seen, "from this machine"
    assert "parts" not in json.loads(site.fetch("/healthz", Via="1.1 proxy"))
    assert site.ask("GET", "/metrics", Cookie=f"botleague={site.session('hal')}")[0] == 403
    assert site.ask("GET", "/metrics", Authorization=f"Bearer {site.token('olga', 'read-own')}")[0] == 403
    told = site.fetch("/metrics").decode()
    found = dict(line.rsplit(" ", 1) for line in told.splitlines() if not line.startswith("#"))
    assert found["botleague_uploads_waiting"] == "0"
    assert int(found['botleague_matches{league="cup",state="done"}']) > 0
    assert found['botleague_matches{league="open ladder: ½ & <more>",state="claimed"}'] == "0"
    assert int(found['botleague_faults_total{league="lab",kind="exception"}']) > 0
    assert found['botleague_void_total{league="cup"}'] == "0"
    health = 'botleague_request_seconds_{}{{route="/healthz",method="GET"{}}}'
    assert found[health.format("bucket", ',le="+Inf"')] == found[health.format("count", "")]
    assert int(found[health.format("count", "")]) >= 4
    names = {line.split()[2] for line in told.splitlines() if line.startswith("# TYPE")}
    assert {line.split("{")[0].split()[0] for line in found} <= names | {
        f"botleague_request_seconds_{part}" for part in ("bucket", "sum", "count")
    }


def test_who_sends_something_while_the_disk_is_full_is_told_that_nothing_was_stored(
    played: Path, tmp_path: Path, open_server: type[Open]
) -> None:
    site = open_server(Path(shutil.copytree(played, tmp_path / "project")))
    with site.database.writing() as connection:
        account = make_account(connection, Person("ann"), 0.0, role="author")
        accounts.set_password(connection, account.id, Passwords().stored(PASSWORD))
    form = {"handle": "ann", "password": PASSWORD, "then": "/me/"}
    limits = resource.prlimit(site.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    status, _, text = site.post("/login/", **form)
    assert (status, "Nothing was stored" in text) == (503, True)
    sent = {"Sec_Fetch_Site": "same-origin", "Content_Type": FORM, "Accept": "application/json"}
    status, _, text = site.ask("POST", "/login/", urlencode(form), **sent)
    assert (status, "takes nothing" in json.loads(text)["error"]) == (503, True)
    assert site.ask("GET", "/leagues/cup/")[0] == 200
    resource.prlimit(site.process.pid, resource.RLIMIT_FSIZE, limits)
    assert site.post("/login/", **form)[0] == 303
    site.database.close()
    site.process.send_signal(signal.SIGINT)
    _, errors = site.process.communicate(timeout=60)
    assert "disk is full or failing" in errors
    assert "Logging error" not in errors, "its log cannot be written either"


def test_what_the_table_does_not_name_does_not_exist(site: Open) -> None:
    with pytest.raises(TypeError):
        Page("/secrets/", "secrets.html", lambda *_: RenderedPage("", "secrets/"))  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Endpoint("POST", "/secrets/", site.ask)  # type: ignore[call-arg,arg-type]
    cookie = {"Cookie": f"botleague={site.session('olga')}", "Sec_Fetch_Site": "same-origin"}
    for method, path, status in (
        ("GET", "/secrets/", 404),
        ("POST", "/", 405),
        ("PUT", "/login/", 405),
        ("DELETE", "/me/", 405),
        ("OPTIONS", "/me/", 405),
        ("GET", "/logout/", 405),
        ("TRACE", "/", 405),
        ("GET", "/me", 307),
    ):
        assert site.ask(method, path, **cookie)[0] == status, (method, path)
    assert site.ask("GET", "/me/", Authorization="Bearer blt_wrong")[0] == 401
    assert site.ask("GET", "/", Authorization="Bearer blt_wrong")[0] == 401, (
        "nobody is told that a token works"
    )


FORGED = [
    {"Sec_Fetch_Site": "cross-site"},
    {"Sec_Fetch_Site": "same-site"},
    {"Sec_Fetch_Site": "cross-site", "Origin": "http://127.0.0.1:{port}"},
    {"Sec_Fetch_Site": ""},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1"},
    {"Origin": "http://127.0.0.1:{port}.evil.example"},
    {"Origin": "http://127.0.0.1:{port}@evil.example"},
    {"Origin": "//127.0.0.1:{port}"},
    {"Origin": ""},
    {},
    {"Referer": "http://127.0.0.1:{port}/me/"},
]


@pytest.mark.parametrize("headers", FORGED, ids=str)
def test_a_forged_request_is_refused_whatever_it_shows(site: Open, headers: dict[str, str]) -> None:
    secret = site.session("ann")
    sent = {name: value.format(port=site.port) for name, value in headers.items()}
    for path, body in (("/logout/", ""), ("/login/", urlencode({"handle": "ann", "password": PASSWORD}))):
        status, found, text = site.ask(
            "POST", path, body, Cookie=f"botleague={secret}", Content_Type=FORM, **sent
        )
        assert status == 403, path
        assert "another site" in text
        assert "set-cookie" not in found
    assert site.ask("GET", "/me/", Cookie=f"botleague={secret}")[0] == 200, "the session is still open"


def test_where_browsers_name_only_the_origin_the_right_one_is_enough(site: Open) -> None:
    body = urlencode({"handle": "ann", "password": PASSWORD})
    for host in (f"127.0.0.1:{site.port}", f"localhost:{site.port}"):
        status, _, _ = site.ask(
            "POST", "/login/", body, Host=host, Origin=f"http://{host}", Content_Type=FORM
        )
        assert status == 303
    assert site.ask("POST", "/login/", body, Host="evil.example", Origin="http://evil.example")[0] == 421


def test_a_login_opens_a_new_session_and_ends_the_one_before(site: Open) -> None:
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
        kept = connection.exec_driver_sql("select digest from session").scalars().all()
    assert digest(secret) in kept
    assert secret not in kept
    assert site.post("/logout/", secret)[0] == 303
    assert site.ask("GET", "/me/", Cookie=f"botleague={secret}")[0] == 303


def test_behind_a_proxy_that_speaks_tls_all_is_of_the_public_address(leagues: Path) -> None:
    with (leagues / "botleague.toml").open("a") as settings:
        settings.write("public_url = 'https://league.example.org'\n")
    site = Open(leagues)
    try:
        with site.database.writing() as connection:
            ann = make_account(connection, Person("ann"), 0.0)
            accounts.set_password(connection, ann.id, Passwords().stored(PASSWORD))
        # As the nginx of docs/operate/install.md sends it.
        sent = {"Host": "league.example.org", "Content_Type": FORM}
        body = urlencode({"handle": "ann", "password": PASSWORD})
        for origin, status in (
            ("https://league.example.org", 303),
            ("http://league.example.org", 403),
            ("https://league.example.org:444", 403),
            ("https://localhost", 403),
        ):
            found, headers, _ = site.ask("POST", "/login/", body, Origin=origin, **sent)
            assert found == status, origin
            if status == 303:
                cookie, *marks = headers["set-cookie"].split("; ")
        assert cookie.startswith("__Host-botleague=")
        assert {"Secure", "HttpOnly", "Path=/"} <= set(marks)
        assert not any(mark.startswith("Domain") for mark in marks)
        shown = site.ask("GET", "/me/", Cookie=cookie, **sent)[2]
        assert "botleague login https://league.example.org</code>" in shown
        for path in ("/me", "/leagues/cup"):
            moved = site.ask("GET", path, Cookie=cookie, **sent)
            assert (moved[0], moved[1]["location"]) == (307, f"https://league.example.org{path}/")
        assert site.ask("GET", "/", Host="evil.example")[0] == 421
        assert site.ask("GET", "/me", Host="localhost")[1]["location"] == "http://localhost/me/"
    finally:
        site.database.close()
        site.process.send_signal(signal.SIGTERM)
        assert site.process.communicate(timeout=60)[1] == ""


def test_five_wrong_passwords_lock_the_login_and_no_session(site: Open) -> None:
    open_ = site.session("otto")

    def log_in(password: str, address: str = "192.0.2.1") -> tuple[int, Any, str]:
        form = urlencode({"handle": "otto", "password": password})
        how = {"Sec_Fetch_Site": "same-origin", "Content_Type": FORM, "X_Forwarded_For": address}
        found: tuple[int, Any, str] = site.ask("POST", "/login/", form, **how)
        return found

    for _ in range(5):
        status, _, text = log_in("a wrong password")
        assert (status, "do not fit together" in text) == (403, True)
    status, headers, text = log_in(PASSWORD)
    assert status == 429
    assert 50 < int(headers["retry-after"]) <= 61
    assert "Too many tries" in text
    assert site.ask("GET", "/me/", Cookie=f"botleague={open_}")[0] == 200
    assert site.post("/login/", handle="hal", password=PASSWORD)[0] == 303, "a class sits behind one address"
    assert log_in(PASSWORD, "192.0.2.2")[0] == 303, "it is this address that is locked"
    assert log_in(PASSWORD)[0] == 429
    with site.database.writing() as connection:
        decide(unlock, OfAccount("otto"), DecisionContext(connection, Workspace()))
    assert log_in(PASSWORD)[0] == 303


def test_a_one_time_link_is_used_once_and_not_by_looking(site: Open) -> None:
    with site.database.writing() as connection:
        new = make_account(connection, Person("wim"), 0.0)
        code = make_code(connection, new.id, time.time())
    for method in ("GET", "HEAD", "GET"):
        assert site.ask(method, f"/welcome/{code}/")[0] == 200
    status, _, text = site.post(f"/welcome/{code}/", password="wim wim wim")
    assert (status, "words that only you" in text) == (422, True)
    status, headers, _ = site.post("/login/", handle="Wim", password=f" {code.upper()}")
    assert (status, headers["location"]) == (303, f"/welcome/{code}/"), (
        "a sheet's code is typed into the login"
    )
    assert "set-cookie" not in headers
    assert site.post(f"/welcome/{code}/", password=PASSWORD)[0] == 303
    assert site.post(f"/welcome/{code}/", password=PASSWORD)[0] == 404
    assert site.post("/login/", handle="wim", password=PASSWORD)[0] == 303


def test_an_invite_lets_in_as_many_as_it_says_and_into_no_owners_name(site: Open) -> None:
    with site.database.writing() as connection:
        connection.exec_driver_sql("insert into bot values (null, 'guessing', 'old', 'Owner', 0)")
        _, code = make_invite(connection, time.time(), role="helper", league="cup", team=None, uses=1, days=1)
    assert "as helper" in site.ask("GET", f"/join/{code}/")[2]
    for handle, said in {"owner": "is taken", "ann": "is taken", "../x": "letter or digit first"}.items():
        status, _, text = site.post(f"/join/{code}/", handle=handle, password=PASSWORD)
        assert (status, said in text) == (422, True), handle
    status, headers, _ = site.post(f"/join/{code}/", handle="newcomer", password=PASSWORD)
    assert (status, headers["location"]) == (303, "/me/")
    assert site.post(f"/join/{code}/", handle="another", password=PASSWORD)[0] == 404
    with site.database.reading() as connection:
        assert accounts.find(connection, "newcomer").roles == {"cup": "helper"}


def test_anybody_registers_only_while_an_organiser_has_opened_it_and_only_so_many(
    site: Open, nasty: tuple[str, ...]
) -> None:
    def sent(handle: str, invite: object, password: str = PASSWORD) -> tuple[int, Any, str]:
        found: tuple[int, Any, str] = site.post(
            "/register/", handle=handle, password=password, invite=str(invite)
        )
        return found

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
    assert (status, "Anybody can register as an author in cup, 2 accounts" in text) == (200, True), text
    with site.database.reading() as connection:
        (opened,) = credentials.public_invites(connection, time.time())
    assert (opened.role, opened.league, opened.uses_left) == ("author", "cup", 2)
    assert "/register/" in site.ask("GET", "/login/")[2]
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


def test_tries_to_register_count_for_whom_a_proxy_names_and_nobody_else_names_anybody(site: Open) -> None:
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

    assert [tried("192.0.2.7") for _ in range(NEWCOMERS + 1)] == [422] * NEWCOMERS + [429]
    assert tried("198.51.100.1, 192.0.2.7") == 429, (
        "what a client says itself comes before what the proxy says"
    )
    assert tried("192.0.2.8") == 422
    others = [tried(f"198.51.100.{last}", "127.0.0.2") for last in range(NEWCOMERS + 1)]
    assert others == [422] * NEWCOMERS + [429], "who is no proxy is one address whatever it says"
    closed(site, number)


def test_a_token_is_shown_once_and_cannot_make_another(site: Open) -> None:
    secret = site.session("ann")
    text = site.post("/me/tokens/", secret, name="laptop", submit="yes")[2]
    (token,) = re.findall(r"blt_[\w-]{43}", text)
    bearer = {"Authorization": f"Bearer {token}"}
    assert token not in site.ask("GET", "/me/", Cookie=f"botleague={secret}")[2]
    told = json.loads(site.ask("GET", "/me/index.json", **bearer)[2])
    assert (told["handle"], told["scopes"]) == ("ann", ["submit"])
    assert told["roles"] == [{"league": league, "role": "author"} for league in ("cup", "lab")]
    assert site.ask("POST", "/me/tokens/", "name=x", Content_Type=FORM, **bearer)[0] == 403
    assert site.post("/me/tokens/", secret, name="nothing")[0] == 422
    with site.database.reading() as connection:
        (row,) = [one for one in credentials.tokens(connection, 1, time.time()) if one.name == "laptop"]
    assert row.used_at is not None
    assert site.post(f"/me/tokens/{row.id}/end/", site.session("otto"))[0] == 303
    assert site.ask("GET", "/me/index.json", **bearer)[0] == 200, "nobody else can void it"
    assert site.post(f"/me/tokens/{row.id}/end/", secret)[0] == 303
    assert site.ask("GET", "/me/index.json", **bearer)[0] == 401


def test_a_stream_ends_with_the_right_to_see_what_it_shows(site: Open) -> None:
    with site.database.writing() as connection:
        make_account(connection, Person("ida"), 0.0, role="helper", league="cup")
    stranger = Stream(site, {})
    assert stranger.next_state()
    for take_away in (
        lambda connection, ida: granted(connection, "ida", None, "cup"),
        lambda connection, ida: credentials.end_all(connection, ida.id),
    ):
        with site.database.writing() as connection:
            granted(connection, "ida", "helper", "cup")
        mine = Stream(site, {"Cookie": f"botleague={site.session('ida')}"})
        assert mine.next_state()
        with site.database.writing() as connection:
            take_away(connection, accounts.find(connection, "ida"))
            bots.transfer(connection, 1, f"somebody {os.urandom(4).hex()}")
        assert stranger.next_state(), "it goes on, and tells of the change"
        assert mine.next_state() == "", "it has ended without telling"
    stranger.close()


class Stream:
    """The stream of the cup's table."""

    def __init__(self, site: Open, shown: dict[str, str]) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=60)
        self._connection.request("GET", "/leagues/cup/seasons/1/events", headers=shown)
        self._answer = self._connection.getresponse()

    def next_state(self) -> str:
        """Return the id of the next state, "" where the stream has ended before one."""
        while line := self._answer.readline().decode():
            if line.startswith("id: "):
                return line
        self.close()
        return ""

    def close(self) -> None:
        self._connection.close()


def test_another_password_ends_every_other_session(site: Open) -> None:
    one, other = site.session("vera"), site.session("vera")
    token = site.token("vera", "read-own")
    assert site.post("/me/password/", one, old="not this one at all", new=PASSWORD)[0] == 403
    assert site.post("/me/password/", one, old=PASSWORD, new="quite another set of words")[0] == 200
    assert site.ask("GET", "/me/", Cookie=f"botleague={one}")[0] == 200
    assert site.ask("GET", "/me/", Cookie=f"botleague={other}")[0] == 303
    assert site.ask("GET", "/me/index.json", Authorization=f"Bearer {token}")[0] == 200


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("text/plain", "x", 415),
        ("multipart/form-data", "x", 400),
        ("multipart/form-data; boundary=x", "--x\r\n\r\n", 400),
        ("multipart/form-data; boundary=x; charset=zlib", "--x\r\n" * 9, 400),
        (FORM, "handle=%ff%fe&password=%00", 403),
        (FORM, "&" * 10_000, 403),
        (FORM, "a=" + "b" * 20_000, 413),
        (FORM, urlencode({f"f{n}": "x" for n in range(200)}), 400),
        (FORM, "", 403),
    ],
)
def test_an_odd_form_gets_one_message(site: Open, kind: str, body: str, status: int) -> None:
    found, headers, text = site.ask("POST", "/login/", body, Sec_Fetch_Site="same-origin", Content_Type=kind)
    assert found == status, text
    assert "Traceback" not in text
    assert headers["content-security-policy"].startswith("default-src 'none'")


@pytest.mark.chromium
def test_people_come_in_and_go_out_without_scripts(
    site: Open, new_context: Callable[..., BrowserContext]
) -> None:
    with site.database.writing() as connection:
        new = make_account(connection, Person("pia", "gold"), 0.0)
        granted(connection, "pia", "author", "cup")
        code = make_code(connection, new.id, time.time())
    context = new_context(java_script_enabled=False, viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto(f"{site.url}welcome/{code}/")
    page.get_by_label("New password").fill(PASSWORD)
    page.get_by_role("button", name="Choose and log in").click()
    assert page.url == f"{site.url}me/"
    assert page.get_by_role("heading", level=1).inner_text() == "pia"
    page.get_by_label("Name").fill("<script>alert(1)</script>")
    page.get_by_role("button", name="Make a token").click()
    assert page.locator(".done code").inner_text().startswith("blt_")
    page.get_by_role("button", name="Log out").click()
    assert page.url == site.url
    page.get_by_role("link", name="Your account").click()
    assert page.url == f"{site.url}login/?then=/me/"
    page.get_by_label("Handle").fill("pia")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    assert page.url == f"{site.url}me/"
    page.get_by_role("button", name="Void the token").click()
    assert page.get_by_role("button", name="Void the token").count() == 0


@pytest.mark.chromium
def test_a_stranger_registers_without_scripts_on_a_narrow_screen(
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
    page.get_by_role("button", name="Make my account").click()
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
def test_pages_of_the_door_keep_nobody_out(site: Open, new_context: Callable[..., BrowserContext]) -> None:
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
    from axe_playwright_python.sync_playwright import Axe

    page = context.new_page()
    page.goto(address)
    found = Axe().run(page, options={"preload": False}).response["violations"]
    assert [f"{one['id']} at {one['nodes'][0]['html'][:120]}" for one in found] == [], address
    page.close()


@pytest.mark.chromium
def test_a_page_of_another_site_does_nothing_in_somebodys_name(
    site: Open, browser: Any, tmp_path: Path
) -> None:
    """The other site is on loopback, too: of another origin, and under another name of another site."""
    target = site.url.rstrip("/")
    (tmp_path / "evil.html").write_text(
        f"<form id=f method=post action={target}/logout/ target=frame></form><iframe name=frame></iframe>"
        f"<img src={target}/logout/><script>"
        "document.getElementById('f').submit();"
        f"fetch('{target}/logout/', {{method: 'POST', mode: 'no-cors', credentials: 'include'}}).catch(() => 0)"
        f".then(() => fetch('{target}/me/', {{credentials: 'include'}})).catch(() => 0).then(() => {{"
        f"  const socket = new WebSocket('{target.replace('http', 'ws')}/logout/');"
        "  socket.onerror = socket.onopen = (event) => document.title = event.type; });"
        "</script>"
    )
    handler = type(
        "Quiet",
        (http.server.SimpleHTTPRequestHandler,),
        {
            "__init__": lambda self, *of, **how: http.server.SimpleHTTPRequestHandler.__init__(
                self, *of, directory=str(tmp_path), **how
            ),
            "log_message": lambda *_: None,
        },
    )
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as evil:
        threading.Thread(target=evil.serve_forever, daemon=True).start()
        for host in ("127.0.0.1", "localhost"):
            secret = site.session("olga")
            context = browser.new_context()
            context.add_cookies([{"name": "botleague", "value": secret, "url": site.url}])
            page: Tab = context.new_page()
            page.goto(f"http://{host}:{evil.server_port}/evil.html")
            page.wait_for_function("document.title === 'error'")
            page.frame_locator("iframe").locator("body").wait_for(state="attached")
            context.close()
            assert site.ask("GET", "/me/", Cookie=f"botleague={secret}")[0] == 200, host
        evil.shutdown()
