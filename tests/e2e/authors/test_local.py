"""A bot in one process plays the same match as in a sandbox, and any turn can be repeated."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from botleague.errors import UsageError
from botleague.local import play_here

SAME = """
import json, sys
import botleague
from botleague.local import play_here, rehearse
from botleague.plugins import PluginHost
from botleague.referee import read_record

variant, bot, *others = sys.argv[1:]
here = play_here(bot, variant, others, seed=11)
guarded = botleague.play(variant, [bot, *others], seed=11)
record = read_record(guarded.record)
played = PluginHost.load().variant(variant)
asked = [number for number, turn in enumerate(record.turns) if 0 in turn.seats]
last = rehearse(record, played, 0, bot, asked[-1])
print(json.dumps({
    "same": here.record == guarded.record,
    "faults": here.faults,
    "reason": [here.outcome.reason, guarded.reason],
    "differs_at": last.differs_at,
    "turn": [last.turn, asked[-1]],
}))
"""

MATCHES = {
    "isolation-5x5": ("my_custom_player.py", ["greedy"]),
    "pybots-phonebox": ("duellist.py", ["dodger"]),
    "botroyale-duel": ("centre.py", ["hermit"]),
    "pelita-quick": ("first.py", ["pelita-gatherer"]),
    "careerfair-small": ("player/team.py", ["ferry"]),
}


@pytest.fixture
def examples(tmp_path: Path) -> Mapping[str, Path]:
    """The examples of five games, written as their authors would."""
    from botleague.plugins import PluginHost

    bots = {}
    for variant, (name, _) in MATCHES.items():
        file = tmp_path / variant / name
        file.parent.mkdir(parents=True)
        interface = PluginHost.load().variants[variant].interface
        assert interface is not None
        file.write_text(interface.example)
        bots[variant] = tmp_path / variant / name.split("/")[0]
    return bots


def run(*arguments: str, code: int = 0, **more: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "BOTLEAGUE_DB": "nowhere.db"},  # nobody's own database has a say
        **more,  # type: ignore[call-overload]
    )
    assert done.returncode == code, done.stdout + done.stderr
    return str(done.stdout if code == 0 else done.stderr)


@pytest.mark.parametrize("variant", sorted(MATCHES))
def test_local_match_has_the_record_of_a_sandboxed_match(variant: str, examples: Mapping[str, Path]) -> None:
    bot = examples[variant]
    report = json.loads(run("-c", SAME, variant, str(bot), *MATCHES[variant][1]))
    assert report["same"], report
    assert report["faults"] == {}
    assert report["differs_at"] is None
    assert report["turn"][0] == report["turn"][1]


def test_changed_bot_is_reported_at_its_first_different_action(examples: Mapping[str, Path]) -> None:
    bot = examples["isolation-5x5"]
    code = SAME.replace("last = rehearse(", "open(bot, 'a').write(TAIL)\nlast = rehearse(").replace(
        "variant, bot",
        "TAIL = CustomPlayer = '''\n    def worth(self, state):\n        return -state.ply_count\n'''\nvariant, bot",
        1,
    )
    report = json.loads(run("-c", code, "isolation-5x5", str(bot), "greedy"))
    assert report["differs_at"] == 0


TWO = """
from sample_players import DataPlayer


class First(DataPlayer):
    def get_action(self, state):
        self.queue.put(state.actions()[0])


class Second(DataPlayer):
    def get_action(self, state):
        raise ValueError("the second one")
"""


def test_bot_in_nested_folders_is_played(tmp_path: Path) -> None:
    inner = tmp_path / "download" / "team"
    inner.mkdir(parents=True)
    (inner / "my_custom_player.py").write_text("from helping import CustomPlayer\n")
    (inner / "helping.py").write_text(TWO.replace("First", "CustomPlayer"))
    out = run("-m", "botleague.local", str(tmp_path / "download"), "-v", "isolation-5x5", "--seed", "3")
    assert "Faults of your bot: none" in out


def test_one_of_several_bots_in_a_file_is_chosen(
    tmp_path: Path, botleague: Callable[..., Any], folder: Path
) -> None:
    (folder / "two.py").write_text(TWO)
    local = ("-m", "botleague.local", str(folder / "two.py"), "-v", "isolation-5x5", "--entry")
    assert "Faults of your bot: none" in run(*local, ":First")
    assert "'exception': 1" in run(*local, ":Second")
    match = botleague("play", "isolation-5x5", "two.py:First", "./two.py:Second", "--json")
    assert [seat["faults"] for seat in json.loads(match.out)["seats"]] == [{}, {"exception": 1}]
    refused = botleague("play", "isolation-5x5", "two.py:Third", "greedy").out
    assert "rejected" in refused or "exception" in refused


def test_the_module_plays_a_match_and_shows_what_a_bot_raised(examples: Mapping[str, Path]) -> None:
    bot = examples["isolation-5x5"]
    out = run("-m", "botleague.local", str(bot), "--variant", "isolation-5x5", "--seed", "3")
    assert "Faults of your bot: none. Play it again: --seed 3" in out
    bot.write_text(bot.read_text().replace("best = float", "1 / 0; best = float"))
    done = subprocess.run(
        [sys.executable, "-m", "botleague.local", str(bot), "--variant", "isolation-5x5"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "BOTLEAGUE_DB": "nowhere.db"},
    )
    assert "ZeroDivisionError" in done.stderr
    assert f'File "{bot}", line 6' in done.stderr
    assert "'exception': 1" in done.stdout


def test_texts_have_the_hashes_of_a_sandbox(
    tmp_path: Path,
    botleague: Callable[..., Any],
    folder: Path,
    environment: Mapping[str, str],
    command: list[str],
) -> None:
    (folder / "hashing.py").write_text(
        "from sample_players import DataPlayer\nclass CustomPlayer(DataPlayer):\n    def get_action(self, state):\n"
        "        raise ValueError(hash('botleague'))\n"
    )
    botleague("play", "isolation-5x5", "./hashing.py", "random", "--seed", "5", "--record", "game.blr")
    there = botleague("replay", "game.blr").out
    (value,) = set(re.findall(r"ValueError: (-?\d+)", there))
    local = ["-P", "-m", "botleague.local", str(folder / "hashing.py"), "random", "-v", "isolation-5x5"]
    assert f"ValueError: {value}\n" in run(*local, "--seed", "5")
    looking = ["replay", "game.blr", "--seat", "0", "--source", "hashing.py", "--at-turn", "0"]
    looked = subprocess.run(
        [*command, *looking], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert f"ValueError: {value}" in looked.stdout


@pytest.mark.parametrize(
    ("tool", "typed", "trace"), [("cProfile", "", "function calls"), ("pdb", "c\nq\n", "(Pdb)")]
)
def test_debuggers_and_profilers_stay_at_work(folder: Path, tool: str, typed: str, trace: str) -> None:
    (folder / "first.py").write_text(TWO.replace("First", "CustomPlayer"))
    local = ("-m", "botleague.local", str(folder / "first.py"), "-v", "isolation-5x5", "--seed", "3")
    done = subprocess.run(
        [sys.executable, "-m", tool, *local], input=typed, capture_output=True, text=True, check=False
    )
    assert "Faults of your bot: none" in done.stdout, done.stderr
    assert trace in done.stdout.partition("Faults of your bot")[2]


def test_bot_that_exits_raised_an_exception(tmp_path: Path) -> None:
    (tmp_path / "leaving.py").write_text(
        "from sample_players import DataPlayer\nclass CustomPlayer(DataPlayer):\n    def get_action(self, state):\n"
        "        raise SystemExit(3)\n"
    )
    played = play_here(tmp_path / "leaving.py", "isolation-5x5", seed=3)
    assert (played.faults, played.outcome.forfeits) == ({"exception": 1}, (0,))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["time.py", "-v", "isolation"], "The module time of time.py cannot be imported here by its name"),
        (["nowhere.py", "-v", "isolation"], "no file or folder nowhere.py"),
        (["x.zip", "-v", "isolation"], "is packed"),
        (["x.py", "-v", "isolatoin"], "Did you mean 'isolation'"),
        (["x.py", "greedy", "random", "-v", "isolation"], "do not fit"),
        (["x.py", "-v", "isolation", "--seat", "2"], "do not fit"),
    ],
)
def test_invalid_local_match_is_refused(tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "x.py").write_text("")
    (tmp_path / "time.py").write_text("")
    assert message in run("-P", "-m", "botleague.local", *words, code=2, cwd=str(tmp_path))


def test_turn_is_debugged_with_the_source_that_played_it(
    botleague: Callable[..., Any], folder: Path, environment: Mapping[str, str], command: list[str]
) -> None:
    bot = folder / "mine.py"
    bot.write_text(
        "from sample_players import DataPlayer\n\n\nclass CustomPlayer(DataPlayer):\n"
        "    def get_action(self, state):\n        print('ply', state.ply_count)\n        if state.ply_count >= 4:\n"
        "            raise ValueError('lost at ply', state.ply_count)\n"
        "        self.queue.put(state.actions()[0])\n"
    )
    botleague("play", "isolation-7x7", "./mine.py", "random", "--seed", "5", "--record", "game.blr")

    def look(*words: str, typed: str = "") -> str:
        """Look at a turn; what the bot raises is shown with its traceback."""
        done = subprocess.run(
            [*command, "replay", "game.blr", "--seat", "0", "--source", "mine.py", "--at-turn", *words],
            cwd=folder,
            env=environment,
            input=typed,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    assert "Turns 0 to 2: mine.py answers as recorded." in look("2")
    out = look("4")
    assert "exception: ValueError: ('lost at ply', 4)" in out
    assert "ply 4" in out
    assert "ply 2" not in out
    # In the debugger: it stops at the bot's own line, before that raised.
    out = look("4", "--debug", typed="p state.ply_count\nnext\nnext\nc\n")
    assert "if state.ply_count >= 4:" in out
    assert "(Pdb) 4" in out
    assert "Wrote turn.json" in look("4", "--dump", "turn.json")
    turn = json.loads((folder / "turn.json").read_text())
    assert (turn["ply"], turn["player"]) == (4, 0)
    # As a test: it fails until the bot answers otherwise.
    assert "Run it with `python -m pytest test_turn.py`." in look("4", "--dump", "test_turn.py")
    look("2", "--dump", "test_move.py")
    assert str(folder) not in (folder / "test_move.py").read_text()

    def is_passed(test: str) -> bool:
        case = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
        return subprocess.run(case, cwd=folder, capture_output=True, check=False).returncode == 0

    assert not is_passed("test_turn.py")
    assert not is_passed("test_move.py")
    bot.write_text(bot.read_text().replace(">= 4", ">= 400").replace("[0]", "[-1]"))
    assert is_passed("test_turn.py")
    assert is_passed("test_move.py")
    out = look("4")
    assert "Turn 0: the first answer that differs from the record." in out
    assert "its digest differs" in out


def test_debugger_ends_without_a_traceback(
    botleague: Callable[..., Any], folder: Path, environment: Mapping[str, str], command: list[str]
) -> None:
    (folder / "mine.py").write_text(
        "from sample_players import DataPlayer\n\n\nclass CustomPlayer(DataPlayer):\n    def get_action(self, state):\n"
        "        try:\n            self.queue.put(state.actions()[0])\n        except Exception:\n            pass\n"
    )
    botleague("play", "isolation-5x5", "./mine.py", "random", "--seed", "5", "--record", "game.blr")
    words = ["replay", "game.blr", "--seat", "0", "--source", "mine.py", "--at-turn", "2", "--debug"]
    same, left = "Turns 0 to 2: mine.py answers as recorded.", "Left the debugger in turn 2."
    for typed, message in {"q\n": left, "n\nn\nq\n": left, "": left, "n\n" * 9: same, "c\n": same}.items():
        done = subprocess.run(
            [*command, *words],
            cwd=folder,
            env=environment,
            input=typed,
            capture_output=True,
            text=True,
            check=True,
        )
        assert message in done.stdout + done.stderr, typed
        assert "Traceback" not in done.stderr, typed
        assert "local.py" not in done.stdout, typed


def test_invalid_turn_is_refused(
    run_all: Callable[..., list[Any]], folder: Path, environment: Mapping[str, str]
) -> None:
    refusals = {
        "--at-turn 4 --source mine.py": "needs one --seat",
        "--at-turn 4 --seat 0": "needs --source",
        "--at-turn 3 --seat 0 --source mine.py": "Seat 0 does not move in turn 3. Choose turn 2 or 4.",
        "--at-turn 999 --seat 1 --source none.py": "Seat 1 does not move in turn 999. Choose turn ",
        "--at-turn 2 --seat 0 --source other.py": "no file or folder other.py",
        "--at-turn 2 --seat 0 --source mine.py --dump turn.txt": "choose a .json file",
        "--at-turn 2 --seat 0 --source mine.py --dump botleague.toml.json": "already exists",
    }
    (folder / "mine.py").write_text(
        "from sample_players import RandomPlayer\n\n\nclass CustomPlayer(RandomPlayer):\n    pass\n"
    )
    (folder / "botleague.toml.json").write_text("")
    played = "play isolation-7x7 ./mine.py random --seed 5 --record game.blr"
    commands = [played, *(f"replay game.blr {words}" for words in refusals)]
    first, *others = run_all([one.split() for one in commands], folder, environment)
    assert first[0] == 0, first
    for (words, message), (code, _, errors) in zip(refusals.items(), others, strict=True):
        assert code == 2, words
        assert message in errors, words


@pytest.mark.parametrize("seat", [1.0, True, -1, 10**30])
def test_seat_that_is_no_number_of_one_is_refused(tmp_path: Path, seat: int) -> None:
    with pytest.raises(UsageError, match="seat must be a whole number from 0"):
        play_here(tmp_path / "none.py", "isolation-5x5", seat=seat)
