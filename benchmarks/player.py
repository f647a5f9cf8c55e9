"""Frames per second of the replay player in a real browser: a board of many shapes of which half move in every turn.

    python benchmarks/player.py [--shapes N]

The film is played at a quarter of a second per turn, so something moves in each frame. The benchmark counts the frames
that the player draws itself, and fails if the canvas shows nothing, if nothing moves, or below 50 frames per second. It
needs the extra ``test`` and the distribution's Chromium.
"""

from __future__ import annotations

import argparse
import itertools
import math
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import botleague
from botleague.film import film, page
from botleague.plugins import PluginHost
from botleague.referee import read_record
from botleague.rules import Circle, Rect, Scene, Shape, seat_color

MIN_FRAMES = 50.0
"""Least frames per second, with 1,000 shapes, half of which move."""

SECONDS = 5
SIZE = 40

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic"]

COUNT = """(ms) => new Promise((done) => {
  const player = document.querySelector(".bl-player").botleague;
  const draw = player.board.draw;
  let [frames, moving] = [0, 0];
  player.board.draw = function (to, from, part, followed) {
    frames++;
    if (from && part < 1) moving++;
    return draw.call(this, to, from, part, followed);
  };
  player.step(-player.current);
  player.speed = 4 * 40 / player.reel.last;
  player.play();
  const start = performance.now();
  setTimeout(() => {
    const seconds = (performance.now() - start) / 1000;
    player.board.draw = draw;
    const copy = new OffscreenCanvas(64, 64).getContext("2d", { willReadFrequently: true });
    copy.drawImage(player.canvas, 0, 0, 64, 64);
    const { data } = copy.getImageData(0, 0, 64, 64);
    const colors = new Set(Array.from({ length: 4096 }, (_, n) => data.slice(4 * n, 4 * n + 3).join()));
    done({ frames: frames / seconds, moving: moving / seconds, colors: colors.size, turn: player.current });
  }, ms);
})"""


def main() -> int:
    """Print the frames per second; return 1 below the budget."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shapes", type=int, default=1000)
    shapes = parser.parse_args().shapes
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        file = Path(name) / "film.html"
        file.write_text(crowded_page(shapes))
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        tab = browser.new_page(viewport={"width": 1280, "height": 800})
        tab.goto(file.as_uri())
        tab.locator(".bl-canvas").wait_for()
        seen: dict[str, float] = tab.evaluate(COUNT, 1000 * SECONDS)
        browser.close()
    print(
        f"{shapes:,} shapes: {seen['frames']:.0f} frames per second, {seen['moving']:.0f} of them between turns"
    )
    if seen["colors"] < 3 or seen["turn"] < SECONDS or seen["moving"] < seen["frames"] / 2:
        raise SystemExit(f"Nothing was drawn or moved: {seen}")
    return 0 if seen["frames"] >= MIN_FRAMES else 1


def crowded_page(shapes: int) -> str:
    """Return the replay of a match of Isolation whose board is replaced by a crowd that circles."""
    match = botleague.play("isolation-blitz", ("greedy", "random"), seed=1)
    turns = itertools.count()
    usual = PluginHost.load().variant("isolation-blitz")

    def scene(self: Any, state: Any) -> Scene:
        return Scene(SIZE, SIZE, tuple(crowd(shapes, next(turns))))

    rules = type("Crowd", (type(usual.rules),), {"__slots__": (), "scene": scene})
    variant = replace(usual, rules=rules(usual.rules.setup))  # type: ignore[attr-defined]  # of Isolation
    return page(film(read_record(match.record), variant))


def crowd(shapes: int, turn: int) -> list[Shape]:
    """Return rectangles that stay, and above them as many discs that move."""
    drawn: list[Shape] = []
    side = math.ceil(math.sqrt(shapes / 2))
    for number in range(shapes):
        x, y = (SIZE * (part + 0.5) / side for part in divmod(number // 2 % (side * side), side))
        if number % 2:
            angle = turn + number
            x, y = (min(max(at, 1.0), SIZE - 1.0) for at in (x + math.cos(angle), y + math.sin(angle)))
            drawn.append(Circle(x, y, 0.3, seat_color(number % 12), key=f"disc {number}"))
        else:
            drawn.append(Rect(x - 0.4, y - 0.4, 0.8, 0.8, "#e2dfd8", title="a tile"))
    return sorted(drawn, key=lambda shape: bool(shape.key))


if __name__ == "__main__":
    sys.exit(main())
