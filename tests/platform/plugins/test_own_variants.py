"""Variants of a project's own are made of others, and wrong ones are named by file, table and key."""

from __future__ import annotations

from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from botleague.application.user_settings import read_settings
from botleague.errors import UsageError
from botleague.executors.match_worker import MatchHost
from botleague.plugins import PluginHost
from botleague.plugins.own_variants import make_own_variant
from botleague.rules import Seats, Variant
from botleague.rules.plugin_support.own_variant import OwnVariant
from botleague.workers.worker_setup import HostSetup


def made(name: str, **table: Any) -> Variant:
    return PluginHost.load(variants=[OwnVariant(name, table, "botleague.toml")]).variant(name)


def test_a_variant_has_what_its_table_says_and_the_rest_of_its_base() -> None:
    own = made("isolation-10x10", base="isolation-blitz", width=10, height=10, grace_ms=20)
    assert (own.config["width"], own.config["height"], own.config["moves"]) == (10, 10, "knight")
    assert (own.time.move_ms, own.time.grace_ms) == (30.0, 20.0)
    assert (own.game, own.summary) == ("isolation", "isolation-blitz as 10x10")
    duel = made("pybots-wide", base="pybots-duel", options={"round_duration": 50}, summary="short")
    assert (duel.seats, duel.summary) == (Seats(2, 2), "short")
    assert duel.config["options"]["round_duration"] == 50
    assert duel.config["arenas"] == PluginHost.load().variant("pybots-duel").config["arenas"]
    slow = made("pelita-slow", base="pelita", timeout_s=9)
    assert slow.time.move_ms == 9000.0


def test_properties_of_a_base_variant_stay() -> None:
    usual = PluginHost.load().variant("isolation")
    properties: dict[str, Any] = {
        "harness": "botleague_isolation.harness:other",
        "sample_declarations": ("one",),
        "tier": "scientific",
        "imports": "lenient",
        "entries": ("agent.py",),
        "companions": ("weights.npz",),
        "has_chance": True,
        "opening_turns": None,
        "restart_after_death": False,
        "reply_bytes": 1_000_000,
        "memory_mib": 300,
    }
    of_options = {"config", "rules", "move_type", "declaration_type", "seats", "time"}
    compared = {field.name for field in fields(Variant) if field.compare}
    assert compared - of_options - {"name", "summary", "game", "config_type"} == properties.keys()
    base = replace(usual, name="isolation-open", **properties)
    own = make_own_variant(
        OwnVariant("isolation-wide", {"base": base.name, "width": 13}, "a.toml"), {base.name: base}
    )
    assert own.config["width"] == 13
    assert {name: getattr(own, name) for name in properties} == properties
    assert all(getattr(usual, name) != value for name, value in properties.items())


def test_one_variant_can_be_the_base_of_the_next() -> None:
    tables = [
        OwnVariant("isolation-wide", {"base": "isolation", "width": 13}, "a.toml"),
        OwnVariant("isolation-wide-blitz", {"base": "isolation-wide", "move_ms": 20}, "a.toml"),
    ]
    host = PluginHost.load(variants=tables)
    assert host.variant("isolation-wide-blitz").config["width"] == 13
    assert host.origins["isolation-wide"] == "a.toml"
    assert host.origins["isolation"] == "isolation"


@pytest.mark.parametrize(
    ("name", "table", "message"),
    [
        ("isolation-x", {}, "isolation-x.base: missing"),
        ("isolation-x", {"base": "isolatoin"}, "isolation-x.base: unknown variant 'isolatoin'. Did you mean"),
        ("isolation-x", {"base": 5}, "isolation-x.base: unknown variant 5."),
        ("isolation", {"base": "isolation-5x5"}, "isolation: a variant of this name already exists"),
        ("draughts", {"base": "isolation"}, "draughts: variant name 'draughts' must be 'isolation' or start with"),
        ("isolation-x", {"base": "isolation", "width": 900}, "isolation-x.width: a board of 900 x 9 has more"),
        ("isolation-x", {"base": "isolation", "width": "9"}, "isolation-x.width: must be a whole number"),
        ("isolation-x", {"base": "isolation", "wide": 9}, "isolation-x.wide: unknown; known: blocked"),
        ("isolation-x", {"base": "isolation", "move_ms": 0}, "isolation-x.move_ms: must be a number more than 0"),
        ("isolation-x", {"base": "isolation", "clock": "sun"}, "isolation-x.clock: must be cpu or wall, not 'sun'"),
        ("isolation-x", {"base": "isolation", "summary": 1}, "isolation-x.summary: must be text, not 1"),
        ("pelita-x", {"base": "pelita", "size": "31x16"}, "pelita-x.size: the width must be even"),
        ("pybots-x", {"base": "pybots", "options": {"scan_wrap": 1}}, "pybots-x.options.scan_wrap: must be true"),
        ("pybots-x", {"base": "pybots-crowd", "arenas": [{"width": 100, "height": 60}]}, "pybots-x: needs 2-6 bots"),
        ("botroyale-x", {"base": "botroyale", "map": "moon"}, "botroyale-x.map: Unknown map 'moon'"),
        ("careerfair-x", {"base": "careerfair", "board": "x"}, "careerfair-x.board: no board is called 'x'"),
    ],
)  # fmt: skip
def test_a_wrong_table_is_one_message_with_file_table_and_key(
    name: str, table: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=r".") as refused:
        made(name, **table)
    assert str(refused.value).startswith(f"botleague.toml: variants.{message}"), str(refused.value)


@pytest.mark.parametrize("text", ["variants = 5", "[variants]\nisolation-x = 5"])
def test_invalid_table_is_named_with_its_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "botleague.toml").write_text(text)
    with pytest.raises(UsageError, match=r"botleague\.toml: variants must be tables"):
        read_settings({}, {}, tmp_path)


def test_a_match_host_makes_the_same_variants() -> None:
    own = OwnVariant("isolation-4x4", {"base": "isolation", "width": 4, "height": 4}, "botleague.toml")
    sent = msgspec.msgpack.decode(msgspec.msgpack.encode(HostSetup(variants=(own,))), type=HostSetup)
    with closing(MatchHost(sent)) as host:
        assert host._plugins.variant("isolation-4x4").config["width"] == 4
