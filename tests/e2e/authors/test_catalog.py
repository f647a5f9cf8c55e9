"""Lists of bots and variants, sources of bundled bots, and suggestions for mistyped names."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from botleague.plugins import PluginHost

MISTYPED = {
    "bots gredy": "Did you mean 'greedy'? `botleague bots` lists all bots.",
    "bots gredy --source": "Did you mean 'greedy'? Sources of submitted bots are not shown.",
    "bots random-walk --source": "Unknown bundled bot 'random-walk'",
    "bots --source": "--source needs a bundled bot",
    "play isolatoin greedy greedy": "Did you mean 'isolation' or 'isolation-",
    "play guessing fyve lucky": "Did you mean 'five'? These are known:",
    "history fyve": "Did you mean 'five'? `botleague bots` lists them.",
    "standings cupp": "Unknown league 'cupp'. Did you mean 'cup'? `botleague leagues` lists the only one.",
    "stndings": "Did you mean 'standings'",
    "league shwo cup": "Did you mean 'show'",
}


def test_mistyped_name_gets_short_suggestions(
    try_all: Callable[..., Mapping[str, tuple[int, str]]],
) -> None:
    first = [["run", "guessing", "five", "lucky", "--league", "cup", "--rounds", "1"]]
    results = try_all([command.split() for command in MISTYPED], {}, first)
    for command, text in MISTYPED.items():
        code, errors = results[command]
        assert code == 2, command
        assert text in errors
        assert len(errors) < 400, errors


def test_profile_and_memory_fit_the_terminal(
    run_all: Callable[..., list[Any]], folder: Path, environment: Mapping[str, str]
) -> None:
    match = ["play", "isolation-5x5", "greedy", "random", "--seed", "2", "--profile", "--memory"]
    as_text, as_json = run_all([match, [*match, "--json"]], folder, {**environment, "COLUMNS": "80"})
    assert as_text[0] == 0
    # Which functions took the time of a turn is chance.
    assert max(len(line) for line in as_text[1].splitlines() if not line.startswith("  turn ")) <= 80
    assert "greedy: " in as_text[1]
    assert "MiB of memory at its first move" in as_text[1]
    assert " (greedy.py:" in as_text[1]
    greedy, _ = json.loads(as_json[1])["seats"]
    assert greedy["profile"]["turns"] > 2
    assert "CustomPlayer.get_action" in {one["name"] for one in greedy["profile"]["functions"]}
    assert min(greedy["memory_kib"].values()) > 5_000


def test_variants_are_grouped_by_game_in_one_line_each(
    run_all: Callable[..., list[Any]], folder: Path, environment: Mapping[str, str]
) -> None:
    ((code, out, _),) = run_all([["variants"]], folder, {**environment, "COLUMNS": "80"})
    assert code == 0
    lines = out.splitlines()[1:]
    assert max(map(len, lines)) <= 80
    names = [line.split()[0] for line in lines]
    variants = PluginHost.load().variants
    assert set(variants) <= set(names)
    assert len(names) == len(set(names))
    for line, name in zip(lines, names, strict=True):
        assert line.startswith("  ") == (name.partition("-")[0] in names and "-" in name)


def test_source_is_shown_of_bundled_bots_only(
    run_all: Callable[..., list[Any]], folder: Path, environment: Mapping[str, str]
) -> None:
    (folder / "ann.py").write_text("# my secret\nfrom sample_players import RandomPlayer as CustomPlayer\n")
    commands = (
        "submit ./ann.py -v isolation-5x5",
        "bots greedy --source",
        "bots greedy --source --json",
        "bots ann",
        "bots ann --source",
    )
    _, as_text, as_json, row, refused = run_all([one.split() for one in commands], folder, environment)
    bundled = next(bot for bot in PluginHost.load().bots if (bot.game, bot.name) == ("isolation", "greedy"))
    text = Path(bundled.path).read_text()
    assert as_text[1] == f"# {bundled.path}\n\n{text}\n"
    assert json.loads(as_json[1]) == {
        "game": "isolation",
        "name": "greedy",
        "path": bundled.path,
        "files": {os.path.basename(bundled.path): text},
    }
    assert "ann" in row[1]
    assert refused[0] == 2
    assert "secret" not in refused[1] + refused[2]


LACKING = {
    "isolation": "def get_action(self, state) -> None:",
    "pybots": "class bot:",
    "botroyale-duel": "class MyBot(botroyale.BaseBot):",
    "pelita": "def move(bot, state) -> tuple[int, int]:",
    "careerfair": "def step(self, visible_board, states, score) -> list[Direction]:",
}


def test_bot_without_its_entry_point_gets_the_definition(
    try_all: Callable[..., Mapping[str, tuple[int, str]]],
) -> None:
    # Not by check, which would look for a variant that fits, in vain.
    commands = [["submit", "empty.py", "-v", variant, "--name", "ann"] for variant in LACKING]
    results = try_all(commands, {"empty.py": "x = 1\n"})
    for (code, errors), define in zip(results.values(), LACKING.values(), strict=True):
        assert code == 2
        assert define in errors, errors
        assert "and a complete bot, see `botleague variants " in errors
