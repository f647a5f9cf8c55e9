"""``bot.toml``: variant and entry of a bot, so that commands need no options for them."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from botleague.errors import UsageError

NAME = "bot.toml"


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
        UsageError: it is not TOML, or has an unknown key or a value of the wrong type.
    """
    file = (bot if os.path.isdir(bot) else bot.parent) / NAME  # not Path.is_dir, which raises for a long name
    try:
        return msgspec.toml.decode(file.read_bytes(), type=BotFile)
    except FileNotFoundError:
        return BotFile()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    except (msgspec.MsgspecError, ValueError) as error:
        raise UsageError(
            f'{file}: {error}. It may contain variant = "NAME" and entry = "FILE.py:BOT".'
        ) from error
