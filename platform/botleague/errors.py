"""Errors raised on purpose; the command line prints them as one message without a traceback.

::

    BotleagueError
        UsageError          what the user asked for cannot be done as asked; exit code 2
            VariantNotFound
            BotNotFound
            SubmissionError     the bot's file, folder or zip is not a submission
            BotRefused          the bot's source or first turn is not accepted
            RecordError         a file is not a record, or not one of this variant
            DatabaseDamaged     `db check` found damage
        PluginError         a plugin broke its contract; exit code 1
        MachineryError      this machine failed: no sandbox, a lost process; exit code 1
        Stopped             Ctrl-C, or a shutdown, ended a command; exit code 1

Whatever a bot does is never an error but a :class:`~botleague.rules.Fault`.

For programs, every error is a :class:`Problem` whose code is one of :data:`CODES`. A code belongs to a class of errors,
here, in the storage or in the sandbox, or to a kind of finding about a bot: ``bot-`` and the kind.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

NEAREST = 3
"""Maximum number of suggestions for a mistyped name."""

FEW = 12
"""Maximum number of names that a message lists."""


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of error.

    Attributes:
        meaning: what failed, as one sentence.
        advice: what to do, as one sentence; "" if each message says it.
    """

    meaning: str
    advice: str = ""


_AGAIN = "Try again later."
_DOCTOR = "`botleague doctor` tests this machine."
_FIX = "Change this line."
_OWN_FAULT = "Read the traceback in the message; `python -m botleague.local` runs the bot in a debugger."

CODES = {
    "usage": Code("The request is not possible."),
    "arguments": Code("An option or argument is unknown, missing or not valid.", "Use --help."),
    "unknown-variant": Code("No variant has this name.", "`botleague variants --json` lists them."),
    "unknown-bot": Code("No bot has this name or version.", "`botleague bots --json` lists them."),
    "not-found": Code("A named object does not exist, or its source was erased."),
    "not-a-bot": Code("The file, folder or zip is not a submission."),
    "bot-refused": Code("The bot is not accepted. The findings give the reasons.", "Correct each finding."),
    "name-taken": Code("A bot with this name has another owner.", "Choose another name."),
    "record": Code("The file is not a record, or not a record of this variant."),
    "server": Code("A server is unavailable, refuses, or sends an invalid response."),
    "token": Code("The server does not accept the saved login.", "Log in again."),
    "login": Code("You are not logged in, or handle, password or token is wrong.", "Log in."),
    "permission": Code("Your role or token does not allow this.", "Ask the organiser."),
    "limit": Code("A limit is reached for now.", _AGAIN),
    "plugin": Code("A plugin broke its contract.", "Report it to the author of the plugin."),
    "machine": Code("This machine failed, not a bot.", _DOCTOR),
    "system": Code("The operating system refused access to a file or another resource."),
    "interrupted": Code("Ctrl-C or a shutdown stopped the command.", "Run the same command again."),
    "database": Code("The database cannot be opened, read or written."),
    "database-away": Code("The database is unavailable or locked at the moment.", _AGAIN),
    "database-version": Code("Another version of botleague made the database."),
    "database-damaged": Code("Rows of the database are damaged.", "Restore a backup."),
    "bot-syntax": Code("This is not valid Python, or too deeply nested.", "Correct this line."),
    "bot-import": Code(
        "This import is not available to bots.", "`botleague variants NAME --brief` lists what is."
    ),
    "bot-name": Code("This name or attribute is not available to bots, or reserved.", _FIX),
    "bot-language": Code("This part of Python is not available to bots.", _FIX),
    "bot-module": Code(
        "This WebAssembly module cannot play.", "Build it as a WASI preview 1 command without these features."
    ),
    "bot-size": Code("The source is too large.", "Shorten it."),
    "bot-exception": Code("The bot raised an exception.", _OWN_FAULT),
    "bot-timeout": Code("The bot exceeded its time limit.", "Compute less per turn, or stop earlier."),
    "bot-crash": Code("The process of the bot died.", "Use less memory; avoid deep recursion."),
    "bot-garbage": Code(
        "The action has a wrong type or is too large.", "Return what the interface describes."
    ),
    "bot-illegal": Code("The rules do not allow this action.", "Choose one of the legal actions."),
    "bot-rejected": Code("The declaration of the bot is not accepted.", "Read the message."),
}
"""Every code of an error or finding. Programs may rely on them."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An error, or a finding about a bot, as data.

    Attributes:
        code: a key of :data:`CODES`.
        message: what failed, and often what to do; may have several lines.
        file, line, column: the place; line and column count from 1. None if unknown.
        advice: the next step, by default that of the code; "" if the message says it.
    """

    code: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    advice: str = ""

    def __post_init__(self) -> None:
        """Complete the advice."""
        if not self.advice and self.code in CODES:  # a server may have others
            object.__setattr__(self, "advice", CODES[self.code].advice)


def problem_of(error: Exception) -> Problem:
    """Return an error of botleague, its storage or sandbox, or of the system, as data."""
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        message = f"The system refused: {error.strerror or type(error).__name__}{where}."
        return Problem("system", message, str(error.filename) if error.filename else None)
    if isinstance(error, BotRefused) and error.findings:
        first = error.findings[0]
        return Problem(error.code, error.summary, first.file, first.line, first.column, error.advice)
    return Problem(getattr(error, "code", "usage"), str(error))


class BotleagueError(Exception):
    """Base of all errors that botleague raises on purpose.

    Attributes:
        code: a key of :data:`CODES`, of the whole class; only an error of a server may have that server's.
        findings: the parts of the error, if it has several.
    """

    code: str = "usage"
    findings: tuple[Problem, ...] = ()


class UsageError(BotleagueError):
    """The user's request is not possible."""


class PluginError(BotleagueError):
    """A plugin broke its contract."""

    code = "plugin"


class MachineryError(BotleagueError):
    """A failure of this machine, not of a bot."""

    code = "machine"


class Stopped(BotleagueError):
    """The user or the system stopped a command; the text says what is saved and how to resume."""

    code = "interrupted"


class SubmissionError(UsageError):
    """A path does not hold a bot."""

    code = "not-a-bot"

    def __init__(self, message: str) -> None:
        # It contains names of files, and is shown on terminals, in pages and in JSON.
        super().__init__(
            "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in message)
        )


class BotRefused(UsageError):
    """A bot is not accepted.

    Attributes:
        summary: first sentence of the message.
        advice: help for its author, "" for none.
    """

    code = "bot-refused"

    def __init__(
        self, summary: str, reasons: Sequence[str], findings: tuple[Problem, ...], advice: Sequence[str] = ()
    ) -> None:
        super().__init__("\n\n".join((f"{summary}:", *reasons, *advice)))
        self.summary = f"{summary}."
        self.findings = findings
        self.advice = "\n\n".join(advice)


class RecordError(UsageError):
    """Bytes that are not a record, or one that cannot be replayed here."""

    code = "record"


class DatabaseDamaged(UsageError):
    """Rows of the database contradict each other, or files of it are damaged."""

    code = "database-damaged"

    def __init__(self, message: str, damage: Sequence[str]) -> None:
        super().__init__(message)
        self.findings = tuple(Problem(self.code, text) for text in damage)


class BotNotFound(UsageError):
    """No bot has the requested name or version."""

    code = "unknown-bot"


class VariantNotFound(UsageError):
    """No installed plugin offers the requested variant."""

    code = "unknown-variant"

    def __init__(
        self, name: str, names: Sequence[str], command: str | None = None, stored: str | None = None
    ) -> None:
        """Create the error.

        Args:
            names: all variants.
            command: installs the variant; None for a name that no plugin knows.
            stored: the stored league or match of the variant, as in "League 'cup'"; None for a name that a user chose.
        """
        text = f"Unknown variant {name!r}.{did_you_mean(name, names)} `botleague variants` lists all {len(names)}."
        if command:
            text = f"Variant {name!r} is not installed. Run `{command}`."
        elif stored is not None:
            text = (
                f"{stored} plays {name!r}, which is not installed here. Run this in the folder of the "
                "botleague.toml that defines it, or install its plugin."
            )
        super().__init__(text)
        self.name = name
        self._command = command

    def of(self, stored: str) -> VariantNotFound:
        """Return the error for a stored league or match of the variant, as in "League 'cup'"."""
        return VariantNotFound(self.name, (), self._command, stored)


def counted(number: int, noun: str, many: str | None = None) -> str:
    """Return a number of things: "1 bot", "2 bots", "2 matches"."""
    return f"{number} {noun if number == 1 else many or noun + 's'}"


def did_you_mean(name: str, names: Sequence[str], prefix: str = "") -> str:
    """Return " Did you mean 'x' or 'y'?" for the known names closest to ``name``, three at most, or nothing.

    Args:
        prefix: beginning of all names, which makes no two of them alike.
    """
    bare = name.removeprefix(prefix)
    # A mistyped name rarely has another first letter, and a suggestion that does is rarely what was meant.
    alike = [one for text in names if (one := text.removeprefix(prefix))[:1].lower() == bare[:1].lower()]
    close = difflib.get_close_matches(bare, alike, n=NEAREST)
    return f" Did you mean {' or '.join(repr(prefix + one) for one in close)}?" if close else ""


def few_or_where(names: Sequence[str], where: str) -> str:
    """Return " These are known: x, y." for a few names, and for many the command that lists them.

    Args:
        names: all names.
        where: a command in backquotes.
    """
    if len(names) <= FEW:
        return f" These are known: {', '.join(names) or 'none'}."
    return f" {where} lists all {len(names)}."
