"""Organiser pages: decisions as on the command line, copies, archives, and hostile texts."""

from __future__ import annotations

import io
import json
import shlex
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
import typer

from botleague.application.decisions import command_text
from botleague.application.decisions.source_archive import write_sources
from botleague.cli.kit.command_tree import make_app
from botleague.league import open_season
from botleague.plugins import PluginHost
from botleague.site import urls
from botleague_server.accounts.account_service import granted
from botleague_server.organiser.decision_forms import FORMS
from botleague_storage import Database, accounts, bots, events, leagues, page_queries, runners, uploads
from botleague_storage import organiser_notes as stored_desk
from botleague_storage.league_rows.runners import RunnerRow

from ..conftest import violations

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

DESK = "/leagues/lab/desk/"
FORM = "application/x-www-form-urlencoded"


class OrganiserViews:
    """The desk as a program uses it, with the token of an organiser."""

    def __init__(self, site: Any, handle: str) -> None:
        self.site = site
        self.token = {"Authorization": f"Bearer {site.token(handle, 'organise')}"}

    def read(self, page: str = "") -> Any:
        status, _, text = self.site.ask("GET", f"{DESK}{page}index.json", **self.token)
        assert status == 200, text
        return json.loads(text)

    def decide(self, name: str, **fields: str) -> tuple[int, dict[str, Any]]:
        path = f"{DESK}{'backup' if name == 'backup' else f'decide/{name}'}/"
        status, _, text = self.site.ask("POST", path, urlencode(fields), Content_Type=FORM, **self.token)
        return status, json.loads(text)


@pytest.fixture
def desk(open_site: Any) -> OrganiserViews:
    return OrganiserViews(open_site, "olga")


def test_decision_is_logged_with_its_command(open_site: Any, desk: OrganiserViews) -> None:
    reason = "<b>copied</b> & 'sold'"
    status, done = desk.decide("disqualify", bot="calm", reason=reason)
    assert (status, done["command"]) == (
        200,
        f"botleague organise disqualify lab calm --reason {shlex.quote(reason)}",
    )
    page = desk.read()
    assert [(one["status"], one["reason"]) for one in page["entrants"] if one["bot"] == "calm"] == [
        ("disqualified", reason)
    ]
    entry = page["log"][0]
    assert (entry["event"], entry["bot"], entry["reason"]) == ("disqualified", "calm", reason)
    text = open_site.ask("GET", DESK, Cookie=f"botleague={open_site.session('olga')}")[2]
    assert "<b>copied" not in text
    assert desk.decide("undo", entry=str(entry["number"]))[0] == 200
    with open_site.database.reading() as connection:
        season = leagues.current_season(connection, leagues.find(connection, "lab").id)
        # The oldest: others look at the newest from inside.
        (*_, match), _ = page_queries.listed(connection, season.id, 10**6, 100)
    assert desk.decide("void", match=str(match.ordinal + 1), reason="a test")[0] == 200
    assert desk.decide("retire", bot="calm")[0] == 200
    status, done = desk.decide("reinstate", bot="calm")
    again = "To bring them back, use `botleague organise undo lab NUMBER`, with the number in the log."
    assert (status, again in done["done"]) == (200, True)
    assert desk.decide("transfer", bot="copied", owner="nina")[1]["before"] == "otto"
    assert desk.decide("transfer", bot="copied", owner="otto")[0] == 200
    with open_site.database.reading() as connection:
        kinds = [row.kind for row in events.events(connection, season.id)]
    assert kinds == [*("disqualified", "undone", "voided", "retired", "reinstated"), *2 * ("transferred",)]


def test_dates_limits_invites_and_roles_are_stored(open_site: Any, desk: OrganiserViews) -> None:
    assert desk.decide("calendar", zone="Europe/Berlin", deadline="2031-07-10 18:00", freeze="")[0] == 200
    assert desk.read()["calendar"]["deadline"] == "2031-07-10 18:00"
    before = desk.read()["limits"]
    limits = {"a_day": 7, "gap_s": 0.0, "size": 500_000, "bots": 9, "matches": 4}
    assert desk.decide("limits", a_day="7", gap="0", size="500", bots="9", matches="4")[0] == 200
    assert desk.read()["limits"] == limits
    status, done = desk.decide("invite", count="2", role="author")
    assert status == 200
    assert done["url"].startswith("http://127.0.0.1:")
    assert open_site.ask("GET", f"/join/{done['code']}/")[0] == 200
    assert desk.decide("withdraw", invite=str(done["invite"]))[0] == 200
    assert open_site.ask("GET", f"/join/{done['code']}/")[0] == 404
    assert desk.decide("grant", handle="vera", role="helper", reason="<i>busy</i>")[0] == 200
    log = [one for one in desk.read()["log"] if one["number"] is None or one["event"] == "calendar"]
    assert {one["by"] for one in log} == {"olga"}
    assert [(one["event"], one["about"], one["changed"]) for one in log] == [
        ("grant", "vera", {"role": ["spectator", "helper"]}),
        ("withdraw", "", {f"uses of invite {done['invite']}": [2, 0]}),
        ("invite", "", {f"uses of invite {done['invite']}": [None, 2]}),
        ("limits", "", {name: [before[name], after] for name, after in limits.items()}),
        ("calendar", "", {"zone": ["UTC", "Europe/Berlin"], "deadline": [None, "2031-07-10 18:00"]}),
    ]
    assert (log[0]["reason"], log[0]["command"]) == (
        "<i>busy</i>",
        "botleague account grant vera helper --league lab --reason '<i>busy</i>'",
    )
    assert done["code"] not in json.dumps(log)
    text = open_site.ask("GET", DESK, Cookie=f"botleague={open_site.session('olga')}")[2]
    assert "role spectator → helper" in text
    assert "<i>busy" not in text
    people = {one["handle"]: one["role"] for one in desk.read("people/")["people"]}
    assert people["vera"] == "helper"
    assert desk.decide("grant", handle="vera", role="spectator")[0] == 200
    playing = desk.read("playing/")
    assert playing["runners"] == [], "the one that played these leagues has ended"
    assert playing["machine"]["profile"] == "strong"
    assert 0 < playing["machine"]["free_disk"] <= 1


def test_entrants_are_paged_and_found_by_name(open_site: Any, desk: OrganiserViews) -> None:
    with open_site.database.writing() as connection:
        season = leagues.current_season(connection, leagues.find(connection, "ko").id)
        source = bots.Source({"bot.py": b""}, "bot.py")
        rows = [bots.submit(connection, "guessing", f"n{n:03}", f"o{n}", source)[0] for n in range(150)]
        leagues.add_entrants(connection, season.id, [row.id for row in rows])

    def names(query: str = "") -> list[str]:
        status, _, text = open_site.ask("GET", f"/leagues/ko/desk/index.json{query}", **desk.token)
        assert status == 200
        return [one["bot"] for one in json.loads(text)["entrants"]]

    whole = [*names(), *names("?first=101")]
    assert len(names()) == 100
    assert whole == sorted(whole)
    assert {row.bot for row in rows} < set(whole)
    assert names("?near=N14") == [f"n{n}" for n in range(140, 150)]
    assert names("?near=o149") == ["n149"]
    page = open_site.ask("GET", "/leagues/ko/desk/?near=n", Cookie=f"botleague={open_site.session('olga')}")[
        2
    ]
    assert "?near=n&amp;first=101" in page


@pytest.mark.parametrize(
    ("name", "fields", "message"),
    [
        ("disqualify", {"bot": "clam"}, "Did you mean 'calm'?"),
        ("disqualify", {"bot": "calm", "from": "x"}, "is not the number of a match"),
        ("void", {"match": "99999"}, "so there is no match lab/99999"),
        ("undo", {"entry": ""}, "is not a whole number"),
        ("reveal", {}, "nothing is hidden"),
        ("calendar", {"deadline": "soon"}, "is not a time"),
        ("calendar", {"zone": "Mars"}, "Unknown time zone"),
        ("invite", {"count": "0", "role": "author"}, "1 to 10000 accounts"),
        ("invite", {"count": "1", "role": "king"}, "Choose a role"),
        ("transfer", {"bot": "calm", "owner": "../x"}, "use 1 to 32 letters"),
        ("retire", {"bot": "calm", "reason": "a\nb"}, "one line"),
        ("nothing", {}, "no such decision"),
    ],
)  # fmt: skip
def test_invalid_decision_gets_one_message_and_changes_nothing(
    desk: OrganiserViews, name: str, fields: dict[str, str], message: str
) -> None:
    before = desk.read()
    status, answer = desk.decide(name, **fields)
    assert status == (404 if name == "nothing" else 422)
    assert message in answer["error"]["message"]
    assert desk.read() == before


def test_organiser_of_one_league_decides_in_no_other(open_site: Any) -> None:
    with open_site.database.writing() as connection:
        granted(connection, "hal", "organiser", "lab")
    mine = OrganiserViews(open_site, "hal")
    handle = {"handle": "olga"}
    everywhere: tuple[tuple[str, dict[str, str]], ...] = (
        ("logout", handle),
        ("unlock", handle),
        ("backup", {}),
        ("pause-all", {}),
    )
    for name, given in everywhere:
        status, answer = mine.decide(name, **given)
        assert (status, "affects other leagues" in answer["error"]["message"]) == (422, True)
    # The bot plays in the league cup, too.
    assert (
        "also plays in cup, which you do not organise"
        in mine.decide("transfer", bot="lucky", owner="hal")[1]["error"]["message"]
    )
    # This one has never entered the cup, but was accepted for its next season.
    with open_site.database.writing() as connection:
        cup, ann = leagues.find(connection, "cup").id, accounts.find(connection, "ann").id
        calm = bots.all_versions(connection, "guessing", "calm")[0].id
        number = uploads.add(connection, cup, ann, "ann", "calm", "", [], 0.0)
        uploads.finish(connection, number, "accepted", {}, calm)
    assert "calm also plays in cup" in mine.decide("transfer", bot="calm", owner="hal")[1]["error"]["message"]
    with open_site.database.writing() as connection:
        uploads.finish(connection, number, "refused", {})
    assert mine.decide("limits", a_day="8")[0] == 200
    with open_site.database.writing() as connection:
        granted(connection, "hal", None, "lab")


def test_runners_show_speed_and_failures_of_visible_leagues(open_site: Any, desk: OrganiserViews) -> None:
    now = time.time()
    with open_site.database.writing() as connection:
        runners.report(
            connection, RunnerRow("<b>/7/1", now - 7200, now, 1234.5, "<i>lost</i>", "cup", now - 60)
        )
        runners.report(connection, RunnerRow("away/8/1", now - 7200, now - 3600, 1.0))
        granted(connection, "vera", "helper", "lab")
    text = open_site.ask("GET", f"{DESK}playing/", Cookie=f"botleague={open_site.session('olga')}")[2]
    assert "<bdi>&lt;b&gt;</bdi>" in text
    assert "<bdi>&lt;i&gt;lost&lt;/i&gt;</bdi>" in text
    lines = {one["machine"]: one for one in desk.read("playing/")["runners"]}
    assert (lines["<b>"]["process"], lines["<b>"]["hourly"], lines["<b>"]["is_silent"]) == (
        "7",
        1234.5,
        False,
    )
    assert lines["away"]["is_silent"]
    helper = {one["machine"]: one for one in OrganiserViews(open_site, "vera").read("playing/")["runners"]}
    assert (helper["<b>"]["error"], helper["<b>"]["error_at"]) == ("", None), "of a league that is not theirs"
    with open_site.database.writing() as connection:
        granted(connection, "vera", None, "lab")
        connection.exec_driver_sql("delete from runner")


def test_pause_and_announcement_are_on_every_page_of_their_league(
    open_site: Any, desk: OrganiserViews, wait_until: Callable[..., bool]
) -> None:
    def shown(address: str, text: str) -> bool:
        status, _, page = open_site.ask("GET", address, Cookie=f"botleague={open_site.session('ann')}")
        assert status == 200, address
        return f"<bdi>a &lt;b&gt;{text}&lt;/b&gt;</bdi>" in page

    def becomes(address: str, text: str, *, is_shown: bool) -> bool:
        """Wait for a page, which may be a moment old on a busy machine."""
        return wait_until(open_site.process, lambda: shown(address, text) == is_shown)

    season = "/leagues/lab/seasons/1/"
    names = ("", "queue/", "matches/", "bots/calm/", "matches/1/")
    addresses = (*(f"{season}{name}" for name in names), "/leagues/lab/hand-in/")
    for handle, status in (("ann", 403), ("hal", 403), ("olga", 200)):
        session = open_site.session(handle)
        for name, field in (("pause", "reason"), ("announce", "text")):
            path = f"{DESK}decide/{name}/"
            assert open_site.post(path, session, **{field: f"a <b>{name}</b>"})[0] == status
    assert desk.read()["head"]["notices"]["pause"]["reason"] == "a <b>pause</b>"
    for text in ("pause", "announce"):
        assert all(becomes(address, text, is_shown=True) for address in addresses)
        assert not shown("/leagues/cup/seasons/1/", text)
    assert "is already paused" in desk.decide("pause")[1]["error"]["message"]
    listed = "/leagues/lab/announcements/"
    assert becomes(listed, "announce", is_shown=True)
    (one,) = json.loads(open_site.ask("GET", f"{listed}index.json")[2])["announcements"]
    number = str(one["number"])
    assert desk.decide("resume")[0] == desk.decide("withdraw-notice", number=number)[0] == 200
    assert "has no announcement" in desk.decide("withdraw-notice", number=number)[1]["error"]["message"]
    for text in ("pause", "announce"):
        assert all(becomes(address, text, is_shown=False) for address in (*addresses, listed))


def test_shown_commands_are_valid() -> None:
    fields = {
        "bot": "a b",
        "owner": "ann",
        "reason": "it's",
        "match": "1",
        "entry": "2",
        "from": "3",
        "handle": "x",
        "text": "noon",
        "until": "2031-07-11 18:00",
        "number": "1",
        "zone": "UTC",
        "opens": "",
        "deadline": "2031-07-10 18:00",
        "count": "3",
        "role": "helper",
        "invite": "4",
        "a_day": "1",
        "gap": "2",
        "size": "3",
        "bots": "4",
    }
    for name, form in FORMS.items():
        decided = command_text(form.decision, form.read(fields, "my cup"))
        for text in (decided, form.example("cup")):
            words = shlex.split(text)
            if name in ("void", "replay"):
                assert words[4] in ("my cup/1", "MATCH"), (
                    "no page shows ids, so a number is one of the league"
                )
            assert words.pop(0) == "botleague"
            group: Any = typer.main.get_command(make_app(words[0]))
            while hasattr(group, "resolve_command"):
                context = group.make_context("botleague", [words[0], "--help"], resilient_parsing=True)
                _, group, words = group.resolve_command(context, words)
            numbers = {"MATCH": "1", "ENTRY": "1", "INVITE": "1", "COUNT": "1", "NUMBER": "1"}
            group.make_context(name, [numbers.get(word, word) for word in words])


def test_copies_are_found_and_shown_side_by_side(open_site: Any, desk: OrganiserViews) -> None:
    assert desk.read("likeness/") == []
    credentials = {"Cookie": f"botleague={open_site.session('olga')}"}
    secret = credentials["Cookie"].partition("=")[2]
    status, headers, _ = open_site.post(f"{DESK}likeness/", secret)
    assert (status, headers["location"]) == (303, f"{DESK}likeness/")
    (cluster,) = desk.read("likeness/")
    assert {copy["bot"] for copy in cluster["bots"]} == {"loud", "copied"}
    with open_site.database.reading() as connection:
        season = leagues.current_season(connection, leagues.find(connection, "lab").id)
        _, clusters = stored_desk.likeness_of(connection, season.id) or (0.0, "")
    assert json.loads(clusters) == [cluster], "another server shows it, too"
    text = open_site.ask("GET", f"{DESK}likeness/", **credentials)[2]
    assert f'href="{DESK}likeness/copied/loud/"' in text
    both = open_site.ask("GET", f"{DESK}likeness/copied/loud/", **credentials)[2]
    assert "# mine" in both
    assert "<script>window" not in both


def test_archive_of_sources_has_the_stored_bytes(open_site: Any, desk: OrganiserViews) -> None:
    packed = open_site.fetch(f"{DESK}sources.zip", **desk.token)
    archive = zipfile.ZipFile(io.BytesIO(packed))
    names = archive.namelist()
    assert not any(name.startswith("/") or ".." in name for name in names)
    assert {name.rsplit("/", 1)[0] for name in names} >= {"ann/calm", "otto/copied"}
    with open_site.database.reading() as connection:
        version = bots.find_version(connection, "guessing", "copied")
        source = bots.source_of(connection, version.id)
        plugin = Path(__file__).parents[2] / "platform" / "plugin" / "guessing.py"
        again = io.BytesIO()
        write_sources(open_season(connection, PluginHost.load([plugin]), "lab"), again)
    assert archive.read("otto/copied/bot.py") == source.files["bot.py"]
    assert again.getvalue() == packed, "as the command writes it"


def test_a_backup_is_a_database(desk: OrganiserViews) -> None:
    status, done = desk.decide("backup")
    assert (status, done["command"]) == (200, "botleague db backup")
    Database(done["file"], create=False, reads_only=True).close()


@pytest.mark.chromium
def test_no_hostile_text_breaks_organiser_or_bot_pages(
    open_site: Any,
    desk: OrganiserViews,
    new_context: Callable[..., BrowserContext],
    nasty: tuple[str, ...],
    wait_until: Callable[..., bool],
) -> None:
    with open_site.database.writing() as connection:
        season = leagues.current_season(connection, leagues.find(connection, "lab").id)
        entered = []
        for number, name in enumerate(nasty):
            files = {
                "bot.py": name.encode(),
                f"{name or 'x'}.py".replace("/", "_"): nasty[-1 - number].encode(),
            }
            called = name.strip() or f"empty {number}"
            source = bots.Source(files, "bot.py")
            entered.append(bots.submit(connection, "guessing", called, nasty[-1 - number][:32], source)[0])
        leagues.add_entrants(connection, season.id, [row.id for row in entered])
        bots.transfer(connection, bots.find(connection, "guessing", nasty[0]).id, "ann")
    inside = urls.inside("lab", nasty[0])
    league = "/leagues/lab/"
    with open_site.database.reading() as connection:
        loud = bots.find_version(connection, "guessing", "loud", number=2)
        (match, *_), _ = page_queries.listed(connection, season.id, 10**6, 1, versions=[loud.id])
    match_page = f"/{urls.match('lab', 1, str(match.ordinal + 1))}inside/"
    of_ann = (
        *("/me/bots/", f"/{inside}", f"/{inside}versions/1/", f"{league}inside/loud/?one=1&other=2"),
        *(match_page, f"{match_page}3/"),
    )
    of_olga = (
        *(f"{DESK}?one={nasty[0][:20]}", f"{DESK}playing/", f"{DESK}people/", f"{DESK}likeness/"),
        f"{DESK}likeness/loud/{urls.slug(nasty[1])}/",
    )
    session_cookie = f"botleague={open_site.session('ann')}"
    for address in (match_page, f"{match_page}3/"):  # another process makes the film
        assert wait_until(
            open_site.process,
            lambda at=address: "refresh" not in open_site.ask("GET", at, Cookie=session_cookie)[1],
        )
    for handle, addresses in (("ann", of_ann), ("olga", of_olga)):
        cookie: Any = [{"name": "botleague", "value": open_site.session(handle), "url": open_site.url}]
        context = new_context()
        context.add_cookies(cookie)
        page = context.new_page()
        plain = new_context(java_script_enabled=False)
        plain.add_cookies(cookie)
        without_scripts = plain.new_page()
        for address in addresses:
            look_at(page, f"{open_site.url.rstrip('/')}{address}")
            without_scripts.goto(f"{open_site.url.rstrip('/')}{address}")
            assert len(without_scripts.locator("main").inner_text()) > 20, address


def look_at(page: Page, address: str) -> None:
    """Open a page and judge it: on a telephone at night with all that is known of good pages, then on a desk by day."""
    page.set_viewport_size({"width": 360, "height": 800})
    page.emulate_media(color_scheme="dark")
    page.goto(address)
    assert page.locator("h1").count() == 1, address
    assert not is_too_wide(page), f"{address} is wider than a telephone"
    assert [f"{one['id']} at {one['nodes'][0]['html'][:160]}" for one in violations(page)] == [], address
    page.set_viewport_size({"width": 1280, "height": 800})
    page.emulate_media(color_scheme="light")
    assert not is_too_wide(page), f"{address} is wider than the window"
    assert page.evaluate("window.harmed") is None, address


def is_too_wide(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))


def test_next_season_starts_with_its_command_in_the_log(open_site: Any, desk: OrganiserViews) -> None:
    path, how = f"{DESK}season/", {"Content_Type": FORM, **desk.token}
    for share, message in (("much", "is not a number"), ("7", "at most 1"), ("nan", "at most 1")):
        status, _, text = open_site.ask("POST", path, urlencode({"carry": share}), **how)
        assert (status, message in text) == (422, True), share
    assert desk.read()["head"]["season"] == 1
    status, _, text = open_site.ask("POST", path, urlencode({"carry": "0.5"}), **how)
    done = json.loads(text)
    assert (status, done["season"]) == (200, 2)
    page = desk.read()
    assert page["head"]["season"] == 2
    assert {one["bot"] for one in page["entrants"]} >= {"loud", "calm"}
    (entry,) = [one for one in page["log"] if one["event"] == "season"]
    assert entry["command"] == done["command"] == "botleague season new lab --all --close --carry 0.5"
    assert (entry["by"], entry["changed"]) == ("olga", {"season": [1, 2]})
    for name, form in (
        ("season/", {}),
        ("decide/close/", {}),
        ("decide/calendar/", {"deadline": "2031-07-10 18:00"}),
    ):
        status, _, text = open_site.ask("POST", f"{DESK}{name}", urlencode({**form, "season": "1"}), **how)
        assert (status, "Season 2 of lab has begun since this form was opened" in text) == (422, True), name
    cookie = f"botleague={open_site.session('olga')}"
    forms = open_site.ask("GET", DESK, Cookie=cookie)[2].split('<form class="fields')[1:]
    assert all('name="season" value="2"' in form for form in forms)
    assert desk.read()["calendar"]["deadline"] == ""


def test_season_after_a_frozen_one_needs_named_bots(open_site: Any, desk: OrganiserViews) -> None:
    number = desk.read()["head"]["season"]  # another test may have begun one in this league
    title = "lab" if number == 1 else f"lab, season {number}"
    assert desk.decide("calendar", zone="UTC", freeze="2026-01-01 00:00")[0] == 200
    cookie = f"botleague={open_site.session('olga')}"
    form = open_site.ask("GET", DESK, Cookie=cookie)[2].partition(f'action="{DESK}season/"')[2]
    assert "Until this season is revealed, name the bots" in form
    path, how = f"{DESK}season/", {"Content_Type": FORM, **desk.token}
    for names, message in (
        ("", f"A next season without named bots uses the standings of {title}, which are frozen"),
        ("loud nobody", "not a bot in the database"),
        ("loud pyproject.toml ../lab/", "../lab/' is a path"),
        ("loud bots/calm.py", "'bots/calm.py' is a path"),
        ("loud x=bots/calm.py", "x=bots/calm.py' is a path"),
        ("loud, loud", "is listed twice"),
    ):
        status, _, text = open_site.ask("POST", path, urlencode({"bots": names}), **how)
        assert (status, message in text) == (422, True), (names, text)
    status, _, text = open_site.ask("POST", path, urlencode({"bots": "loud,\r\ncalm"}), **how)
    done = json.loads(text)
    assert (status, done["season"], done["entrants"]) == (200, number + 1, 2)
    assert done["command"] == "botleague season new lab loud calm --close"
    assert [one["bot"] for one in desk.read()["entrants"]] == ["calm", "loud"]


@pytest.mark.chromium
def test_a_form_that_is_clicked_twice_is_sent_once(
    open_site: Any, new_context: Callable[..., BrowserContext]
) -> None:
    context = new_context()
    context.add_cookies([{"name": "botleague", "value": open_site.session("olga"), "url": open_site.url}])
    page = context.new_page()
    page.goto(f"{open_site.url}leagues/ko/desk/people/")
    requests: list[Any] = []

    def hold_the_first(route: Any) -> None:
        requests.append(route)
        if len(requests) > 1:
            route.continue_()

    page.route("**/decide/invite/", hold_the_first)
    page.click("summary >> text=Create invite")
    form = page.locator("details[open] form")
    form.get_by_label("Number of uses").fill("2")
    form.get_by_role("button").scroll_into_view_if_needed()
    button = form.get_by_role("button").bounding_box()
    assert button is not None
    with page.expect_request("**/decide/invite/"):
        page.mouse.click(button["x"] + 5, button["y"] + 5)
    page.mouse.click(button["x"] + 5, button["y"] + 5)
    requests[0].continue_()
    page.locator("text=The link is shown only once").wait_for()
    assert len(requests) == 1
    # The way back shows a form that can be sent again.
    page.go_back()
    page.locator("details:has(form[action*=invite]) summary").first.click()
    form.get_by_label("Number of uses").fill("3")
    form.get_by_role("button").click()
    page.locator("text=for 3 accounts").wait_for()
    # A reload shows the form again, and does not send it.
    page.wait_for_url("**/desk/people/")
    page.reload()
    page.locator("summary >> text=Create invite").wait_for()
    assert len(requests) == 2


@pytest.mark.chromium
def test_pictures_of_games_for_a_new_league_have_their_own_letters(
    open_site: Any, new_context: Callable[..., BrowserContext]
) -> None:
    context = new_context()
    context.add_cookies([{"name": "botleague", "value": open_site.session("olga"), "url": open_site.url}])
    page = context.new_page()
    page.goto(f"{open_site.url}new-league/?variant=careerfair-solo")
    assert "1 seat." in page.locator(".lead").inner_text()
    page.goto(f"{open_site.url}new-league/")
    page.locator(".card .picture svg text").first.wait_for()
    sizes = "all => all.map(one => [parseFloat(getComputedStyle(one).fontSize), Number(one.getAttribute('font-size'))])"
    for drawn, declared in page.locator(".card .picture svg text").evaluate_all(sizes):
        assert drawn == pytest.approx(declared)
    picture = page.locator(".card .picture:has(svg)").first.bounding_box()
    assert picture is not None
    assert picture["width"] / picture["height"] == pytest.approx(16 / 9, rel=0.01)


@pytest.mark.chromium
def test_keyboard_reaches_no_heading_that_cannot_be_seen(
    open_site: Any, new_context: Callable[..., BrowserContext]
) -> None:
    context = new_context()
    context.add_cookies([{"name": "botleague", "value": open_site.session("olga"), "url": open_site.url}])
    page = context.new_page()
    page.goto(f"{open_site.url}leagues/ko/desk/")
    page.get_by_role("button", name="Owner").first.wait_for()
    assert page.locator("th > .unseen").count()
    assert page.locator("th button .unseen").count() == 0
