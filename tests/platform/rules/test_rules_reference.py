"""Rules that a variant names by their place: made at the first use, then the same as rules given directly."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from botleague.plugins import PluginHost
from botleague.plugins.own_variants import make_own_variant
from botleague.rules import Fault, Rules, Variant
from botleague.rules.plugin_support.own_variant import OwnVariant
from botleague.rules.testing import rules_conformance

PLUGIN = """
import guessing_source
from dataclasses import replace
from botleague.rules import hookimpl

def configured(options):
    usual = guessing_source.configured(options)
    return replace(usual, name="late", game="late", rules="late_rules:make", configured=configured)

@hookimpl
def botleague_variants():
    return [configured(guessing_source.USUAL)]
"""
RULES = "from guessing_source import Guessing\ndef make(options):\n    return Guessing(options.turns)\n"


@pytest.fixture
def host(tmp_path: Path, plugin_file: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Loads a plugin whose rules are in another module, which is a broken one if a test says so."""
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("late", "late_rules", "guessing_source"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "guessing_source.py").write_text(plugin_file.read_text())
    (tmp_path / "late.py").write_text(PLUGIN)

    def load(rules: str = RULES) -> PluginHost:
        (tmp_path / "late_rules.py").write_text(rules)
        return PluginHost.load([tmp_path / "late.py"])

    return load


def test_listing_variants_does_not_import_their_rules(host: Any) -> None:
    variants = host().variants
    own = make_own_variant(OwnVariant("late-short", {"base": "late", "turns": 2}, "botleague.toml"), variants)
    assert "late_rules" not in sys.modules
    assert isinstance(own.rules, Rules)
    rules_conformance.check(own, seeds=(1,), fault_kinds=("crash",))
    assert "late_rules" in sys.modules
    assert (variants["late"].rules.turns, own.rules.turns) == (6, 2)  # type: ignore[attr-defined]  # of the game


def test_referred_rules_play_like_direct_ones(host: Any, guessing: Variant) -> None:
    assert rules_conformance.match_digest(host().variant("late"), 3) == rules_conformance.match_digest(
        guessing, 3
    )


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        ("import no_such_library", ModuleNotFoundError, "no_such_library"),
        ("", AttributeError, "make"),
        ("make = dict\n", TypeError, "not iterable"),
        ("make = str\n", TypeError, r"late_rules:make made a str: derive it from botleague\.rules\.Rules"),
    ],
)
def test_first_use_reports_broken_rules(host: Any, rules: str, error: type[Exception], message: str) -> None:
    variant = host(rules).variant("late")
    for _ in range(2):
        with pytest.raises(error, match=message):
            variant.rules.acting(None)


def test_malformed_place_is_refused(guessing: Variant) -> None:
    with pytest.raises(ValueError, match=r"'guessing' must read 'package\.module:factory'"):
        Variant("x", "x", "", "a:b", int, rules="guessing")


def test_private_attributes_do_not_make_the_rules(host: Any) -> None:
    rules = host("1 / 0\n").variant("late").rules
    assert not hasattr(rules, "_anything")
    assert "late_rules:make" in repr(rules)
    with pytest.raises(ZeroDivisionError):
        rules.start([Fault("crash")], None)
