"""Variant and entry of an author's bot: the requested ones, or those in its ``bot.toml``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from botleague.application.authoring.bot_toml import NAME, BotFile, read_bot_file
from botleague.application.workspace import Workspace
from botleague.errors import BotleagueError, UsageError, VariantNotFound
from botleague.league.submission import chosen_in, is_path, named_path
from botleague.league.trials import try_out
from botleague.rules import Variant


def path_text(bot: str) -> str:
    """Return a bot of the command line as a path if a file or folder has that name, else unchanged."""
    return f"./{bot}" if not is_path(bot) and "=" not in bot and os.path.exists(bot) else bot


def chosen_entry(bot: str, entry: str) -> str:
    """Return the entry to start: the requested one, that in the path, or that in the bot's ``bot.toml``.

    Args:
        bot: a bot as :func:`path_text` returns it.
        entry: the requested one, or "".

    Raises:
        UsageError: see :func:`~botleague.application.authoring.bot_toml.read_bot_file`.
    """
    return entry or chosen_in(named_path(bot)[1])[1] or _file_of(bot).entry


def chosen_variant(workspace: Workspace, bot: str, variant: str | None, *, entry: str = "") -> Variant:
    """Return the variant to play.

    Args:
        bot: a bot as :func:`path_text` returns it.
        variant: the requested one; None for that in the bot's ``bot.toml``.
        entry: see :func:`~botleague.league.submission.bot_reader.read_bot`.

    Raises:
        UsageError: no such variant; or none is known, and the message names games in which the bot loads and moves.
    """
    if variant:
        return workspace.plugins.variant(variant)
    if name := _file_of(bot).variant:
        try:
            return workspace.plugins.variant(name)
        except VariantNotFound as error:
            raise UsageError(f"The {NAME} of {bot} names a variant that is not here. {error}") from None
    fitting = _fitting(workspace, bot, entry)
    raise UsageError(
        f'The variant of {bot} is unknown. Use --variant NAME, or write variant = "NAME" to a file {NAME} in its '
        "folder." + (f" It can play {' and '.join(fitting)}." if fitting else "")
    )


def _file_of(bot: str) -> BotFile:
    """Return the ``bot.toml`` of a path; empty for the name of a bot."""
    _, path = named_path(bot)
    return read_bot_file(Path(chosen_in(path)[0])) if is_path(path) else BotFile()


def _fitting(workspace: Workspace, bot: str, entry: str) -> list[str]:
    """Return the games whose default variant accepts a bot and its first move."""
    fitting = []
    with workspace.open_sandbox() as sandbox:
        for variant in games_by_harness(workspace):
            try:
                (player,) = workspace.find_bots([bot], variant, entry=entry, warns=False)
                if not try_out(player, variant, sandbox).problems:
                    fitting.append(variant.name)
            except BotleagueError:  # it is no bot of this game
                continue
    return fitting


def games_by_harness(workspace: Workspace, played: Variant | None = None) -> Iterator[Variant]:
    """Yield the default variant of one game for each harness: what one of its games refuses, the others do, too.

    Args:
        played: a variant whose game and harness are left out.
    """
    harnesses = {played.harness} if played else set()  # some plugins have dozens of games with one
    for one in workspace.plugins.variants.values():
        if one.name == one.game and one.harness not in harnesses and not (played and one.game == played.game):
            harnesses.add(one.harness)
            yield one
