"""A Pelita match of isolated teams against the original with its own player processes, side by side in one run.

    python benchmarks/pelita_match.py [--original PYTHON] [--repeats N]

PYTHON is an interpreter in whose environment the original is installed (``pip install pelita==2.5.3``, extra
``peers``); this one by default. Without the original only our own figures are printed. Two teams that stand still
play 300 rounds on the same maze, measured in three ways that take turns:

- the whole command, from the shell: ``botleague pelita play --null`` and ``pelita --null``;
- one match of a runner whose sandbox is warm, as in a league, beside the original's command;
- the round trip of one move: question, answer, both ways encoded, without the rules.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from botleague.referee import Player, SandboxedPlayers, conduct
from botleague.rules import Fault, Reply
from botleague_pelita.variants import pelita
from botleague_sandbox import Sandbox

SEED = 5
TURNS = 1200
STOPPING = b'TEAM_NAME = "Stopping"\n\n\ndef move(bot, state):\n    return bot.position\n'

THEIR_ROUND_TRIPS = """
import random, statistics, sys, time
from pelita import game, team
from pelita.maze_generator import generate_maze
spent, ask = [], team.RemoteTeam.get_move
def timed(self, told):
    begun = time.perf_counter()
    answer = ask(self, told)
    spent.append(time.perf_counter() - begun)
    return answer
team.RemoteTeam.get_move = timed
rng = random.Random(5)
game.run_game([sys.argv[1]] * 2, layout_dict=generate_maze(rng=rng), rng=rng, print_result=False)
assert len(spent) == 1200, spent
print("median", statistics.median(spent))
"""
"""Runs in the original's interpreter: a game of two player processes, with a clock around every question."""


@dataclass(slots=True)
class Timed:
    """Players with a clock around every question; milliseconds."""

    players: SandboxedPlayers
    spent: list[float] = field(default_factory=list)

    def declare(self) -> Sequence[object | Fault]:
        return self.players.declare()

    def brief(self, briefs: Mapping[int, object]) -> Mapping[int, Fault]:
        return self.players.brief(briefs)

    def ask(self, questions: Mapping[int, object]) -> Mapping[int, Reply]:
        begun = time.perf_counter()
        replies = self.players.ask(questions)
        self.spent.append((time.perf_counter() - begun) * 1000)
        return replies


def our_match(sandbox: Sandbox) -> tuple[float, float]:
    """Return seconds of a match, and the median milliseconds of a round trip in it."""
    player = Player(
        "stopping", hashlib.sha256(STOPPING).hexdigest(), {"stopping.py": STOPPING}, "stopping.py"
    )
    variant = pelita({})
    begun = time.perf_counter()
    with SandboxedPlayers(sandbox, variant, [player, player], SEED) as players:
        timed = Timed(players)
        for _ in conduct(variant, SEED, timed):
            pass
    seconds = time.perf_counter() - begun
    assert len(timed.spent) == TURNS, len(timed.spent)
    return seconds, statistics.median(timed.spent)


def seconds_of(command: Sequence[str]) -> float:
    """Return how long a command takes; its last line must tell of a finished game."""
    begun = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds = time.perf_counter() - begun
    assert done.stdout.splitlines()[-1].startswith("Finished after 300 rounds."), done.stdout + done.stderr
    return seconds


def their_round_trip(python: str, team: str) -> float:
    """Return the original's median milliseconds of a question to a player process."""
    done = subprocess.run([python, "-c", THEIR_ROUND_TRIPS, team], check=True, capture_output=True, text=True)
    return float(done.stdout.split()[-1]) * 1000


def on_core(core: int, measured: Callable[[], tuple[float, float]]) -> tuple[float, float]:
    """Return what is measured while this process stays on one processor, as the referee does."""
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        return measured()
    finally:
        os.sched_setaffinity(0, everywhere)


def report(what: str, unit: str, ours: Sequence[float], theirs: Sequence[float]) -> None:
    """Print medians and their ratio."""
    mine = statistics.median(ours)
    line = f"{what:<34}{mine:9.3f} {unit}"
    if theirs:
        other = statistics.median(theirs)
        line += f"   original {other:9.3f} {unit}   {other / mine:6.1f} times as fast"
    print(line)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--original", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    probe = subprocess.run([options.original, "-c", "import pelita"], capture_output=True, check=False)
    peer = probe.returncode == 0
    if not peer:
        print(f"The original cannot be imported by {options.original}: our own figures only.")
    core = min(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder, Sandbox(core=core) as sandbox:
        file = Path(folder) / "stopping.py"
        file.write_bytes(STOPPING)
        team = str(file)
        arguments = ["--null", "--seed", str(SEED), team, team]
        our_command = [sys.executable, "-c", "from botleague.cli import main; main()", "pelita", "play"]
        their_command = [options.original, "-m", "pelita.scripts.pelita_main"]
        on_core(core, lambda: our_match(sandbox))  # the warm process of the sandbox comes up once
        commands: list[float] = []
        matches: list[float] = []
        trips: list[float] = []
        their_matches: list[float] = []
        their_trips: list[float] = []
        for _ in range(options.repeats):
            commands.append(seconds_of([*our_command, *arguments]))
            seconds, trip = on_core(core, lambda: our_match(sandbox))
            matches.append(seconds)
            trips.append(trip)
            if peer:
                their_matches.append(seconds_of([*their_command, *arguments]))
                their_trips.append(their_round_trip(options.original, team))
    report("the whole command, 300 rounds", "s ", commands, their_matches)
    report("a match of a warm runner", "s ", matches, their_matches)
    report("round trip of one move", "ms", trips, their_trips)


if __name__ == "__main__":
    main()
