"""Emblem of a bot: head, eyes, top and colour, computed from its name alone."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable

import msgspec

from botleague.emblems.bot_colors import BOT_COLORS, match_colors

HEADS = ("disc", "block", "hexagon", "shield", "kite", "dome", "pill", "bucket")
EYES = ("dots", "visor", "cyclops", "bars", "squares", "slant", "trio", "wink")
TOPS = ("bare", "aerial", "feelers", "ears", "horns", "crest")

GLYPHS = "●■◉▼◆▲▬◣"
"""One character per head, for terminals."""


class Emblem(msgspec.Struct, frozen=True):
    """An emblem, as indices into :data:`HEADS`, :data:`EYES`, :data:`TOPS` and the bot colours."""

    head: int
    eyes: int
    top: int
    color: int

    @property
    def glyph(self) -> str:
        """The head as one character."""
        return GLYPHS[self.head]

    def __str__(self) -> str:
        """Return the emblem in words, such as ``lime kite, trio, crest``."""
        return f"{BOT_COLORS[self.color].name} {HEADS[self.head]}, {EYES[self.eyes]}, {TOPS[self.top]}"


def emblem_of(name: str) -> Emblem:
    """Return the emblem of a bot's name. Names that differ only in case have the same emblem.

    The bytes of the hash are chosen such that the bundled bots look different.
    """
    digest = hashlib.sha256(unicodedata.normalize("NFC", name).casefold().encode()).digest()
    return Emblem(
        digest[1] % len(HEADS), digest[2] % len(EYES), digest[3] % len(TOPS), digest[29] % len(BOT_COLORS)
    )


def match_emblems(names: Iterable[str]) -> list[Emblem]:
    """Return the emblems of the bots of a match by seat, in the colours of :func:`match_colors`."""
    emblems = [emblem_of(name) for name in names]
    colors = match_colors([emblem.color for emblem in emblems])
    return [
        msgspec.structs.replace(emblem, color=color) for emblem, color in zip(emblems, colors, strict=True)
    ]
