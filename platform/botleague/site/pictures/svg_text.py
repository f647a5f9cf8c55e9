"""Numbers, texts and elements of SVG, escaped.

Colours come from the style sheet by class, so that pictures follow the reader's light or dark setting. The pages'
content policy forbids style attributes.
"""

from __future__ import annotations

import unicodedata
from html import escape
from itertools import accumulate


def n(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    return f"{value:z.1f}".removesuffix(".0")


def t(text: str, longest: int = 200) -> str:
    """Return an escaped text for SVG, cut if it is longer."""
    return escape(text if len(text) <= longest else text[: longest - 1] + "…")


def fit(text: str, width: float) -> str:
    """Return an escaped text for SVG, cut if it is wider; ``width`` in small letters."""
    for end, used in enumerate(accumulate(map(_width, text))):
        if used > width:
            return escape(text[: max(1, end - 1)] + "…")
    return escape(text)


def _width(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 2.0
    if letter in "MWmw@%":
        return 1.6
    return 1.2 if letter.isupper() else 1.0


def element(name: str, content: str = "", **attributes: object) -> str:
    """Return an element. ``content`` must be SVG; attributes are escaped; ``class_`` becomes ``class``."""
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for key, value in attributes.items()
    )
    return f"<{name}{pairs}>{content}</{name}>" if content else f"<{name}{pairs}/>"
