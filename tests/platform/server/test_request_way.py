"""A request goes one way from the access rule of its page to the page's data, without a return to the server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from botleague.league import LeagueSettings, create_league
from botleague.plugins import PluginHost
from botleague.rules import Variant
from botleague_storage import Database

from ..league.freeze.frozen_league import Clock, League
from ..league.freeze.site_answers import site
from ..league.scripted_league import entered

ROOMS = (
    "botleague_server/serving",
    "botleague/site",
    "botleague/league/season",
    "botleague/application/pages",
)


@contextmanager
def noted_calls() -> Iterator[list[tuple[str, str]]]:
    """Give a list that receives (room, function) of each first call of a frame in threads that start meanwhile."""
    calls: list[tuple[str, str]] = []
    frames: dict[int, FrameType] = {}  # stored, so that no other frame gets the same id

    def note(frame: FrameType, event: str, _: Any) -> None:
        room = next((room for room in ROOMS if f"/{room}/" in frame.f_code.co_filename), "")
        if (
            event == "call" and room and id(frame) not in frames
        ):  # a coroutine is called again when it resumes
            frames[id(frame)] = frame
            calls.append((room, frame.f_code.co_qualname))

    threading.setprofile(note)
    try:
        yield calls
    finally:
        threading.setprofile(None)


def test_page_of_a_league_is_read_in_one_way(
    tmp_path: Path,
    plugins: PluginHost,
    guessing: Variant,
    plugin_file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "botleague.toml").write_text(f'plugins = ["{plugin_file}"]\n')
    monkeypatch.chdir(tmp_path)
    database = Database(str(tmp_path / "league.db"))
    with database.writing() as connection:
        versions = [entered(connection, letter) for letter in "abc"]
        create_league(connection, plugins, "cup", guessing, LeagueSettings(seed=5), versions)
    database.close()
    league = League(tmp_path / "league.db", plugins, Clock())
    site(league, only=["/leagues/cup/"])  # imports modules
    with noted_calls() as calls:
        site(league, only=["/leagues/cup/"])
    names = [name for _, name in calls]
    way = calls[names.index("Gate.guarded.<locals>.guarded") : names.index("read_table_page") + 1]
    rooms = [room for room, _ in groupby(room for room, _ in way)]
    assert rooms == [
        "botleague_server/serving",
        "botleague/league/season",  # what the visitor may see of each season
        "botleague/site",
        "botleague/league/season",
        "botleague/site",
        "botleague/application/pages",
    ]
