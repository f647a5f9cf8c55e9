"""The boards that come with the game, found by name."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def board_names() -> tuple[str, ...]:
    """Return the names of the boards of the package, in alphabetical order."""
    folder = files("botleague_careerfair") / "data" / "boards"
    return tuple(sorted(entry.name[:-4] for entry in folder.iterdir() if entry.name.endswith(".txt")))


def board_text(board: str) -> str:
    """Return the text of the board called ``board``; a text of several lines is returned as it is.

    Raises:
        ValueError: no board of the package has this name.
    """
    if "\n" in board:
        return board
    if board not in board_names():
        raise ValueError(f"no board is called {board!r}; choose one of {', '.join(board_names())}")
    return (files("botleague_careerfair") / "data" / "boards" / f"{board}.txt").read_text("utf-8")
