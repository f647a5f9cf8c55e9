"""Resolution of BOT arguments: a path, the name of a bot in the database, or a bot of a plugin."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from botleague.errors import BotNotFound, UsageError, did_you_mean, few_or_where
from botleague.league.submission.bot_reader import read_bot, read_bundled
from botleague.names import is_bot_name
from botleague.plugins import PluginHost
from botleague.referee import Player
from botleague.rules import Variant
from botleague.rules.variant import Imports

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from botleague_storage.league_rows.bots import VersionRow

_CHOICE = re.compile(r"(?P<path>.+(?:\.py|\.zip|/)):(?P<bot>[^\W\d]\w*)")

VERSION = re.compile(r"[1-9][0-9]{0,8}")


class NamedBot(msgspec.Struct, frozen=True):
    """A named bot.

    Attributes:
        version: the stored version of that name, None for any other bot.
        is_bundled: whether a plugin offers it.
        is_guessed: whether its name was only guessed from where its files are.
    """

    player: Player
    version: VersionRow | None = None
    is_bundled: bool = False
    is_guessed: bool = False

    def with_imports(self, imports: Imports) -> NamedBot:
        """Return the bot with the handling of imports that its source needs."""
        return msgspec.structs.replace(self, player=msgspec.structs.replace(self.player, imports=imports))


def is_path(text: str) -> bool:
    """Return whether ``text`` names a file or folder: a bare name means a bot."""
    text = chosen_in(text)[0]
    return Path(text).suffix in (".py", ".wasm", ".zip") or "/" in text or text in (".", "..")


def refuse_path(text: str) -> None:
    """Refuse a file or folder, with a UsageError, where only submitted and bundled bots can be named."""
    if is_path(named_path(text)[1]):
        raise UsageError(f"{text!r} is a path. Submit the bot first, with `botleague submit`.")


def named_path(text: str) -> tuple[str, str]:
    """Split ``NAME=PATH``; the name may be empty."""
    name, sign, path = text.partition("=")
    return (name, path) if sign and is_bot_name(name) and is_path(path) else ("", text)


def chosen_in(path: str) -> tuple[str, str]:
    """Split ``FILE.py:BOT``, one of several bots in a path; the choice, in the form of ``--entry``, may be empty."""
    match = _CHOICE.fullmatch(path)
    return (path, "") if match is None else (match["path"], f":{match['bot']}")


def find_bot(
    text: str,
    variant: Variant,
    plugins: PluginHost,
    connection: Connection | None,
    *,
    with_siblings: bool = False,
    entry: str = "",
) -> NamedBot:
    """Return the bot that ``text`` names.

    Args:
        text: a path, ``NAME=PATH``, with ``:BOT`` behind it for one of several bots there; ``NAME`` or
            ``NAME@VERSION`` of a bot in the database, or the name of a bundled
            bot.
        connection: connection to the database; None before it exists.
        with_siblings: include the files next to a lone file that its source names.
        entry: of a path: the entry module, and which bot in it, see
            :func:`~botleague.league.submission.bot_reader.read_bot`.

    Raises:
        BotNotFound: no such bot; the message suggests the nearest name.
        SubmissionError: the path holds no bot.
    """
    if not text:
        raise UsageError("The bot name is empty.")
    called, path = named_path(text)
    if is_path(path):
        path, choice = chosen_in(path)
        player = read_bot(
            Path(path),
            variant.entries,
            companions=variant.companions,
            with_siblings=with_siblings,
            entry=entry or choice,
        )
        return NamedBot(msgspec.structs.replace(player, name=called or player.name), is_guessed=not called)
    if entry:
        raise UsageError(f"--entry is for files, and {text!r} is the name of a bot.")
    name, sign, number = text.partition("@")
    if sign and not VERSION.fullmatch(number):
        raise UsageError(f"{text!r}: a version is a number, like {name}@2.")
    candidates: list[str] = []
    if connection is not None:
        # Not above: matches of files and bundled bots do not need the database's library.
        from botleague_storage import NotFound, bots

        candidates = [row.name for row in bots.bots(connection, variant.game)]
        if name in candidates:
            version = int(number) if number else None
            try:
                row = bots.find_version(connection, variant.game, name, number=version)
            except NotFound as error:
                raise BotNotFound(f"The bot {name!r} has no version {number}.") from error
            source = bots.source_of(connection, row.id)
            return NamedBot(Player(name, row.digest, source.files, source.entry, row.imports), row)
    offered = {bot.name: bot for bot in plugins.bots_for(variant)}
    if name in offered and not number:
        return NamedBot(read_bundled(offered[name], variant.entries), is_bundled=True)
    names = sorted({*candidates, *offered})
    there = f" There is a file or folder of that name: write ./{text} for it." if os.path.exists(text) else ""
    raise BotNotFound(
        f"{text!r} is not a path, not a bot in the database and not a bot of {variant.game}.{there}"
        f"{did_you_mean(name, names)}{few_or_where(names, f'`botleague bots --variant {variant.name}`')}"
    )
