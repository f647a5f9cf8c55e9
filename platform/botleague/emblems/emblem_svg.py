"""Emblems as SVG: one sheet of symbols per page, and references to them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from botleague.emblems.emblem import Emblem

SHEET = Path(__file__).with_name("emblems.svg")
"""The symbols ``h0``..``h7``, ``e0``..``e7`` and ``t1``..``t5`` on a grid of 32 units. Heads and tops have the current
colour, eyes the ground's; the style sheet of the page says which that is."""


@cache
def symbol_sheet() -> str:
    """Return the sheet as an invisible element, for the start of a page's body."""
    return SHEET.read_text(encoding="utf-8").strip()


@cache
def emblem_paths() -> dict[str, str]:
    """Return the outline of every part by the name of its symbol, for pictures without the sheet."""
    return dict(re.findall(r'<symbol id="bl-(\w+)".*?<path d="([^"]+)"', symbol_sheet()))


def emblem_group(emblem: Emblem, transform: str, color: str, eyes: str) -> str:
    """Return an emblem as a group of paths, for a picture without the sheet.

    Args:
        emblem: the emblem, 32 units wide and high.
        transform: where and how large it is drawn.
        color, eyes: colours of the body and of the eyes.
    """
    paths = emblem_paths()
    parts = [f"t{emblem.top}"] * bool(emblem.top) + [f"h{emblem.head}"]
    body = "".join(f'<path d="{paths[part]}"/>' for part in parts)
    return f'<g transform="{transform}" fill="{color}">{body}<path d="{paths[f"e{emblem.eyes}"]}" fill="{eyes}"/></g>'


def emblem_svg(emblem: Emblem, prefix: str = "", size: int = 0) -> str:
    """Return an emblem as an element that refers to the sheet; decorative, because the name stands next to it.

    Args:
        prefix: of the class names, which are ``emblem`` and ``c0`` to ``c9``; the player has its own.
        size: width and height inside another picture, which style sheets cannot set; 0 outside.
    """
    inside = f' width="{size}" height="{size}"' if size else ""
    top = f'<use href="#bl-t{emblem.top}"/>' if emblem.top else ""
    return (
        f'<svg class="{prefix}emblem {prefix}c{emblem.color}"{inside} viewBox="0 0 32 32" aria-hidden="true">'
        f'{top}<use href="#bl-h{emblem.head}"/><use href="#bl-e{emblem.eyes}"/></svg>'
    )
