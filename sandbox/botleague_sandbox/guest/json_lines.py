"""The lines between a host and a guest: JSON, one value a line.

Bytes are base64 text, and integers that other languages cannot hold decimal text. What a guest writes is held to the
limits of all bots' answers, since trusted code reads it next.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

GREATEST_INTEGER = 1 << 53
DEPTH, ENTRIES = 8, 1024
# A regular expression takes longer than everything else that is done with a line.
_DIGITS = bytes(48 if 48 <= byte < 58 else 32 for byte in range(256))
_LONG_NUMBER = b"0" * 16

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class InvalidLine(ValueError):
    """A line is no value within the limits; the text says where and why."""


def encode_line(value: Mapping[str, object]) -> bytes:
    """Return a value as a line, its end included.

    Raises:
        TypeError, ValueError, RecursionError: it is no plain data.
    """
    line = _encode(value)
    if _LONG_NUMBER in line.translate(_DIGITS):
        line = _encode(_with_text(value))
    return line + b"\n"


def decode_line(line: bytes) -> object:
    """Return the value of a line.

    Raises:
        InvalidLine: it is not JSON, or outside the limits.
    """
    try:
        value = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, OverflowError) as error:
        text = line[:60].decode("utf-8", "replace")
        raise InvalidLine(f"the line {text!r} is no JSON: {str(error)[:200]}") from None
    except RecursionError:
        raise InvalidLine("the line is nested too deeply") from None
    _check(value, "$", DEPTH)
    return value


def _check(value: Any, place: str, depth: int) -> None:
    if isinstance(value, int):
        if abs(value) > GREATEST_INTEGER:
            raise InvalidLine(f"an integer beyond 2^53 at {place}")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidLine(f"a number that is not finite at {place}")
    elif isinstance(value, list | dict):
        if not depth:
            raise InvalidLine(f"a value nested deeper than {DEPTH} levels at {place}")
        if len(value) > ENTRIES:
            raise InvalidLine(f"a container of {len(value)} entries at {place} (at most {ENTRIES})")
        entries = enumerate(value) if isinstance(value, list) else value.items()
        for key, entry in entries:
            _check(entry, f"{place}[{key}]" if isinstance(key, int) else f"{place}.{key[:40]}", depth - 1)


def _with_text(value: Any) -> Any:
    if type(value) is int and abs(value) > GREATEST_INTEGER:
        return str(value)
    if isinstance(value, dict):
        return {key: _with_text(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_with_text(entry) for entry in value]
    return value
