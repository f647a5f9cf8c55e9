"""Texts of teams, their names and messages: short, one line, printable.

Source: rules/pelita.md, sections 11.4 and 12.
"""

from __future__ import annotations

TEXT_LIMIT = 30
NAME_LIMIT = 25

_READ_AT_MOST = 4096
"""Characters that are looked at; a longer text cannot matter and shall not cost time."""


def clean_text(text: object) -> str:
    """Return what a speech bubble shows of ``text``: one line of at most 30 printable characters.

    Never raises: a text that cannot be made is empty.
    """
    try:
        words = "".join(str(text))[:_READ_AT_MOST]  # joined, since str() may return a class of the bot's own
    except Exception:  # a bot's own __str__; a speech bubble is no reason to lose a game
        return ""
    line = "".join(" " if char.isspace() else char for char in words)
    return "".join(char for char in line if char.isprintable() and ord(char) < 0x10000)[:TEXT_LIMIT]


def clean_team_name(name: str) -> str:
    """Return a name of at most 25 letters, digits and blanks; ``???`` when nothing is left."""
    line = "".join(" " if char.isspace() else char for char in name[:_READ_AT_MOST].strip())
    return "".join(char for char in line if char.isalnum() or char == " ")[:NAME_LIMIT].strip() or "???"
