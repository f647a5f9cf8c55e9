"""Pages on paper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

CUP = "leagues/cup/seasons/1/"

PAPER = """() => {
    const shown = element => element.getClientRects().length > 0
    const colours = name => [...new Set([...document.querySelectorAll("body, main *")]
        .filter(shown).map(element => getComputedStyle(element)[name]))]
    const style = (selector, name) => [...new Set([...document.querySelectorAll(selector)]
        .filter(shown).map(element => getComputedStyle(element)[name]))]
    return {
        navigation: [...document.querySelectorAll("header.site, footer.site, nav, form")].filter(shown).length,
        colours: colours("color"),
        backgrounds: colours("backgroundColor"),
        hidden: [...document.querySelectorAll("main .scroll th, main .scroll td")]
            .filter(cell => !cell.closest("details, [aria-labelledby=newest-heading]")
                && !shown(cell)).length,
        cut: [...document.querySelectorAll(".bot, .owner, .scroll")].filter(one => shown(one)
            && getComputedStyle(one).overflowX !== "visible").length,
        heads: style("thead", "display"),
        rows: style("tr, svg.tree", "breakInside"),
    }
}"""


@pytest.mark.chromium
@pytest.mark.parametrize(
    ("path", "is_table"),
    [
        (CUP, True),
        (f"{CUP}cross-table/", True),
        (f"{CUP}matches/", True),
        ("leagues/ko/seasons/1/bracket/", False),
    ],
)
def test_printed_page_is_black_on_white_and_complete(
    published: Path, new_context: Callable[..., BrowserContext], path: str, is_table: bool
) -> None:
    page = new_context(viewport={"width": 400, "height": 600}, color_scheme="dark").new_page()
    page.goto(f"file://{published}/site/{path}index.html")
    page.emulate_media(media="print")
    paper = page.evaluate(PAPER)
    black, white, none = "rgb(0, 0, 0)", "rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"
    assert (paper["navigation"], paper["hidden"], paper["cut"]) == (0, 0, 0)
    assert paper["colours"] == [black]
    assert white in paper["backgrounds"]
    assert set(paper["backgrounds"]) <= {white, none}
    assert paper["heads"] == ["table-header-group"] * is_table
    assert paper["rows"] == ["avoid"]
    assert page.pdf().startswith(b"%PDF")
