"""A factory gets the arguments that it names, so hosts can offer new ones to old factories."""

from __future__ import annotations

from typing import Any

import pytest

from botleague_sandbox import make_harness

BRIEFING = {"seat": 1, "seats": 4, "config": {}}


class Old:
    def __init__(self, seat: int, config: object) -> None:
        self.arguments: dict[str, Any] = {"seat": seat, "config": config}


class New:
    def __init__(self, *, seats: int) -> None:
        self.arguments = {"seats": seats}


class Other:
    def __init__(self, **briefing: object) -> None:
        self.arguments = briefing


@pytest.mark.parametrize(
    ("factory", "names"), [(Old, {"seat", "config"}), (New, {"seats"}), (Other, set(BRIEFING))]
)
def test_factory_gets_the_arguments_that_it_names(factory: Any, names: set[str]) -> None:
    assert make_harness(factory, BRIEFING).arguments == {name: BRIEFING[name] for name in names}


def test_missing_argument_is_an_error() -> None:
    with pytest.raises(TypeError, match="config"):
        make_harness(Old, {"seat": 1})
