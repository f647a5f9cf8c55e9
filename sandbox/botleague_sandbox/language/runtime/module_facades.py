"""Facades: read-only module objects that hold what bots may use and nothing else.

A bot never holds a real module, because an ordinary attribute leads from many of them to everything
(``dataclasses.sys``, ``random._os``). A facade is a plain module object, because the interpreter reads the
attributes of those four times as fast as those of a subclass's objects; policy and guards refuse stores on it, as far
as a store is visible (:func:`is_facade`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from types import ModuleType


def facade(name: str, offered: Mapping[str, object], withheld: Iterable[str] = ()) -> ModuleType:
    """Return a facade called ``name`` that holds ``offered``.

    Args:
        withheld: names of the real module that bots do not get, for early messages.
    """
    module = ModuleType(name)
    module.__dict__.update(offered)
    module.__dict__.setdefault("__all__", [key for key in offered if not key.startswith("_")])
    module.__dict__["__withheld__"] = frozenset(withheld) - set(offered)
    return module


def is_facade(obj: object) -> bool:
    """Return whether ``obj`` is a facade, which is read-only."""
    return isinstance(obj, ModuleType) and "__withheld__" in vars(obj)


def of_module(name: str, names: Iterable[str], replaced: Mapping[str, object] | None = None) -> ModuleType:
    """Return a facade of the imported module ``name`` with those of ``names`` that this Python has.

    Args:
        replaced: names offered in place of the module's own, or in addition.
    """
    real = vars(sys.modules[name])
    offered = {key: real[key] for key in names if key in real}
    return facade(name, {**offered, **(replaced or {})}, withheld=real)


def of_tables(
    modules: Mapping[str, Mapping[str, object]], tier: Mapping[str, ModuleType]
) -> dict[str, ModuleType]:
    """Return facades of modules that are given as tables of names: those of a harness, and the program's own files.

    A module among the offered objects is replaced by the facade of the same name, the harness's or the
    tier's; a facade ``a.b`` becomes an attribute of ``a``.

    Raises:
        TypeError: the harness offers a real module for which there is no facade.
    """
    facades = {name: facade(name, offered) for name, offered in modules.items()}
    for name, module in facades.items():
        for key, value in modules[name].items():
            if isinstance(value, ModuleType):
                replacement = (
                    facades.get(value.__name__) or facades.get(f"{name}.{key}") or tier.get(value.__name__)
                )
                if replacement is None:
                    raise TypeError(
                        f"the harness offers the module {value.__name__!r} as {name}.{key}; offer its functions "
                        "and classes under a name in modules() instead"
                    )
                module.__dict__[key] = replacement
    nest(facades)
    return facades


def nest(facades: Mapping[str, ModuleType]) -> None:
    """Make each facade ``a.b`` an attribute of ``a``, unless that has one of the name."""
    for name, module in facades.items():
        parent, _, child = name.rpartition(".")
        if parent in facades:
            facades[parent].__dict__.setdefault(child, module)
