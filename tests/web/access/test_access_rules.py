"""Access rules: every address, requested over the wire by every kind of user."""

from __future__ import annotations

import http.client
import http.server
import json
import os
from typing import Any
from urllib.parse import urlencode

import pytest

from botleague.people import SCOPES
from botleague.site.page import Page, RenderedPage
from botleague_server.accounts.account_service import Person, granted, make_account
from botleague_server.app import RULES as TABLE
from botleague_server.serving.server import Endpoint
from botleague_storage import accounts, bots, credentials

from ...conftest import PATIENCE_S
from ..conftest import FORM, Open

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
def test_access_matches_the_access_sheet(site: Open, persona: str) -> None:
    wrong = []
    tokens = {} if persona == "nobody" else {scope: site.token(persona, scope) for scope in SCOPES}
    for (method, path), line in TABLE.items():
        address = path.format(**PLACES)
        steps = STEPS.index(PERSONAS[persona] if "{league}" in path else highest(persona))
        may = steps >= STEPS.index(line.who) and (not line.is_own or persona in SEES_ANNS[method])
        # An empty form of a kind that nobody reads: what is let through changes nothing.
        how = {"Sec_Fetch_Site": "same-origin", "Content_Type": "text/plain"}
        login = {} if persona == "nobody" else {"Cookie": f"botleague={site.session(persona)}"}
        status, headers, _ = site.ask(method, address, **how, **login)
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


def test_token_creates_no_token_and_shows_its_own_team_only(site: Open) -> None:
    form = {"Sec_Fetch_Site": "same-origin", "Content_Type": FORM}
    for scope in SCOPES:
        token = site.token("olga", scope)
        login = {"Authorization": f"Bearer {token}"}
        assert (
            site.ask("POST", "/me/tokens/", urlencode({"name": "more", "submit": "1"}), **form, **login)[0]
            == 403
        )
        may_decide = scope == "organise"
        role = json.loads(site.ask("GET", "/me/index.json", **login)[2]).get("role")
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


def test_account_downloads_its_own_data_only(site: Open) -> None:
    status, headers, text = site.ask("GET", "/me/export.zip", Cookie=f"botleague={site.session('ann')}")
    assert (status, headers["content-type"], headers["cache-control"]) == (200, "application/zip", "no-store")
    assert headers["content-disposition"] == 'attachment; filename="ann.zip"'
    assert text.startswith("PK")
    assert "tables/upload.jsonl" in text
    _, _, text = site.ask("GET", "/me/export.zip", Cookie=f"botleague={site.session('vera')}")
    assert "tables/account.jsonl" in text
    assert "tables/upload.jsonl" not in text


def test_unlisted_address_does_not_exist(site: Open) -> None:
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
    assert "Go back to the page of the form." in site.ask("GET", "/me/tokens/", **cookie)[2]
    assert site.ask("GET", "/me/", Authorization="Bearer blt_wrong")[0] == 401
    assert site.ask("GET", "/", Authorization="Bearer blt_wrong")[0] == 401, (
        "nobody is told that a token works"
    )


def test_stream_ends_when_its_access_right_ends(site: Open) -> None:
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

    def __init__(self, site: Open, login: dict[str, str]) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE_S)
        self._connection.request("GET", "/leagues/cup/seasons/1/events", headers=login)
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
