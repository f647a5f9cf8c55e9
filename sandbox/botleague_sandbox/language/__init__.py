"""The language layer: what a bot's source may say, and how it is run.

It gives readable refusals, stops accidents and makes an attacker's first step hard; it is not what holds
strangers' code (RestrictedPython, which it builds on, says so of itself). The promise rests on the operating
system's layers, which must hold when this one is gone. ``docs/language-layer.md`` shows the whole on a page.
"""

from __future__ import annotations

from botleague_sandbox.language.botfiles import OwnFiles
from botleague_sandbox.language.language import Language, LoadedProgram, check, tier_facades

__all__ = ["Language", "LoadedProgram", "OwnFiles", "check", "tier_facades"]
