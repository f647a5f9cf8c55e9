"""Requests from another site, with another host name, or without a valid form."""

from __future__ import annotations

import http.client
import http.server
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from botleague.people import Passwords
from botleague_server.accounts.account_service import Person, make_account
from botleague_storage import accounts

from ...conftest import PATIENCE_S
from ..conftest import FORM, PASSWORD, Open

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

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
def test_forged_request_is_refused(site: Open, headers: dict[str, str]) -> None:
    secret = site.session("ann")
    sent = {name: value.format(port=site.port) for name, value in headers.items()}
    for path, body in (("/logout/", ""), ("/login/", urlencode({"handle": "ann", "password": PASSWORD}))):
        status, headers_sent, text = site.ask(
            "POST", path, body, Cookie=f"botleague={secret}", Content_Type=FORM, **sent
        )
        assert status == 403, path
        assert "another site" in text
        assert "set-cookie" not in headers_sent
    assert site.ask("GET", "/me/", Cookie=f"botleague={secret}")[0] == 200, "the session is still open"


def test_request_with_only_a_valid_origin_is_accepted(site: Open) -> None:
    body = urlencode({"handle": "ann", "password": PASSWORD})
    for host in (f"127.0.0.1:{site.port}", f"localhost:{site.port}"):
        status, _, _ = site.ask(
            "POST", "/login/", body, Host=host, Origin=f"http://{host}", Content_Type=FORM
        )
        assert status == 303
    assert site.ask("POST", "/login/", body, Host="evil.example", Origin="http://evil.example")[0] == 421


def test_pages_behind_a_tls_proxy_use_the_public_address(leagues: Path) -> None:
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
            answered, headers, _ = site.ask("POST", "/login/", body, Origin=origin, **sent)
            assert answered == status, origin
            if status == 303:
                cookie, *marks = headers["set-cookie"].split("; ")
        assert cookie.startswith("__Host-botleague=")
        assert {"Secure", "HttpOnly", "Path=/"} <= set(marks)
        assert not any(mark.startswith("Domain") for mark in marks)
        account_page = site.ask("GET", "/me/", Cookie=cookie, **sent)[2]
        assert "botleague login https://league.example.org</code>" in account_page
        for path in ("/me", "/leagues/cup"):
            moved = site.ask("GET", path, Cookie=cookie, **sent)
            assert (moved[0], moved[1]["location"]) == (307, f"https://league.example.org{path}/")
        assert site.ask("GET", "/", Host="evil.example")[0] == 421
        assert site.ask("GET", "/me", Host="localhost")[1]["location"] == "http://localhost/me/"
    finally:
        site.database.close()
        site.process.send_signal(signal.SIGTERM)
        assert site.process.communicate(timeout=PATIENCE_S)[1] == ""


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
def test_invalid_form_gets_one_message(site: Open, kind: str, body: str, status: int) -> None:
    answered, headers, text = site.ask(
        "POST", "/login/", body, Sec_Fetch_Site="same-origin", Content_Type=kind
    )
    assert answered == status, text
    assert "Traceback" not in text
    assert headers["content-security-policy"].startswith("default-src 'none'")


@pytest.mark.chromium
def test_page_of_another_site_changes_nothing(site: Open, browser: Any, tmp_path: Path) -> None:
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
            context.set_default_timeout(1000 * PATIENCE_S)
            context.add_cookies([{"name": "botleague", "value": secret, "url": site.url}])
            page: Tab = context.new_page()
            page.goto(f"http://{host}:{evil.server_port}/evil.html")
            page.wait_for_function("document.title === 'error'")
            page.frame_locator("iframe").locator("body").wait_for(state="attached")
            context.close()
            assert site.ask("GET", "/me/", Cookie=f"botleague={secret}")[0] == 200, host
        evil.shutdown()
