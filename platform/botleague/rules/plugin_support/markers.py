"""Pluggy marker of botleague plugins.

A plugin is a module with functions marked by :data:`hookimpl`; ``botleague.plugins.hooks`` lists the hooks.
"""

from __future__ import annotations

import pluggy

PROJECT = "botleague"

hookimpl = pluggy.HookimplMarker(PROJECT)
