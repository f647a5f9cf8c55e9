"""Optional measurements of a seat: CPU time by function, memory by turn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated

import typer

from botleague.cli.printing.tables import show
from botleague.cli.printing.texts import print_text
from botleague.cli.printing.untrusted_text import one_line
from botleague.errors import counted
from botleague.listing import Column, Number, table_of
from botleague.referee import FunctionTime, SeatProfile, read_journal
from botleague.referee.journals.profiles import STRETCH

SHOWN = 12
"""Functions listed in a profile."""

MAX_STEPS = 8
"""Turns listed with grown memory."""

Profile = Annotated[
    bool,
    typer.Option("--profile", help=f"Print CPU time by function; time limits are {STRETCH} times as long."),
]
Memory = Annotated[bool, typer.Option("--memory", help="Print the turns in which memory use grew.")]


def show_profile(name: str, profile: SeatProfile | None) -> None:
    """Print the CPU time of a bot by function."""
    if profile is None or not profile.turns:
        print_text(f"\n{one_line(name)}: no profile, because its process died.")
        return
    took = f"{profile.took_ms:.0f} ms of CPU time in {counted(profile.turns, 'turn')}"
    print_text(f"\n{one_line(name)}: {took}, as measured by its process")
    columns = {
        "own_ms": Number("own ms", ".1f", importance=0),
        "share": Number(
            "of all", ".0%", lambda one: one.own_ms / (profile.took_ms or math.inf), importance=0
        ),
        "all_ms": Number("with calls", ".1f"),
        "calls": Number("calls"),
        "function": Column("function", of_row=_function),
    }
    show(table_of(object, profile.functions[:SHOWN], columns))
    for slow in profile.slowest:
        parts = ", ".join(f"{one.name} {one.own_ms:.1f}" for one in slow.functions[:2])
        print_text(one_line(f"  turn {slow.turn}: {slow.took_ms:.1f} ms ({parts})"))


def _function(one: FunctionTime) -> str:
    where = f"{one.file}:{one.line}" if one.line else one.file.rpartition(".")[2]
    return f"{one.name} ({where})" if where else one.name


def peaks_of(journal: bytes) -> list[tuple[int, int]]:
    """Return the turns in which the greatest memory was higher than before, with its KiB, where that was measured."""
    return [(note.turn, note.memory_kib) for note in read_journal(journal) if note.memory_kib]


def memory_line(name: str, journal: bytes) -> str:
    """Return a line about the turns in which a bot's memory grew."""
    steps = list(_steps(peaks_of(journal)))
    if not steps:
        return f"{one_line(name)}: memory use unknown."
    (_, first), *later = steps
    growth = [f"{mib:.1f} in turn {turn}" for turn, mib in islice(later, MAX_STEPS)]
    if len(later) > MAX_STEPS:
        growth.append(f"finally {later[-1][1]:.1f} in turn {later[-1][0]}")
    grew = f"; grew to {', '.join(growth)}" if growth else ", and no growth after that"
    return f"{one_line(name)}: {first:.1f} MiB of memory at its first move{grew}."


def _steps(peaks: Iterable[tuple[int, int]]) -> Iterator[tuple[int, float]]:
    """Yield the turns in which a peak was higher than before by a tenth of a MiB at least, with its MiB."""
    before = 0.0
    for turn, kib in peaks:
        if kib / 1024 > before + 0.1:
            before = kib / 1024
            yield turn, before
