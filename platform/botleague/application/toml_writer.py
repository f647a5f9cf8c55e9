"""Plain data as TOML text; the standard library reads TOML, but does not write it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_key(name: str) -> str:
    """Return ``name`` as the key of a table."""
    return name if _BARE.fullmatch(name) else _text(name)


def toml_value(value: Any) -> str:
    """Return plain data as a value in one line; keys of a mapping whose value is None are left out.

    Raises:
        TypeError: TOML has no such value.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case int():
            return str(value)
        case float():
            return repr(value)  # has a point or an exponent; inf and nan are the same in TOML
        case list() | tuple():
            return f"[{', '.join(map(toml_value, value))}]"
        case Mapping():
            items = ((key, item) for key, item in value.items() if item is not None)
            pairs = ", ".join(f"{toml_key(key)} = {toml_value(item)}" for key, item in items)
            return f"{{ {pairs} }}" if pairs else "{}"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _text(text: str) -> str:
    # JSON does not escape DEL, which TOML forbids.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
