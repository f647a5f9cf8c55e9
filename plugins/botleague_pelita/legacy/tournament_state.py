"""What is kept of a tournament that is being held: its terms and the results so far, in one small file.

Everything else follows from them, see :func:`botleague_pelita.tournaments.tournament.progress`.

Source: rules/pelita.md, section 15: the state is saved after every match and can be resumed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from botleague_pelita.tournaments.tournament import Result


@dataclass(frozen=True, slots=True)
class Terms:
    """What must not change while a tournament is held.

    Attributes:
        entrants: ids and paths of the teams, in the order of the file.
        bonusmatch, profile, quirks, rounds, size: of the tournament and its games; None for the profile's own.
        seed: of the tournament.
    """

    entrants: tuple[tuple[str, str], ...]
    bonusmatch: bool
    profile: str
    quirks: bool
    rounds: int | None
    size: str | None
    seed: int


@dataclass(frozen=True, slots=True)
class TournamentState:
    """Terms, and the results by number of the game."""

    terms: Terms
    results: dict[int, Result] = field(default_factory=dict)

    def with_result(self, number: int, result: Result) -> TournamentState:
        return replace(self, results={**self.results, number: result})


def read_state(file: Path) -> TournamentState:
    """Return the state that ``file`` holds.

    Raises:
        ValueError: it holds none.
        OSError: it cannot be read.
    """
    try:
        return msgspec.json.decode(file.read_bytes(), type=TournamentState)
    except (msgspec.MsgspecError, ValueError) as error:
        raise ValueError(f"{file} is not the state of a tournament: {error}") from error


def write_state(state: TournamentState, file: Path) -> None:
    """Write a state so that ``file`` holds the one before or this one, whenever the machine stops."""
    draft = file.with_name(f"{file.name}.new")
    draft.write_bytes(msgspec.json.format(msgspec.json.encode(state), indent=2) + b"\n")
    os.replace(draft, file)
