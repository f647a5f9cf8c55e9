"""Fields of variants, which plugins may set to anything."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from botleague.rules import TimeControl, Variant


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("seats", "2", "variant 'guessing'"),
        ("time", 5, "variant 'guessing'"),
        ("time", TimeControl(move_ms=0), r"> 0.0 - at `\$.time.move_ms`"),
        ("time", TimeControl(brief_ms=-5), r"> 0.0 - at `\$.time.brief_ms`"),
        ("time", TimeControl(clock="sundial"), r"'sundial' - at `\$.time.clock`"),  # type: ignore[arg-type]
        ("tier", "bogus", r"'bogus' - at `\$.tier`"),
        ("imports", "bogus", r"'bogus' - at `\$.imports`"),
        ("entries", "bot.py", r"got `str` - at `\$.entries`"),
        ("memory_mib", -5, r">= 1 - at `\$.memory_mib`"),
        ("reply_bytes", -1, r">= 0 - at `\$.reply_bytes`"),
        ("summary", None, r"got `null` - at `\$.summary`"),
        ("dark", {"red": 5}, r"got `int` - at `\$.dark"),
    ],
)
def test_field_of_a_wrong_type_is_named(guessing: Variant, field: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(guessing, **{field: value})
