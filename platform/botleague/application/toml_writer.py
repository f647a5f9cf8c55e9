"""Plain data as TOML text: what the standard library reads and does not write."""

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
    """Return plain data as a value in one line; what is None in a mapping is left out.

    Raises:
        TypeError: TOML knows no such value.
    """
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case int():
            return str(value)
        case float():
            return repr(value)  # with a point or an exponent; and TOML too writes inf and nan
        case list() | tuple():
            return f"[{', '.join(map(toml_value, value))}]"
        case Mapping():
            items = ((key, item) for key, item in value.items() if item is not None)
            pairs = ", ".join(f"{toml_key(key)} = {toml_value(item)}" for key, item in items)
            return f"{{ {pairs} }}" if pairs else "{}"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _text(text: str) -> str:
    # JSON leaves one control character as it is that TOML forbids.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
