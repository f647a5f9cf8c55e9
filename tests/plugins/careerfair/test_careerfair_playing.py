"""The command that plays with every option, and variants made from a configuration."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from botleague.rules import PlayedMatch, Variant
from botleague_careerfair.legacy.playing import play_match
from botleague_careerfair.rules import CareerFair
from botleague_careerfair.variants import variants

BOARD = "3 4 1 20 1\nS0 S0 F F\n0 0 E0 F\nF F F B\n"
STILL = """
class Team:
    def __init__(self, *told): pass
    def step(self, visible_board, states, score): return [None] * 4
"""


class Command:
    """``botleague careerfair play`` with a referee in this process.

    Attributes:
        played: the variants of its matches.
    """

    def __init__(self, hall: Callable[..., Any]) -> None:
        self.hall = hall
        self.played: list[Variant] = []

    def run(self, *words: str) -> Result:
        """Parse ``words`` as the command line does, where the parameter ``play`` is the platform's to give."""

        def command(**options: Any) -> None:
            play_match(play=self.play, **options)

        signature = inspect.signature(play_match, eval_str=True)
        parameters = [parameter for name, parameter in signature.parameters.items() if name != "play"]
        command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # typer reads it
        app = typer.Typer()
        app.command()(command)
        return CliRunner().invoke(app, list(words))

    def play(
        self,
        variant: Variant,
        bots: Sequence[str],
        *,
        seed: int | None = None,
        watch: Callable[[Any], bool] | None = None,
        with_siblings: bool = False,
    ) -> PlayedMatch:
        """Play a match between teams in files."""
        self.played.append(variant)
        match_seed = 5 if seed is None else seed
        game = self.hall(variant, *(Path(bot).read_text("utf-8") for bot in bots), seed=match_seed)
        while True:
            assert watch is None or watch(game.state) is False
            outcome = game.rules.outcome(game.state)
            if outcome is not None:
                return PlayedMatch(outcome, game.state, match_seed, b"record", ("",) * len(bots))
            game.play(1)


@pytest.fixture
def command(hall: Callable[..., Any]) -> Command:
    """The command."""
    return Command(hall)


def test_a_match_on_a_board_of_ones_own_with_options(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my board.txt").write_text(BOARD, encoding="utf-8")
    Path("team.py").write_text(STILL, encoding="utf-8")
    words = ["team.py", "team.py", "--board", "my board.txt", "--crowd", "10", "--moves", "3"]
    words += ["--option", "leave_line=on_arrival", "--option", "talker_memory=false", "--log", "fair.log"]
    done = command.run(*words)
    assert done.exit_code == 0, done.output
    config = command.played[0].config
    assert (config["board"], config["crowd"], config["moves"], config["teams"]) == (BOARD, 10, 3, 2)
    assert config["options"] == {"leave_line": "on_arrival", "talker_memory": False}
    assert done.stdout.splitlines()[-1] == "all 3 moves were made"
    log = Path("fair.log").read_text(encoding="utf-8").splitlines()
    assert log[0] == "4 4 10"
    assert [line for line in log if len(line.split()) == 3][1:] == [f"{time} 0 0" for time in range(4)]
    again = next(line for line in done.stderr.splitlines() if line.startswith("Play it again: "))
    repeated = shlex.split(again.partition(": ")[2])
    assert repeated[:3] == ["botleague", "careerfair", "play"]
    assert command.run(*repeated[3:]).exit_code == 0
    assert command.played[1].config == config


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--board", "nowhere"], "no board is called 'nowhere'"),
        (["--option", "leave_line"], "write KEY=VALUE"),
        (
            ["--option", "leave_line=later"],
            "config.options.leave_line: must be at_once or on_arrival, not 'later'",
        ),
        (["--option", "talker_memory=yes"], "config.options.talker_memory: must be true or false, not 'yes'"),
        (["--option", "x=1"], "config.options.x: unknown; known: enter_while_queued"),
        (["--profile", "mine"], "config.profile: must be original or wiki, not 'mine'"),
        (["--people", "all"], "config.people: must be counts or full, not 'all'"),
        (["--after-strikes", "cry"], "config.after_strikes: must be forfeit or idle, not 'cry'"),
        (["team.py", "team.py"], "config.teams: must be 1 or 2, not 3"),
        (["--crowd", "10001"], "config.crowd: must be a whole number from 0 to 10000 or none, not 10001"),
        (
            ["--idle-steps", "100001"],
            "config.idle_steps: must be a whole number from 0 to 100000, not 100001",
        ),
        (["--log", "team.py"], "team.py already exists"),
        (["--record", "nowhere/a.match"], "there is no folder nowhere"),
        (["--board", "broken.txt"], "line 1: expected five whole numbers"),
        (["--companies", "broken.txt"], "is not a text file in UTF-8"),
    ],
)
def test_input_that_is_refused_is_explained(
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("team.py").write_text(STILL, encoding="utf-8")
    Path("broken.txt").write_bytes(b"\xff\xfe" if "--companies" in words else b"no board\n\n")
    done = command.run("team.py", *words)
    assert isinstance(done.exception, ValueError), done.output
    assert message in str(done.exception)
    assert not command.played


@pytest.mark.parametrize("variant", variants(), ids=lambda variant: variant.name)
def test_every_variant_can_be_made_again_from_its_configuration(variant: Variant) -> None:
    again = variant.with_config(variant.config)
    assert again.config == variant.config
    assert isinstance(again.rules, CareerFair)
    assert isinstance(variant.rules, CareerFair)
    assert again.rules.config == variant.rules.config
