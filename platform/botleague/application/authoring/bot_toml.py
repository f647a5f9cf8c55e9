"""``bot.toml``: variant and entry of a bot, so that commands need no options for them."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from botleague.errors import UsageError
from botleague.league.submission import read_plain

NAME = "bot.toml"
MAX_BYTES = 10_000


class BotFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Contents of ``bot.toml``.

    Attributes:
        variant: the variant that the bot plays; "" if not set.
        entry: the entry module, and the bot in it, in the syntax of ``--entry``.
    """

    variant: str = ""
    entry: str = ""


def read_bot_file(bot: Path) -> BotFile:
    """Return the contents of the file in a bot's folder, or next to a lone file; empty without a file.

    Raises:
        UsageError: it is not TOML, has an unknown key or a value of the wrong type, or is a link or too large.
    """
    folder = bot if os.path.isdir(bot) else bot.parent  # not Path.is_dir, which raises for a long name
    file = folder / NAME
    try:
        content = read_plain(folder, NAME, MAX_BYTES)
        if len(content) > MAX_BYTES:
            raise UsageError(f"{file} has more than {MAX_BYTES // 1000} kB.")
        return msgspec.toml.decode(content, type=BotFile)
    except FileNotFoundError:
        return BotFile()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UsageError(
            f'{file}: {error}. It may contain variant = "NAME" and entry = "FILE.py:BOT".'
        ) from error
