"""Text that comes from bots, made safe for terminals and logs."""

from __future__ import annotations

import unicodedata

CUT = "\x18"
"""ASCII's "cancel": where a bot's process dropped what was printed beyond the limits. Cleaned texts do not have it."""

KEPT = "\n\t"

MAX_EXCERPT = 70
"""Characters of an excerpt: a terminal of 80 columns has room for them and a frame."""

MAX_CARET = MAX_EXCERPT // 2 + 1


def excerpt(line: str, column: int) -> tuple[str, int]:
    """Return the part of a line around a column, and where the column is in that part; both count from 1."""
    caret = min(column, MAX_CARET)
    start = max(0, column - caret)
    text = line[start : start + MAX_EXCERPT]
    if start:
        text = "..." + text[3:]
    if len(line) > start + MAX_EXCERPT:
        text = text[:-3] + "..."
    return text, caret


def clean_text(text: str, limit_bytes: int) -> str:
    """Return ``text`` without control, format and surrogate characters, cut to ``limit_bytes`` of UTF-8.

    Line ends and tabs stay. Format characters go too, since they can reorder what a reader sees. What is left
    must still be escaped for HTML.
    """
    if not (text.isascii() and text.isprintable()):
        text = "".join(
            char
            for char in text
            if char.isprintable()
            or char in KEPT
            or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
        )
    encoded = text.encode()
    return text if len(encoded) <= limit_bytes else encoded[:limit_bytes].decode(errors="ignore")
