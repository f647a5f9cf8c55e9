"""The border to code of plugins: formats, rating systems and observers may raise anything."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from botleague.errors import BotleagueError, PluginError

__all__ = ["blaming", "watched"]

logger = logging.getLogger(__name__)


@contextmanager
def blaming(kind: str, name: str) -> Iterator[None]:
    """Run code of a plugin: what it raises becomes one message that names the plugin's part.

    Args:
        kind: what it is, like "format".
        name: what it is called.

    Raises:
        PluginError: it raised something that is not meant for users.
    """
    try:
        yield
    except BotleagueError:
        raise
    except Exception as error:  # foreign code
        said = f"{type(error).__name__}: {error}".strip(": ")
        raise PluginError(f"The {kind} {name} broke its contract: {said}") from error


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
