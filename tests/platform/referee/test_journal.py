"""Journals hold what a bot printed, drew and used, turn by turn, beside a record that does not change by it."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from botleague.referee import (
    BEFORE,
    Player,
    TurnNote,
    play,
    read_drawings,
    read_journal,
    read_record,
    read_tags,
)
from botleague.referee.journals.bot_drawings import MAX_TAGS
from botleague.referee.journals.journal import MAX_BYTES, MAX_TEXT_BYTES, JournalWriter
from botleague.rules import Circle, Line, Polygon, Rect, Text, Variant
from botleague_sandbox import Notes, Sandbox
from botleague_sandbox.inside import botdraw

MakeBot = Callable[..., Player]

SILENT = "def move(observation):\n    return 5\n"
CHATTY = """
import botdraw
print("loaded")
def prepare(brief):
    print("briefed")
def move(observation):
    turn = observation["turn"]
    if turn % 2:
        print("turn", turn)
        botdraw.circle(turn, 1, 0.5, "#FF0000")
    if turn == 4:
        print("x" * 20_000)
        for n in range(100):
            botdraw.line(0, 0, n, n)
    return 5
"""


def journal_of(bot: Player, variant: Variant, sandbox: Sandbox, make: MakeBot) -> tuple[TurnNote, ...]:
    return read_journal(play(variant, 1, [bot, make(SILENT)], sandbox).seats[0].journal)


def test_notes_stand_at_their_turns_and_say_what_was_cut(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot
) -> None:
    notes = {note.turn: note for note in journal_of(bot(CHATTY), guessing, sandbox, bot)}
    assert sorted(notes) == [BEFORE, *range(6)]
    assert notes[BEFORE].printed == "loaded\nbriefed\n"
    assert [notes[turn].printed for turn in range(4)] == ["", "turn 1\n", "", "turn 3\n"]
    assert [turn for turn in notes if notes[turn].is_cut] == [4]
    assert len(notes[4].printed) == 16 * 1024
    assert all(note.cpu_ms > 0 and note.wall_ms > 0 for turn, note in notes.items() if turn >= 0)
    shapes, is_cut = read_drawings(notes[3].drawn)
    assert shapes == (Circle(3, 1, 0.5, "#ff0000", None, "bot"),)
    assert not is_cut
    shapes, is_cut = read_drawings(notes[4].drawn)
    assert len(shapes) == botdraw.SHAPES
    assert is_cut


def test_a_record_is_the_same_whatever_bots_print_and_draw(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot
) -> None:
    quiet, chatty = (play(guessing, 1, [bot(source)] * 2, sandbox) for source in (SILENT, CHATTY))
    assert read_record(quiet.record).turns == read_record(chatty.record).turns
    assert len(quiet.seats[0].journal) < 150


def test_turns_are_counted_as_in_the_record_also_after_an_opening(
    guessing: Variant, sandbox: Sandbox, bot: MakeBot
) -> None:
    opened = replace(guessing, opening_turns=1, has_chance=False, declaration_type=None)
    report = play(opened, 1, [bot(CHATTY), bot(SILENT)], sandbox, openings=1)
    notes = read_journal(report.seats[0].journal)
    assert [note.turn for note in notes] == [BEFORE, *range(6)]
    assert notes[0].printed == "loaded\n"
    assert notes[1].printed == "briefed\n"
    assert notes[1].cpu_ms == 0, "nobody was asked in the opening"
    assert notes[2].printed == "turn 1\n"


notes = st.builds(
    Notes,
    printed=st.text(max_size=200) | st.just("é" * 9000),
    drawn=st.binary(max_size=4096),
    is_cut=st.booleans(),
)


@given(st.lists(st.tuples(st.integers(1, 400), st.floats(0, 1e6), notes), max_size=30))
def test_a_journal_gives_back_what_was_noted(entries: list[tuple[int, float, Notes]]) -> None:
    writer = JournalWriter()
    turn = BEFORE
    for step, spent, one in entries:
        turn += step
        writer.asked(turn, spent, 2 * spent, step % 3)
        writer.said(turn, one)
    read = read_journal(writer.encode())
    assert len(read) == len(entries)
    turn = BEFORE
    for (step, spent, one), note in zip(entries, read, strict=True):
        turn += step
        assert (note.turn, note.proposals) == (turn, step % 3)
        assert note.cpu_ms == pytest.approx(spent, abs=0.01)
        assert note.is_cut or (note.printed, note.drawn) == (one.printed, one.drawn)
        assert note.is_cut >= one.is_cut


def test_a_match_has_so_much_room_and_no_more() -> None:
    writer = JournalWriter()
    for turn in range(100_000):
        writer.asked(turn, 1.0, 1.0, 0)
        writer.said(turn, Notes("x" * 1000, b"y" * 500, is_cut=True))
    content = writer.encode()
    assert len(zlib.decompress(content)) <= MAX_BYTES
    read = read_journal(content)
    assert sum(len(note.printed) for note in read) <= MAX_TEXT_BYTES
    assert read[-1].is_cut
    assert JournalWriter().encode() == b""


@pytest.mark.parametrize("content", [b"", b"x", zlib.compress(b"\xc1"), zlib.compress(b"\x80" * 9)[:-4]])
def test_a_damaged_journal_is_no_journal(content: bytes) -> None:
    assert read_journal(content) == ()


def test_a_small_journal_that_unpacks_to_gigabytes_is_not_unpacked() -> None:
    assert read_journal(zlib.compress(b"\x00" * 50_000_000)) == ()


# --- drawings -----------------------------------------------------------------------------------------------


def test_drawings_are_read_as_the_shapes_that_viewers_know() -> None:
    drawn = msgspec.msgpack.encode(
        [
            [botdraw.LINE, 0, 0, 1.5, 2, "#00FF00", 0.2],
            [botdraw.RECT, 1, 2, 3, 4, "#0000ff", None],
            [botdraw.CIRCLE, 1, 2, 3, None, None],
            [botdraw.POLYGON, [[0, 0], [1, 1], [2, 0]], "red", "#123456"],
            [botdraw.TEXT, 1, 2, "a\x1b[31m\nb", 0.5, "blue"],
        ]
    )
    assert read_drawings(drawn) == (
        (
            Line(((0, 0), (1.5, 2)), "#00ff00", 0.2, "bot"),
            Rect(1, 2, 3, 4, "#0000ff", None, "bot"),
            Circle(1, 2, 3, None, "#d6549b", "bot"),
            Polygon(((0, 0), (1, 1), (2, 0)), None, "#123456", "bot"),
            Text(1, 2, "a[31m b", 0.5, "#d6549b", "bot"),
        ),
        False,
    )


@pytest.mark.parametrize(
    "shape",
    [
        [botdraw.CUT],
        [botdraw.CIRCLE, float("nan"), 1, 1, None, None],
        [botdraw.CIRCLE, 1e308, 1e308, 1, None, None],
        [botdraw.CIRCLE, 1, 1, float("inf"), None, None],
        [botdraw.CIRCLE, 1, 1],
        [botdraw.CIRCLE, 1, 1, 1, None, None, "more"],
        [botdraw.CIRCLE, "1", True, 1, None, None],
        [botdraw.POLYGON, [], None, None],
        [botdraw.POLYGON, [[1]], None, None],
        [99, 1, 2],
        ["circle"],
        {"kind": 1},
        None,
    ],
)
def test_invalid_shape_is_replaced_by_one_mark(shape: object) -> None:
    good = [botdraw.RECT, 1, 1, 1, 1, None, None]
    shapes, is_cut = read_drawings(msgspec.msgpack.encode([shape, good]))
    assert [type(shape) for shape in shapes] == [Rect]
    assert is_cut


def test_numbers_are_clamped_and_shapes_counted() -> None:
    far = [botdraw.RECT, -1e300, 1e9, -5, 1e12, None, None]
    shapes, is_cut = read_drawings(msgspec.msgpack.encode([far] * 500))
    assert shapes == (Rect(-1e6, 1e6, 0, 1e6, None, "#d6549b", "bot"),) * botdraw.SHAPES
    assert is_cut
    assert read_drawings(b"") == ((), False)


def test_tags_are_no_shapes_and_are_read_once_each() -> None:
    circle = [botdraw.CIRCLE, 1, 2, 3, None, None]
    drawn = msgspec.msgpack.encode(
        [[botdraw.TAG, "rush"], circle, [botdraw.TAG, "rush"], [botdraw.TAG, "home"]]
    )
    assert read_tags(drawn) == ("rush", "home")
    assert read_drawings(drawn) == ((Circle(1, 2, 3, None, "#d6549b", "bot"),), False)


@pytest.mark.parametrize(
    ("texts", "tags"),
    [
        (["a\x1b[31m\nb", "\u202e", "", "  "], ("a[31m b",)),
        (["é" * 5000], ("é" * 20,)),
        ([f"tag {number}" for number in range(64)], tuple(f"tag {number}" for number in range(8))),
    ],
)
def test_hostile_tags_are_cleaned_cut_and_counted(texts: list[str], tags: tuple[str, ...]) -> None:
    assert read_tags(msgspec.msgpack.encode([[botdraw.TAG, text] for text in texts])) == tags


@pytest.mark.parametrize(
    "part", [[botdraw.TAG], [botdraw.TAG, 7], [botdraw.TAG, "a", "b"], [botdraw.TAG, None]]
)
def test_invalid_tag_is_reported_as_cut(part: object) -> None:
    drawn = msgspec.msgpack.encode([part, [botdraw.TAG, "rush"]])
    assert read_tags(drawn) == ("rush",)
    assert read_drawings(drawn) == ((), True)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_without_an_error(drawn: bytes) -> None:
    shapes, _ = read_drawings(drawn)
    assert len(shapes) <= botdraw.SHAPES
    assert len(read_tags(drawn)) <= MAX_TAGS
