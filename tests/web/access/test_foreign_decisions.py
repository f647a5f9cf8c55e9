"""Every form of the organiser pages, sent by people who may not decide."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from botleague_server.accounts.account_service import Person, make_account
from botleague_server.organiser.decision_forms import FORMS
from botleague_storage import leagues as stored_leagues
from botleague_storage import organiser_notes

from ..conftest import Open

VALUES = {
    "bot": "lucky",
    "handle": "ann",
    "owner": "ann",
    "until": "2099-01-01 12:00",
    "text": "Hello",
    "number": "1",
    "match": "1",
    "role": "organiser",
}
"""Values with which each form would do something."""


@pytest.mark.parametrize("handle", ["ann", "hal", "kai", "vera"])
def test_decisions_are_for_organisers_of_the_league_alone(open_site: Open, handle: str) -> None:
    session, tokens = open_site.session(handle), open_site.token(handle, "organise", "submit", "read-own")
    for name in (*(f"decide/{name}" for name in FORMS), "season", "backup"):
        path = f"/leagues/cup/desk/{name}/"
        assert open_site.post(path, session, **VALUES)[0] == 403, name
        assert open_site.ask("POST", path, "", Authorization=f"Bearer {tokens}")[0] == 403, name
    form = {"variant": "guessing", "league": "mine", "format": "ladder"}
    assert open_site.post("/new-league/", session, **form)[0] == 403
    with open_site.database.reading() as connection:
        cup = stored_leagues.find(connection, "cup")
        season = stored_leagues.current_season(connection, cup.id)
        assert season.number == 1
        assert organiser_notes.decisions(connection, season.id) == []
        assert "mine" not in stored_leagues.names(connection)


def test_organiser_of_one_league_decides_nothing_for_all(open_site: Open) -> None:
    session = open_site.session("kai")
    everywhere = [name for name, form in FORMS.items() if form.decision.is_everywhere]
    assert {"pause-all", "resume-all", "unlock", "logout"} <= set(everywhere)
    for name in everywhere:
        status, _, text = open_site.post(f"/leagues/ko/desk/decide/{name}/", session, **VALUES)
        assert (status, "only an organiser of all leagues" in text) == (422, True), name
    assert open_site.ask("GET", "/leagues/ko/desk/", Cookie=f"botleague={session}")[0] == 200


def test_organiser_of_one_league_reads_no_bot_that_was_not_submitted_to_it(open_site: Open) -> None:
    # Ann submitted loud to the league lab alone. Who organises a league reads the sources in it.
    session = open_site.session("kai")
    for name, fields in (("decide/add", {"bot": "loud"}), ("season", {"bots": "loud lucky", "season": "1"})):
        status, _, text = open_site.post(f"/leagues/ko/desk/{name}/", session, **fields)
        assert (status, "loud was never submitted to ko" in text) == (422, True), name
    path = "/leagues/ko/inside/loud/versions/1/"
    assert open_site.ask("GET", path, Cookie=f"botleague={session}")[0] == 404


def test_server_of_one_league_offers_no_other(
    played_inside: Path, open_server: type[Open], tmp_path: Path
) -> None:
    server = open_server(Path(shutil.copytree(played_inside, tmp_path / "project")), "--league", "cup")
    with server.database.writing() as connection:
        make_account(connection, Person("olga"), 0.0, role="organiser", league=None)
        assert "lab" in stored_leagues.names(connection)
    session = server.session("olga")
    for path in ("/me/", "/me/bots/"):
        text = server.ask("GET", path, Cookie=f"botleague={session}")[2]
        assert ("/leagues/cup/hand-in/" in text, "/leagues/lab/" in text) == (True, False), path
    form = {"variant": "guessing", "league": "hidden", "format": "ladder"}
    status, _, text = server.post("/new-league/", session, **form)
    assert (status, "This server shows only cup" in text) == (422, True)
    etag = server.ask("GET", "/leagues/cup/")[1]["etag"]
    for sent in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        assert server.ask("GET", "/leagues/cup/", If_None_Match=sent)[0] == 304, sent
    assert server.ask("GET", "/leagues/cup/", If_None_Match='"other"')[0] == 200
    server.end()
