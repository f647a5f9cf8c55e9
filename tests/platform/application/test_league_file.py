"""Terms of a league as a file: what is written is read as the same, and what is wrong is named."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from botleague.application import LeagueOptions
from botleague.application.leagues.league_file import LeagueFile, read_league_file, template, written
from botleague.application.toml_writer import toml_key, toml_value
from botleague.errors import UsageError
from botleague.league import LeagueSettings
from botleague.plugins import PluginHost

PLAIN = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)

EVERYTHING = LeagueOptions(
    format="gauntlet",
    rounds=3,
    seats=2,
    staff=["ann", "bob@2"],
    rating="glicko-2",
    table="points",
    format_options={"tie_breaks": ["wins"]},
    rating_options={"tau": 0.4},
    strikes={"timeout": 1, "crash": 2},
    strike_points=0.25,
    suspend_after=4,
    load_failures=2,
    move_ms=12.5,
    bank_ms=100.0,
    increment_ms=1.0,
    clock="wall",
    audit=0.1,
    leaving="annul",
    imports="lenient",
    module_source="required",
    new_versions="replace",
    version_start="fresh",
    openings=3,
    journals="public",
    seed=17,
)
"""A value for each term that is not its default."""

OTHERS = (
    LeagueOptions(),
    LeagueOptions(format="swiss", rounds=5, table="online"),
    LeagueOptions(format="knockout", format_options={"best_of": 3}, rating="plackett-luce"),
    LeagueOptions(format="ladder", rating="glicko-2", format_options={"share": 0.5}),
    LeagueOptions(rating_options={"k": {"provisional": 30.0, "provisional_games": 9, "established": 10.0}}),
)


@given(PLAIN, st.text())
def test_any_plain_value_is_read_as_it_was_written(value: Any, key: str) -> None:
    assert tomllib.loads(f"{toml_key(key)} = {toml_value(value)}") == {key: value}


def test_the_test_chooses_every_term() -> None:
    assert [name for name, value in msgspec.structs.asdict(EVERYTHING).items() if value is None] == []
    default = LeagueOptions.of(LeagueSettings(openings=0))
    same = {
        name
        for name in LeagueOptions.__struct_fields__
        if getattr(default, name) == getattr(EVERYTHING, name)
    }
    assert same == {"seats"}


@pytest.mark.parametrize("options", [EVERYTHING, *OTHERS])
def test_a_file_of_settings_asks_for_the_same_settings(
    options: LeagueOptions, plugins: PluginHost, tmp_path: Path
) -> None:
    variant = plugins.variant("isolation-5x5")
    first = LeagueSettings(seed=5, format_options={"rounds": 1, "seats": 2}, table="points")
    settings = options.settings(variant, plugins, first)
    file = LeagueFile(
        league='c"u\\p',
        variant="guessing",
        bots=["a", "b@2"],
        divisions={"upper half": ["a"], "b": ["b@2"]},
        seeded_by="last",
        top=2,
        **msgspec.structs.asdict(LeagueOptions.of(settings, options.staff or ())),
    )
    path = tmp_path / "cup.toml"
    path.write_text(written(file, plugins))
    again = read_league_file(path)
    assert again == file
    other = LeagueSettings(seed=6, format_options={"rounds": 1, "seats": 2}, table="points")
    assert again.settings(variant, plugins, other) == settings


def test_a_template_says_every_term_and_option_and_asks_for_nothing(
    plugins: PluginHost, tmp_path: Path
) -> None:
    path = tmp_path / "cup.toml"
    text = template("guessing", LeagueOptions(format="swiss", rounds=4), plugins)
    path.write_text(text)
    assert read_league_file(path) == LeagueFile(
        variant="guessing",
        format="swiss",
        rounds=4,
        rating="elo",
        format_options=None if "[format_options]" not in text else {},
        rating_options={},
    )
    for name in (
        *LeagueFile.__struct_fields__,
        *plugins.formats.options("swiss"),
        *plugins.ratings.options("elo"),
    ):
        assert f"\n{name} = " in text or f"\n# {name} = " in text or f"[{name}]\n" in text, name
    path.write_text(text.replace("# mirrored = true", "mirrored = false"))
    assert read_league_file(path).format_options == {"mirrored": False}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('variant = "guessing"\nround = 3', "unknown setting 'round'. Did you mean 'rounds'?"),
        ('variant = "guessing"\nrounds = 0', "rounds: must be a whole number of at least 1, not 0"),
        ('variant = "guessing"\nbots = "ann"', "bots: must be a list, not 'ann'"),
        ('variant = "guessing"\nstrikes = {timeout = "x"}', "strikes"),
        ("rounds = 3", "variant: missing"),
        ("variant", "is not a TOML file"),
        (b"\xff", "is not a TOML file"),
    ],
)
def test_error_in_a_file_names_it(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = tmp_path / "cup.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError) as caught:
        read_league_file(path)
    assert str(caught.value).startswith(f"{path}")
    assert message in str(caught.value)
    with pytest.raises(UsageError, match="cannot be read"):
        read_league_file(tmp_path / "none.toml")


def test_paths_in_a_file_start_at_its_folder(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(
        'variant = "guessing"\nbots = ["ann", "bots/bob.py", "eve=eve/"]\nstaff = ["x.zip"]\n[divisions]\na = ["./c"]'
    )
    file = read_league_file(tmp_path / "cup.toml")
    assert file.bots == ["ann", str(tmp_path / "bots/bob.py"), f"eve={tmp_path / 'eve'}"]
    assert (file.staff, file.divisions) == ([str(tmp_path / "x.zip")], {"a": [str(tmp_path / "c")]})


def test_requested_settings_stand_above_the_file() -> None:
    file = LeagueFile(
        league="cup", variant="guessing", format="swiss", rounds=3, format_options={"mirrored": False, "a": 1}
    )
    more = file.with_options(
        LeagueOptions(rounds=5, format_options={"a": 2}), league="cap", bots=[], top=None
    )
    assert (more.league, more.rounds, more.format_options) == ("cap", 5, {"mirrored": False, "a": 2})
    other = file.with_options(LeagueOptions(format="knockout"))
    assert (other.format, other.format_options) == ("knockout", None)
