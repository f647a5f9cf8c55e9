"""Results written to files: whole under their name or not at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from botleague.cli.show import write_utf8
from botleague.errors import UsageError

__all__ = ["target"]


@contextmanager
def target(path: Path | None) -> Iterator[IO[str]]:
    """Give a file to write, standard output for None; what is unfinished is never left under its name.

    Raises:
        UsageError: it cannot be written.
    """
    if path is None:
        write_utf8()
        yield sys.stdout
        return
    partial = path.with_name(path.name + ".part")
    try:
        with partial.open("w", encoding="utf-8", newline="") as file:
            yield file
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error
