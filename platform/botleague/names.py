"""Checks of names, remarks and numbers from users, which are stored for years and printed on terminals."""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from typing import SupportsIndex

from botleague.errors import UsageError
from botleague.struct_fields import LARGEST

BOT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,63}")
SEASON = re.compile(r"@[0-9]+$")
OWNER = re.compile(r"[A-Za-z0-9_.-]{1,32}")

BUNDLED = "botleague"
"""The owner of bots from plugins; the name is reserved."""

OFFICES = {
    *("admin", "administrator", "botleague", "erased", "helper", "moderator", "organiser", "organizer"),
    *("referee", "root", "staff", "support", "sysadmin", "system", "webmaster"),
}
"""Reserved words of handles, in any spelling; handles of erased people are like ``erased-7``."""

LONGEST = {"name": 64, "owner": 32, "remark": 500}
"""Maximum characters of names of leagues and divisions, of owners, of reasons and announcements; also of columns."""


def bot_name(text: str) -> str:
    """Return ``text`` if it can be the name of a bot.

    Raises:
        UsageError: it cannot.
    """
    if not BOT_NAME.fullmatch(text):
        raise UsageError(
            f"{text[:80]!r} cannot be a bot's name: use 1 to 64 letters from a to z or A to Z, digits and _ . + -, a "
            "letter or digit first."
        )
    return text


def is_bot_name(text: str) -> bool:
    """Return whether ``text`` can be the name of a bot."""
    return BOT_NAME.fullmatch(text) is not None


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names of a match's bots, by seat, with the seat after names that occur twice."""
    return [f"{name} ({seat})" if names.count(name) > 1 else name for seat, name in enumerate(names)]


def label(text: str, what: str) -> str:
    """Return ``text`` if it can be the name of a league or division.

    Args:
        what: kind of the name for the message: "league".

    Raises:
        UsageError: it cannot.
    """
    longest = LONGEST["name"]
    if not 0 < len(text) <= longest or not text.isprintable() or text != text.strip():
        raise UsageError(
            f"{text[:80]!r} cannot be the name of a {what}: use 1 to {longest} printable characters, "
            "no blank at either end."
        )
    return text


def league_name(text: str) -> str:
    """Return ``text`` if it can be the name of a new league.

    Raises:
        UsageError: it cannot.
    """
    if SEASON.search(text):
        raise UsageError(
            f"{text[:80]!r} cannot be the name of a league: a number after @ names a season, as in cup@2/17."
        )
    if text.startswith("-"):
        raise UsageError(
            f"{text[:80]!r} cannot be the name of a league: commands would take it for an option."
        )
    return label(text, "league")


def owner_name(text: str) -> str:
    """Return ``text`` if it can be the handle of a bot's owner.

    Raises:
        UsageError: it cannot.
    """
    if not OWNER.fullmatch(text):
        raise UsageError(
            f"{text[:80]!r} cannot be the owner of a bot: use 1 to {LONGEST['owner']} letters, digits, -, _ and ."
        )
    if text.lower() == BUNDLED:
        raise UsageError(f"{text!r} cannot be the owner of a bot: the bundled bots are under that name.")
    return text


def handle(text: str) -> str:
    """Return ``text`` if it can be the handle of an account or a team: an owner's, with a letter or digit first.

    Raises:
        UsageError: it cannot.
    """
    if not OWNER.fullmatch(text) or not text[0].isalnum():
        raise UsageError(
            f"{text[:80]!r} cannot be a handle: use 1 to {LONGEST['owner']} letters, digits, -, _ and ., a letter or "
            "digit first."
        )
    return owner_name(text)


def refuse_office(text: str) -> None:
    """Refuse a handle that looks like a role, like ``Admin`` and ``root_1``.

    Raises:
        UsageError: its letters alone are one of :data:`OFFICES`.
    """
    if "".join(filter(str.isalpha, text.lower())) in OFFICES:
        raise UsageError(f"The handle {text!r} is reserved; only an organiser can assign it. Choose another.")


def announcement(text: str) -> str:
    """Return ``text`` as one line if it is valid as an announcement.

    Raises:
        UsageError: it is empty, too long, or has characters that are not printable.
    """
    line, longest = " ".join(text.split()), LONGEST["remark"]
    if not 0 < len(line) <= longest or not line.isprintable():
        raise UsageError(f"{line[:80]!r}: an announcement has 1 to {longest} printable characters.")
    return line


def remark(text: str) -> str:
    """Return ``text`` if it is valid as the reason of a decision; a typer callback.

    Raises:
        UsageError: it cannot.
    """
    longest = LONGEST["remark"]
    if len(text) > longest or not text.isprintable():
        raise UsageError(f"{text[:80]!r}: use one line of at most {longest} printable characters.")
    return text


def whole_number(name: str, value: object, least: int = 1) -> int:
    """Return an argument as an integer that the database can store, also one of NumPy, as data frames have them.

    Raises:
        UsageError: it is no integer, less than ``least`` or too large.
    """
    if (
        not isinstance(value, SupportsIndex)
        or isinstance(value, bool)
        or not least <= (number := operator.index(value)) <= LARGEST
    ):
        raise UsageError(f"{name} must be a whole number from {least} to {LARGEST}, not {value!r}.")
    return number
