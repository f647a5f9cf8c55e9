"""Facades that import late: the names of a package are imported on first use.

A command that prints a table then waits for no sandbox, and one that lists games for no database. A package says once
what it offers: as imports for the type checker, which are read from its source when they are first needed. A name that
a module of the package has too is imported at once, since Python puts the module in its place when that is imported.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

_IMPORT = re.compile(r"^    from (\S+) import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)


def late(package: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package (PEP 562): it imports the names below ``if TYPE_CHECKING``.

    Args:
        package: its ``__name__``.
    """
    places: dict[str, str] = {}

    def find(name: str) -> Any:
        if not places and not name.startswith("__"):
            places.update(offered(package))
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(places[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return find


def offered(package: str) -> dict[str, str]:
    """Return the names that a facade offers, with the modules that define them."""
    spec = sys.modules[package].__spec__
    source = spec.loader.get_source(package) if spec and spec.loader else ""  # type: ignore[attr-defined]  # a file's
    return {
        name: module
        for module, lines, line in _IMPORT.findall(source)
        for name in (lines or line).replace(",", " ").split()
    }
