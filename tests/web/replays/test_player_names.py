"""Names of bots in the player: long ones, and those that are written from the right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from botleague.film import film, page
from botleague.plugins import PluginHost
from botleague.referee import Record

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.chromium


def test_long_names_are_cut_in_sentences(
    games: PluginHost, sample_match: Callable[..., Record], tab: Page, tmp_path: Path
) -> None:
    name = "n" * 64
    variant = games.variant("isolation-queen-3x2")
    made = film(sample_match(variant, [name, "bob"]), variant)
    (tmp_path / "long.html").write_text(page(made))
    tab.goto((tmp_path / "long.html").as_uri())
    tab.keyboard.press("End")
    texts = tab.locator(
        ".bl-headline, .bl-turning-text, .bl-result h2, .bl-result .bl-note"
    ).all_inner_texts()
    assert not any(name in text for text in texts)
    assert tab.locator(f'bdi[title="{name}"]').first.inner_text() == name, (
        "the whole name stands in its place"
    )


def test_names_from_the_right_do_not_turn_sentences(
    games: PluginHost, sample_match: Callable[..., Record], tab: Page, tmp_path: Path
) -> None:
    variant = games.variant("isolation-queen-3x2")
    made = film(sample_match(variant, ["שלום עולם", "bob"]), variant)
    assert made.turning is not None
    turning = msgspec.structs.replace(made.turning, text="{seat 0} had more room for good.")
    (tmp_path / "right.html").write_text(page(msgspec.structs.replace(made, turning=turning)))
    tab.goto((tmp_path / "right.html").as_uri())
    sentence = tab.locator(".bl-turning-text")
    assert sentence.evaluate("(element) => getComputedStyle(element).direction") == "ltr"
    first, last = sentence.evaluate("""(element) => [0, element.firstChild.length - 1].map((at) => {
      const range = document.createRange();
      range.setStart(element.firstChild, at);
      range.setEnd(element.firstChild, at + 1);
      return range.getBoundingClientRect().right;
    })""")
    assert last > first, "the full stop is at the end"
