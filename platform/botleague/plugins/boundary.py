"""The border to code of plugins: rules, formats, rating systems and observers may raise anything."""

from __future__ import annotations

import logging
import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from botleague.errors import BotleagueError, PluginError

logger = logging.getLogger(__name__)


class Boundary:
    """Runs code of a plugin: what it raises becomes one PluginError that names the part, the file and the line.

    A class, not a generator: rules are entered several times a turn.

    Args:
        kind: what runs, like "format" or "rules of".
        name: what it is called.
    """

    __slots__ = ("_kind", "_name")

    def __init__(self, kind: str, name: str) -> None:
        self._kind = kind
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        if isinstance(error, Exception) and not _is_known(error):
            said = f"{type(error).__name__}: {error}".strip(": ")
            raise PluginError(f"The {self._kind} {self._name} failed: {said} ({_place(error)})") from error


def _is_known(error: Exception) -> bool:
    """Whether an error is ours, or the database's: what a plugin is given may be read only while it runs."""
    return isinstance(error, BotleagueError) or type(error).__module__.startswith(
        ("sqlalchemy.", "botleague_storage.")
    )


@contextmanager
def watched(hook: str, failed: set[str]) -> Iterator[None]:
    """Run an observer of a plugin: if it fails, that is said once and changes nothing.

    Args:
        hook: its name.
        failed: hooks of which it was said.
    """
    try:
        yield
    except Exception as error:  # foreign code
        if hook not in failed:
            failed.add(hook)
            logger.warning("A plugin that observes %s failed: %s: %s", hook, type(error).__name__, error)


def _place(error: Exception) -> str:
    """Return where an error was raised: the innermost line that is not in the standard library."""
    library = sysconfig.get_path("stdlib")
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [
        frame
        for frame in frames
        if "site-packages" in frame.filename or not frame.filename.startswith((library, "<"))
    ]
    last = (theirs or frames)[-1]
    return f"{last.filename}, line {last.lineno}"
