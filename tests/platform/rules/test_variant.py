"""Fields of variants, which plugins may set to anything."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from botleague.rules import Interface, Scene, TimeControl, Variant


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
        ("interface", 5, "variant 'guessing': interface is"),
        ("wasm", "no", "wasm a WasmInterface or None"),
        ("dark", {"red": 5}, r"got `int` - at `\$.dark"),
    ],
)
def test_field_of_a_wrong_type_is_named(guessing: Variant, field: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(guessing, **{field: value})


def test_interface_of_other_types_is_refused() -> None:
    with pytest.raises(ValueError, match="texts, and of sequences of Item"):
        Interface("rules", "define", ["a move"], [], "faults", "example")  # type: ignore[list-item]
    with pytest.raises(ValueError, match="texts, and of sequences of Item"):
        Interface("rules", "define", [], [], None, "example")  # type: ignore[arg-type]


@pytest.mark.parametrize(("width", "focus"), [(0, None), (float("nan"), None), (1, (0, 0, 1, 0))])
def test_scene_without_size_is_refused(width: float, focus: Any) -> None:
    with pytest.raises(ValueError, match="width and height must be above 0"):
        Scene(width, 1, (), focus=focus)
