"""Messages for clumsy input of new users: each names the place and the solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

BOT = """
from sample_players import DataPlayer


class CustomPlayer(DataPlayer):
    def get_action(self, state):
        self.queue.put(state.actions()[0])
"""

REFUSED = {
    "check lone.py": "The variant of lone.py is unknown. Use --variant NAME, or write",
    "submit lone.py": "It can play isolation.",
    "submit lone.py other.py": "Several submissions need --variant NAME.",
    "compare greedy random": "Missing option '--variant' / '-v'. `botleague variants` lists all variants.",
    "new bot small": "Missing option '--variant' / '-v'. `botleague variants` lists all variants.",
    "standings --wid": "Unknown option '--wid'. Did you mean '--wide'?",
    "play isolation greedy random --jobs 2": "Error: Unknown option '--jobs'.\n",
    "play isolation greedy random --seed abc": "'--seed': must be a whole number, not 'abc'.",
    "play isolation greedy random --fps 99": "'--fps': must be 0.1 to 60, not 99.",
    "play isolation greedy random --fps nan": "'--fps': must be 0.1 to 60, not nan.",
    "try lone.py -v isolation --matches 0": "'--matches': must be 1 to 100000, not 0.",
    "play isolation greedy random --html no/x.html": "the folder no does not exist. Create it first.",
}


LEAGUE = [
    ["run", "isolation-5x5", "greedy", "random", "--league", "cup", "--rounds", "1"],
    ["season", "new", "cup"],
]
REFUSED_WITH_A_LEAGUE = {
    "run cup": "'cup' is a league, not a variant. Use `botleague run isolation-5x5 --league cup`.",
    "run cap": "Unknown variant 'cap'.",
    "season new cup": "Play them with `botleague run isolation-5x5 --league cup`, or cancel them with --close.",
    "logs cup@1/1 --seat 9": "--seat must be 0 or 1, not 9.",
    "replay cup@1/1 --seat 7 --at-turn 2": "--seat must be 0 to 1, not 7.",
    "replay cup@1/1 --dump turn.py": "need --at-turn",
    "replay cup@1/1 --svg 2 --json": "Leave out --json",
    "replay cup@1/1 --seat 0 --at-turn 99 --source lone.py": "Seat 0 does not move in turn 99. Choose turn",
    "play isolation gredy random": "Did you mean 'greedy'?",
    "new variant small --of isolation": "`botleague new variant small --base isolation`",
    "new bot greedy -v isolation": "'greedy' is the name of a bundled bot of isolation.",
}


def test_clumsy_input_is_refused(try_all: Callable[..., Mapping[str, tuple[int, str]]]) -> None:
    results = try_all([command.split() for command in REFUSED], {"lone.py": BOT, "other.py": BOT})
    for command, message in REFUSED.items():
        code, errors = results[command]
        assert (code, message in errors) == (2, True), (command, errors)


def test_clumsy_input_about_a_league_is_refused(
    try_all: Callable[..., Mapping[str, tuple[int, str]]],
) -> None:
    commands = [command.split() for command in REFUSED_WITH_A_LEAGUE]
    results = try_all(commands, {"lone.py": BOT}, LEAGUE)
    for command, message in REFUSED_WITH_A_LEAGUE.items():
        code, errors = results[command]
        assert (code, message in " ".join(errors.split())) == (2, True), (command, errors)


def test_check_and_submit_take_variant_and_entry_of_bot_toml(
    botleague: Callable[..., Any], folder: Path
) -> None:
    (folder / "ann").mkdir()
    (folder / "ann" / "bot.toml").write_text("variant = 'isolation-5x5'\nentry = ':Second'\n")
    second = "\n\nclass Second(CustomPlayer):\n    pass\n"
    (folder / "ann" / "my_custom_player.py").write_text(BOT + second)
    checked = botleague("check", "ann", "--quick").out
    assert "ann is accepted for isolation-5x5." in checked
    assert "plays: my_custom_player.py:Second" in checked
    assert "Stored ann as version 1" in botleague("submit", "ann").out


def test_run_takes_a_folder_of_bots(botleague: Callable[..., Any], folder: Path) -> None:
    files = {
        "one.py": BOT,
        "two.py": f"{BOT}# 2\n",
        "bad.py": "import os\n",
        "notes.txt": "",
        "util.py": "SIZE = 3\n",
    }
    (folder / "bots").mkdir()
    for name, text in files.items():
        (folder / "bots" / name).write_text(text)
    done = botleague("run", "isolation-5x5", "bots/", "random", "--league", "cup", "--rounds", "1")
    assert "bots/: 2 bots: one.py, two.py." in done.err
    assert 'bots/: left out bad.py: bad.py, line 1: import of "os" is not available to bots' in done.err
    assert "bots/: left out notes.txt: bots/notes.txt is not a bot" in done.err
    assert "left out util.py: exception: while loading: NoPlayerError" in done.err
    assert {line.split()[1] for line in done.out.splitlines()[2:5]} == {"one", "two", "random"}
    (folder / "worse").mkdir()
    for name in ("a.py", "b.py"):
        (folder / "worse" / name).write_text("import os\n")
    refused = botleague("run", "isolation-5x5", "worse/", "--league", "none", code=2).err
    assert "No entry of worse/ can play isolation-5x5:" in refused


def test_help_is_a_command(botleague: Callable[..., Any]) -> None:
    assert botleague("help").out == botleague("--help").out
    assert botleague("help", "organise", "void").out == botleague("organise", "void", "--help").out


def test_view_without_a_terminal_is_reported(botleague: Callable[..., Any]) -> None:
    botleague("play", "isolation-5x5", "greedy", "random", "--record", "game.blr")
    done = botleague("replay", "game.blr", "--view", "--seat", "0", "--watch")
    assert "The view of a seat is drawn only in a terminal. --html FILE writes" in done.err


def test_missing_home_folder_is_reported(
    run_all: Callable[..., list[Any]], tmp_path: Path, environment: Mapping[str, str]
) -> None:
    home = {**environment, "HOME": "/proc/none"}
    demo, play = run_all([["demo"], ["play", "isolation-5x5", "greedy", "random"]], tmp_path, home)
    assert demo[0] == 2
    assert "Name a database with --db, for example --db league.db." in demo[2]
    assert play[0] == 0


def test_run_of_a_missing_game_does_not_advise_the_same_command(
    botleague: Callable[..., Any], folder: Path
) -> None:
    botleague("run", "guessing", "five", "lucky", "--rounds", "1")
    settings = folder / "botleague.toml"
    lines = settings.read_text().splitlines()
    settings.write_text("\n".join(line for line in lines if not line.startswith("plugins")))
    refused = botleague("run", "guessing", "--league", "guessing", code=2).err
    assert "Unknown variant 'guessing'" in refused
    assert "is a league" not in refused
