"""The numpy arrays that bots get, made so that a host which never looks at one does without numpy."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def numpy_module() -> Any:
    """Return numpy. Imported on first use, so that a host which never looks at arrays does without it."""
    import numpy

    return numpy


@cache
def _array_class() -> Any:
    numpy = numpy_module()
    if hasattr(numpy.ndarray, "tostring"):
        return None

    # numpy is loaded late, so its class is not known here.
    class Array(numpy.ndarray):  # type: ignore[misc, name-defined]
        """An array that still has ``tostring``, which numpy 2.3 removed and the original's bots call."""

        def tostring(self, order: Any = "C") -> bytes:
            """Return the same as ``tobytes``."""
            return bytes(self.tobytes(order))

    return Array


def array_for_bots(array: Any) -> Any:
    """Return ``array`` as bots of every release know it."""
    array_class = _array_class()
    return array if array_class is None else array.view(array_class)
