"""Texts and tables on terminals, in pipes and in files."""

from __future__ import annotations

import os
import pty
from itertools import product
from typing import Annotated

import msgspec
import pytest
from rich.console import Console

from botleague.cli.printing.tables import show
from botleague.cli.printing.texts import shows_styles
from botleague.listing import Column, table_of


def test_a_stream_is_a_terminal_exactly_where_rich_takes_it_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    (master, terminal), (reader, writer) = pty.openpty(), os.pipe()
    with open(terminal, "w", encoding="utf-8") as tty, open(writer, "w", encoding="utf-8") as pipe:
        for compatible, forced, stream in product(("", "0", "1"), (None, "", "1"), (tty, pipe)):
            monkeypatch.setenv("TTY_COMPATIBLE", compatible)
            if forced is not None:
                monkeypatch.setenv("FORCE_COLOR", forced)
            assert shows_styles(stream) == Console(file=stream).is_terminal
            monkeypatch.delenv("FORCE_COLOR", raising=False)
    os.close(master)
    os.close(reader)


class Decision(msgspec.Struct, frozen=True):
    """A row with an untrusted text."""

    reason: Annotated[str, Column("reason")]
    match: Annotated[str, Column("match")]


def test_a_tab_in_a_cell_does_not_move_the_next_column(capsys: pytest.CaptureFixture[str]) -> None:
    show(table_of(Decision, [Decision("a\tb", "cup/1"), Decision("longer", "cup/2")]))
    assert capsys.readouterr().out.splitlines() == ["reason  match", "a b     cup/1", "longer  cup/2"]
