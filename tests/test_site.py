"""The documentation as a site: it is built without a complaint, needs no network, and is found through its search."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import Browser

ROOT = Path(__file__).parents[1]

LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src", "video": "src"}
"""Elements by which a page loads something, with the attribute that says what."""


class Loads(HTMLParser):
    """Collects what a page loads, not what it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the element loads."""
        attributes = dict(attrs)
        if tag in LOADED and attributes.get(LOADED[tag]):
            self.found.append(attributes[LOADED[tag]] or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(ROOT / "mkdocs.yml", folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    command = [str(Path(sys.executable).with_name("zensical")), "build", "--strict"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def test_every_page_is_in_the_navigation(site: Path) -> None:
    named = set(re.findall(r"- (?:.*: )?([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    assert named == {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        loads = Loads()
        loads.feed(page.read_text())
        assert loads.found or page.name == "replay.html", "a file of its own"
        outside = [address for address in loads.found if re.match(r"(\w+:)?//", address)]
        assert outside == [], page.name
        for address in loads.found:
            if not address.startswith("data:"):
                # Only the page of a web server for what is not there begins at the site's root.
                start = site if address.startswith("/") else page.parent
                assert (start / re.sub(r"[?#].*", "", address).lstrip("/")).exists(), (
                    f"{page.name}: {address}"
                )
    for sheet in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(\w+:)?//|@import", sheet.read_text()), sheet.name
    assert not list(site.rglob("*.py")), "scripts are not part of the site"


@pytest.mark.chromium
def test_the_site_is_read_and_searched_from_a_disk_without_network(site: Path, browser: Browser) -> None:
    with browser.new_context(offline=True) as context:
        page = context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("requestfailed", lambda request: problems.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.keyboard.press("/")
        page.locator("input:visible").fill("shotpower")
        page.get_by_text("Applying the answer of").first.wait_for()
        assert problems == []


@pytest.mark.chromium
def test_no_page_is_wider_than_a_telephone(site: Path, browser: Browser) -> None:
    with browser.new_context(viewport={"width": 360, "height": 800}, java_script_enabled=False) as context:
        page = context.new_page()
        for place in sorted(site.rglob("*.html")):
            page.goto(place.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, place.name
