"""Commands of a plugin, run as ``botleague PLUGIN NAME``.

A command is a typed function, offered through the hook ``botleague_commands``. Its parameters become arguments and
options; its docstring becomes the help. It prints its result, and raises ValueError with one clear message if it
refuses its input.

A command that needs a match takes a keyword parameter ``play`` of type :class:`PlayMatch`. The platform passes its
referee with sandboxes there; the parameter is not an option of the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from botleague.rules.outcome import Outcome
from botleague.rules.replies import Fault
from botleague.rules.variant import Variant

__all__ = ["PlayMatch", "PlayedMatch", "demand_new_file", "read_text"]


class PlayedMatch(msgspec.Struct, frozen=True):
    """A match played for a command.

    Attributes:
        outcome: None if the match was stopped before its end.
        state: the last state.
        seed: of the match, even if the command passed no seed.
        record: the encoded record, empty if the match was stopped.
        output: printed output of each bot, by seat; empty if the match was stopped.
        faults: (seat, fault) in order of time; the fault of a seat that did not start is listed once.
    """

    outcome: Outcome | None
    state: Any
    seed: int
    record: bytes
    output: tuple[str, ...]
    faults: tuple[tuple[int, Fault], ...] = ()


class PlayMatch(Protocol):
    """Plays a match for a command."""

    def __call__(
        self,
        variant: Variant,
        bots: Sequence[str],
        *,
        seed: int | None = None,
        watch: Callable[[Any], bool] | None = None,
        with_siblings: bool = False,
    ) -> PlayedMatch:
        """Play one match.

        Args:
            variant: the variant to play; need not be an offered one.
            bots: one per seat: a path or the name of a bot, as on the command line.
            seed: of the match; None for a random one.
            watch: called with every state, the first included; the match stops if it returns True.
            with_siblings: include the files next to a lone file that its source names.

        Raises:
            Exception: a bot or the machine failed. The platform reports the error; do not catch it.
        """
        ...


def read_text(file: Path) -> str:
    """Return the content of a text file that a user named.

    Raises:
        ValueError: it cannot be read, or is not a text in UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8-sig")  # some editors begin files with a mark
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is not a text file in UTF-8.") from error


def demand_new_file(file: Path) -> None:
    """Refuse a file that could not be written at the end of a long match.

    Raises:
        ValueError: it exists already, or its folder does not.
    """
    if file.exists():
        raise ValueError(f"{file} already exists. Name another file, or remove it first.")
    if not file.parent.is_dir():
        raise ValueError(f"{file} cannot be written: there is no folder {file.parent}. Make it first.")
