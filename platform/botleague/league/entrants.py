"""What BOT means: a path, the name of a bot in the database, or a bot that a plugin offers; and how bots are stored."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from botleague.errors import UsageError, did_you_mean
from botleague.league.submission import read_bot
from botleague.names import bot_name
from botleague.plugins import PluginHost
from botleague.plugins.boundary import watched
from botleague.referee import Player
from botleague.rules import Variant
from botleague_storage import Database, NotFound, bots
from botleague_storage.bots import Source, VersionRow

__all__ = ["find_bot", "is_path", "submit"]

VERSION = re.compile(r"[1-9][0-9]{0,8}")


def is_path(text: str) -> bool:
    """Return whether ``text`` names a file or folder: a bare name means a bot first."""
    return Path(text).suffix in (".py", ".zip") or "/" in text


def find_bot(
    text: str,
    variant: Variant,
    plugins: PluginHost,
    database: Database | None,
    *,
    with_siblings: bool = False,
) -> Player:
    """Return the bot that ``text`` names.

    Args:
        text: a path, ``NAME`` or ``NAME@VERSION`` of a bot in the database, or the name of a bundled bot.
        database: None when there is none yet.
        with_siblings: of a lone file, take along what its source names beside it.

    Raises:
        UsageError: it is none of these; the message suggests the nearest name.
        SubmissionError: the path holds no bot.
    """
    if not text:
        raise UsageError("The name of a bot is missing: an empty text was given.")
    if is_path(text):
        return read_bot(Path(text), variant.entries, with_siblings=with_siblings)
    name, sign, number = text.partition("@")
    if sign and not VERSION.fullmatch(number):
        raise UsageError(f"{text!r}: a version is a number, like {name}@2.")
    known: list[str] = []
    if database is not None:
        with database.reading() as connection:
            known = [row.name for row in bots.bots(connection, variant.game)]
            if name in known:
                wanted = int(number) if number else None
                try:
                    row = bots.find_version(connection, variant.game, name, number=wanted)
                except NotFound as error:
                    raise UsageError(f"The bot {name!r} has no version {number}.") from error
                source = bots.source_of(connection, row.id)
                return Player(name, row.digest, source.files, source.entry)
    offered = {bot.name: bot for bot in plugins.bots_for(variant)}
    if name in offered and not number:
        return replace(read_bot(Path(offered[name].path), variant.entries), name=name)
    if os.path.exists(text):
        return read_bot(Path(text), variant.entries)
    names = sorted({*known, *offered})
    raise UsageError(
        f"{text!r} is not a file, not a bot in the database and not a bot of {variant.game}."
        f"{did_you_mean(name, names)} These are known: {', '.join(names) or 'none'}."
    )


def submit(
    players: Sequence[Player], variant: Variant, database: Database, plugins: PluginHost, owner: str = ""
) -> list[tuple[VersionRow, bool]]:
    """Store bots as the newest versions of their names: all, or none where one cannot be stored.

    Returns:
        For each its version, and whether it is new: the same source again is the version that is there.

    Raises:
        UsageError: a name is malformed.
    """
    with database.writing() as connection:
        stored = [
            bots.submit(
                connection, variant.game, bot_name(player.name), owner, Source(player.files, player.entry)
            )
            for player in players
        ]
    # After the transaction: observers hear of nothing that was not stored.
    for version, is_new in stored:
        if is_new:
            with watched("botleague_bot_submitted", set()):
                plugins.manager.hook.botleague_bot_submitted(
                    game=variant.game, bot=version.bot, version=version.number, digest=version.digest
                )
    return stored
