"""Every configuration of every game is read in one way: it means something, or one message says where it does not."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from botleague.plugins import PluginHost
from botleague.rules import Variant, read_config
from botleague.rules.testing import rules_conformance

VARIANTS = sorted(PluginHost.load().variants.values(), key=lambda variant: variant.name)
LEADERS = [variant for variant in VARIANTS if variant.name == variant.game]


@pytest.mark.parametrize("variant", LEADERS, ids=lambda variant: variant.name)
@given(rng=st.randoms(use_true_random=False))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_wrong_configuration_is_a_value_error_with_a_path(variant: Variant, rng: Random) -> None:
    rules_conformance.check_configuration(variant, rng)


@pytest.mark.parametrize("variant", LEADERS, ids=lambda variant: variant.name)
@pytest.mark.parametrize("config", [None, 5, "text", [1], {3: 1}, {None: None}])
def test_invalid_table_of_options_is_refused(variant: Variant, config: Any) -> None:
    with pytest.raises(ValueError, match=r"^config: "):
        read_config(variant.config_type, config)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_every_configuration_has_a_schema_that_names_its_options(variant: Variant) -> None:
    schema = msgspec.json.schema(variant.config_type)
    (kind,) = (name for name in schema["$defs"] if schema["$ref"].endswith(f"/{name}"))
    assert set(variant.config) <= set(schema["$defs"][kind]["properties"])
    assert variant.with_config(variant.config).config == variant.config
