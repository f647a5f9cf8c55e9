"""Untrusted texts, made safe to print."""

from __future__ import annotations

from botleague_sandbox import clean_text

MAX_TEXT_BYTES = 1_000_000
"""Bytes of a text that is printed at once; more than the output limit of any bot."""

BAR = "    | "
"""Prefix of untrusted lines."""


def cleaned(text: str) -> str:
    """Return a text without control characters."""
    return clean_text(text, MAX_TEXT_BYTES)


def one_line(text: str) -> str:
    """Return a text as one line, without control characters."""
    return cleaned(text).translate({ord("\n"): " ", ord("\t"): " "})


def behind_a_bar(text: str, *, first: bool = False) -> str:
    """Return a text without control characters, its lines marked by :data:`BAR`.

    Args:
        first: mark the first line, too; otherwise it is a line of our own.
    """
    return BAR * first + f"\n{BAR}".join(cleaned(text).splitlines())
