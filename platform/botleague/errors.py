"""Errors raised on purpose; the command line prints them as one message without a traceback.

::

    BotleagueError
        UsageError          what the user asked for cannot be done as asked; exit code 2
            VariantNotFound
            SubmissionError     the bot's file, folder or zip is not a submission
            RecordError         a file is not a record, or not one of this variant
        PluginError         a plugin broke its contract; exit code 1
        MachineryError      this machine failed: no sandbox, a lost process; exit code 1

Whatever a bot does is never an error but a :class:`~botleague.rules.Fault`.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence

NEAREST = 3
"""Maximum number of suggestions for a mistyped name."""

FEW = 12
"""Maximum number of names that a message lists."""


class BotleagueError(Exception):
    """Base of all errors that botleague raises on purpose."""


class UsageError(BotleagueError):
    """The user's request is not possible."""


class PluginError(BotleagueError):
    """A plugin broke its contract."""


class MachineryError(BotleagueError):
    """A failure of this machine, not of a bot."""


class SubmissionError(UsageError):
    """A path does not hold a bot."""

    def __init__(self, message: str) -> None:
        # It contains names of files, and is shown on terminals, in pages and in JSON.
        super().__init__(
            "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in message)
        )


class RecordError(UsageError):
    """Bytes that are not a record, or one that cannot be replayed here."""


class VariantNotFound(UsageError):
    """No installed plugin offers the requested variant."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        super().__init__(
            f"No variant is called {name!r}.{did_you_mean(name, names)} `botleague variants` lists all {len(names)}."
        )
        self.name = name


def counted(number: int, noun: str, many: str | None = None) -> str:
    """Return a number of things: "1 bot", "2 bots", "2 matches"."""
    return f"{number} {noun if number == 1 else many or noun + 's'}"


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """Return " Did you mean 'x' or 'y'?" for the known names closest to ``name``, three at most, or nothing."""
    close = difflib.get_close_matches(name, names, n=NEAREST)
    return f" Did you mean {' or '.join(map(repr, close))}?" if close else ""


def few_or_where(names: Sequence[str], where: str) -> str:
    """Return " These are known: x, y." for a few names, and for many the command that lists them.

    Args:
        names: all names.
        where: a command in backquotes.
    """
    if len(names) <= FEW:
        return f" These are known: {', '.join(names) or 'none'}."
    return f" {where} lists all {len(names)}."
