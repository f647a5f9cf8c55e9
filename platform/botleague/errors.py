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
"""Names that are suggested for a mistyped one, at most."""

FEW = 12
"""More names are not listed in a message."""


class BotleagueError(Exception):
    """Base of all errors that botleague raises on purpose."""


class UsageError(BotleagueError):
    """The user's request cannot be carried out as it stands."""


class PluginError(BotleagueError):
    """A plugin broke its contract."""


class MachineryError(BotleagueError):
    """This machine failed at something that no bot can be blamed for."""


class SubmissionError(UsageError):
    """A path does not hold a bot."""

    def __init__(self, message: str) -> None:
        # It repeats names of files, and is shown on terminals, in pages and in objects.
        super().__init__(
            "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in message)
        )


class RecordError(UsageError):
    """Some bytes are not the record of a match that can be replayed here."""


class VariantNotFound(UsageError):
    """No installed plugin offers the requested variant."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(
            f"No variant is called {name!r}.{did_you_mean(name, known)} `botleague variants` lists all {len(known)}."
        )
        self.name = name


def counted(number: int, noun: str, many: str | None = None) -> str:
    """Return a number of things: "1 bot", "2 bots", "2 matches"."""
    return f"{number} {noun if number == 1 else many or noun + 's'}"


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return " Did you mean 'x' or 'y'?" for the known names closest to ``name``, three at most, or nothing."""
    close = difflib.get_close_matches(name, known, n=NEAREST)
    return f" Did you mean {' or '.join(map(repr, close))}?" if close else ""


def few_or_where(known: Sequence[str], where: str) -> str:
    """Return " These are known: x, y." for a few names, and for more of them where they are listed.

    Args:
        known: all of them.
        where: a command in backquotes.
    """
    if len(known) <= FEW:
        return f" These are known: {', '.join(known) or 'none'}."
    return f" {where} lists all {len(known)}."
