"""Pages of a team: faults with their place, sources, bot logs, and return to an earlier version."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from botleague.application.authoring.match_logs import log_lines
from botleague.application.client import saved_logins
from botleague.application.client.saved_logins import KnownServer
from botleague.league import open_season
from botleague.plugins import PluginHost
from botleague.referee import read_record
from botleague_server.accounts.account_service import Person, granted, make_account
from botleague_storage import Database, bots, fixtures, journals, leagues, match_numbers, results, uploads
from botleague_storage.people_rows.uploads import Limits

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

Until = Callable[[Callable[[], Any], Callable[[Any], bool]], Any]

NOBODY: dict[str, str] = {}
LAB = "/leagues/lab/inside/loud/"


@pytest.fixture
def ann(open_site: Any) -> dict[str, str]:
    return {"Cookie": f"botleague={open_site.session('ann')}"}


def page_of(match: str) -> str:
    """The address of a match of the league."""
    return f"/leagues/lab/seasons/1/matches/{match.removeprefix('lab/')}/"


def get_json(site: Any, path: str, credentials: dict[str, str]) -> Any:
    status, _, text = site.ask("GET", path, **credentials)
    assert status == 200, text
    return json.loads(text)


@pytest.fixture
def until(open_site: Any, wait_until: Callable[..., bool]) -> Until:
    """Looks until something is done that another process works on, and returns what was seen then."""

    def look_until(look: Callable[[], Any], is_done: Callable[[Any], bool]) -> Any:
        objects: list[Any] = []

        def is_seen() -> bool:
            objects[:] = [look()]
            return is_done(objects[0])

        assert wait_until(open_site.process, is_seen)
        return objects[0]

    return look_until


def test_team_sees_its_faults_with_place_and_source(
    open_site: Any, ann: dict[str, str], nasty: tuple[str, ...], until: Until
) -> None:
    own = {(one["league"], one["bot"]) for one in get_json(open_site, "/me/bots/index.json", ann)}
    assert own >= {("cup", "lucky"), ("lab", "calm"), ("lab", "loud")}
    page = get_json(open_site, f"{LAB}index.json", ann)
    assert (page["state"]["newest"], page["state"]["playing"]) == (2, 2)
    assert [(line["version"], line["is_playing"]) for line in page["versions"]] == [(2, True), (1, False)]
    (group,) = page["faults"]
    assert (group["kind"], group["cause"]) == ("exception", f"ValueError: {nasty[0]}")
    assert group["where"].startswith("bot.py, line ")
    assert group["newest"]["turn"] == 3
    assert group["matches"] == group["faults"] == page["public"]["rows"][0]["matches"]
    assert sum(bar["turns"] for bar in page["time"]["bars"]) == page["time"]["turns"] > 0

    match = group["newest"]["match"]
    inside = get_json(open_site, f"{page_of(match)}inside/index.json", ann)
    mine = [line for line in inside["lines"] if line["bot"] == "loud"]
    assert nasty[0] in mine[0]["printed"]
    assert {line["shapes"] for line in mine} == {1}
    assert [line["turn"] for line in mine if line["fault"]] == [3]
    assert [line["match"] for line in mine] == [match] * len(mine)
    with open_site.database.reading() as connection:
        match_id = match_numbers.find(connection, match)
        record = read_record(results.find(connection, match_id).content)
        journal = journals.find(connection, match_id)
    seats = [seat for seat, who in enumerate(record.seats) if who.name in ("calm", "loud", "lucky")]
    assert inside["lines"] == json.loads(msgspec.json.encode(log_lines(match, record, journal, seats))), (
        "as `logs` prints it at home"
    )
    # What it was told is computed where rules may run, and the page waits for it.
    text = until(
        lambda: open_site.ask("GET", f"{page_of(match)}inside/3/", **ann)[2],
        lambda text: "being computed" not in text,
    )
    assert "&#34;turn&#34;: 3" in text


def test_suspended_version_is_shown_with_the_version_that_plays(
    open_site: Any, ann: dict[str, str], games: PluginHost
) -> None:
    with open_site.database.writing() as connection:
        season = open_season(connection, games, "lab")
        first, second = bots.all_versions(connection, "guessing", "loud")
        planned, _ = fixtures.counts(connection, season.id)
        content = {"ordinal": planned, "round": 1, "planned": planned, "since": planned, "back": first.id}
        season.enter([first.id])
        season.log("suspended", second.id, reason="failed to load in 3 matches in a row", **content)
    try:
        state = get_json(open_site, f"{LAB}index.json", ann)["state"]
        assert (state["newest"], state["playing"], state["status"], state["coming"]) == (2, 1, "", "")
        text = " ".join(open_site.ask("GET", LAB, **ann)[2].split())
        assert (
            "Version 2 is suspended: <bdi>failed to load in 3 matches in a row</bdi>. Version 1 keeps playing"
            in text
        )
        assert "Faults of version 2" in text
        assert "version 2 suspended" in open_site.ask("GET", "/me/bots/", **ann)[2]
        public = open_site.ask("GET", "/leagues/lab/seasons/1/bots/loud/")[2]
        assert "version 2 is suspended: failed to load in 3 matches in a row</bdi>. Version 1 " in public
    finally:
        with open_site.database.writing() as connection:
            connection.exec_driver_sql("delete from event where kind = 'suspended'")
            connection.exec_driver_sql(f"delete from entrant where version_id = {first.id}")


def test_team_pages_are_private(open_site: Any, ann: dict[str, str]) -> None:
    match = get_json(open_site, f"{LAB}index.json", ann)["faults"][0]["newest"]["match"]
    for handle, status in (("vera", 404), ("hal", 404), ("olga", 200)):
        credentials = {"Cookie": f"botleague={open_site.session(handle)}"}
        for path in (LAB, f"{LAB}versions/1/source.zip", f"{page_of(match)}inside/"):
            connection_status = open_site.ask("HEAD", path, **credentials)[0]
            assert connection_status == status, (handle, path)


def test_record_hides_details_from_other_users(open_site: Any, ann: dict[str, str]) -> None:
    match = get_json(open_site, f"{LAB}index.json", ann)["faults"][0]["newest"]["match"]
    with open_site.database.reading() as connection:
        stored = results.find(connection, match_numbers.find(connection, match)).content
    olga = {"Cookie": f"botleague={open_site.session('olga')}"}
    strange, own, whole = (
        open_site.fetch(f"{page_of(match)}record", **credentials) for credentials in (NOBODY, ann, olga)
    )
    assert whole == stored
    assert details(strange) == {""}
    assert any("ValueError" in detail for detail in details(own))
    assert b"ValueError" not in strange


def details(content: bytes) -> set[str]:
    turns = read_record(content).turns
    return {reply.detail for turn in turns for reply in turn.replies if reply.fault}


def test_sources_are_the_stored_bytes(open_site: Any, ann: dict[str, str]) -> None:
    with open_site.database.reading() as connection:
        (first, _) = bots.all_versions(connection, "guessing", "loud")
        source = bots.source_of(connection, first.id)
    packed = zipfile.ZipFile(io.BytesIO(open_site.fetch(f"{LAB}versions/1/source.zip", **ann)))
    assert {name: packed.read(name) for name in packed.namelist()} == source.files
    assert (
        get_json(open_site, f"{LAB}versions/1/index.json", ann)["files"]["bot.py"].encode()
        == source.files["bot.py"]
    )


def test_return_to_a_version_submits_its_source_again(
    open_site: Any, ann: dict[str, str], until: Until
) -> None:
    secret = ann["Cookie"].partition("=")[2]
    status, _, text = open_site.post(f"{LAB}versions/2/again/", secret)
    assert (status, "is already the newest version" in text) == (422, True)
    with open_site.database.writing() as connection:
        granted(connection, "ann", None, "lab")
    try:
        assert open_site.post(f"{LAB}versions/1/again/", secret)[0] == 403
        assert "again/" not in open_site.ask("GET", f"{LAB}versions/1/", **ann)[2]
    finally:
        with open_site.database.writing() as connection:
            granted(connection, "ann", "author", "lab")
    assert "again/" in open_site.ask("GET", f"{LAB}versions/1/", **ann)[2]
    status, headers, _ = open_site.post(f"{LAB}versions/1/again/", secret)
    assert status == 303
    number = int(headers["location"].split("/")[2])
    upload = until(
        lambda: get_json(open_site, f"/uploads/{number}/index.json", ann),
        lambda upload: upload["state"] not in ("waiting", "checked"),
    )
    assert (upload["state"], upload["result"]["version"]) == ("accepted", 3), upload
    with open_site.database.reading() as connection:
        versions = bots.all_versions(connection, "guessing", "loud")
        assert versions[0].digest == versions[2].digest
        assert uploads.bots_in(connection, leagues.find(connection, "lab").id, "ann") >= {"loud", "calm"}
    assert get_json(open_site, f"{LAB}index.json", ann)["state"]["newest"] == 3


def stored(folder: Path) -> dict[str, list[Any]]:
    """All that a database holds but matches of practice, who is let in, and what the server notes of itself."""
    with closing(sqlite3.connect(folder / "league.db")) as database:
        names = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
        return {
            name: database.execute(f"select * from {name}").fetchall()
            for name in names
            if name not in ("invite", "practice", "runner", "server_note", "session", "token", "upload_limit")
        }


@pytest.mark.chromium
def test_unrated_match_is_private_to_its_team(
    played_inside: Path,
    open_server: Callable[..., Any],
    command: Callable[..., Any],
    new_context: Callable[..., BrowserContext],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = Path(shutil.copytree(played_inside, tmp_path / "project"))
    with (
        closing(Database(str(folder / "league.db"), create=False)) as database,
        database.writing() as connection,
    ):
        for handle in ("ann", "otto"):
            make_account(connection, Person(handle), 0.0, league="cup")
        bots.transfer(connection, bots.find(connection, "guessing", "lucky").id, "ann")
    before, table = stored(folder), command(folder, "standings", "cup").stdout
    server = open_server(folder, "--play")
    try:

        def refused(*words: str) -> str:
            done = command(tmp_path, "practice", *words, code=2)
            assert (done.stdout, done.stderr.count("Error: ")) == ("", 1)
            return " ".join(done.stderr.split())

        assert "`botleague login URL` first" in refused("lucky", "five")
        saved_logins.remember(
            KnownServer(server.url.rstrip("/"), "ann", server.token("ann", "submit", "read-own"))
        )
        waited = command(tmp_path, "practice", "lucky", "five", "--league", "cup", "--json")
        match = json.loads(waited.stdout)
        assert (match["state"], match["seat"], match["opponent"]) == ("played", 0, "five")
        assert f"{server.url}practice/{match['practice']}/" in waited.stderr
        text = command(tmp_path, "practice", "lucky", "five", "--league", "cup").stdout
        assert text.startswith("lucky v1 on seat 1 against five v1: place ")
        assert "Choose one by name" in refused("lucky", "five")
        assert "Did you mean 'five'?" in refused("lucky", "fife", "--league", "cup")
        assert "ann has no bot called 'counter'" in refused("counter", "five", "--league", "cup")

        ann = server.session("ann")
        context = new_context(java_script_enabled=False)
        context.add_cookies([{"name": "botleague", "value": ann, "url": server.url}])
        page = context.new_page()
        page.goto(f"{server.url}leagues/cup/inside/lucky/")
        page.get_by_label("Against").select_option("counter")
        page.get_by_role("button", name="Play match").click()
        page.get_by_text("Unrated; only your team can see it").wait_for()
        assert "against counter v1" in page.locator(".facts").inner_text()
        with page.expect_download() as record:
            page.get_by_role("link", name="record").click()
        record.value.save_as(tmp_path / "practice.blr")
        replayed = command(folder, "replay", str(tmp_path / "practice.blr"), "--json").stdout.splitlines()
        assert json.loads(replayed[-1])["event"] == "finished"
        last = f"/practice/{match['practice'] + 2}/"
        assert page.url == f"{server.url.rstrip('/')}{last}"
        otto = {"Cookie": f"botleague={server.session('otto')}"}
        for name in ("", "index.json", "record"):
            assert server.ask("GET", last + name, **otto)[0] == 404, name

        with server.database.writing() as connection:
            uploads.set_limits(connection, leagues.find(connection, "cup").id, Limits(matches=3))
        assert "allows 3 unrated matches per team and hour" in refused("lucky", "five", "--league", "cup")
        after = stored(folder)
        assert [name for name, rows in before.items() if rows != after[name]] == []
        assert command(folder, "standings", "cup").stdout == table
    finally:
        server.end()
