"""Type stubs say what the modules of a harness really hold, and are good enough for a type checker."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import mypy.api
import pytest

from botleague.application.authoring.starter_files.type_stubs import DATA, offered_modules, stubs, write_stubs
from botleague.errors import PluginError, UsageError
from botleague.plugins import PluginHost

GAMES = {
    "isolation": "alphabeta",
    "pybots": "sniper",
    "botroyale": "planner",
    "pelita": "pelita-mixed",
    "careerfair": "ferry",
}
"""Variant -> a bundled bot that uses its modules."""

HOST = PluginHost.load()

Check = Callable[[Path, Path], str]


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> Check:
    """Runs mypy on a source with a folder of stubs, and returns what it says."""
    cache = tmp_path_factory.mktemp("cache")

    def run(source: Path, typings: Path) -> str:
        config = cache / "mypy.ini"
        # Bots have no annotations; what an empty list or a changing number is to hold is not for stubs to say.
        config.write_text(
            f"[mypy]\nmypy_path = {typings}\ncheck_untyped_defs = True\n"
            "disable_error_code = var-annotated, assignment\n"
        )
        out, errors, _ = mypy.api.run(
            ["--config-file", str(config), "--cache-dir", str(cache), "--no-site-packages", str(source)]
        )
        return out + errors

    return run


def test_every_stub_has_the_names_of_its_module_and_no_others() -> None:
    offers = set()
    for variant in HOST.variants.values():
        offered = offered_modules(variant)
        if (names := str({module: sorted(content) for module, content in offered.items()})) in offers:
            continue
        offers.add(names)
        made = stubs(variant)
        for module, content in offered.items():
            path = module.replace(".", "/")
            text = made.get(f"{path}.pyi") or made[f"{path}/__init__.pyi"]
            body = ast.parse(text.partition("TypedDict\n")[2]).body
            assert {name for node in body for name in _names(node)} == content.keys(), (variant.name, module)
    assert len(offers) >= len(GAMES)


def _names(node: ast.stmt) -> list[str]:
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            return [name]
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return [name]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [one.asname for one in names if one.asname]
    raise AssertionError(ast.dump(node))


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_type_checker_accepts_a_bundled_bot_and_finds_a_wrong_name(
    game: str, tmp_path: Path, check: Check
) -> None:
    bundled = next(bot for bot in HOST.bots if (bot.game, bot.name) == (game, GAMES[game]))
    source = tmp_path / "bot.py"
    source.write_text(Path(bundled.path).read_text())
    write_stubs(HOST.variants[game], tmp_path / "typings")
    assert "Success" in (report := check(source, tmp_path / "typings")), report
    module = {"pybots": "util", "careerfair": "awap2019"}.get(game, game)
    source.write_text(f"import {module}\n{module}.nonsense\n")
    assert 'Module has no attribute "nonsense"' in check(source, tmp_path / "typings")


def test_an_editor_knows_what_a_bot_is_given_and_gets(tmp_path: Path, check: Check) -> None:
    write_stubs(HOST.variants["isolation"], tmp_path / "typings")
    source = tmp_path / "bot.py"
    source.write_text(
        "import botdraw\nimport botfiles\nfrom sample_players import DataPlayer\nfrom isolation import Isolation\n"
        f"from {DATA} import Observation\n"
        "class CustomPlayer(DataPlayer):\n"
        "    def get_action(self, state: Isolation) -> None:\n"
        "        reveal_type(state.result(3).locs)\n"
        "        reveal_type(botfiles.read_text('a'))\n"
        "        botdraw.circle(1, 2, 3, colour='red')\n"
        "        state.libertys(4)\n"
        "def board(told: Observation) -> int:\n"
        "    return told['board']\n"
    )
    report = check(source, tmp_path / "typings")
    for part in (
        'Revealed type is "tuple[int | None, int | None]',
        'Revealed type is "str"',
        'Unexpected keyword argument "colour"',
        '"Isolation" has no attribute "libertys"',
        'Incompatible return value type (got "str", expected "int")',
    ):
        assert part in report.replace("builtins.", "").replace("Union[int, None]", "int | None"), report


@pytest.mark.skipif(sys.version_info < (3, 14), reason="older versions cannot import such a harness")
def test_stub_has_any_for_an_annotation_that_only_type_checkers_can_evaluate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "harness_of_ships.py").write_text(
        "import typing\n"
        "if typing.TYPE_CHECKING: from decimal import Decimal\n"
        "class Ship:\n"
        "    price: Decimal\n"
        "    def pay(self, money: Decimal) -> int: return 0\n"
        "class Harness:\n"
        "    def __init__(self, seat, config): pass\n"
        "    def modules(self): return {'ships': {'Ship': Ship}}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    text = stubs(replace(HOST.variants["pybots"], harness="harness_of_ships:Harness"))["ships.pyi"]
    assert "def pay(self, *args: Any, **kwargs: Any) -> Any" in text


def test_stubs_replace_older_stubs_and_nothing_else(tmp_path: Path) -> None:
    variant = HOST.variants["pybots"]
    files = write_stubs(variant, tmp_path)
    assert write_stubs(variant, tmp_path) == files
    (tmp_path / "util.pyi").write_text("mine: int\n")
    with pytest.raises(UsageError, match=r"util\.pyi was not made by"):
        write_stubs(variant, tmp_path)
    assert (tmp_path / "util.pyi").read_text() == "mine: int\n"


def test_stubs_replace_what_a_full_disk_left_of_them(
    tmp_path: Path, full_disk: Callable[[int], AbstractContextManager[None]]
) -> None:
    for room in (0, 16):
        with full_disk(room), pytest.raises(UsageError, match="cannot be written"):
            write_stubs(HOST.variants["pybots"], tmp_path)
    assert write_stubs(HOST.variants["pybots"], tmp_path)


def test_a_harness_that_cannot_be_made_is_its_plugins_fault() -> None:
    with pytest.raises(PluginError, match="pybots"):
        stubs(replace(HOST.variants["pybots"], harness="botleague_pybots.harness:nothing"))
