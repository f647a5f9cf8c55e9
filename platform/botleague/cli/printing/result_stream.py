"""The stream for results: standard output, which other code prints to as well."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

_reserved: TextIO | None = None


def reserve_output(is_read: bool) -> bool:
    """Reserve standard output for results if a program reads them; return ``is_read``, as callbacks of options do.

    From then on, what plugins, their native libraries and their processes print there goes to standard error.
    """
    global _reserved
    is_ours = sys.stdout is sys.__stdout__
    if is_read and is_ours and _reserved is None:
        _reserved = os.fdopen(os.dup(sys.stdout.fileno()), "w", errors="replace")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return is_read


def results() -> TextIO:
    """Return standard output, also while it is reserved."""
    return _reserved or sys.stdout


def write_utf8() -> None:
    """Switch standard output to UTF-8, whatever the terminal's encoding: programs read the rest."""
    if isinstance(stream := results(), io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8")
