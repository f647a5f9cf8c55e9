"""Emblems and colours of bots."""

from __future__ import annotations

import itertools
import math
import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from botleague.emblems import BOT_COLORS, emblem_of, emblem_svg, match_colors, symbol_sheet
from botleague.emblems.bot_colors import MIN_DISTANCE, _lab, _linear, distance
from botleague.emblems.emblem import EYES, HEADS, TOPS
from botleague.film import player_file

EMBLEMS = {
    "alphabeta": "lime kite, trio, crest",
    "mcts": "blue block, squares, aerial",
    "minimax": "pink block, bars, ears",
    "greedy": "green hexagon, slant, ears",
    "random": "lime block, visor, crest",
    "sniper": "crimson kite, trio, aerial",
    "duck": "lime shield, dots, ears",
    "hugger": "vermilion block, bars, bare",
    "king": "green dome, trio, ears",
    "planner": "cyan shield, squares, crest",
    "weather": "amber bucket, bars, aerial",
    "drifter": "violet pill, slant, horns",
}

GROUNDS = {"dark": "#0e1116", "light": "#faf9f6"}
MIN_CONTRAST = {"dark": 6.7, "light": 4.7}


@pytest.mark.parametrize("name", EMBLEMS)
def test_emblem_is_computed_from_the_name(name: str) -> None:
    assert str(emblem_of(name)) == EMBLEMS[name]


@given(st.text())
def test_emblem_ignores_case_and_refers_to_drawn_parts(name: str) -> None:
    emblem = emblem_of(name)
    assert emblem.glyph
    drawing = emblem_svg(emblem)
    assert len(drawing) < 200
    symbols = re.findall(r'href="#([^"]+)"', drawing)
    assert len(symbols) == (3 if emblem.top else 2)
    assert all(f'id="{symbol}"' in symbol_sheet() for symbol in symbols)


def test_names_that_differ_in_case_or_encoding_have_one_emblem() -> None:
    assert emblem_of("Zoë") == emblem_of("ZOE\u0308")


def test_sheet_has_every_part_once() -> None:
    drawn = re.findall(r'<symbol id="([^"]+)"', symbol_sheet())
    heads, eyes = (
        [f"bl-{kind}{n}" for n in range(len(parts))] for kind, parts in (("h", HEADS), ("e", EYES))
    )
    assert drawn == [*heads, *eyes, *(f"bl-t{n}" for n in range(1, len(TOPS)))]


@pytest.mark.parametrize("scheme", GROUNDS)
def test_colors_are_readable_as_text(scheme: str) -> None:
    for color in BOT_COLORS:
        assert contrast(getattr(color, scheme), GROUNDS[scheme]) >= MIN_CONTRAST[scheme], color.name


def test_style_sheets_have_the_colors() -> None:
    player = player_file("player.css")
    pages = files("botleague.site").joinpath("static", "style.css").read_text()
    for style, variable in ((player, "--bl-c"), (pages, "--bot")):
        for number, color in enumerate(BOT_COLORS):
            assert re.findall(rf"{variable}{number}: ?(#\w+);", style) == [color.light, color.dark]


def test_two_seats_never_have_similar_colors() -> None:
    for pair in itertools.product(range(len(BOT_COLORS)), repeat=2):
        first, second = match_colors(pair)
        assert first == pair[0]
        assert distance(first, second) >= MIN_DISTANCE
        assert second == pair[1] or distance(*pair) < MIN_DISTANCE


@given(st.lists(st.integers(0, len(BOT_COLORS) - 1), max_size=14))
def test_seats_of_a_match_get_valid_colors(own: list[int]) -> None:
    colors = match_colors(own)
    assert len(colors) == len(own)
    assert colors[:1] == own[:1]
    assert set(colors) <= set(range(len(BOT_COLORS)))
    # As long as a colour is free, no two seats share one.
    assert len(set(colors[: len(BOT_COLORS)])) == len(colors[: len(BOT_COLORS)])


@pytest.mark.parametrize(("seats", "least"), [(2, 30), (3, 26), (4, 14), (5, 12)])
def test_few_seats_differ_without_one_kind_of_cones(seats: int, least: float) -> None:
    for own in itertools.product(range(len(BOT_COLORS)), repeat=seats):
        colors = match_colors(own)
        assert min(distance(*pair) for pair in itertools.combinations(colors, 2)) >= least, own


def test_ten_seats_differ_with_all_cones() -> None:
    for first, second in itertools.combinations(BOT_COLORS, 2):
        for one, other in ((first.dark, second.dark), (first.light, second.light)):
            assert math.dist(_lab(_linear(one)), _lab(_linear(other))) >= 14, (first.name, second.name)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours. Source: WCAG 2.2, relative luminance and contrast ratio."""

    def luminance(color: str) -> float:
        parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
