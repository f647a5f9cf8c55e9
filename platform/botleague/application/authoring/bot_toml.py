"""``bot.toml``: what a bot's folder says of the bot, so that its author need not say it with every command."""

from __future__ import annotations

from pathlib import Path

import msgspec

from botleague.errors import UsageError

NAME = "bot.toml"


class BotFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file says.

    Attributes:
        variant: what the bot plays; "" where it is not said.
        entry: the entry module, and which bot in it, as ``--entry`` says it.
    """

    variant: str = ""
    entry: str = ""


def read_bot_file(bot: Path) -> BotFile:
    """Return what the file in a bot's folder says, or the one beside a lone file; nothing is said where there is none.

    Raises:
        UsageError: it is no TOML, or has an unknown key or a value of the wrong kind.
    """
    file = (bot if bot.is_dir() else bot.parent) / NAME
    try:
        return msgspec.toml.decode(file.read_bytes(), type=BotFile)
    except FileNotFoundError:
        return BotFile()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    except (msgspec.MsgspecError, ValueError) as error:
        raise UsageError(
            f'{file}: {error}. It may hold variant = "NAME" and entry = "FILE.py:BOT".'
        ) from error
