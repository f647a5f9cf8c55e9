"""The commands do what Pelita's users are used to: options, viewers, stored mazes, tournaments that go on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from botleague_pelita import botleague_commands
from botleague_pelita.legacy.commands import maze, play_game, tournament
from botleague_pelita.legacy.commands.play import game_variant, team_path
from botleague_pelita.mazes.layout import read_layout
from botleague_pelita.mazes.maze import generate
from botleague_pelita.variants import QUIRKS, pelita

STILL = "TEAM_NAME = '{name}'\ndef move(bot, state):\n    return bot.position\n"
EATER = """
import networkx
TEAM_NAME = 'Eater'
def move(bot, state):
    if not bot.enemy[0].food:
        return bot.position
    target = bot.enemy[0].food[-1 if bot.turn else 0]
    path = networkx.shortest_path(bot.graph, bot.position, target)
    return path[1]
"""
ROOM = "##########\n#a.  .  .#\n#b# ## #y#\n#. .  . x#\n##########\n"

Play = Callable[..., Any]


@pytest.fixture
def teams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with teams and a board, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(STILL.format(name=name))
    (tmp_path / "eater.py").write_text(EATER)
    (tmp_path / "room.layout").write_text(ROOM)
    return tmp_path


@pytest.mark.parametrize(("name", "function"), botleague_commands())
def test_every_help_ends_with_two_examples(name: str, function: Callable[..., None]) -> None:
    examples = [line.strip() for line in (function.__doc__ or "").partition("Examples:")[2].splitlines()]
    lines = [line for line in examples if line]
    assert len(lines) == 2
    assert all(line.startswith(f"botleague pelita {name} ") for line in lines)


def test_the_last_line_and_the_hint_to_repeat_the_game(
    teams: Path, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    play_game("one", "two.py", rounds=1, layout=Path("room.layout"), no_timeout=True, play=play)
    printed = capsys.readouterr()
    assert printed.out == "Finished after 1 round. 'one' and 'two' had a draw. (0:0)\n"
    hint = next(line for line in printed.err.splitlines() if line.startswith("Play it again: "))
    assert hint.startswith(
        "Play it again: botleague pelita play --rounds 1 --layout room.layout --no-timeout --seed "
    )
    assert hint.endswith(" one two.py")


def test_a_game_with_a_seed_is_played_on_the_maze_of_that_seed(
    teams: Path, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    play_game("one", "two", seed=7, size="small", store="-", play=play)
    drawn = capsys.readouterr().out
    assert read_layout(drawn) == generate(Random(7), (16, 8), (3, 10))
    play_game("one", "two", seed=7, size="small", rounds=1, ascii_=True, play=play)
    lines = capsys.readouterr().out.splitlines()
    assert "\n".join(lines[1:9]) + "\n" == drawn
    assert sum(line.startswith("Round ") for line in lines) == 5, "every state is shown once"


def test_a_game_stops_before_a_round_and_after_a_kill(
    teams: Path, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    play_game("one", "two", layout=Path("room.layout"), stop_at=3, write_replay=Path("a.match"), play=play)
    printed = capsys.readouterr()
    assert printed.out.startswith("Round 3, bot a: one 0:0 two\n####")
    assert "neither record nor outputs" in printed.err
    assert not Path("a.match").exists()
    play_game("one", "two", layout=Path("room.layout"), stop_at=1, play=play)
    assert capsys.readouterr().out.startswith("Round 1, bot a:")
    (teams / "hero.py").write_text(EATER.replace("bot.enemy[0].food[-1 if bot.turn else 0]", "(8, 3)"))
    play_game("hero", "two", layout=Path("room.layout"), stop_after_kill=True, null=True, play=play)
    printed = capsys.readouterr()
    assert printed.out.splitlines()[0].endswith(":5 two")
    assert "Stopped in round" in printed.err


def test_progress_is_a_line_whenever_the_bar_grows(
    teams: Path, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    play_game("one", "two", layout=Path("room.layout"), rounds=2, progress=True, play=play)
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("[")]
    assert [line.partition("]")[2] for line in lines] == [
        " round 1 of 2, score 0:0",
        " round 2 of 2, score 0:0",
        " round 2 of 2, score 0:0",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": Path("bytes.layout")}, "bytes.layout is not a text file in UTF-8"),
        ({"layout": Path("one.py")}, "one.py is not the layout of a game: the first row"),
        ({"size": "8x8", "food": "30:30"}, "30 pellets do not fit on the"),
        ({"rounds": 10**6}, r"config\.max_rounds: must be a whole number from 0 to 250000"),
        ({"write_replay": Path("nowhere/a.match")}, "there is no folder nowhere"),
        ({"store_output": Path("one.py")}, "one.py is a file: name a folder"),
    ],
)
def test_late_failure_is_refused_before_the_game(teams: Path, options: dict[str, Any], message: str) -> None:
    Path("bytes.layout").write_bytes(b"\xff\xfe")

    def never(*arguments: object, **named: object) -> Any:
        raise AssertionError("a game was played")

    with pytest.raises(ValueError, match=message):
        play_game("one", "two", seed=1, play=never, **options)


def test_record_and_outputs_are_written_with_faults(
    teams: Path, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    (teams / "broken.py").write_text("TEAM_NAME = 'Broken'\ndef move(bot, state):\n    return 1 // 0\n")
    play_game(
        "one",
        "broken",
        layout=Path("room.layout"),
        write_replay=Path("a.match"),
        store_output=Path("printed"),
        play=play,
    )
    printed = capsys.readouterr()
    assert "Red: exception: ZeroDivisionError" in printed.err
    assert printed.out.splitlines()[-1] == "Finished after 1 round. 'one' won over 'Broken'. (0:0)"
    assert Path("a.match").read_bytes() == b"record"
    assert Path("printed/red.out").read_text() == "two"
    with pytest.raises(ValueError, match="already exists"):
        play_game("one", "two", write_replay=Path("a.match"), play=play)


def test_options_become_the_configuration() -> None:
    def config(**options: object) -> dict[str, Any]:
        return dict(
            game_variant({f"--{key.replace('_', '-')}": value for key, value in options.items()}).config
        )

    assert config() == pelita({}).config
    assert config(profile="v27", size="tiny") == pelita({"profile": "v27", "size": "tiny"}).config
    assert config(quirks=True) == pelita(QUIRKS).config
    settings = config(rounds=9, allow_camping=True, error_limit=0, timeout=0.5, initial_timeout=9.0)
    assert (settings["max_rounds"], settings["allow_camping"], settings["timeout_limit"]) == (9, True, 0)
    assert (settings["timeout_s"], settings["initial_timeout_s"]) == (0.5, 9.0)
    unlimited = game_variant({"--no-timeout": True})
    assert unlimited.config["timeout_s"] is None
    assert unlimited.time.move_ms >= 3_600_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout": 1.0, "no_timeout": True}, "--timeout and --no-timeout exclude each other"),
        ({"layout": Path("room.layout"), "size": "small"}, "--layout and --size exclude each other"),
        ({"null": True, "ascii_": True}, "--null, --ascii and --progress exclude each other"),
        ({"size": "17x9"}, "the width must be even"),
        ({"size": "9999"}, "at most 256"),
        ({"profile": "v28"}, "config.profile: must be classic or v26 or v27"),
        ({"timeout": -1.0}, "config.timeout_s: must be a number more than 0"),
    ],
)
def test_impossible_match_is_refused_before_it_starts(
    teams: Path, play: Play, options: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=r".") as refused:
        play_game("one", "two", play=play, **options)
    assert message in str(refused.value)


def test_teams_are_named_as_for_the_original(teams: Path) -> None:
    assert team_path("one") == "one.py"
    assert team_path("one.py") == "one.py"
    assert team_path("0") == "pelita-gatherer"
    assert team_path("1") == "pelita-random"
    assert team_path("pelita-mixed") == "pelita-mixed"
    (teams / "1.py").write_text(STILL)
    assert team_path("1") == "1.py"
    with pytest.raises(ValueError, match="other machines"):
        team_path("pelita://host/team")


def test_a_maze_is_drawn_from_its_seed_and_stored(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(maze)
    result = CliRunner().invoke(app, ["--seed", "92"])
    assert result.exit_code == 0
    assert read_layout(result.stdout) == generate(Random(92))
    for option in ("--save-layout", "--store-layout"):
        file = tmp_path / f"maze{option}"
        stored = CliRunner().invoke(app, ["--size", "24x12", "--food", "4:12", option, str(file)])
        assert stored.exit_code == 0, stored.output
        assert read_layout(file.read_text()).shape == (24, 12)
    refused = CliRunner().invoke(app, ["--size", "7x7"])
    assert isinstance(refused.exception, ValueError)
    assert "even" in str(refused.exception)


CUP = """
teams: [{spec: one, members: [Ada, Grace]}, {spec: eater, id: eaters}, {spec: two.py}]
bonusmatch: false
rounds: 2
size: small
seed: 7
viewer: tk
greeting: Welcome
farewell: Good bye
"""


def test_a_tournament_is_held_to_its_winner_and_goes_on_where_it_was_stopped(
    teams: Path, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    file = teams / "cup.yaml"
    file.write_text(CUP)
    tournament(file, play=play)
    whole = capsys.readouterr().out
    assert whole.startswith("Welcome\n#0  one  Ada, Grace\n")
    assert "After round 1:\n" in whole
    assert whole.endswith(".\nGood bye\n")
    games = [line.partition(":")[0] for line in whole.splitlines() if line.startswith("round")]
    assert games[:3] == ["round1-match01", "round1-match02", "round1-match03"]
    assert (teams / "cup.games" / "round1-match02.match").read_bytes() == b"record"
    assert (teams / "cup.games" / f"{games[-1]}.red.out").read_text() == "two"

    calls = 0

    def interrupted(*args: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return play(*args, **options)

    again = Path("again")
    with pytest.raises(KeyboardInterrupt):
        tournament(file, folder=again, play=interrupted)
    assert len(json.loads((again / "state.json").read_text())["results"]) == 2
    capsys.readouterr()
    tournament(file, folder=again, load_state=True, play=play)
    rest = capsys.readouterr().out
    assert "round1-match02" not in rest
    assert rest.splitlines()[-6:] == whole.splitlines()[-6:]


def test_a_tournament_is_not_continued_on_other_terms(teams: Path, play: Play) -> None:
    file = teams / "cup.yaml"
    file.write_text(CUP.replace("seed: 7", "seed: null"))
    with pytest.raises(OSError, match=r"state\.json"):
        tournament(file, load_state=True, play=play)
    tournament(file, play=play)
    tournament(file, play=play)
    with pytest.raises(ValueError, match="other teams or terms"):
        tournament(file, rounds=3, play=play)
    (teams / "cup.games" / "state.json").write_text("{}")
    with pytest.raises(ValueError, match="not the state of a tournament"):
        tournament(file, play=play)
    with pytest.raises(ValueError, match="choose null, ascii, progress"):
        tournament(file, folder=Path("new"), viewer="tk", play=play)


def test_the_plan_of_a_tournament_names_the_command_for_a_rated_league(
    teams: Path, play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    file = teams / "cup.yaml"
    file.write_text(CUP)
    tournament(file, plan=True, play=play)
    planned = capsys.readouterr()
    assert "Games of 2 rounds" in planned.out
    assert "As a rated league" not in planned.err, "leagues play offered variants only"
    file.write_text(CUP.replace("rounds: 2", "rounds: 100"))
    tournament(file, plan=True, play=play)
    assert "botleague run pelita-quick one.py" in capsys.readouterr().err
    file.write_text(CUP.replace("rounds: 2\nsize: small\n", ""))
    tournament(file, plan=True, quirks=True, play=play)
    assert "botleague run pelita-original one.py" in capsys.readouterr().err
    tournament(file, plan=True, profile="v27", play=play)
    assert "--format-option bracket=v27" in capsys.readouterr().err
    tournament(file, plan=True, play=play)
    assert (
        "botleague run pelita one.py eater.py two.py --format pelita-tournament "
        "--format-option bonusmatch=false --seed 7" in capsys.readouterr().err
    )
    assert not (teams / "cup.games").exists()
    file.write_text("teams: 7\nbonusmatch: true")
    with pytest.raises(ValueError, match="teams: must be a list of 1 or more"):
        tournament(file, plan=True, play=play)
