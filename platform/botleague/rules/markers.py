"""The pluggy marker of every botleague plugin.

A plugin is a module whose functions carry :data:`hookimpl`; ``botleague.plugins.hooks`` lists the hooks.
"""

from __future__ import annotations

import pluggy

__all__ = ["PROJECT", "hookimpl"]

PROJECT = "botleague"

hookimpl = pluggy.HookimplMarker(PROJECT)
