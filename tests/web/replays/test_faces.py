"""Outputs of one match: page, picture, record file, terminal and notebook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

import botleague
from botleague.plugins import PluginHost
from botleague.referee import Record
from botleague.rules import Fault

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

RUN_MANY = """
import contextlib, io, json, sys
from botleague.cli.command_process import run
for arguments in json.load(sys.stdin):
    sys.argv = ["botleague", *arguments]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            run()
        except SystemExit as end:
            code = end.code or 0
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""


@pytest.fixture(scope="module")
def folder(
    games: PluginHost, sample_match: Callable[..., Record], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("faces")
    record = sample_match(
        games.variant("isolation-5x5"), ["ann", "bob"], faults={(4, 0): Fault("exception", "oh no")}
    )
    (folder / "match.blr").write_bytes(record.encode())
    return folder


def run_all(folder: Path, *commands: list[str], **environment: str) -> list[tuple[int, str, str]]:
    done = subprocess.run(
        [sys.executable, "-c", RUN_MANY],
        input=json.dumps(commands),
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "COLUMNS": "80", "LINES": "30", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def test_a_record_becomes_a_page_a_picture_and_the_same_record(folder: Path) -> None:
    replay = ["replay", "match.blr"]
    made, again, picture, _, too_late = run_all(
        folder,
        [*replay, "--html", "game.html"],
        [*replay, "--html", "game.html"],
        [*replay, "--svg", "2"],
        [*replay, "--record", "copy.blr"],
        [*replay, "--svg", "999"],
    )
    assert made == (0, "", "")
    whole = (folder / "game.html").read_text()
    assert "<h1>isolation-5x5: ann – bob</h1>" in whole
    assert "oh no" in whole
    assert again[0] == 2
    assert "game.html already exists" in again[2]
    root = ElementTree.fromstring(picture[1])
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "ann" in (root.findtext("{http://www.w3.org/2000/svg}title") or "")
    assert (folder / "copy.blr").read_bytes() == (folder / "match.blr").read_bytes()
    assert too_late[0] == 2
    assert "the match has 5 turns, so give 0 to 5" in too_late[2]


def test_a_pipe_gets_lines_and_a_terminal_the_board(folder: Path) -> None:
    watch = ["replay", "match.blr", "--watch", "--fps", "60"]
    piped, watched = run_all(folder, watch, ["replay", "match.blr"])
    for code, out, _ in (piped, watched):
        assert code == 0
        assert "▀" not in out
        assert "    1    bob: knight " in out
        assert "    4    ann: EXCEPTION oh no" in out
        assert "{seat" not in out
    # rich takes a pipe for a terminal then.
    for command in (watch, ["replay", "match.blr"]):
        ((code, out, _),) = run_all(folder, command, FORCE_COLOR="1")
        assert code == 0
        assert "▀" in out
        assert "{seat" not in out


def test_seat_sees_its_observations(folder: Path) -> None:
    view = ["replay", "match.blr", "--view", "--fps", "60"]
    ((code, out, _), no_seat, other) = run_all(
        folder, [*view, "--seat", "1"], view, [*view, "--seat", "2"], FORCE_COLOR="1"
    )
    assert code == 0
    assert "▀" in out
    for refused, why in (
        (no_seat, "--view needs one --seat, from 0 to 1"),
        (other, "--seat must be 0 to 1, not 2"),
    ):
        assert refused[0] == 2
        assert why in refused[2]


def test_played_match_becomes_a_page(folder: Path) -> None:
    ((code, _, errors),) = run_all(
        folder,
        ["play", "isolation-5x5", "greedy", "random", "--seed", "3", "--html", "played.html", "--open"],
        BROWSER="false",
    )
    assert code == 0
    assert "No browser found. The replay is in played.html." in " ".join(errors.split())
    assert "botleague play isolation-5x5 greedy random --seed 3" in (folder / "played.html").read_text()


@pytest.mark.chromium
def test_a_notebook_shows_the_player_in_a_frame_of_its_own(
    new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    match = botleague.play("isolation-5x5", ["greedy", "random"], seed=3)
    assert ElementTree.fromstring(match._repr_svg_()).tag.endswith("svg")
    html = match._repr_html_()
    assert 'sandbox="allow-scripts"' in html
    assert "greedy" in unescape(html)
    (tmp_path / "notebook.html").write_text(f"<!doctype html><title>cell</title><meta charset=utf-8>{html}")
    opened = new_context(reduced_motion="reduce").new_page()
    opened.goto((tmp_path / "notebook.html").as_uri())
    frame = opened.frame_locator("iframe")
    frame.get_by_role("button", name="To the end").click()
    assert frame.locator(".bl-counter").inner_text() == f"{match.turns} / {match.turns}"
    frame.get_by_role("link", name="Turn 2", exact=True).click()
    assert frame.locator(".bl-counter").inner_text() == f"2 / {match.turns}"
