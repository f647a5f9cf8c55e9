"""Files that commands read and write, with messages that name them."""

from __future__ import annotations

from pathlib import Path


def read_text(file: Path) -> str:
    """Return the content of a text file.

    Raises:
        ValueError: it is not text in UTF-8.
        OSError: it cannot be read.
    """
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{file} is not a text file in UTF-8.") from None


def demand_folder(file: Path) -> None:
    """Refuse a file that could not be written at the end of a long game.

    Raises:
        ValueError: the folder that it is to be in does not exist.
    """
    if not file.parent.is_dir():
        raise ValueError(f"{file} cannot be written: there is no folder {file.parent}. Make it first.")
