"""What the documentation shows is true: its commands are run, its code is played."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from botleague.cli.app import COMMANDS, make_app
from botleague.plugins import PluginHost
from botleague.rules.formats import Format

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def commands() -> dict[str, str]:
    """Every command by its words, with its help text."""
    found = {}
    app = make_app()
    for info in app.registered_commands:
        callback = info.callback
        assert callback is not None
        found[info.name or callback.__name__] = callback.__doc__ or ""
    for group in app.registered_groups:
        assert isinstance(group.typer_instance, typer.Typer)
        for info in group.typer_instance.registered_commands:
            assert info.callback is not None
            found[f"{group.name} {info.name}"] = info.callback.__doc__ or ""
    return found


def test_ci_runs_exactly_the_test_command_of_the_readme() -> None:
    (line,) = [line for block in blocks(README, "sh") for line in block.splitlines() if "pytest" in line]
    assert line in (ROOT / ".ci" / "run").read_text().splitlines()


def test_links_of_the_readme_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_every_command_of_the_readme_exists() -> None:
    shown = re.findall(r"^botleague ([a-z]+)", "\n".join(blocks(README, "sh")), flags=re.MULTILINE)
    assert shown
    of_plugins = {plugin for plugin, _, _ in PluginHost.load().commands}
    assert set(shown) <= {name.split()[0] for name in commands()} | of_plugins


def test_the_list_of_commands_tells_each_in_a_line_of_a_terminal() -> None:
    longest = max(len(command.name) for command in COMMANDS)
    for command in COMMANDS:
        assert command.summary.endswith(".")
        assert 2 + longest + 2 + len(command.summary) <= 80, command.name


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_help_ends_with_two_examples_of_the_command(name: str) -> None:
    examples = [
        line.strip() for line in commands()[name].partition("Examples:")[2].splitlines() if line.strip()
    ]
    assert len(examples) == 2, f"botleague {name} --help should end with two examples"
    assert all(line.startswith(f"botleague {name}") for line in examples)


@pytest.fixture
def run_shell(tmp_path: Path) -> Callable[[str], str]:
    """Runs shown commands in a folder of their own, and stops at the first that fails."""

    def run(shell: str) -> str:
        environment = {
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "HOME": str(tmp_path),
            "BOTLEAGUE_DB": str(tmp_path / "league.db"),
        }
        done = subprocess.run(
            ["sh", "-ec", shell], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_bot_of_the_guide_climbs_as_shown(tmp_path: Path, run_shell: Callable[[str], str]) -> None:
    guide = (ROOT / "docs" / "write-a-bot.md").read_text()
    source, drawing = blocks(guide, "python")
    (tmp_path / "my_custom_player.py").write_text(f"{source}\n{drawing}")
    (tmp_path / "hand-ins").mkdir()
    (tmp_path / "hand-ins" / "zoe.py").write_text(source)
    (tmp_path / "roster.csv").write_text("path,owner\nzoe.py,zoe\n")
    said = "".join(run_shell(shell) for shell in blocks(guide, "sh"))
    assert "is accepted for isolation" in said
    assert re.search(r"\d +ann ", said)


def test_the_format_of_the_guide_is_held_as_shown(tmp_path: Path, run_shell: Callable[[str], str]) -> None:
    guide = (ROOT / "docs" / "write-a-format.md").read_text()
    (source,) = blocks(guide, "python")
    (settings,) = blocks(guide, "toml")
    (tmp_path / "neighbours.py").write_text(source)
    (tmp_path / "botleague.toml").write_text(settings)
    (shell,) = blocks(guide, "sh")
    said = run_shell(shell)
    assert "a whole number from 1 to 1000" in said
    assert re.search(r"\d +minimax ", said)


def test_the_format_of_the_guide_tells_everything_that_can_be_declared() -> None:
    told = set(
        re.findall(r"^\| `(\w+)", (ROOT / "docs" / "write-a-format.md").read_text(), flags=re.MULTILINE)
    )
    assert told == {name for name in vars(Format) if name[0] != "_"} - {"name", "summary", "plan"}


def test_the_game_of_the_guide_is_played_as_shown(tmp_path: Path, run_shell: Callable[[str], str]) -> None:
    guide = (ROOT / "docs" / "write-a-game.md").read_text()
    game, nine, lucky, test, interface, options = blocks(guide, "python")
    (settings,) = blocks(guide, "toml")
    (shell,) = blocks(guide, "sh")
    for name, text in {
        "higher.py": game,
        "nine.py": nine,
        "lucky.py": lucky,
        "botleague.toml": settings,
        "check_it.py": f"from higher import botleague_variants\n{test}\ntest_my_game_keeps_the_contract()\n"
        f"{interface}\nfrom dataclasses import replace\n"
        "conformance.check(replace(botleague_variants()[0], interface=INTERFACE))\n"
        f"{options}\nassert read_config(Options, {{'highest': 5}}) == Options(5)\n",
    }.items():
        (tmp_path / name).write_text(text)
    said = run_shell(f"{shell}\n{sys.executable} check_it.py")
    assert "nine is accepted for higher" in said
    assert re.search(r"1 +nine", said)


def test_the_python_page_runs_from_top_to_bottom(tmp_path: Path, run_shell: Callable[[str], str]) -> None:
    page = (ROOT / "docs" / "python.md").read_text()
    (tmp_path / "page.py").write_text("\n".join(blocks(page, "python")))
    said = run_shell(f"{sys.executable} page.py")
    assert "League 'cup' has 1 round, not 5." in said
    assert re.search(r"^\('\w+', '\w+'\) \([12], [12]\) \w+", said, flags=re.MULTILINE), "its first match"


def test_the_page_about_watching_runs_from_top_to_bottom(
    tmp_path: Path, run_shell: Callable[[str], str]
) -> None:
    page = (ROOT / "docs" / "watch.md").read_text()
    said = "".join(run_shell(shell) for shell in blocks(page, "sh"))
    assert "greedy: knight placed on" in said
    (tmp_path / "page.py").write_text("\n".join(blocks(page, "python")))
    run_shell(f"{sys.executable} page.py")
    for name in ("game.html", "blitz.html", "state.svg", "blitz.svg"):
        assert (tmp_path / name).stat().st_size > 1000
