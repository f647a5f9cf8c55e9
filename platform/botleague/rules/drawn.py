"""Values drawn at random for the conformance kit: configurations with something wrong in them.

Like Hypothesis in little, without depending on it: the kit runs in any plugin's tests.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from random import Random
from typing import Any

__all__ = ["UNKNOWN", "damaged"]

UNKNOWN = "no_such_option"
"""Name of a field that no configuration has."""

_JUNK: tuple[object, ...] = (
    *(None, True, False, 0, 1, -1, 7, 2**31, 2**53 + 1, -(2**63), 2**80),
    *(0.0, -0.5, 0.5, 1e300, math.nan, math.inf, -math.inf),
    *("", "x", "none", "\n", "0", "é" * 300, b"\x00"),
    *([], [None], [0, 0], [[0]], {}, {"x": 1}, {"": None}, {3: 4}),
)


def damaged(config: Mapping[str, Any], rng: Random) -> dict[str, Any]:
    """Return ``config`` with one thing changed that is mostly wrong: another value, a field too many or one too few."""
    changed: dict[Any, Any] = copy.deepcopy(dict(config))
    spots: list[tuple[Any, Any]] = []
    tables: list[dict[Any, Any]] = []
    _look(changed, spots, tables)
    action = rng.choice(("replace", "replace", "replace", "add", "remove"))
    if action == "add" or not spots:
        rng.choice(tables)[UNKNOWN] = rng.choice(_JUNK)
        return changed
    container, key = rng.choice(spots)
    if action == "remove":
        del container[key]
    else:
        container[key] = copy.deepcopy(rng.choice(_JUNK))
    return changed


def _look(value: Any, spots: list[tuple[Any, Any]], tables: list[dict[Any, Any]]) -> None:
    """Collect every place below ``value`` that can be changed, and every table."""
    if isinstance(value, dict):
        tables.append(value)
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        spots.append((value, key))
        if isinstance(value[key], dict | list):
            _look(value[key], spots, tables)
