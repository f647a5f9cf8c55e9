"""The bracket in a browser, and its stage, which uncovers one result after another."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from botleague.application.pages import Encounter
from botleague.site.pictures.bracket_svg import tree_svg

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


@pytest.mark.chromium
def test_stage_uncovers_results_and_returns_from_a_replay(
    published: Path, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport={"width": 1280, "height": 720}).new_page()
    bracket = published / "site" / "leagues" / "ko" / "seasons" / "1" / "bracket" / "index.html"
    page.goto(bracket.as_uri())
    decided = page.locator(".series[data-at]").count()
    numbers = page.locator(".series[data-at]").evaluate_all("all => all.map(one => one.dataset.at)")
    assert decided == len(set(numbers)) > 2
    assert page.locator("a.series").count() == decided, "each leads to a replay"
    assert page.locator(".tree .way").count() + page.locator(".tree .drop").count() > 0
    page.get_by_role("link", name="Stage").click()
    covered = page.locator(".series.undecided")
    page.locator("html.stage").wait_for()
    assert covered.count() == decided
    assert not page.locator("[data-champion]").is_visible()
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    page.keyboard.press(" ")
    page.keyboard.press(" ")
    assert covered.count() == decided - 2
    page.keyboard.press("b")
    assert covered.count() == decided - 1
    page.keyboard.press("f")
    page.wait_for_url("**/matches/**")
    page.keyboard.press("b")
    page.wait_for_url("**/bracket/**")
    page.locator("html.stage").wait_for()
    assert covered.count() == decided - 1, "the stage continues where it was"
    page.keyboard.press("End")
    assert covered.count() == 0
    assert page.locator("[data-champion]").is_visible()
    page.keyboard.press("Escape")
    page.locator("html:not(.stage) header.site").wait_for()


@pytest.mark.chromium
def test_stage_follows_results_of_a_bracket_larger_than_the_window(
    published: Path, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport={"width": 640, "height": 420}, reduced_motion="reduce").new_page()
    bracket = published / "site" / "leagues" / "ko" / "seasons" / "1" / "bracket" / "index.html"
    page.goto(f"{bracket.as_uri()}?stage")
    page.locator("html.stage").wait_for()
    views = set()
    for _ in range(page.locator(".series[data-at]").count()):
        page.keyboard.press(" ")
        newest = page.locator(".series.new .box").bounding_box()
        assert newest is not None
        assert 0 <= newest["x"] <= 640 - newest["width"]
        assert 0 <= newest["y"] <= 420 - newest["height"]
        assert newest["height"] >= 52, "two rows of readable letters"
        views.add(page.locator("svg.tree").get_attribute("viewBox"))
    assert len(views) > 1


@pytest.mark.chromium
def test_stage_uncovers_standings_from_the_last_place(
    published: Path, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(viewport={"width": 1280, "height": 720}).new_page()
    page.goto((published / "site" / "leagues" / "cup" / "seasons" / "1" / "index.html").as_uri())
    names = page.locator("table.table tbody th").all_inner_texts()
    page.get_by_role("link", name="Stage").click()
    page.locator("html.stage").wait_for()
    uncovered = page.locator("table.table tbody tr:not(.covered)")
    assert uncovered.count() == 0
    assert not page.locator("[data-champion]").first.is_visible()
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    page.keyboard.press(" ")
    assert uncovered.locator("th").all_inner_texts() == names[-1:]
    page.keyboard.press("f")
    page.wait_for_url("**/matches/**")
    page.keyboard.press("b")
    page.locator("html.stage").wait_for()
    page.keyboard.press("End")
    assert uncovered.locator("th").all_inner_texts() == names
    assert page.locator("[data-champion]").first.is_visible()


@pytest.mark.chromium
def test_stage_fills_every_projector(published: Path, new_context: Callable[..., BrowserContext]) -> None:
    seasons = published / "site" / "leagues"
    letters: dict[str, list[float]] = {"table.table th": [], ".hint": [], "svg.tree text": []}
    for width, height in ((1280, 800), (1920, 1080), (3840, 2160)):
        page = new_context(viewport={"width": width, "height": height}, reduced_motion="reduce").new_page()
        for path in ("cup/seasons/1/index.html", "ko/seasons/1/bracket/index.html"):
            page.goto(f"{(seasons / path).as_uri()}?stage")
            page.locator("html.stage").wait_for()
            page.keyboard.press("End")
            if "bracket" in path:
                boxes = [box.bounding_box() for box in page.locator(".tree .box").all()]
                assert all(box is not None and 0 <= box["x"] <= width - box["width"] for box in boxes)
                assert all(box is not None and 0 <= box["y"] <= height - box["height"] for box in boxes)
            for selector, sizes in letters.items():
                if page.locator(selector).count():
                    box = page.locator(selector).last.bounding_box()
                    assert box is not None
                    sizes.append(box["height"] / height)
    for selector, sizes in letters.items():
        assert min(sizes) > 0.7 * max(sizes), selector


def test_dotted_lines_do_not_run_over_each_other() -> None:
    first = [f"bot{number}" for number in range(8)]
    upper = [
        Encounter(1, f"upper round, {n + 1}", [first[2 * n], first[2 * n + 1]], [1, 0], first[2 * n])
        for n in range(4)
    ]
    lost = first[1::2]
    lower = [
        Encounter(2, f"lower round 1, {n + 1}", [lost[2 * n], lost[2 * n + 1]], [1, 0], lost[2 * n])
        for n in range(2)
    ]
    tree = tree_svg([*upper, *lower], "Bracket", lambda _: None, {})
    lines = re.findall(r'd="M[^"]*?H([\d.]+)V([\d.]+)H([\d.]+)V[^"]*" class="join drop', tree)
    assert len(lines) == 4
    for parts in zip(*lines, strict=True):
        assert len(set(parts)) == 4, parts


def test_bracket_leaves_out_dotted_lines_that_would_look_hatched() -> None:
    def drawn(bots: int) -> int:
        first = [f"bot{number}" for number in range(bots)]
        upper = [
            Encounter(1, f"upper round, {n + 1}", [first[2 * n], first[2 * n + 1]], [1, 0], first[2 * n])
            for n in range(bots // 2)
        ]
        lost = first[1::2]
        lower = [
            Encounter(2, f"lower round 1, {n + 1}", [lost[2 * n], lost[2 * n + 1]], [1, 0], lost[2 * n])
            for n in range(bots // 4)
        ]
        return tree_svg([*upper, *lower], "Bracket", lambda _: None, {}).count("join drop")

    assert drawn(8) == 4
    assert drawn(16) == 0


def test_long_name_in_a_bracket_leaves_room_for_its_seed_number() -> None:
    series = Encounter(1, "final", ["n" * 15, "m"], [1, 0], "n" * 15)
    for seed, text in ((0, "n" * 15), (256, "n" * 11 + "…")):
        tree = tree_svg([series], "Bracket", lambda _: None, {"n" * 15: seed} if seed else {})
        assert f">{text}</text>" in tree
