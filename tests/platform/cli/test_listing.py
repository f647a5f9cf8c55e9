"""A row's columns say the same on the terminal, on a page, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import re
from html import unescape
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botleague.cli.printing.tables import show
from botleague.emblems import emblem_of
from botleague.listing import Column, Number, Table, cell_text, columns_of, plain_text, table_of, write_csv
from botleague.site import Renderer

FIELDS: dict[type, st.SearchStrategy[Any]] = {
    str: st.text('abcdef<>&"=+-@', max_size=12),
    int: st.integers(-(10**9), 10**9),
    float: st.floats(allow_nan=False, allow_infinity=False),
}

MACROS: Any = Renderer()._environment.get_template("macros.html").module


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], Table[Any]]:
    """Draw fields by name, and rows with columns in any order, with fields that people do not see, and with gaps."""
    kinds = draw(st.lists(st.sampled_from([*FIELDS]), min_size=1, max_size=6))
    names = [f"field{number}" for number in range(len(kinds))]
    fields = []
    for name, kind in zip(names, kinds, strict=True):
        column = Column(
            name.upper(),
            importance=draw(st.integers(0, 9)),
            is_number=kind is not str,
            is_optional=name != names[0] and draw(st.booleans()),
            before=draw(st.sampled_from(["", *names[: names.index(name)]])),
        )
        fields.append(
            (name, Annotated[kind | None, column] if name == names[0] or draw(st.booleans()) else kind | None)
        )
    row = msgspec.defstruct("Row", fields, frozen=True, module=__name__)
    values = st.tuples(*(st.none() | FIELDS[kind] for kind in kinds))
    return names, table_of(row, [row(*one) for one in draw(st.lists(values, max_size=5))])


def on_page(table: Table[Any]) -> list[list[str]]:
    """Return the texts of headings and cells as the site writes them."""
    columns = table.shown("page")
    parts = [MACROS.headings(columns), *(MACROS.cells(columns, row) for row in table.rows)]
    return [
        [unescape(re.sub(r"<[^>]*>", "", cell)) for cell in re.findall(r"<t[hd][ >].*?</t[hd]>", part)]
        for part in map(str, parts)
    ]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=tables())
def test_every_face_of_a_listing_shows_the_same_values(
    drawn: tuple[list[str], Table[Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    names, table = drawn
    columns = table.shown("terminal")
    people = [
        [column.title for column in columns],
        *([column.cell(row) for column in columns] for row in table.rows),
    ]
    assert people[1:] == [
        ["" if (value := getattr(row, column.name)) is None else str(value) for column in columns]
        for row in table.rows
    ]
    hidden = {column.name for column in table.columns} - {column.name for column in columns}
    assert not any(getattr(row, name) not in (None, "") for row in table.rows for name in hidden)

    show(table, wide=True)
    printed = [line.split() for line in capsys.readouterr().out.split("\n")[: len(people)]]
    assert printed == [[cell for cell in row if cell] for row in people]

    assert on_page(table) == people

    show(table, json=True)
    objects = [msgspec.json.decode(line) for line in capsys.readouterr().out.splitlines()]
    assert objects == [msgspec.to_builtins(row) for row in table.rows]
    assert all([*one] == names for one in objects)

    text = io.StringIO()
    write_csv(text, names, ([getattr(row, name) for name in names] for row in table.rows))
    lines = [*csv.reader(io.StringIO(text.getvalue()))]
    assert lines[0] == names
    assert [[*map(plain_text, line)] for line in lines[1:]] == [
        ["" if (value := getattr(row, name)) is None else str(value) for name in names] for row in table.rows
    ]


@given(
    rows=st.lists(
        st.tuples(st.text(), st.none() | st.text('=",\r\n x'), st.booleans(), st.integers() | st.floats()),
        min_size=1,
    )
)
def test_values_are_read_back_from_csv_as_they_were_written(rows: list[tuple[Any, ...]]) -> None:
    text = io.StringIO(newline="")
    write_csv(text, ["a", "b", "c", "d"], rows)
    lines = [*csv.reader(io.StringIO(text.getvalue(), newline=""), strict=True)]
    assert lines[1:] == [[*map(cell_text, row)] for row in rows]


class Planet(msgspec.Struct, frozen=True):
    """A row whose fields stand in another order than its columns."""

    name: Annotated[str, Column("planet", importance=0)]
    mass: Annotated[float, Number("mass", ".1f", importance=0, of_row=lambda row: row.mass / EARTH)]
    moons: Annotated[int, Number("moons", importance=1)]
    class_: Annotated[str, Column("kind of planet", importance=2, before="mass")] = ""


EARTH = 6.0
PLANETS = [Planet("Mars", 0.6, 2, "terrestrial"), Planet("Jupiter", 1898.0, 95, "gas")]


def test_columns_stand_before_others_and_are_changed_added_and_left_out() -> None:
    table = table_of(Planet, PLANETS)
    assert [column.title for column in table.columns] == ["planet", "kind of planet", "mass", "moons"]
    assert [column.cell(PLANETS[0]) for column in table.columns] == ["Mars", "terrestrial", "0.1", "2"]

    changed = table_of(
        Planet,
        PLANETS,
        {
            "mass": None,
            "moons": Number("satellites"),
            "letters": Number("letters", of_row=lambda row: len(row.name), before="moons"),
        },
    )
    titles = [column.title for column in changed.columns]
    assert titles == ["planet", "kind of planet", "letters", "satellites"]
    assert {*columns_of(Planet)} == {"name", "mass", "moons", "class_"}


def test_a_narrow_terminal_drops_what_is_least_important(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def headings(columns: int) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(columns))
        show(table_of(Planet, PLANETS))
        return capsys.readouterr().out.split("\n")[0].split()

    assert headings(60) == ["planet", "kind", "of", "planet", "mass", "moons"]
    assert headings(25) == ["planet", "mass", "moons"]
    assert headings(15) == ["planet", "mass"]


class Ranked(msgspec.Struct, frozen=True):
    """A row with a bot and what it is ranked by."""

    bot: Annotated[str, Column("bot", importance=0, bots="bot")]
    points: Annotated[int, Number("points", importance=1)]


def test_narrow_terminal_cuts_names_before_it_hides_a_column(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [Ranked("n" * 64, 3), Ranked("ann", 1)]
    for columns, name in ((40, "n" * 31 + "…"), (80, "n" * 64)):
        monkeypatch.setenv("COLUMNS", str(columns))
        show(table_of(Ranked, rows))
        lines = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert lines == [["bot", "points"], [name, "3"], ["ann", "1"]]


class Change(msgspec.Struct, frozen=True):
    """A row with bots and a gain."""

    bots: Annotated[list[str], Column("bots", ", ".join, importance=0, bots="bots")]
    gain: Annotated[float | None, Number("gain", "+z.0f", importance=1, is_gain=True)]


CHANGES = [Change(["ann", "bob@2"], 12.3), Change(["anna"], -0.4), Change(["ann"], -31.0), Change([], None)]


def test_terminal_marks_bots_and_gains_and_a_pipe_gets_plain_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def printed(**variables: str) -> list[list[str]]:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        show(table_of(Change, CHANGES))
        return [line.split() for line in capsys.readouterr().out.splitlines()[1:]]

    assert printed() == [["ann,", "bob@2", "+12"], ["anna", "+0"], ["ann", "-31"], []]
    glyphs = [emblem_of(name).glyph for name in ("ann", "bob@2", "anna")]
    marked = [
        [glyphs[0], "ann,", glyphs[1], "bob@2", "▲12"],
        [glyphs[2], "anna", "0"],
        [glyphs[0], "ann", "▼31"],
        [],
    ]
    # Rich takes a pipe for a terminal then.
    assert printed(FORCE_COLOR="1", NO_COLOR="1") == marked
    monkeypatch.delenv("NO_COLOR")
    colored = printed(FORCE_COLOR="1", COLORTERM="truecolor", TERM="xterm-256color")
    assert any("38;2;95;206;151m" in cell for cell in colored[0])
    monkeypatch.setenv("COLORFGBG", "0;15")
    assert any("38;2;23;111;69m" in cell for cell in printed()[0])
