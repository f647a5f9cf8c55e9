"""The place of an error of a plugin, for messages to its author."""

from __future__ import annotations

import sysconfig
import traceback

__all__ = ["with_place"]


def with_place(error: BaseException, passed_over: str = " ") -> str:
    """Return an error in words with its place: the innermost line outside the standard library.

    Args:
        passed_over: a folder of ours, whose lines are no place either.
    """
    library = sysconfig.get_path("stdlib")
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [
        frame
        for frame in frames
        if not frame.filename.startswith(passed_over)
        and ("site-packages" in frame.filename or not frame.filename.startswith((library, "<")))
    ]
    place = (theirs or frames)[-1]
    reason = f"{type(error).__name__}: {error}".strip(": ")
    return f"{reason} ({place.filename}, line {place.lineno})"
