"""The catalogue says what the library does, and lets nothing through that would end the process."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pyspiel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from botleague_openspiel.catalogue import GAMES, OTHERS, variant_name
from botleague_openspiel.library import load
from botleague_openspiel.setup import parse, seats, spelled
from botleague_openspiel.variants import variants

CATALOGUE = {**GAMES, **OTHERS}
CHECKS = Path(__file__).with_name("native_checks.py")


def run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    last = done.stdout.strip().splitlines()[-1:]
    assert done.returncode == 0, f"exit code {done.returncode} at {last}: {done.stderr[-2000:]}"
    return done.stdout


@pytest.mark.parametrize("name", CATALOGUE)
def test_entry_agrees_with_the_library(name: str) -> None:
    entry = CATALOGUE[name]
    game = load(name, seats(name).least)
    kind = game.get_type()
    assert kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION or "h" not in entry.traits
    assert kind.information != pyspiel.GameType.Information.IMPERFECT_INFORMATION or "h" in entry.traits
    assert ("c" in entry.traits) == (kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC)
    assert kind.chance_mode != pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
    assert ("s" in entry.traits) == (kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS)
    if "o" in entry.traits:  # openings are for games without chance, in which one observation tells all
        assert not set(entry.traits) & set("chs")
    for players in (seats(name).least, seats(name).most):
        assert load(name, players).num_players() == players


def test_catalogue_offers_54_games_and_a_base() -> None:
    offered = {variant.name for variant in variants()}
    assert len(GAMES) == 54
    assert offered == {name.replace("_", "-") for name in GAMES} | {"openspiel"}


def test_page_lists_every_game_as_in_the_catalogue() -> None:
    page = (Path(__file__).parents[3] / "docs/games/openspiel.md").read_text()
    expected = []
    for variant, (name, entry) in zip(variants(), GAMES.items(), strict=False):
        chance = "yes" if "c" in entry.traits else "no"
        information = "hidden" if "h" in entry.traits else "simultaneous" if "s" in entry.traits else "open"
        expected.append(
            f"| `{variant_name(name)}` | {entry.title} | {variant.seats} | {chance} | {information}"
        )
    rows = page.partition("## Variants")[2].partition("| --- ")[2].splitlines()[1:]
    listed = [row.rsplit(" |", 3)[0] for row in rows if row.startswith("|")]
    assert listed == expected
    others = page.partition("Other games are")[2].partition(".\n")[0]
    assert re.findall("`(.+?)`", others) == [*OTHERS]


@pytest.mark.parametrize("check", ["parameters", "clones"])
def test_games_of_the_library_keep_their_word(check: str) -> None:
    games = run(str(CHECKS), check).split()
    assert set(CATALOGUE) <= set(games)


def test_a_clone_that_shares_data_is_found() -> None:
    # morpion_solitaire is not in the catalogue, because its clones corrupt memory
    program = (
        f"import runpy; checks = runpy.run_path({str(CHECKS)!r})\n"
        "import pyspiel\n"
        "class Shared:\n"
        "    def __init__(self, position): self._position = position\n"
        "    def __getattr__(self, name): return getattr(self._position, name)\n"
        "    def __str__(self): return str(self._position)\n"
        "    def clone(self): return Shared(self._position)\n"
        "class Game:\n"
        "    def new_initial_state(self): return Shared(pyspiel.load_game('tic_tac_toe').new_initial_state())\n"
        "checks['check_clones'].__globals__['load'] = lambda name, players: Game()\n"
        "try: checks['check_clones']('tic_tac_toe', checks['GAMES']['tic_tac_toe'])\n"
        "except AssertionError as error: print(error)\n"
    )
    assert "a clone changed its parent" in run("-c", program)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("ches", "'ches' is not a game; did you mean chess?"),
        ("universal_poker", "'universal_poker' is not a game; did you mean kuhn_poker?"),
        ("go_fish", "'go_fish' is not one of"),
        ("connect_four(rows=0)", "rows must be a whole number from 4 to 12, not '0'"),
        ("connect_four(rows=1e1)", "rows must be a whole number from 4 to 12, not '1e1'"),
        ("connect_four(height=5)", "connect_four has no parameter 'height' here; known: rows, columns, x_in_row"),
        ("connect_four(rows=5,rows=6)", "rows is given twice"),
        ("go(komi=99.0)", "komi must be a number from -50.0 to 50.0, not '99.0'"),
        ("goofspiel(points_order=up)", "points_order must be random or descending or ascending, not 'up'"),
        ("hex(swap=maybe)", "swap must be true or false, not 'maybe'"),
        ("misere(game=tic_tac_toe())", "must read like hex(board_size=7), not 'misere(game=tic_tac_toe())'"),
        ("efg_game(filename=/etc/passwd)", "'efg_game' is not one of"),
        ("kuhn_poker(players=11)", "players must be a whole number from 2 to 10, not '11'"),
    ],
)  # fmt: skip
def test_wrong_game_is_refused_in_one_sentence(game: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        parse(game)


@given(st.text(alphabet="abcdefghex_()=,.0123456789-\n\x00é", max_size=40))
def test_any_text_is_a_game_or_a_value_error(text: str) -> None:
    try:
        name, _ = parse(text)
    except ValueError:
        return
    assert name in CATALOGUE


@pytest.mark.parametrize("game", ["dots-and-boxes", " Dots_and_Boxes( num_rows = 4 ) "])
def test_hyphens_capitals_and_blanks_are_accepted(game: str) -> None:
    assert parse(game)[0] == "dots_and_boxes"


def test_players_are_given_to_the_library_where_they_may_vary() -> None:
    assert spelled("kuhn_poker", 4) == "kuhn_poker(players=4)"
    assert spelled("hex(board_size=7)", 2) == "hex(board_size=7)"
    assert (
        spelled("go(komi=6,board_size=9)", 2) == "go(komi=6.0,board_size=9)"
    )  # a whole number would end the process
    assert str(seats("pig")) == "2-10"
    assert str(seats("pig(players=3)")) == "3"


def test_listing_variants_loads_no_native_code() -> None:
    program = (
        "import sys; from botleague.plugins import PluginHost\n"
        "assert 'chess' in PluginHost.load().variants; print('pyspiel' in sys.modules)"
    )
    assert run("-c", program) == "False\n"


def test_without_the_library_there_are_no_variants_and_no_error() -> None:
    program = (
        "import sys; sys.modules['pyspiel'] = None; from botleague.plugins import PluginHost\n"
        "from botleague.cli.commands.catalog_commands import variants\n"
        "from botleague.rules.plugin_support.own_variant import OwnVariant\n"
        "host = PluginHost.load(); print('chess' in host.variants, host.failed())\n"
        "own = PluginHost.load((), [OwnVariant('hex-7', {'base': 'hex'}, 'a')])\n"
        "for host, name in (host, 'chess'), (own, 'hex-7'):\n"
        "    try: host.variant(name)\n"
        "    except Exception as error: print(error)\n"
        "sys.stderr = sys.stdout; variants()\n"
    )
    lines = run("-c", program).splitlines()
    command = "pip install 'botleague[openspiel]'"
    assert lines[:3] == [
        "False []",
        f"Variant 'chess' is not installed. Run `{command}`.",
        f"a: variants.hex-7.base: variant 'hex' is not installed. Run `{command}`.",
    ]
    assert f"55 more variants (chess, antichess, crazyhouse and others): {command}" in " ".join(lines)
