"""Output files, written completely or not at all."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from botleague.cli.printing.result_stream import results, write_utf8
from botleague.errors import UsageError


def private(name: str, flags: int) -> int:
    """Open a new file that only its owner can read: the ``opener`` of files with codes or personal data."""
    return os.open(name, flags | os.O_EXCL, 0o600)


def refuse_target(option: str, file: Path | None) -> None:
    """Refuse an output file early, before its content is computed.

    Args:
        option: the option that names it, "" for an argument.

    Raises:
        UsageError: it already exists, or its folder does not exist or is not writable.
    """
    if file is None:
        return
    if file.is_dir():
        raise UsageError(f"Cannot write {file} (it is a folder). Name a file.")
    if os.path.lexists(file):
        raise UsageError(f"{file} already exists. Choose another file, or remove it first.")
    place = f"{option} {file}".lstrip()
    folder = "the current folder" if file.parent == Path() else f"the folder {file.parent}"
    if not file.parent.is_dir():
        raise UsageError(f"{place}: {folder} does not exist. Create it first.")
    if not os.access(file.parent, os.W_OK):
        raise UsageError(f"{place}: {folder} is not writable. Choose another one.")


@contextmanager
def target(path: Path | None, opener: Callable[[str, int], int] | None = None) -> Iterator[IO[str]]:
    """Open a text file for writing as :func:`whole_file` does, or standard output for None."""
    if path is None:
        write_utf8()
        yield results()
        return
    with whole_file(path, opener) as file, io.TextIOWrapper(file, "utf-8", newline="") as text:
        yield text


@contextmanager
def whole_file(path: Path, opener: Callable[[str, int], int] | None = None) -> Iterator[BinaryIO]:
    """Open a file for writing. An unfinished file never has the final name.

    Args:
        opener: see :func:`private`.

    Raises:
        UsageError: it cannot be written.
    """
    if not path.name:
        raise UsageError(f"Cannot write {path} (it is a folder). Name a file.")
    partial = path.with_name(path.name + ".part")
    try:
        partial.unlink(missing_ok=True)
        with open(partial, "w+b", opener=opener) as file:
            yield file
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UsageError(f"Cannot write {path} ({error.strerror}).") from error
