"""The race on the standings page: its values, its size, and its range input in a browser."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from botleague.application import pages
from botleague.application.pages import MAX_STEPS, ROWS, Race
from botleague.league import open_season
from botleague.league.season import horizons, visible
from botleague.league.tables import read_standings
from botleague.people import PUBLIC
from botleague.plugins import PluginHost
from botleague.site.pictures import race_data
from botleague_storage import Database, page_queries

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


@pytest.mark.parametrize("league", ["cup", "ko"])
def test_race_agrees_with_the_standings_of_every_round(played: Path, league: str) -> None:
    plugins = PluginHost.load([Path(__file__).parents[2] / "platform" / "plugin" / "guessing.py"])
    database = Database(str(played / "league.db"), create=False)
    with database.reading(lambda connection: horizons(connection, PUBLIC)) as connection:
        season = open_season(connection, plugins, league)
        view = visible(PUBLIC, season)
        page = pages.read_table_page(season, view, time.time())
        race = page.race
        assert race is not None
        assert race.measure == ("points" if league == "cup" else "rating")
        ends = page_queries.round_ends(connection, season.id, race.steps, view.end)
        assert ends[-1] == view.end
        for step, end in enumerate(ends):
            assert end is not None
            then = {row.bot: row for row in read_standings(season.as_of(end))}
            for row, course in zip(page.rows, race.values, strict=True):
                if course[step] is not None:
                    expected = then[row.bot].points if race.measure == "points" else then[row.bot].rating
                    assert course[step] == pytest.approx(expected, abs=0.05)
        for row, form in zip(page.rows, page.form, strict=True):
            assert form.curve[-1] == round(row.rating)
            assert len(form.results) == min(5, row.matches)
    database.close()


def test_race_of_a_full_page_has_at_most_6_kb() -> None:
    random = Random(1)
    values: list[list[float | None]] = []
    for _ in range(ROWS):
        rating, course = 1500.0, list[float | None]()
        for _ in range(MAX_STEPS):
            rating += random.gauss(0, 15)
            course.append(rating)
        values.append(course)
    data = race_data(Race("rating", "round", list(range(1, MAX_STEPS + 1)), values))
    assert len(gzip.compress(data.encode())) <= 6 * 1024


@pytest.mark.chromium
def test_range_input_sorts_the_standings_as_of_a_round(
    published: Path, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context().new_page()
    page.goto((published / "site" / "leagues" / "cup" / "index.html").as_uri())
    rows, table = page.locator("table.table tbody tr"), page.locator("table.table tbody")
    now = table.inner_text()
    page.get_by_role("slider").press("Home")
    page.get_by_text("as of round 1 of").wait_for()
    values = [float(text.replace("½", ".5")) for text in rows.locator(".racing").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    assert rows.locator(".rank").first.inner_text() == "1"
    assert page.locator(".names .value").last.text_content() in rows.locator(".racing").all_inner_texts()
    first = page.locator(".names a").last
    first.focus()
    assert page.locator(".lines .line.on").count() == 1
    page.get_by_role("button", name="Back to now").click()
    assert table.inner_text() == now
    started = "document.querySelector('[data-play]').click(), document.querySelector('.then').innerText"
    assert page.evaluate(started).startswith("as of round 1 of")
    page.get_by_text("as of round").wait_for(state="hidden")
    assert table.inner_text() == now


@pytest.mark.chromium
def test_race_stands_still_without_scripts(
    published: Path, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto((published / "site" / "leagues" / "cup" / "index.html").as_uri())
    assert page.locator(".race polyline").count() == page.locator("table.table tbody tr").count()
    assert not page.get_by_role("slider").is_visible()
    assert page.locator(".champions .gold").first.is_visible()
