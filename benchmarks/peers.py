"""What somebody would use instead of botleague, side by side in one run: the same games, the same bots.

    python benchmarks/peers.py [--only GAME ...] [--repeats N] [--environments FOLDER] [--python38 PYTHON]

Each of the others is installed from the package index into an environment of its own, below FOLDER (default: the
user's cache); what cannot be installed or run is in the table with the reason. The tables are Markdown. Contenders take
turns, one match at a time, and medians are printed:

- matches and turns a second, after a warm-up, in one process that holds match after match;
- from the shell to the result of one match, where nothing runs yet;
- memory of everything that this takes (proportional set size, the most of 20 looks a second).

Of the original career fair a fiftieth of a match is played, and matches a second follow from that; its time from the
shell is the time of that fiftieth.

Bots of botleague run isolated, each in a locked-down process; the table says what the others do.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import platformdirs

HERE = Path(__file__).parent
LOOK_S = 0.05
WARM_UP = 2

OURS = """
from pathlib import Path
from botleague.executors import MatchOrder
from botleague.workers import HostSetup
from botleague.executors.match_worker import MatchHost
from botleague.league.submission import read_bot
from botleague.plugins import PluginHost
from botleague.referee import config_digest
setup = HostSetup(plugin_files=(PLUGIN,), core=min(os.sched_getaffinity(0)))
variant = PluginHost.load([Path(PLUGIN)]).variant(VARIANT)
player = read_bot(Path(BOT), variant.entries)
host = MatchHost(setup)
def play(seed):
    players = (player,) * variant.seats.least
    outcome = host.hold(MatchOrder(seed, 9, VARIANT, config_digest(variant.config), seed, players))
    assert outcome.report is not None, outcome.failure
    assert not any(seat.faults for seat in outcome.report.seats), outcome.report.seats
    return outcome.report.turns
end = host.close
"""

LOOP = """
import json, os, sys, time
BOT, VARIANT, PLUGIN, WARM_UP, SECONDS = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), float(sys.argv[5])
end = lambda: None
SHARE = 1.0
{program}
for seed in range(WARM_UP):
    play(seed)
turns = matches = 0
begun = time.perf_counter()
while not matches or time.perf_counter() - begun < SECONDS:
    turns += play(WARM_UP + matches)
    matches += 1
spent = time.perf_counter() - begun
end()
print(json.dumps([SHARE * matches / spent, turns / spent]), flush=True)
"""

KAGGLE = """
from kaggle_environments import make
source = open(BOT).read()
names = {}
exec(source, names)
def agent(observation):
    return names["move"]([{0: None, 1: 0, 2: 1}[cell] for cell in observation.board])
def play(seed):
    game = make("connectx")
    steps = game.run([agent, agent])
    assert all(state.status == "DONE" for state in steps[-1]), steps[-1]
    return len(steps) - 1
"""

ZOO = """
from pettingzoo.classic import connect_four_v3
names = {}
exec(open(BOT).read(), names)
game = connect_four_v3.env()
def play(seed):
    game.reset(seed=seed)
    turns = 0
    for agent in game.agent_iter():
        observation, _, ended, cut, _ = game.last()
        if ended or cut:
            game.step(None)
            continue
        mask = observation["action_mask"]
        game.step(names["move"]([None if free else 0 for free in mask]))
        turns += 1
    return turns
"""

PELITA = """
import random
from pelita import game
from pelita.maze_generator import generate_maze
def play(seed):
    rng = random.Random(seed)
    final = game.run_game([BOT, BOT], layout_dict=generate_maze(rng=rng), rng=rng, print_result=False)
    assert final["round"] == 300, final["round"]
    return 1200
"""

ROYALE = """
names = {}
exec(open(BOT).read(), names)
from botroyale.api.bots import BotSelection, register_bot
from botroyale.logic.battle import Battle
from botroyale.logic.maps import get_map_state
register_bot(names["BOT"])
def play(seed):
    battle = Battle(get_map_state("classic"), BotSelection([names["BOT"].NAME]), enable_logging=False)
    battle.play_all()
    return battle.history_size
"""

FAIR = """
SHARE = 0.02  # a whole match takes minutes
names = {}
exec(open(BOT).read(), names)
from pathlib import Path
from awap2019 import Game
folder = Path(PLUGIN)
def play(seed):
    game = Game(*(str(folder / name) for name in ("board.txt", "companies.txt", "log.txt")), multiplayer=True)
    companies = game.get_companyinfo()
    teams = [names["Team"](game.generate_player_copy(team, init=True), 4, companies) for team in range(2)]
    seen = [(game.generate_player_copy(team), game.board.get_states(team), 0) for team in range(2)]
    for _ in range(int(SHARE * STEPS)):
        seen = game.make_move([team.step(*seen[number]) for number, team in enumerate(teams)])
    return int(SHARE * STEPS)
"""

RANDOM_COLUMN = """
import random
def move(cells):
    return random.choice([col for col in range(7) if cells[col] is None])
def act(state):
    return random.choice(state.legal_actions)
"""

STOPPING = 'TEAM_NAME = "Stopping"\ndef move(bot, state):\n    return bot.position\n'

WALKER = """
import random
from botroyale.api.bots import BaseBot
from botroyale.api.actions import Idle, Move
class Walker(BaseBot):
    NAME = "walker"
    def poll_action(self, state):
        ways = [Move(at) for at in state.positions[self.id].neighbors if state.check_legal_action(Move(at))]
        return random.choice([*ways, Idle()])
BOT = Walker
"""

IDLERS = """
from awap2019 import Direction
class Team:
    def __init__(self, initial_board, team_size, company_info):
        self.team_name, self.size = "Idlers", team_size
    def step(self, visible_board, states, score):
        return [Direction.NONE] * self.size
"""


@dataclass(frozen=True, slots=True)
class Peer:
    """Another platform.

    Attributes:
        name: with its version.
        packages: what is installed from the index, with all that it needs.
        alone: what is installed without: it is not needed for matches without a window, or huge.
        program: defines ``play(seed)``, which returns the number of turns.
        isolation: how it keeps bots apart.
        interpreter: ``"3.8"`` where it needs that.
    """

    name: str
    packages: tuple[str, ...]
    alone: tuple[str, ...]
    program: str
    isolation: str
    interpreter: str = ""


@dataclass(frozen=True, slots=True)
class Game:
    """A game, and who else has it.

    Attributes:
        name, variant: what it is called in the table, and here.
        bot: source of the bot on every seat.
        file: its name.
        seconds: of measuring, for each contender in each round.
    """

    name: str
    variant: str
    bot: str
    file: str
    peers: tuple[Peer, ...]
    seconds: float = 3.0


CONNECT_FOUR_PEERS = (
    Peer(
        "kaggle-environments 1.33.2",
        ("jsonschema", "numpy", "requests", "Flask", "pydantic", "termcolor"),
        ("kaggle-environments==1.33.2",),
        KAGGLE,
        "none",
    ),
    Peer("PettingZoo 1.27", ("pettingzoo>=1.27,<1.28", "pygame-ce", "numpy"), (), ZOO, "none"),
)

GAMES = (
    Game("Connect Four, random moves", "four-in-a-row", RANDOM_COLUMN, "bot.py", CONNECT_FOUR_PEERS),
    Game(
        "Connect Four of OpenSpiel, random moves", "connect-four", RANDOM_COLUMN, "bot.py", CONNECT_FOUR_PEERS
    ),
    Game(
        "Pelita, 300 rounds, teams that stand still",
        "pelita",
        STOPPING,
        "stopping.py",
        (Peer("pelita 2.5.3", ("pelita==2.5.3",), (), PELITA, "a process each, no limits"),),
    ),
    Game(
        "Bot Royale on classic, 12 random walkers",
        "botroyale-classic",
        WALKER,
        "walker.py",
        (
            Peer(
                "botroyale 0.1.4", ("numpy==2.0.2", "tomlkit==0.11.4"), ("botroyale==0.1.4",), ROYALE, "none"
            ),
        ),
    ),
    Game(
        "career fair with 1000 people, idle teams",
        "careerfair-huge",
        IDLERS,
        "team.py",
        (Peer("awap2019 2.1.1", ("awap2019==2.1.1",), (), FAIR, "none", "3.8"),),
        6.0,
    ),
)


@dataclass(slots=True)
class Contender:
    """One row of the table while it is measured."""

    name: str
    isolation: str
    command: list[str]
    shell: list[str]
    folder: str
    matches: list[float] = field(default_factory=list)
    turns: list[float] = field(default_factory=list)
    cold_s: list[float] = field(default_factory=list)
    memory_mib: list[float] = field(default_factory=list)
    failure: str = ""

    def measure(self, seconds: float) -> None:
        """Measure once; a failure is kept as the reason why there are no figures."""
        try:
            warm = self._run([*self.command, str(WARM_UP), str(seconds)])
            matches, turns = json.loads(warm.splitlines()[-1])
            begun = time.perf_counter()
            with MemoryOfTree() as memory:
                self._run(self.shell)
            self.cold_s.append(time.perf_counter() - begun)
        except (subprocess.CalledProcessError, ValueError) as error:
            said = error.stderr if isinstance(error, subprocess.CalledProcessError) else str(error)
            self.failure = (said.strip().splitlines() or ["it failed"])[-1][:60]
            return
        self.matches.append(matches)
        self.turns.append(turns)
        self.memory_mib.append(memory.most_mib)

    def row(self) -> str:
        """Return the row of the table."""
        if self.failure:
            return f"| {self.name} | {self.isolation} | not measured: {self.failure} | | | |"
        figures = [
            statistics.median(values) for values in (self.matches, self.turns, self.cold_s, self.memory_mib)
        ]
        matches, turns, cold, memory = figures
        rate = f"{matches:,.1f}" if matches >= 1 else f"{matches:.3f}"
        return f"| {self.name} | {self.isolation} | {rate} | {turns:,.0f} | {cold:.2f} s | {memory:.0f} MiB |"

    def _run(self, command: Sequence[str]) -> str:
        done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=self.folder)
        return done.stdout


class MemoryOfTree:
    """Looks at the memory of all processes below this one, until it is left."""

    def __init__(self) -> None:
        self.most_mib = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> MemoryOfTree:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(LOOK_S):
            self.most_mib = max(self.most_mib, sum(map(pss_mib, below(os.getpid()))))


def below(pid: int) -> list[int]:
    """Return the processes below one."""
    try:
        children = [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return []
    return children + [deeper for child in children for deeper in below(child)]


def pss_mib(pid: int) -> float:
    """Return the proportional set size of a process, 0 for one that has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)


def environment(peer: Peer, folder: Path, python: str) -> str:
    """Return the interpreter of a peer's own environment, which is made if it is not there.

    Raises:
        subprocess.CalledProcessError: the index does not have it, or it cannot be installed.
    """
    home = folder / peer.name.replace(" ", "-")
    interpreter = str(home / "bin/python")
    done = home / "installed"
    if not done.exists():
        print(f"installing {peer.name} into {home}", file=sys.stderr)
        subprocess.run([python, "-m", "venv", str(home)], check=True, capture_output=True, text=True)
        for more, packages in (([], peer.packages), (["--no-deps"], peer.alone)):
            if packages:
                install = [interpreter, "-m", "pip", "install", "-q", *more, *packages]
                subprocess.run(install, check=True, capture_output=True, text=True)
        done.touch()
    return interpreter


def contenders(game: Game, folder: Path, environments: Path, python38: str) -> list[Contender]:
    """Return who plays a game: botleague first."""
    bot = folder / game.file
    bot.write_text(game.bot)
    plugin = str(HERE / "connect_four.py")
    (folder / "botleague.toml").write_text(f'plugins = ["{plugin}"]\n')
    seats = 12 if "botroyale" in game.variant else 2
    ours = [sys.executable, "-c", LOOP.format(program=OURS), str(bot), game.variant, plugin]
    shell = [str(Path(sys.executable).with_name("botleague")), "play", game.variant, *[str(bot)] * seats]
    found = [Contender("**botleague**", "locked-down processes", ours, shell, str(folder))]
    data, steps = fair_files(folder) if "careerfair" in game.variant else ("-", 0)
    for peer in game.peers:
        theirs = Contender(peer.name, peer.isolation, [], [], str(folder))
        found.append(theirs)
        try:
            python = environment(peer, environments, python38 if peer.interpreter else sys.executable)
        except (subprocess.CalledProcessError, OSError) as error:
            theirs.failure = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1][:60]
            continue
        program = LOOP.format(program=f"STEPS = {steps}\n{peer.program}")
        theirs.command = [python, "-c", program, str(bot), game.variant, data]
        theirs.shell = [*theirs.command, "0", "0"]
    return found


def fair_files(folder: Path) -> tuple[str, int]:
    """Write the board and the companies of the career fair as the original reads them; return where, and the steps."""
    from botleague_careerfair.simulation.boards import board_text
    from botleague_careerfair.simulation.companies import companies_of_the_package
    from botleague_careerfair.variants import variants

    variant = next(variant for variant in variants() if variant.name == "careerfair-huge")
    (folder / "board.txt").write_text(board_text(str(variant.config["board"])))
    lines = [f"{name} {size} {value}\n" for name, size, value in companies_of_the_package()]
    (folder / "companies.txt").write_text("".join(lines))
    return str(folder), int(variant.config["moves"])


def machine() -> str:
    """Return what the figures were taken on, and how busy it was."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.machine(),
    )
    return (
        f"{datetime.now(UTC):%d %B %Y}, {len(os.sched_getaffinity(0))} x {model}, {platform.system()} "
        f"{platform.release()}, CPython {platform.python_version()}, load before the run {os.getloadavg()[0]:.1f}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="*", metavar="GAME", help="games by a part of their name")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--environments", type=Path, default=platformdirs.user_cache_path("botleague") / "peers"
    )
    parser.add_argument("--python38", default="python3.8", metavar="PYTHON")
    wanted = parser.parse_args()
    described = machine()
    print(f"{described}\n")
    for game in GAMES:
        if wanted.only and not any(part.lower() in game.name.lower() for part in wanted.only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            playing = contenders(game, Path(folder), wanted.environments, wanted.python38)
            for _ in range(wanted.repeats):
                for one in playing:
                    if not one.failure:
                        one.measure(game.seconds)
        print(f"| {game.name} | isolation | matches/s | turns/s | cold start to result | memory |")
        print("| --- | --- | ---: | ---: | ---: | ---: |")
        for one in playing:
            print(one.row())
        print(flush=True)


if __name__ == "__main__":
    main()
