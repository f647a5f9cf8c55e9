"""Options are documented, read and checked in one way."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from msgspec import Meta, field

from botleague.plugins import PluginHost
from botleague.rules.options import OptionError, Options, options_of, read_options


class Clock(Options, frozen=True):
    move_ms: Annotated[int, Meta(ge=1)] = 100


class Cake(Options, frozen=True):
    layers: Annotated[int, Meta(ge=1, le=9, description="How many layers.")]
    filling: Literal["cream", "jam"] = "jam"
    weights: tuple[Annotated[float, Meta(gt=0)], ...] = ()
    clock: Clock = Clock()
    glazed: bool = field(default=False, name="is-glazed")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.glazed and self.layers > 5:
            raise ValueError("a high cake cannot be glazed")


def test_plain_data_becomes_typed_options() -> None:
    data = {"layers": 3, "weights": [1, 2], "clock": {"move_ms": 5}, "is-glazed": True}
    assert read_options(Cake, data) == Cake(3, "jam", (1.0, 2.0), Clock(5), True)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "layers: missing; give a whole number from 1 to 9."),
        ({"layers": 10}, "layers: must be a whole number from 1 to 9, not 10"),
        ({"layers": 3, "fillin": "jam"}, "fillin: no such option. Did you mean 'filling'?"),
        ({"layers": 3, "weights": [1, -1]}, "weights[1]: must be a number more than 0, not -1"),
        (
            {"layers": 3, "clock": {"move_ms": "x"}},
            "clock.move_ms: must be a whole number of at least 1, not 'x'",
        ),
        ({"layers": 3, "clock": {"bank": 1}}, "clock.bank: unknown; known: move_ms"),
        ({"layers": 7, "is-glazed": True}, "a high cake cannot be glazed"),
    ],
)
def test_a_wrong_option_is_named_by_its_path(values: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        read_options(Cake, values)
    assert str(caught.value).startswith(message)


def test_generated_objects_are_checked_too() -> None:
    with pytest.raises(OptionError, match=r"^layers: must be a whole number from 1 to 9, not 0"):
        Cake(0)


def test_options_tell_what_they_may_be() -> None:
    values = {name: option.values for name, option in options_of(Cake).items()}
    assert values == {
        "layers": "a whole number from 1 to 9",
        "filling": "cream or jam",
        "weights": "a list",
        "clock": "a table",
        "is-glazed": "true or false",
    }
    layers = options_of(Cake)["layers"]
    assert (layers.summary, layers.is_required) == ("How many layers.", True)
    assert layers.schema["maximum"] == 9


def test_every_option_of_ours_has_a_sentence_and_its_default_can_be_given(plugins: PluginHost) -> None:
    for registry in (plugins.formats, plugins.ratings):
        for name in registry:
            assert registry.type(name).summary
            options = registry.options(name)
            assert all(option.summary.endswith(".") for option in options.values()), name
            defaults = {option.name: option.default for option in options.values()}
            assert registry.make(name, defaults) == registry.make(name, {})
