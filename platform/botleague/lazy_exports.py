"""Facades that import late: what a package offers is imported when somebody first asks for it.

A command that prints a table then waits for no sandbox, and one that lists games for no database. A package says twice
what it offers: to the type checker, as imports, and here, by module. Names that a module of the package has too are
left out, since Python puts the module in their place as soon as it is imported; such a name is imported from its
module, or at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package (PEP 562).

    Args:
        package: its ``__name__``.
        homes: module of the package -> the names that are in it, with spaces between them.
    """
    places = {name: module for module, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"{package}.{places[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return find
