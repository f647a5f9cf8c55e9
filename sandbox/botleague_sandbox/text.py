"""Text that comes from bots, made safe for terminals and logs."""

from __future__ import annotations

import unicodedata

__all__ = ["CUT", "clean_text"]

CUT = "\x18"
"""ASCII's "cancel": where a bot's process dropped what was printed beyond the limits. Cleaned texts do not have it."""

KEPT = "\n\t"


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
