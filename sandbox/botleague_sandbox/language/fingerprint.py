"""Digests of all that determines the result of checking and compiling, except the program.

The names on offer are all that the policy looks up in a module, so they stand for the modules of a tier, whatever the
version of numpy they come from, and for those of a harness.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import msgspec
import RestrictedPython


def of_compiler(tier: Mapping[str, ModuleType]) -> bytes:
    """Return the digest of everything that checks and compiles: this package, RestrictedPython, Python, the tier."""
    digest = hashlib.sha256(importlib.util.MAGIC_NUMBER)
    for folder in (Path(__file__).parents[1], Path(RestrictedPython.__file__).parent):
        for path in sorted(folder.rglob("*.py")):
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    digest.update(of_names({name: vars(module) for name, module in tier.items()}))
    return digest.digest()


def of_names(modules: Mapping[str, Mapping[str, object]]) -> bytes:
    """Return the digest of the names that modules offer."""
    names = [
        (
            module,
            sorted(
                (name, value.__name__ if isinstance(value, ModuleType) else "")
                for name, value in offered.items()
            ),
            sorted(offered.get("__all__") or ()),  # type: ignore[call-overload]  # a list of names
            sorted(offered.get("__withheld__") or ()),  # type: ignore[call-overload]
        )
        for module, offered in sorted(modules.items())
    ]
    return hashlib.sha256(msgspec.msgpack.encode(names)).digest()
