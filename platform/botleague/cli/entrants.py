"""What BOT means on the command line: a path, the name of a bot in the database, or a bot that a plugin offers."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from botleague.cli.names import bot_name
from botleague.errors import UsageError, did_you_mean
from botleague.plugins import PluginHost
from botleague.referee import Player
from botleague.rules import Variant
from botleague.submission import Submission, read_submission
from botleague_storage import Database, NotFound, bots
from botleague_storage.bots import Source

__all__ = ["Candidate", "find_bot", "is_path", "register"]

VERSION = re.compile(r"[1-9][0-9]{0,8}")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bot that was named: its source, and its version in the database if it is stored there."""

    name: str
    source: Source
    version_id: int | None = None

    @property
    def player(self) -> Player:
        """The bot as the referee takes it."""
        return Player(self.name, self.source.digest, dict(self.source.files), self.source.entry)


def is_path(text: str) -> bool:
    """Return whether ``text`` can name a file or folder only, so that no database is needed to find the bot."""
    return Path(text).suffix in (".py", ".zip") or "/" in text or os.path.isdir(text)


def find_bot(text: str, variant: Variant, plugins: PluginHost, database: Database | None) -> Candidate:
    """Return the bot that ``text`` names.

    Args:
        text: a path, ``NAME`` or ``NAME@VERSION`` of a bot in the database, or the name of a bundled bot.
        database: None when there is none yet.

    Raises:
        UsageError: it is none of these; the message suggests the nearest name.
        SubmissionError: the path holds no bot.
    """
    if not text:
        raise UsageError("The name of a bot is missing: an empty text was given.")
    if is_path(text):
        return _read(Path(text), variant)
    name, sign, number = text.partition("@")
    if sign and not VERSION.fullmatch(number):
        raise UsageError(f"{text!r}: a version is a number, like {name}@2.")
    known: list[str] = []
    if database is not None:
        with database.reading() as connection:
            known = [row.name for row in bots.bots(connection, variant.game)]
            if name in known:
                try:
                    found = bots.find_version(
                        connection, variant.game, name, number=int(number) if number else None
                    )
                except NotFound as error:
                    raise UsageError(f"The bot {name!r} has no version {number}.") from error
                return Candidate(name, bots.source_of(connection, found.id), found.id)
    offered = {bot.name: bot for bot in plugins.bots_for(variant)}
    if name in offered and not number:
        candidate = _read(Path(offered[name].path), variant)
        return Candidate(name, candidate.source)
    if os.path.exists(text):
        return _read(Path(text), variant)
    names = sorted({*known, *offered})
    raise UsageError(
        f"{text!r} is no file, no bot in the database and no bot of {variant.game}.{did_you_mean(name, names)} "
        f"Bots that are there: {', '.join(names) or 'none'}."
    )


def register(
    candidate: Candidate, variant: Variant, database: Database, name: str | None = None, owner: str = ""
) -> tuple[bots.VersionRow, bool]:
    """Store a bot as the newest version of its name; the same source again is the version that is there.

    Raises:
        UsageError: the name is malformed.
    """
    with database.writing() as connection:
        return bots.submit(
            connection,
            variant.game,
            bot_name(candidate.name if name is None else name),
            owner,
            candidate.source,
        )


def _read(path: Path, variant: Variant) -> Candidate:
    submission: Submission = read_submission(path, variant.entries)
    return Candidate(submission.name, Source(submission.files, submission.entry))
