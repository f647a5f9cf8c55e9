"""Makes the pictures of the documentation: real matches of bundled bots, published, and photographed in a browser.

Pictures have two pixels per pixel of the page and come in two versions, light and ``-dark``. The replay on the first
page is a file of its own. ``pages.webp`` shows all of them on one sheet.

Run ``python docs/make_pictures.py`` with the extra ``test`` and the distribution's Chromium. It takes some
minutes: the matches are played.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, sync_playwright

PICTURES = Path(__file__).with_name("pictures")

REPLAY = ("isolation-blitz", "alphabeta", "mcts", "--seed", "1")
"""Match on the first page: variant, bots and seed."""

QUALITY = 0.85
"""Quality of WebP, which needs a fifth of the bytes of PNG."""

SHRINK = """async ([png, quality]) => {
  const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  canvas.getContext("2d").drawImage(picture, 0, 0);
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/webp", quality })).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}"""

ENTRANTS = ("random", "greedy", "minimax", "alphabeta", "mcts")

GAMES = {
    "isolation": "isolation-blitz",
    "pelita": "pelita-quick",
    "botroyale": "botroyale-blitz",
    "pybots": "pybots-quick",
    "careerfair": "careerfair-small",
}
"""Games of which a match is shown, each in a variant that is quickly played."""

TABLE = "leagues/spring/seasons/1/"

SHEET = (
    ("first page", "index.html"),
    ("games", "variants/index.html"),
    ("standings", f"{TABLE}index.html"),
    ("cross-table", f"{TABLE}cross-table/index.html"),
    ("bracket", "leagues/finals/seasons/1/bracket/index.html"),
    ("matches", f"{TABLE}matches/index.html"),
    ("bot", f"{TABLE}bots/minimax/index.html"),
    ("variant", "variants/isolation-blitz/index.html"),
    ("how it works", "about/index.html"),
)
"""Pages of the contact sheet; a match of each game follows."""

SHEET_SIZE = (1280, 800)
"""Width and height of each page in CSS pixels."""

SHEET_COLUMNS = 4
SHEET_SCALE = 0.3

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic"]


def main() -> None:
    """Play, publish and photograph."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        league("isolation-blitz", "spring", ["--rounds", "2", "--rating", "glicko-2"], folder, *ENTRANTS)
        options = ["--format", "double-knockout", "--seeded-by", "spring"]
        league("isolation-blitz", "finals", options, folder)
        matches = {game: longest(variant, folder) for game, variant in GAMES.items()}
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            photograph(browser, folder, "index.html", "home", 1280, 900)
            photograph(browser, folder, f"{TABLE}index.html", "table", 1280, 640)
            photograph(browser, folder, f"{TABLE}index.html", "table-phone", 390, 780)
            photograph(browser, folder, f"{TABLE}bots/minimax/index.html", "bot", 1280, 720)
            photograph(browser, folder, "leagues/finals/seasons/1/bracket/index.html", "bracket", 1280, 900)
            for game, path in matches.items():
                photograph(browser, folder, f"{path}index.html", f"player-{game}", 1280, 860)
            pages = [*SHEET, *((game, f"{path}index.html") for game, path in matches.items())]
            contact_sheet(browser, folder / "site", pages, PICTURES / "pages.webp")
            browser.close()
        botleague(folder, "play", *REPLAY, "--html", "replay.html")
        shutil.copy(folder / "replay.html", PICTURES)


def league(variant: str, called: str, options: list[str], folder: Path, *bots: str) -> None:
    """Hold a league and publish it."""
    botleague(folder, "run", variant, *bots, "--league", called, *options)
    botleague(folder, "publish", called, "--out", "site")


def longest(variant: str, folder: Path) -> str:
    """Hold a small league of a variant with its bundled bots, and return the path of its longest match."""
    (shown,) = json_lines(folder, "variants", variant, "--json")
    bots = shown["bots"][: max(2, shown["seats"]["least"])]
    seats = ["--seats", str(min(len(bots), shown["seats"]["most"]))]
    league(variant, f"one-{variant}", seats if shown["seats"]["most"] > 2 else [], folder, *bots)
    found = json.loads((folder / f"site/leagues/one-{variant}/seasons/1/matches/index.json").read_text())
    match = max(found["matches"], key=lambda match: match["turns"])
    return f"leagues/one-{variant}/seasons/1/matches/{match['ordinal'] + 1}/"


def json_lines(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    """Return what a command prints."""
    return [json.loads(line) for line in botleague(folder, *arguments).splitlines()]


def botleague(folder: Path, *arguments: str) -> str:
    """Run a command in a folder, and return what it printed."""
    command = [sys.executable, "-c", "from botleague.cli import main; main()", *arguments]
    if arguments[0] not in ("variants", "play"):
        command += ["--db", "pictures.db"]
    return subprocess.run(command, cwd=folder, check=True, text=True, stdout=subprocess.PIPE).stdout


def photograph(browser: Browser, folder: Path, page: str, called: str, width: int, height: int) -> None:
    """Write light and dark pictures of a page's upper part; a player is shown in the middle of its match."""
    for scheme, ending in (("light", ""), ("dark", "-dark")):
        options = {"viewport": {"width": width, "height": height}, "color_scheme": scheme}
        context = browser.new_context(**options, device_scale_factor=2, reduced_motion="reduce")  # type: ignore[arg-type]  # typed by literals
        window = context.new_page()
        window.goto(f"file://{folder}/site/{page}")
        if called.startswith("player-"):
            window.locator(".bl-player canvas").first.wait_for()
            last = window.evaluate("document.querySelector('.bl-player').botleague.reel.last")
            window.evaluate(f"document.querySelector('.bl-player').botleague.show({last // 2})")
        window.wait_for_timeout(500)
        store(context, window.screenshot(), PICTURES / f"{called}{ending}.webp")
        context.close()


def contact_sheet(browser: Browser, site: Path, pages: Sequence[tuple[str, str]], out: Path) -> None:
    """Write one picture with all pages of a site, each light and dark."""
    width, height = SHEET_SIZE
    cells = []
    for scheme in ("light", "dark"):
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            reduced_motion="reduce",  # type: ignore[arg-type]  # typed by literals
        )
        window = context.new_page()
        for title, page in pages:
            window.goto((site / page).as_uri())
            window.wait_for_timeout(500)
            picture = base64.b64encode(window.screenshot()).decode()
            cells.append(
                f"<figure><img src='data:image/png;base64,{picture}'><figcaption>{title}</figcaption></figure>"
            )
        context.close()
    context = browser.new_context(
        viewport={"width": round(SHEET_COLUMNS * (width * SHEET_SCALE + 12)), "height": 100}
    )
    sheet = context.new_page()
    sheet.set_content(
        f"<style>body {{ margin: 0; display: grid; grid-template-columns: repeat({SHEET_COLUMNS}, 1fr); gap: 8px; "
        "background: #808890; font: 12px sans-serif; } figure { margin: 0; } img { display: block; width: 100%; }"
        f"figcaption {{ padding: 2px 4px; color: #fff; }}</style>{''.join(cells)}"
    )
    store(context, sheet.screenshot(full_page=True), out)
    context.close()


def store(context: BrowserContext, picture: bytes, out: Path) -> None:
    """Write a PNG as WebP."""
    webp = context.new_page().evaluate(SHRINK, [base64.b64encode(picture).decode(), QUALITY])
    out.write_bytes(base64.b64decode(webp))


if __name__ == "__main__":
    main()
