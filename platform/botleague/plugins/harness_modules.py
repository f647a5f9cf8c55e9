"""Modules that the harness of a variant offers to bots."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from botleague.plugins.boundary import Boundary
from botleague.rules import Variant


def harness_modules(variant: Variant) -> Mapping[str, Mapping[str, object]]:
    """Return the modules by name, with their contents by public name.

    Raises:
        PluginError: the harness broke its contract.
    """
    from botleague_sandbox import make_harness  # Not at the top: nearly every command loads plugins.

    module, _, factory = variant.harness.partition(":")
    with Boundary("harness of", variant.name):
        briefing = {"seat": 0, "seats": variant.seats.least, "config": dict(variant.config)}
        harness = make_harness(getattr(importlib.import_module(module), factory), briefing)
        modules: Mapping[str, Mapping[str, object]] = harness.modules()
    return modules
