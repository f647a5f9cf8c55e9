"""Grids of pieces and monospaced text, on the canvas and as stills, light and dark."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from botleague.emblems import emblem_paths
from botleague.film import Film, film, page, svg_file
from botleague.plugins import PluginHost
from botleague.referee import Record
from botleague.rules import Grid, Piece, Rect, Scene, Text, moved_keys, seat_name, text_rows, text_scene

from ..conftest import silent_contexts

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.chromium

GROUND, WOOD, INK = "#f7f5f0", "#e0b070", "#222222"
DARK = {GROUND: "#161b22", WOOD: "#705020", INK: "#eef1f5"}
GRID = Grid(columns=4, rows=4)
TEXT = "ilil.#\nWMWM.#\n  .  #"
"""The sign at the end of each line is below the other in letters of equal width alone."""

PIXELS = """(box) => {
  const image = document.querySelector(".bl-canvas");
  const [left, top, width, height] = box.map((part, place) => part * (place % 2 ? image.height : image.width));
  const [columns, rows] = [24, 24];
  const copy = new OffscreenCanvas(columns, rows).getContext("2d");
  copy.drawImage(image, left, top, width, height, 0, 0, columns, rows);
  return [...copy.getImageData(0, 0, columns, rows).data];
}"""


@pytest.fixture(scope="module")
def match(games: PluginHost, sample_match: Callable[..., Record]) -> Film:
    """A film whose frames are a grid with text at its right."""
    usual = games.variant("isolation-5x5")

    def scene(self: Any, state: Any) -> Scene:
        looks = {"x": Piece("#101010"), "o": Piece("#f0f0f0", INK)}
        shapes = (
            *GRID.cells(WOOD),
            *GRID.lines(INK),
            *GRID.pieces(["x...", "....", "....", "...o"], looks),
            *text_rows(TEXT, 4.2, 0.2, 0.9, INK),
        )
        return Scene(8, 4, shapes)

    rules = type("Boards", (type(usual.rules),), {"__slots__": (), "scene": scene})
    variant = replace(usual, rules=rules(usual.rules.setup), dark=DARK)  # type: ignore[attr-defined]  # of Isolation
    return film(sample_match(usual, ["ann", "bob"]), variant)


@pytest.fixture(scope="module")
def files(match: Film, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The page of the film, and a page with a still in place of the player's canvas."""
    folder = tmp_path_factory.mktemp("boards")
    still = b64encode(svg_file(match, 0, 800).encode()).decode()
    texts = {
        "canvas": page(match),
        "still": f'<!doctype html><img class="bl-canvas" src="data:image/svg+xml;base64,{still}">',
    }
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text)
    return {name: folder / f"{name}.html" for name in texts}


def pixels(tab: Page, x: float, y: float, width: float, height: float) -> list[int]:
    """Return the colours of a part of the picture, which is given in scene units."""
    drawn: list[int] = tab.evaluate(PIXELS, [x / 8, y / 4, width / 8, height / 4])
    return drawn


def is_near(one: list[int], other: list[int], most: int) -> bool:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True)) <= most * len(one)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["canvas", "still"])
def test_boards_have_pieces_on_points_and_text_in_columns(
    browser: Browser, files: dict[str, Path], kind: str, scheme: str
) -> None:
    with silent_contexts(browser) as make:
        tab = make(color_scheme=scheme, reduced_motion="reduce").new_page()
        tab.goto(files[kind].as_uri())
        check_picture(tab, scheme == "dark")


def check_picture(tab: Page, dark: bool) -> None:
    def color(x: float, y: float) -> list[int]:
        return pixels(tab, x - 0.05, y - 0.05, 0.1, 0.1)[:3]

    def near(hexadecimal: str) -> list[int]:
        shade = DARK[hexadecimal] if dark and hexadecimal in DARK else hexadecimal
        return [int(shade[at : at + 2], 16) for at in (1, 3, 5)]

    assert is_near(color(0.5, 0.5), near("#101010"), 4)
    assert is_near(color(3.5, 3.5), near("#f0f0f0"), 4)
    assert is_near(color(2.2, 2.2), near(WOOD), 4)
    assert is_near(color(6.0, 3.8), near(GROUND), 4)
    signs = [pixels(tab, 4.2 + 5 * 0.54, 0.2 + line * 1.08 + 0.09, 0.54, 0.9) for line in range(3)]
    assert is_near(signs[0], signs[1], 12)
    assert is_near(signs[0], signs[2], 12)
    blank = pixels(tab, 4.2, 0.2 + 2 * 1.08 + 0.09, 0.54, 0.9)
    assert not is_near(signs[2], blank, 12), "leading spaces take room"


def test_text_scene_has_a_margin_of_one_letter() -> None:
    scene = text_scene("ab\n\n\tc")
    assert (round(scene.width, 6), round(scene.height, 6)) == (11 * 0.6, 5 * 1.2)
    assert [(text.text, round(text.y, 6)) for text in scene.shapes] == [  # type: ignore[union-attr]  # all are texts
        ("ab       ", 1.8),
        ("        c", 4.2),
    ]
    assert text_scene("").shapes == ()


def test_keys_follow_moved_promoted_and_new_pieces() -> None:
    keys = [["king", "", ""], ["", "pawn", "foe"]]
    before = [["K", "", ""], ["", "p", "#"]]
    moved = moved_keys(before, [["K", "", ""], ["", "", "p"]], keys, "5")
    assert moved == [["king", "", ""], ["", "", "pawn"]]
    after = moved_keys(before, [["", "Q", ""], ["K", "", "#"]], keys, "6", str.isalpha)
    assert after == [["", "pawn", ""], ["king", "", "foe"]]
    assert moved_keys(before, [["K", "", "o"], ["", "p", "#"]], keys, "7")[0] == ["king", "", "7 0 2"]


def test_grid_alternates_colours_and_names_its_cells() -> None:
    grid = Grid(columns=3, rows=2, margin=0.5)
    cells = grid.cells("#000000", "#ffffff")
    assert [cell.fill[1] for cell in cells if cell.fill] == [*"0f0", *"f0f"]
    assert cells[4] == Rect(1.5, 1.5, 1, 1, "#000000")
    labels = grid.labels("abc", "21")
    assert {label.text: (label.x, label.y) for label in labels} == {
        "a": (1.0, 2.75),
        "b": (2.0, 2.75),
        "c": (3.0, 2.75),
        "2": (0.25, 1.0),
        "1": (0.25, 2.0),
    }
    assert len(grid.lines("#000000")) == 5
    disc, letter = grid.piece(2, 1, Piece("#ffffff", letter="12", title="twelve"), key="tower")
    assert (disc.key, disc.title, letter.key, letter.title) == ("tower", "twelve", "tower-letter", "")


def test_part_in_focus_fills_the_board_and_names_stay_in_their_width(
    games: PluginHost, sample_match: Callable[..., Record], browser: Browser, tmp_path: Path
) -> None:
    usual = games.variant("isolation-5x5")
    names = (Text(7, 1, seat_name(0), 0.4, "#ffffff", width=1), Text(7, 1.5, seat_name(1), 0.02, width=1))

    def scene(self: Any, state: Any) -> Scene:
        return Scene(8, 4, (Rect(6, 0, 2, 2, "#101010"), *names), focus=(6, 0, 2, 2))

    rules = type("Focused", (type(usual.rules),), {"__slots__": (), "scene": scene})
    variant = replace(usual, rules=rules(usual.rules.setup))  # type: ignore[attr-defined]  # of Isolation
    made = film(sample_match(usual, ["W" * 64, "bob"]), variant)
    assert made.scene(-1) == scene(None, None)
    (tmp_path / "focus.html").write_text(page(made))
    with silent_contexts(browser) as make:
        tab = make(reduced_motion="reduce").new_page()
        tab.goto((tmp_path / "focus.html").as_uri())
        canvas = "document.querySelector('.bl-canvas')"
        ratio = tab.evaluate(f"{canvas}.width / {canvas}.height")
        # The square in focus is as high as the board, in its middle.
        dark = shades(tab, 0.5 - 0.45 / ratio, 0.05, 0.9 / ratio, 0.2)
        assert max(dark) < 40
        assert min(shades(tab, 0, 0, 0.4 - 0.5 / ratio, 1)) > 200
        middle = shades(tab, 0.5 - 0.2 / ratio, 0.4, 0.4 / ratio, 0.2)
        assert max(middle) > 150, "the name is written"
        for side in (-0.48, 0.28):
            assert max(shades(tab, 0.5 + side / ratio, 0.4, 0.2 / ratio, 0.2)) < 40, "and cut"
        assert max(shades(tab, 0.5 - 0.4 / ratio, 0.7, 0.8 / ratio, 0.1)) < 40, "too small to read"


def shades(tab: Page, *box: float) -> list[int]:
    """Return the red of a part of the picture, which is given in parts of its size."""
    drawn: list[int] = tab.evaluate(PIXELS, list(box))
    return drawn[::4]


def test_slider_shows_the_shares_of_three_and_more_seats(
    games: PluginHost, sample_match: Callable[..., Record], browser: Browser, tmp_path: Path
) -> None:
    variant = games.variant("pybots-quick")
    made = film(sample_match(variant, ["ann", "bob", "cat", "dan"]), variant)
    scores: list[list[float]] = [[1, 1, 1, 1], *([] for _ in made.scores[2:]), [4, 0, 0, 0]]
    (tmp_path / "shares.html").write_text(page(msgspec.structs.replace(made, scores=scores)))
    with silent_contexts(browser) as make:
        tab = make(reduced_motion="reduce").new_page()
        tab.goto((tmp_path / "shares.html").as_uri())
        tab.keyboard.press("End")
        # Read once, of a copy: reading the canvas itself changes how the browser draws on it.
        columns = """() => {
          const marks = document.querySelector(".bl-marks");
          const copy = new OffscreenCanvas(marks.width, marks.height).getContext("2d", { willReadFrequently: true });
          copy.drawImage(marks, 0, 0);
          return [0.3, 0.7].map((x) => {
            const { data } = copy.getImageData(Math.floor(x * marks.width), 0, 1, marks.height);
            const pixels = Array.from({ length: marks.height }, (_, y) => [...data.slice(4 * y, 4 * y + 4)]);
            return pixels.filter((pixel) => pixel[3] > 200).map(String);
          });
        }"""
        counts = [Counter(column) for column in tab.evaluate(columns)]
    for count in counts:
        assert sum(number > 5 for number in count.values()) == 4, "each seat has a band"


def test_shapes_of_emblems_differ_without_colour(browser: Browser) -> None:
    """Each head, each pair of eyes and each top covers other pixels than every other, at the size of a row."""
    drawn = """(paths) => paths.map((path) => {
      const context = new OffscreenCanvas(20, 20).getContext("2d", { willReadFrequently: true });
      context.scale(20 / 32, 20 / 32);
      context.fill(new Path2D(path));
      return [...context.getImageData(0, 0, 20, 20).data].filter((_, place) => place % 4 === 3);
    })"""
    with silent_contexts(browser) as make:
        tab = make().new_page()
        for kind, pixels_apart in (("h", 18), ("e", 3), ("t", 20)):
            names = [name for name in emblem_paths() if name.startswith(kind)]
            for one, other in combinations(tab.evaluate(drawn, [emblem_paths()[name] for name in names]), 2):
                assert sum(abs(a - b) for a, b in zip(one, other, strict=True)) >= 255 * pixels_apart
