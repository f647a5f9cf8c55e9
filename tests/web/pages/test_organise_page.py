"""docs/organise.md is true: its steps are done in a browser, in order, on a server that plays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ..conftest import Open

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

ROOT = Path(__file__).parents[3]

STEP = re.compile(
    r"(?P<first>Open the printed link)|Open `(?P<open>/[^`]*)`|[Uu]nfold \*\*(?P<unfold>[^*]+)\*\*|"
    r"[Cc]hoose \*\*(?P<choose>[^*]+)\*\*|`(?P<value>[^`]+)` as \*\*(?P<label>[^*]+)\*\*|"
    r"You see `(?P<sees>[^`]+)`|\*\*(?P<click>[^*]+)\*\*"
)
"""What a reader does; a bold text by itself is clicked."""


def steps() -> Iterator[re.Match[str]]:
    """Yield the steps of the numbered lists, and what a reader sees after one."""
    text = (ROOT / "docs" / "organise.md").read_text()
    items = re.findall(r"^(?:\d+\. .*(?:\n   .*)*|You see .*)$", text, re.MULTILINE)
    assert len(items) >= 20
    for item in items:
        yield from STEP.finditer(re.sub(r"\s+", " ", item))


def done(page: Page, scope: str, step: re.Match[str], url: str, link: str) -> str:
    """Do a step; return the part of the page in which the next ones are."""
    if step["first"]:
        page.goto(link)
    elif step["open"]:
        page.goto(f"{url}{step['open'][1:]}")
    elif step["unfold"]:
        page.click(f"summary >> text=/^{re.escape(step['unfold'])}$/")
        return "details[open]"
    elif step["choose"]:
        page.locator(scope).get_by_label(step["choose"]).first.check()
        return scope
    elif step["label"]:
        fields = page.locator(scope).get_by_label(step["label"])
        fields.locator("visible=true").first.fill(step["value"])
        return scope
    elif step["sees"]:
        page.locator("main").get_by_text(step["sees"]).first.wait_for()
        return scope
    else:
        name = step["click"]
        place = page.locator(scope)
        button = place.get_by_role("button", name=name, exact=True)
        target = button if button.count() else place.get_by_role("link", name=name, exact=True)
        target.first.click()
    return "body"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Open]:
    """A new server that plays."""
    (tmp_path / "botleague.toml").write_text("database = 'league.db'\njobs = 1\n")
    server = Open(tmp_path, "--play")
    yield server
    server.end()


@pytest.mark.chromium
def test_each_step_of_the_page_works(server: Open, new_context: Callable[..., BrowserContext]) -> None:
    assert server.process.stdout is not None
    link = re.findall(r"http\S+", server.process.stdout.readline())[0]
    page = new_context().new_page()
    scope = "body"
    for step in steps():
        scope = done(page, scope, step, server.url, link)
