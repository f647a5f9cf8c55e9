"""Error handling around plugin code: rules, formats, rating systems and observers may raise anything."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from botleague.errors import BotleagueError, PluginError, UsageError
from botleague.rules.formats import FormatError
from botleague.rules.plugin_support.error_place import with_place

logger = logging.getLogger(__name__)


class Boundary:
    """Runs plugin code and converts its errors to one PluginError with the part, the file and the line.

    A FormatError becomes a UsageError: it names what the user can correct.

    A class, not a generator, for speed: rules are entered several times per turn.

    Args:
        kind: of the running part, like "format" or "rules of".
        name: of the running part.
    """

    __slots__ = ("_kind", "_name")

    def __init__(self, kind: str, name: str) -> None:
        self._kind = kind
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        if isinstance(error, FormatError):
            raise UsageError(str(error)) from error
        # A plugin that exits must not end the command as if it had succeeded; Ctrl-C must.
        if isinstance(error, Exception | SystemExit) and not _is_known(error):
            raise PluginError(f"The {self._kind} {self._name} failed: {with_place(error)}") from error


def _is_known(error: BaseException) -> bool:
    """Return whether an error is ours or the database's: a plugin's iterable argument may read rows lazily."""
    return isinstance(error, BotleagueError) or type(error).__module__.startswith(
        ("sqlalchemy.", "botleague_storage.")
    )


@contextmanager
def watched(hook: str, failed: set[str]) -> Iterator[None]:
    """Run an observer of a plugin; its first failure is logged and changes nothing.

    Args:
        hook: its name.
        failed: hooks with a logged failure.
    """
    try:
        yield
    except (Exception, SystemExit) as error:  # foreign code
        if hook not in failed:
            failed.add(hook)
            logger.warning("A plugin that observes %s failed: %s: %s", hook, type(error).__name__, error)
