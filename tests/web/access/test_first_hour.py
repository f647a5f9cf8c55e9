"""The first hour of an organiser: from an empty folder to a frozen league with 30 invited people, in 12 actions.

An action is a command, a page that is opened, or a form that is sent. What the invited people do is theirs.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from botleague_storage import Database, accounts, leagues

from ..conftest import PASSWORD, Command, Open, write_project

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


PEOPLE = 30
MAX_ACTIONS = 12

STATE = "/leagues/cup/index.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder without a database."""
    write_project(tmp_path)
    return tmp_path


def now() -> str:
    """Return this second as a calendar has it."""
    return f"{datetime.fromtimestamp(time.time(), UTC):%Y-%m-%d %H:%M:%S}"


def is_frozen_for_strangers(server: Open) -> bool:
    return bool(json.loads(server.fetch(STATE))["head"]["state"] == "frozen")


def people_of(place: Path) -> list[str]:
    """Return who may submit to the cup."""
    with (
        closing(Database(str(place / "league.db"), reads_only=True)) as database,
        database.reading() as connection,
    ):
        assert leagues.names(connection) == ["cup"]
        return [row.handle for row in accounts.accounts(connection) if row.roles.get("cup") == "author"]


@pytest.fixture
def start(folder: Path) -> Iterator[Callable[[], Open]]:
    """Starts a server that plays; it ends with the test."""
    servers: list[Open] = []

    def begin() -> Open:
        servers.append(Open(folder, "--play"))
        return servers[-1]

    yield begin
    for server in servers:
        server.end()


@pytest.mark.chromium
def test_first_hour_in_the_browser(
    folder: Path,
    start: Callable[[], Open],
    new_context: Callable[..., BrowserContext],
    wait_until: Callable[..., bool],
) -> None:
    actions = 0

    def act(work: Callable[[], Any]) -> None:
        nonlocal actions
        actions += 1
        work()

    act(lambda: None)  # botleague serve --open --play
    server = start()
    assert server.process.stdout is not None
    link = re.findall(r"http\S+", server.process.stdout.readline())[0]
    page = new_context().new_page()
    act(lambda: page.goto(link))
    page.fill("[name=handle]", "ada")
    page.fill("[name=password]", PASSWORD)
    act(lambda: page.click("text=Create account"))
    act(lambda: page.click("text=Create a league"))
    act(lambda: page.click("h2 >> text=guessing"))
    page.fill("[name=league]", "cup")
    page.check("[value=round-robin]")
    page.fill("[name=deadline]", "2099-07-10 18:00")
    act(lambda: page.click("button >> text=Create league"))
    act(lambda: page.click("nav >> text=People"))
    page.click("summary >> text=Create invite")
    invite = page.locator("form[action$='/invite/']")
    invite.locator("[name=count]").fill(str(PEOPLE))
    act(lambda: invite.get_by_role("button").click())
    join = re.findall(r"/join/[\w-]+/", page.inner_text("[role=status]"))[0]
    handles = [f"student-{number}" for number in range(1, PEOPLE + 1)]
    for handle in handles:
        assert server.post(join, handle=handle, password=PASSWORD)[0] == 303
    assert server.post(join, handle="late", password=PASSWORD)[0] == 404
    assert wait_until(server.process, lambda: json.loads(server.fetch(STATE))["head"]["done"])
    act(lambda: page.click("text=Back to the organiser pages"))
    page.fill("[name=freeze]", now())
    act(lambda: page.click("button >> text=Save calendar"))
    assert "Saved the calendar of cup" in page.inner_text("[role=status]")
    assert wait_until(server.process, lambda: is_frozen_for_strangers(server))
    assert people_of(folder) == sorted(handles)
    assert actions <= MAX_ACTIONS


def test_first_hour_on_the_command_line(
    folder: Path, start: Callable[[], Open], command: Command, wait_until: Callable[..., bool]
) -> None:
    (folder / "cup.toml").write_text(
        "variant = 'guessing'\nleague = 'cup'\nbots = ['five', 'lucky']\nseed = 1\n"
    )
    actions = (
        ("account", "new", "ada", "--organiser"),
        ("league", "new", "cup.toml"),
        (
            "invite",
            "sheet",
            "--count",
            str(PEOPLE),
            "--prefix",
            "student",
            "--league",
            "cup",
            "--out",
            "sheet.txt",
        ),
        ("run", "cup.toml"),
    )
    for words in actions:
        command(folder, *words)
    command(folder, "organise", "calendar", "cup", "--freeze", now())
    server = start()
    assert is_frozen_for_strangers(server)
    assert json.loads(server.fetch(STATE))["head"]["done"] > 0
    codes = re.findall(r"^(student-\d+) +(\S+)$", (folder / "sheet.txt").read_text(), re.MULTILINE)
    assert [handle for handle, _ in codes] == sorted(people_of(folder))
    handle, code = codes[0]
    assert server.post("/login/", handle=handle, password=code)[0] == 303
    assert len(actions) + 2 <= MAX_ACTIONS
