"""Plugins are found, and the broken ones are reported by name and left out."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from botleague.errors import UsageError, VariantNotFound
from botleague.plugins import PluginHost
from botleague.plugins import hooks as specifications
from botleague.plugins.plugin_manager import PluginReport

HEAD = "from botleague.rules import hookimpl\n"


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Callable[[str, str], PluginHost]]:
    """Loads a one-file plugin made of source text."""
    before, modules = list(sys.path), set(sys.modules)

    def load(name: str, source: str) -> PluginHost:
        file = tmp_path / f"{name}.py"
        file.write_text(source)
        return PluginHost.load([file])

    yield load
    sys.path[:] = before
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def report(host: PluginHost, name: str) -> PluginReport:
    return next(report for report in host.plugins if report.name == name)


def test_the_built_in_games_come_through_entry_points_like_anyones() -> None:
    host = PluginHost.load()
    assert host.failed() == []
    assert "isolation" in host.variants
    assert report(host, "isolation").source.startswith("botleague ")
    assert set(report(host, "isolation").hooks) >= {"botleague_bots", "botleague_variants"}
    assert "round-robin" in host.formats
    assert "elo" in host.ratings


def test_a_list_of_variants_needs_no_large_library() -> None:
    """What a bot or a database needs would take longer to import than all the games."""
    program = (
        "import sys; from botleague.plugins import PluginHost; PluginHost.load().variants;"
        " print(sorted({'networkx', 'numpy', 'sqlalchemy', 'rich', 'typer', 'pyspiel'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")


def test_a_one_file_plugin_offers_its_variants_and_bots(plugins: PluginHost) -> None:
    assert {"guessing", "guessing-melee"} <= set(plugins.variants)
    assert [bot.name for bot in plugins.bots_for(plugins.variant("guessing"))] == ["counter", "five", "lucky"]


@pytest.mark.parametrize(
    ("name", "source", "message"),
    [
        ("raises_plugin", "raise RuntimeError('at import')", "RuntimeError: at import"),
        ("syntax_plugin", "def (", "SyntaxError"),
        ("missing_plugin", "import no_such_module_anywhere", "no_such_module_anywhere"),
        ("unknown_hook_plugin", HEAD + "@hookimpl\ndef botleague_cakes(): return []\n", "botleague_cakes"),
        ("exit_plugin", "raise SystemExit(3)", "SystemExit: 3"),
        (
            "bare_plugin",
            "def botleague_variants(): return []\n",
            "botleague_variants lacks the decorator @hookimpl",
        ),
        ("empty_plugin", HEAD, "it implements no hook"),
        ("base_plugin", "class Stop(BaseException): ...\nraise Stop('here')", "Stop: here"),
        ("hook_exits_plugin", HEAD + "@hookimpl\ndef botleague_variants(): exit(3)\n", "SystemExit: 3"),
        ("dotted.plugin", HEAD, "a module cannot be named 'dotted.plugin'"),
        ("sys", HEAD, "another module is named 'sys'"),
        (
            "twice_plugin",
            HEAD + "import botleague_isolation as i\n@hookimpl\ndef botleague_variants():\n"
            "    return [*i.botleague_variants(), *i.botleague_variants()]\n",
            "two of its variants have the same name",
        ),
        (
            "config_plugin",
            HEAD + "import botleague_isolation as i\nfrom botleague.rules import Variant\n@hookimpl\n"
            "def botleague_variants():\n    rules = i.botleague_variants()[0].rules\n"
            "    return [Variant('x', 'x', '', 'a:b', int, rules, config={'board': object()})]\n",
            "must be plain data",
        ),
        (
            "type_plugin",
            HEAD + "import botleague_isolation as i\nfrom botleague.rules import Variant\n@hookimpl\n"
            "def botleague_variants():\n    rules = i.botleague_variants()[0].rules\n"
            "    return [Variant('x', 'x', '', 'a:b', 'int', rules)]\n",
            "the move_type of variant 'x': Type ''int'' is not supported",
        ),
        ("hook_raises_plugin", HEAD + "@hookimpl\ndef botleague_variants(): 1 / 0\n", "ZeroDivisionError"),
        ("nonsense_plugin", HEAD + "@hookimpl\ndef botleague_variants(): return ['x']\n", "is not a Variant"),
        (
            "lost_bot_plugin",
            HEAD
            + "from botleague.rules import BotSource\n@hookimpl\ndef botleague_bots():\n"
            + "    return [BotSource('ghost', '/nowhere/ghost.py', 'isolation')]\n",
            "'ghost' is missing",
        ),
        (
            "taken_plugin",
            HEAD + "import botleague_isolation as i\n@hookimpl\ndef botleague_variants():\n"
            "    return i.botleague_variants()\n",
            "another plugin already offers a variant",
        ),
        (
            "elo_again_plugin",
            HEAD + "@hookimpl\ndef botleague_ratings(): return {'elo': 1}\n",
            "already offers a rating system named 'elo'",
        ),
        (
            "loose_format_plugin",
            HEAD + "class Cake: ...\n@hookimpl\ndef botleague_formats(): return {'cake': Cake}\n",
            "cannot be the format 'cake': it is not a subclass of botleague.rules.formats.Format",
        ),
    ],
)
def test_a_broken_plugin_is_reported_and_left_out(
    load: Callable[[str, str], PluginHost], name: str, source: str, message: str
) -> None:
    host = load(name, source)
    plugin = report(host, name)
    assert plugin.error is not None
    assert message in plugin.error
    assert host.manager.get_plugin(name) is None
    assert "isolation" in host.variants


def test_a_variant_that_is_called_like_a_plugin_is_that_plugins(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for name, offered in (("early_thief", ["rightful-duel"]), ("rightful", ["rightful", "rightful-duel"])):
        (tmp_path / f"{name}.py").write_text(
            HEAD + "from dataclasses import replace\nimport botleague_isolation as i\n@hookimpl\n"
            f"def botleague_variants():\n    one = i.botleague_variants()[0]\n"
            f"    return [replace(one, game='rightful', name=name) for name in {offered}]\n"
        )
    files = [tmp_path / "early_thief.py", tmp_path / "rightful.py"]
    asked_by_name, asked_for_all = PluginHost.load(files), PluginHost.load(files)
    assert asked_by_name.variant("rightful-duel").name == "rightful-duel"
    assert asked_for_all.origins["rightful-duel"] == asked_by_name.origins["rightful-duel"] == "rightful"
    assert [plugin.name for plugin in asked_for_all.failed()] == ["early_thief"]


@pytest.mark.parametrize("name", ["chess", "club_games"])
def test_game_of_the_project_replaces_one_game_of_an_installed_plugin(
    load: Callable[[str, str], PluginHost], name: str
) -> None:
    host = load(
        name,
        HEAD + "from dataclasses import replace\nimport botleague_isolation as i\n@hookimpl\n"
        "def botleague_variants():\n    one = i.botleague_variants()[0]\n"
        "    return [replace(one, game='chess', name=name) for name in ('chess', 'chess-tiny')]\n",
    )
    assert host.bots_for(host.variant("chess")) == []
    assert (host.origins["chess"], host.origins["chess-tiny"], host.origins["hex"]) == (
        name,
        name,
        "openspiel",
    )
    assert "material" in {bot.name for bot in host.bots_for(host.variant("checkers"))}
    assert host.failed() == []
    assert (report(host, "openspiel").replaced, report(host, name).replaced) == (("chess",), ())


def test_bundled_bot_plays_all_its_games_and_no_other(load: Callable[[str, str], PluginHost]) -> None:
    host = load(
        "shared_bot_plugin",
        HEAD + "from botleague.rules import BotSource\n@hookimpl\ndef botleague_bots():\n"
        "    return [BotSource('roamer', __file__, ('isolation', 'pelita'))]\n",
    )
    playing = {
        name
        for name in ("isolation", "isolation-5x5", "pelita", "pybots")
        if "roamer" in [bot.name for bot in host.bots_for(host.variant(name))]
    }
    assert playing == {"isolation", "isolation-5x5", "pelita"}


def test_a_plugin_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    host = PluginHost.load([tmp_path / "gone.py"])
    assert "no such file" in (report(host, "gone").error or "")


def test_an_unknown_variant_is_refused_with_a_suggestion(plugins: PluginHost) -> None:
    with pytest.raises(VariantNotFound, match="Did you mean 'isolation'"):
        plugins.variant("isolaton")


def test_unknown_formats_and_options_are_refused(plugins: PluginHost) -> None:
    with pytest.raises(UsageError, match="Did you mean 'round-robin'"):
        plugins.formats.make("round-robbin", {})
    with pytest.raises(UsageError, match="cannot be used with these options"):
        plugins.formats.make("round-robin", {"rounds": 0})
    with pytest.raises(UsageError, match="cannot be used with these options"):
        plugins.ratings.make("elo", {"no_such_option": 1})


@pytest.mark.parametrize(
    ("kind", "name", "options", "message"),
    [
        ("formats", "swiss", {"rounds": "many"}, "rounds: must be a whole number of at least 0, not 'many'"),
        ("formats", "swiss", {"rounds": 2.5}, "rounds: must be a whole number of at least 0, not 2.5"),
        ("formats", "swiss", {"rouns": 2}, "rouns: no such option. Did you mean 'rounds'?"),
        ("formats", "knockout", {"best_of": 0}, "best_of: must be a whole number from 1 to 1000, not 0"),
        (
            "formats",
            "knockout",
            {"best_of": 10**30},
            "best_of: must be a whole number from 1 to 1000, not 1000",
        ),
        ("formats", "ladder", {"patience": 30}, r"patience: must be at most the window \(20\)"),
        ("formats", "comparison", {"elo1": -1}, "elo0"),
        (
            "formats",
            "pelita-tournament",
            {"bracket": "swiss"},
            "bracket: must be classic or v27, not 'swiss'",
        ),
        ("ratings", "elo", {"scale": True}, "scale: must be a number more than 0, not True"),
        (
            "ratings",
            "elo",
            {"k": {"provisional": "much"}},
            "k.provisional: must be a number more than 0, not 'much'",
        ),
        ("ratings", "glicko-2", {"period": "long"}, "period: must be "),
    ],
)
def test_options_are_refused_by_their_path(
    plugins: PluginHost, kind: str, name: str, options: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        {"formats": plugins.formats, "ratings": plugins.ratings}[kind].make(name, options)  # type: ignore[attr-defined]  # both can


def test_every_hook_has_documentation() -> None:
    for name in specifications.__all__:
        assert getattr(specifications, name).__doc__, name


def test_loading_the_games_imports_nothing_that_only_bots_and_leagues_need() -> None:
    """It is done by nearly every command, and each of these takes longer than all games together."""
    heavy = ("networkx", "numpy", "sqlalchemy", "gymnasium", "botleague_sandbox", "botleague_pelita.legacy")
    code = (
        "import sys; from botleague.plugins import PluginHost; PluginHost.load();"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
