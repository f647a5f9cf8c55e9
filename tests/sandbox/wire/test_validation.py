"""Which values a host looks at, and which it refuses before decoding them."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from botleague_sandbox.host.reply_validation import (
    DEPTH,
    ENTRIES,
    GREATEST_INTEGER,
    STRING_BYTES,
    InvalidValue,
    check_limits,
)
from botleague_sandbox.wire.safe_text import clean_text

encode = msgspec.msgpack.encode


def nested(depth: int) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        0, -1, 255, 1 << 40, GREATEST_INTEGER, -GREATEST_INTEGER, 1.5, True, None, "é" * 100, "x" * STRING_BYTES,
        b"\xc7\xff" * 15, b"\xc7" * 300_000, [1] * ENTRIES, {"a": {"b": [1, 2, {"c": None}]}}, nested(DEPTH),
        [], {}, [[], {}, ""],
    ],
)  # fmt: skip
def test_ordinary_values_pass(value: object) -> None:
    check_limits(encode(value))


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (math.nan, "finite"), (math.inf, "finite"), ([1, -math.inf], "finite"),
        (GREATEST_INTEGER + 1, "2\\^53"), ({"a": -GREATEST_INTEGER - 1}, "2\\^53"),
        (nested(DEPTH + 1), "nested"), ([0] * (ENTRIES + 1), "entries"), ("x" * (STRING_BYTES + 1), "string"),
        (msgspec.msgpack.Ext(-1, b"\0\0\0\0"), "extension"), ([msgspec.msgpack.Ext(5, b"x" * 300)], "extension"),
    ],
)  # fmt: skip
def test_values_outside_the_limits_do_not(value: object, reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        check_limits(encode(value))


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text() | st.binary(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=30,
    )
)
def test_the_check_agrees_with_looking_at_the_value_itself(value: object) -> None:
    def is_plain(part: object, depth: int) -> bool:
        if isinstance(part, (list, dict)):
            inner = [*part, *part.values()] if isinstance(part, dict) else part
            return (
                (depth < DEPTH or not part)
                and len(part) <= ENTRIES
                and all(is_plain(one, depth + 1) for one in inner)
            )
        if isinstance(part, float):
            return math.isfinite(part)
        if isinstance(part, int):
            return abs(part) <= GREATEST_INTEGER
        return not isinstance(part, str) or len(part.encode()) <= STRING_BYTES

    try:
        check_limits(encode(value))
        passed = True
    except InvalidValue:
        passed = False
    assert passed == is_plain(value, 0)


@given(st.text(), st.integers(0, 60))
def test_cleaned_text_is_safe_for_terminals_and_short_enough(text: str, limit: int) -> None:
    cleaned = clean_text(text, limit)
    assert len(cleaned.encode()) <= limit
    assert not any((ord(char) < 32 and char not in "\n\t") or 127 <= ord(char) < 160 for char in cleaned)


def test_cleaning_takes_escape_sequences_and_text_direction_away() -> None:
    assert clean_text("\x1b[31mred\u202egnirts\r\n\x00ok", 100) == "[31mredgnirts\nok"
