"""Scenes in the terminal: what is drawn lands where it belongs, and nothing off the edge breaks it."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from botleague.cli.viewing.narration import Narrator
from botleague.cli.viewing.terminal_picture import draw
from botleague.emblems import BOT_COLORS, emblem_of, match_colors
from botleague.plugins import PluginHost
from botleague.referee import Turn
from botleague.rules import (
    Circle,
    Emblem,
    Fault,
    Line,
    Move,
    Polygon,
    Rect,
    Scene,
    Shape,
    Text,
    Variant,
    seat_name,
    text_rows,
    text_scene,
)

RED, BLUE = "#ff0000", "#0000ff"


def rendered(
    scene: Scene, columns: int = 20, rows: int = 10, layers: tuple[str, ...] = (), names: Sequence[str] = ()
) -> str:
    console = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor", width=200)
    console.print(draw(scene, columns, rows, layers, names))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_upper_half_of_a_cell_is_its_foreground_and_the_lower_its_background() -> None:
    scene = Scene(1, 2, (Rect(0, 0, 1, 1, fill=RED), Rect(0, 1, 1, 1, fill=BLUE)))
    assert "\x1b[38;2;255;0;0;48;2;0;0;255m▀" in rendered(scene, 1, 1)


def test_later_shapes_cover_earlier_ones_and_captions_follow() -> None:
    text = rendered(
        Scene(2, 2, (Rect(0, 0, 2, 2, fill=RED), Rect(0, 0, 2, 2, fill=BLUE)), caption=("the end",))
    )
    assert "255;0;0" not in text
    assert "the end" in text


def test_a_layer_is_drawn_only_when_it_is_asked_for() -> None:
    scene = Scene(2, 2, (Rect(0, 0, 2, 2, fill=RED, layer="debug"),))
    assert "255;0;0" not in rendered(scene)
    assert "255;0;0" in rendered(scene, layers=("debug",))


def test_text_is_written_letter_by_letter() -> None:
    assert "A" in rendered(Scene(4, 4, (Text(2, 2, "A"),)))


def plain(scene: Scene, columns: int, rows: int) -> list[str]:
    return re.sub(r"\x1b\[[0-9;]*m", "", rendered(scene, columns, rows)).replace("▀", " ").splitlines()


def test_names_are_cut_to_their_width() -> None:
    scene = Scene(10, 2, (Text(5, 1, seat_name(0), width=5),))
    assert "planner" in visible(rendered(scene, 20, 2, names=["planner"]))
    assert "plan…" in visible(rendered(scene, 10, 2, names=["planner"]))


def test_part_in_focus_fills_the_picture() -> None:
    shapes = (Rect(0, 0, 4, 4, fill=RED), Rect(2, 2, 1, 1, fill=BLUE), Text(2.5, 2.5, "x"))
    text = rendered(Scene(4, 4, shapes, focus=(2, 2, 1, 1)), 3, 2)
    assert "255;0;0" not in text
    assert visible(text).count("x") == 1


def visible(text: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def test_monospaced_text_is_one_character_per_letter_and_cut_at_the_edges() -> None:
    scene = text_scene("a.b\n   42")
    assert plain(scene, 80, 40) == ["       ", " a.b   ", "    42 ", "       "]
    assert plain(scene, 5, 2) == ["     ", " a.b "]


def test_monospaced_letters_next_to_other_shapes_stay_in_columns() -> None:
    rows = text_rows("ab\n c")
    scene = Scene(2.4, 2.4, (Rect(1.2, 0, 1.2, 2.4, fill=RED), *rows))
    lines = [line for line in plain(scene, 40, 20) if line.strip()]
    assert [(line.index("b"), line.index("a")) for line in lines[:1]] == [(14, 4)]
    assert lines[1].index("c") == 14


def test_bots_have_their_emblems_and_colours_on_the_board_and_in_the_caption() -> None:
    scene = Scene(8, 8, (Emblem(2, 2, 1, 0), Emblem(6, 6, 4, 1)), caption=(f"{seat_name(1)} leads",))
    text = rendered(scene, names=["ann (0)", "ann (1)"])
    glyph = emblem_of("ann").glyph
    assert text.count(glyph) == 3
    plain = re.sub(r"\x1b\[[\d;]*m", "", text)
    assert plain.endswith(f"{glyph} ann (1) leads\n")
    own, other = (BOT_COLORS[hue] for hue in match_colors([emblem_of("ann").color] * 2))
    for color in (own.light, other.light, other.dark):  # the caption stands on the terminal's ground
        assert ";".join(str(int(color[at : at + 2], 16)) for at in (1, 3, 5)) in text
    assert "●" in rendered(scene)


def test_a_frame_reaches_all_four_edges() -> None:
    text = rendered(Scene(8, 8, (Rect(0, 0, 8, 8, stroke=RED),)), 8, 4)
    assert text.count("255;0;0") >= 4 + 8 // 2


COORDINATE = st.floats(-50, 50)
POINTS = st.lists(st.tuples(COORDINATE, COORDINATE), min_size=1, max_size=5).map(tuple)
SHAPES: st.SearchStrategy[Shape] = st.one_of(
    st.builds(Rect, COORDINATE, COORDINATE, COORDINATE, COORDINATE, st.just(RED), st.none() | st.just(BLUE)),
    st.builds(Circle, COORDINATE, COORDINATE, st.floats(0, 30), st.just(RED), st.none()),
    st.builds(Polygon, POINTS, st.none() | st.just(RED), st.just(BLUE)),
    st.builds(Line, POINTS, st.just(RED)),
    st.builds(Text, COORDINATE, COORDINATE, st.text("ab", max_size=4)),
)


@given(shapes=st.lists(SHAPES, max_size=6).map(tuple), width=st.floats(0.5, 40), height=st.floats(0.5, 40))
@settings(max_examples=40, deadline=None)
def test_shapes_anywhere_are_clipped_to_the_picture(
    shapes: tuple[Shape, ...], width: float, height: float
) -> None:
    assert rendered(Scene(width, height, shapes))


def test_the_test_games_first_scene_is_drawn(plugins: PluginHost) -> None:
    import random

    variant = plugins.variant("guessing")
    state = variant.rules.start(["", ""], random.Random(1))
    assert "turn 0" in rendered(variant.rules.scene(state))


def test_text_of_bots_never_steers_the_terminal(guessing: Variant) -> None:
    scene = Scene(20, 4, (Text(10, 2, "o\x1b[2Jk\n"),), caption=("says \x1b]0;mine\x07hello",))
    text = rendered(scene)
    assert "\x1b[2J" not in text
    assert "says ]0;minehello" in text
    turn = Turn(0, {0: Move("\x1b[2Jup"), 1: Fault("exception", "line\x1b[0m\nnext")}, None)
    assert Narrator(guessing, ["ann", "bob\x1b[1m"]).tell(turn) == [
        "    0    ann: [2Jup",
        "    0    bob[1m: EXCEPTION line[0m\n    | next",
    ]
