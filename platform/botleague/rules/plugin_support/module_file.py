"""Import of a module from its file, without its folder on the import path."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def import_file(name: str, file: str | Path) -> ModuleType:
    """Import a file, or the package of an ``__init__.py``, as the module ``name``.

    Other files of the folder, except those of the package, cannot be imported: their owner is unknown.

    Raises:
        ImportError: the file is not a Python module.
    """
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is not a Python module")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
