"""What pictures are written with: numbers and texts that are safe inside SVG.

Colours come from the style sheet by class, so that pictures follow the reader's light or dark setting; there are no
style attributes, which the pages' content policy forbids.
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
    """Return a text as it may stand in SVG, cut where it is longer."""
    return escape(text if len(text) <= longest else text[: longest - 1] + "…")


def element(name: str, content: str = "", **attributes: object) -> str:
    """Return an element; ``content`` is SVG already, attributes are escaped. ``class_`` stands for ``class``."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"' for key, value in attributes.items()
    )
    return f"<{name}{said}>{content}</{name}>" if content else f"<{name}{said}/>"
