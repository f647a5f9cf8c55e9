"""Numbers, texts and elements of SVG, escaped.

Colours come from the style sheet by class, so that pictures follow the reader's light or dark setting. The pages'
content policy forbids style attributes.
"""

from __future__ import annotations

from html import escape


def n(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    return (
        f"{value:.1f}".removesuffix(".0").replace("-0", "0")
        if abs(value) < 0.05
        else f"{value:.1f}".removesuffix(".0")
    )


def t(text: str, longest: int = 200) -> str:
    """Return an escaped text for SVG, cut if it is longer."""
    return escape(text if len(text) <= longest else text[: longest - 1] + "…")


def element(name: str, content: str = "", **attributes: object) -> str:
    """Return an element. ``content`` must be SVG; attributes are escaped; ``class_`` becomes ``class``."""
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for key, value in attributes.items()
    )
    return f"<{name}{pairs}>{content}</{name}>" if content else f"<{name}{pairs}/>"
