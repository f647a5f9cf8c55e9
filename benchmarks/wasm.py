"""What a bot in WebAssembly costs beside a Python bot, in one run on one core; and what its fuel is worth.

    python benchmarks/wasm.py [--repeat N]
    python benchmarks/wasm.py --matches 1000
    python benchmarks/wasm.py --tournament 50

Starts, turns and memory are those of an empty bot of each kind, interleaved, so that noise of the machine meets both
alike; the ratio is the figure that travels between machines. The search is the same algorithm in both languages, which
visits the same positions: minimax over knight's moves. The compiler is ziglang, of the extra ``test``. A figure whose
subject did not happen, such as an answer that is no answer, ends the run with an error.

With ``--matches`` it plays short matches of Isolation twice instead, between bots that often think until their fuel is
used up, and compares the records byte for byte. Run it on a quiet and on a busy machine. With ``--tournament`` it plays
mirrored pairs of Isolation between the same algorithm in C and in Python, which search ever deeper until their time is
up, and prints what the difference is worth.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from botleague.plugins import PluginHost
from botleague.referee import Player, play, read_record
from botleague_sandbox import Answer, Bot, Deadline, Program, Sandbox
from botleague_sandbox.testing.plain_adapter import ADAPTER
from botleague_sandbox.testing.sandbox_conformance import HARNESS

SMALL = {"turn": 7, "legal": [1, 2, 3], "time": 140}
LARGE = {**SMALL, "board": ["#" + ". o " * 14 + "#" for _ in range(32)]}
DEPTH = 4
BOARD = 11
LIMIT_MS = 60_000
TOURNAMENT_MS = 20.0

MAIN = """
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>
static char line[1 << 20];
%s
int main(void) {
    for (;;) {
        int length = 0;
        do {
            int number = read(0, line + length, sizeof line - 1 - length);
            if (number <= 0) return 1;
            length += number;
        } while (line[length - 1] != '\\n');
        line[length] = 0;
        if (line[9] == 't' && line[10] == 'u') turn();  // {"type":"turn"
        else puts("null");
        fflush(stdout);
    }
}
"""
EMPTY_C = MAIN % 'static void turn(void) { puts("7"); }'
EMPTY_PYTHON = "def move(observation):\n    return 7\n"

SEARCH_C = (
    MAIN
    % """
enum { SIDE = 11, PITCH = 13, CELLS = (SIDE + 4) * PITCH };
static const int steps[8] = {25, 27, 11, 15, -25, -27, -11, -15};
static char closed[CELLS];
static int nodes;
static int ways(int at) {
    int number = 0;
    for (int i = 0; i < 8; i++) number += !closed[at + steps[i]];
    return number;
}
static int search(int mine, int theirs, int depth) {
    nodes++;
    if (!depth) return ways(mine) - ways(theirs);
    int best = -1000;
    for (int i = 0; i < 8; i++) {
        int to = mine + steps[i];
        if (closed[to]) continue;
        closed[to] = 1;
        int value = -search(theirs, to, depth - 1);
        closed[to] = 0;
        if (value > best) best = value;
    }
    return best;
}
static void turn(void) {
    int depth = atoi(strstr(line, "\\"told\\":") + 7);
    memset(closed, 1, sizeof closed);
    for (int y = 0; y < SIDE; y++) for (int x = 0; x < SIDE; x++) closed[(y + 2) * PITCH + x] = 0;
    int mine = 5 * PITCH + 3, theirs = 8 * PITCH + 7;
    closed[mine] = closed[theirs] = 1;
    nodes = 0;
    int value = search(mine, theirs, depth);
    printf("[%d,%d]\\n", nodes, value);
}
"""
)
SEARCH_PYTHON = """
SIDE, PITCH = 11, 13
STEPS = (25, 27, 11, 15, -25, -27, -11, -15)
closed = [1] * ((SIDE + 4) * PITCH)
nodes = 0
def search(mine, theirs, depth):
    global nodes
    nodes += 1
    if not depth:
        return sum(not closed[mine + step] for step in STEPS) - sum(not closed[theirs + step] for step in STEPS)
    best = -1000
    for step in STEPS:
        to = mine + step
        if closed[to]:
            continue
        closed[to] = 1
        value = -search(theirs, to, depth - 1)
        closed[to] = 0
        if value > best:
            best = value
    return best
def move(depth):
    global nodes
    for y in range(SIDE):
        for x in range(SIDE):
            closed[(y + 2) * PITCH + x] = 0
    mine, theirs = 5 * PITCH + 3, 8 * PITCH + 7
    closed[mine] = closed[theirs] = 1
    nodes = 0
    value = search(mine, theirs, depth)
    return [nodes, value]
"""
FIRST_LEGAL_C = (
    MAIN
    % """
static void turn(void) {
    char *from = strstr(line, "\\"legal\\":[") + 9, *to = strchr(from, '}');
    to[1] = 0;
    puts(from);
}
"""
)
LATE_C = (
    MAIN
    % """
static unsigned mixed(void) {
    unsigned hash = 2166136261u;
    for (char *at = line; *at; at++) hash = (hash ^ (unsigned char) *at) * 16777619u;
    return hash;
}
static void turn(void) {
    unsigned hash = mixed();
    volatile unsigned spins = 0;
    char *from = strstr(line, "\\"legal\\":[") + 9, *to = strchr(from, '}');
    while (hash % 11 == 0) spins++;
    to[1] = 0;
    puts(from);
    fflush(stdout);
    while (hash % 5 == 0) spins++;
}
"""
)
DEEPER_C = (
    MAIN
    % """
static const int steps[8] = {25, 11, -15, -27, -25, -11, 15, 27};
static char closed[400], *open_ = closed + 100;
static int ways(int at) {
    int number = 0;
    for (int i = 0; i < 8; i++) number += open_[at + steps[i]];
    return number;
}
static int value(int mine, int theirs, int depth, int alpha, int beta) {
    if (!depth) return ways(mine) - ways(theirs);
    int best = -1000 - depth;
    for (int i = 0; i < 8 && best < beta; i++) {
        int to = mine + steps[i];
        if (!open_[to]) continue;
        open_[to] = 0;
        int worth = -value(theirs, to, depth - 1, -beta, best > alpha ? -best : -alpha);
        open_[to] = 1;
        if (worth > best) best = worth;
    }
    return best;
}
static void turn(void) {
    char *board = strstr(line, "\\"board\\":\\"") + 9, *locs = strstr(line, "\\"locs\\":[") + 8, *second;
    int player = atoi(strstr(line, "\\"player\\":") + 9), both[2], best = 0;
    memset(closed, 0, sizeof closed);
    for (int i = 0; board[i] != '"'; i++) open_[i] = board[i] == '1';
    both[0] = *locs == 'n' ? -1 : atoi(locs);
    second = strchr(locs, ',') + 1;
    both[1] = *second == 'n' ? -1 : atoi(second);
    int mine = both[player], theirs = both[1 - player];
    if (mine < 0 || theirs < 0) {
        int most = -1;
        for (int at = 0; at < 115; at++)
            if (open_[at] && ways(at) > most) most = ways(at), best = at;
        printf("{\\"action\\":%d}\\n", mine < 0 ? best : best - mine);
        if (mine < 0) return;
    }
    for (int depth = 1; depth < 60; depth++) {
        int top = -2000;
        for (int i = 0; i < 8; i++) {
            int to = mine + steps[i];
            if (!open_[to]) continue;
            open_[to] = 0;
            int worth = theirs < 0 ? ways(to) : -value(theirs, to, depth - 1, -2000, -top);
            open_[to] = 1;
            if (worth > top) top = worth, best = steps[i];
        }
        printf("{\\"action\\":%d}\\n", best);
        fflush(stdout);
    }
}
"""
)
DEEPER_PYTHON = """
from sample_players import BasePlayer
STEPS = (25, 11, -15, -27, -25, -11, 15, 27)
open_ = [0] * 400
def ways(at):
    return sum(open_[at + step] for step in STEPS)
def value(mine, theirs, depth, alpha, beta):
    if not depth:
        return ways(mine) - ways(theirs)
    best = -1000 - depth
    for step in STEPS:
        if best >= beta:
            break
        to = mine + step
        if not open_[to]:
            continue
        open_[to] = 0
        worth = -value(theirs, to, depth - 1, -beta, -best if best > alpha else -alpha)
        open_[to] = 1
        if worth > best:
            best = worth
    return best
class CustomPlayer(BasePlayer):
    def get_action(self, state):
        for at in range(400):
            open_[at] = 0
        board = state.board
        for at in range(115):
            open_[100 + at] = board >> at & 1
        mine, theirs = (None if loc is None else 100 + loc for loc in
                        (state.locs[self.player_id], state.locs[1 - self.player_id]))
        if mine is None:
            self.queue.put(max((at for at in range(115) if open_[100 + at]), key=lambda at: ways(100 + at)))
            return
        for depth in range(1, 60):
            top = -2000
            for step in STEPS:
                to = mine + step
                if not open_[to]:
                    continue
                open_[to] = 0
                worth = ways(to) if theirs is None else -value(theirs, to, depth - 1, -2000, -top)
                open_[to] = 1
                if worth > top:
                    top, best = worth, step
            self.queue.put(best)
"""
FIRST_LEGAL_PYTHON = """
from sample_players import BasePlayer
class CustomPlayer(BasePlayer):
    def get_action(self, state):
        self.queue.put(state.actions()[0])
"""


def compiled(source: str, folder: Path) -> bytes:
    (folder / "bot.c").write_text(source)
    command = [
        sys.executable,
        "-m",
        "ziglang",
        "cc",
        "-target",
        "wasm32-wasi",
        "-O3",
        "-s",
        "-o",
        "bot.wasm",
        "bot.c",
    ]
    subprocess.run(command, cwd=folder, check=True)
    return (folder / "bot.wasm").read_bytes()


def guest(module: bytes) -> Program:
    return Program("guest", {"bot.wasm": module}, "bot.wasm", ADAPTER, "wasm", 1)


def python(source: str) -> Program:
    return Program("python", {"bot.py": source.encode()}, "bot.py", HARNESS, random_seed=1)


def start(sandbox: Sandbox, program: Program, memory: str = "match") -> Bot:
    if program.tier != "wasm":
        return sandbox.run(program)
    briefing: Mapping[str, object] = {"seat": 0, "config": {"memory": memory}, "variant": "measured"}
    return sandbox.run(program, briefing, load=Deadline.fuel(2000))


def asked(bot: Bot, observation: object) -> Answer:
    """Return the answer to a turn.

    Raises:
        RuntimeError: the bot gave no answer.
    """
    deadline = Deadline.fuel(LIMIT_MS) if bot.tier == "wasm" else Deadline.cpu(LIMIT_MS)
    reply = bot.ask(observation, deadline)
    if not isinstance(reply, Answer) or reply.warning:
        raise RuntimeError(f"{bot.name} did not answer: {reply}")
    return reply


def interleaved(repeat: int, *actions: Callable[[], float]) -> list[float]:
    """Return the median of each action's figures, each done once in turn."""
    figures = [[action() for action in actions] for _ in range(repeat)]
    return [statistics.median(column) for column in zip(*figures, strict=True)]


def start_ms(sandbox: Sandbox, program: Program) -> float:
    began = time.perf_counter()
    bot = start(sandbox, program)
    took = time.perf_counter() - began
    if asked(bot, SMALL).value != 7:
        raise RuntimeError(f"{program.name} is not the empty bot")
    bot.close()
    return took * 1000


def turn_us(bot: Bot, observation: object, turns: int = 200) -> float:
    began = time.perf_counter()
    for _ in range(turns):
        asked(bot, observation)
    return (time.perf_counter() - began) / turns * 1e6


def memory_mib(bot: Bot) -> tuple[float, float]:
    """Return private and proportional memory of a bot's process.

    Raises:
        RuntimeError: the kernel does not show it.
    """
    try:
        text = Path(f"/proc/{bot.channel.process.pid}/smaps_rollup").read_text()
    except OSError as error:
        raise RuntimeError(f"memory is shown to root only: {error}") from error
    sizes = {name: int(size) / 1024 for name, size in re.findall(r"(?m)^(\w+): +(\d+) kB", text)}
    return sizes["Private_Clean"] + sizes["Private_Dirty"], sizes["Pss"]


def show(
    name: str, figures: Sequence[float], unit: str, target: float | None, *, least: bool = False
) -> None:
    wasm, usual = figures
    ratio = wasm / usual
    wanted = "" if target is None else f" ({'>=' if least else '<='} {target:g})"
    print(f"{name:38} {wasm:10.2f} {usual:10.2f} {unit:9} {ratio:7.2f}{wanted}", flush=True)


def search(sandbox: Sandbox, module: bytes, repeat: int) -> None:
    """Compare the positions that the same search visits in a millisecond of its limit."""
    with start(sandbox, guest(module)) as wasm, start(sandbox, python(SEARCH_PYTHON)) as usual:
        found = [asked(bot, DEPTH).value for bot in (wasm, usual)]
        if found[0] != found[1]:
            raise RuntimeError(f"the two searches are not the same: {found}")
        nodes = found[0][0]  # type: ignore[index]
        units = {asked(wasm, DEPTH).fuel for _ in range(repeat)}
        if len(units) != 1:
            raise RuntimeError(f"the fuel differs: {units}")
        cpu: dict[Bot, list[float]] = {wasm: [], usual: []}
        limit: dict[Bot, list[float]] = {wasm: [], usual: []}
        for _ in range(repeat):
            for bot in (wasm, usual):
                before = bot.usage.cpu_ms
                limit[bot].append(asked(bot, DEPTH).used_ms)
                cpu[bot].append(bot.usage.cpu_ms - before)
        rates = [nodes / statistics.median(limit[bot]) for bot in (wasm, usual)]
        (fuel,) = units
        ns = statistics.median(cpu[wasm]) * 1e6 / (fuel or 1)
    show(f"positions a ms of limit ({nodes:,})", rates, "", 3, least=True)
    print(f"{'CPU time of a unit of fuel':38} {ns:10.2f} {'':10} ns        (1 to 8)")


def matches(sandbox: Sandbox, module: bytes, seconds: float) -> None:
    variant = PluginHost.load().variant("isolation")
    wasm = Player("guest", "1" * 64, {"bot.wasm": module}, "bot.wasm")
    usual = Player("python", "2" * 64, {"bot.py": FIRST_LEGAL_PYTHON.encode()}, "bot.py")
    rates = []
    for player in (wasm, usual):
        number, turns = 0, 0
        report = play(variant, 0, [player, player], sandbox, openings=2)
        began = time.perf_counter()
        while time.perf_counter() - began < seconds:
            number += 1
            report = play(variant, number, [player, player], sandbox, openings=2)
            if any(seat.faults for seat in report.seats) or not read_record(report.record).turns_of(0):
                raise RuntimeError(f"{player.name} does not play: {[seat.faults for seat in report.seats]}")
            turns += report.turns
        rates.append(number / (time.perf_counter() - began))
    show("matches a second of Isolation", rates, "", None)


def repeated(sandbox: Sandbox, module: bytes, number: int) -> None:
    """Play matches twice, and compare them.

    Raises:
        RuntimeError: a record differs, or hardly a turn ended by its fuel.
    """
    usual = PluginHost.load().variant("isolation")
    variant = replace(usual, time=replace(usual.time, move_ms=5))
    players = [Player(name, name[0] * 64, {"bot.wasm": module}, "bot.wasm") for name in ("a late", "b late")]
    faults = warnings = turns = 0
    for seed in range(number):
        first, second = (play(variant, seed, players, sandbox, openings=2) for _ in range(2))
        if first.record != second.record:
            raise RuntimeError(f"match {seed} does not repeat")
        record = read_record(first.record)
        turns += len(record.asked_turns)
        replies = [reply for turn in record.asked_turns for reply in turn.replies]
        if any(reply.fuel is None for reply in replies):
            raise RuntimeError(f"match {seed} has a turn that ended by a clock of the machine")
        faults += sum(reply.fault == "timeout" for reply in replies)
        warnings += sum(reply.detail.startswith("timeout: no answer within ") for reply in replies)
    if faults + warnings < turns / 20:
        raise RuntimeError(f"only {faults} + {warnings} of {turns} turns used all their fuel")
    print(
        f"{number} matches repeat to the byte: {turns:,} turns, {faults:,} time-outs, {warnings:,} cut short"
    )


def tournament(sandbox: Sandbox, module: bytes, pairs: int) -> None:
    """Play mirrored pairs, and print the score of the bot in C with its worth in Elo.

    Raises:
        RuntimeError: a bot has a fault.
    """
    usual_variant = PluginHost.load().variant("isolation")
    variant = replace(usual_variant, time=replace(usual_variant.time, move_ms=TOURNAMENT_MS))
    guest_bot = Player("c", "1" * 64, {"bot.wasm": module}, "bot.wasm")
    usual = Player("python", "2" * 64, {"bot.py": DEEPER_PYTHON.encode()}, "bot.py")
    won = turns = 0
    for seed in range(pairs):
        for players in ([guest_bot, usual], [usual, guest_bot]):
            report = play(variant, seed, players, sandbox, openings=2)
            if any(seat.faults for seat in report.seats):
                raise RuntimeError(f"a bot does not play: {[seat.faults for seat in report.seats]}")
            won += report.outcome.places[players.index(guest_bot)] == 1
            turns += report.turns
    games = 2 * pairs
    share = won / games
    error = 1.96 * math.sqrt(max(share * (1 - share), 1 / games) / games)

    def elo(part: float) -> str:
        return f"{400 * math.log10(part / (1 - part)):+.0f}" if 0 < part < 1 else "no bound"

    span = f"{elo(share - error)} to {elo(share + error)}"
    played = f"{won} of {games} games ({turns / games:.0f} turns, {TOURNAMENT_MS:g} ms each)"
    print(f"C won {played}: {elo(share)} Elo (95 %: {span})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=30, help="repetitions of each figure")
    parser.add_argument("--matches", type=int, default=0, help="play as many matches twice, and nothing else")
    parser.add_argument("--tournament", type=int, default=0, help="mirrored pairs of C and Python alone")
    options = parser.parse_args()
    repeat = options.repeat
    core = min(os.sched_getaffinity(0))
    sources = (EMPTY_C, SEARCH_C, FIRST_LEGAL_C, LATE_C, DEEPER_C)
    with tempfile.TemporaryDirectory() as folder:
        empty, searching, legal, late, deeper = (compiled(source, Path(folder)) for source in sources)
    os.sched_setaffinity(0, {core})
    if options.matches or options.tournament:
        with Sandbox(core=core) as sandbox:
            if options.matches:
                repeated(sandbox, late, options.matches)
            if options.tournament:
                tournament(sandbox, deeper, options.tournament)
        return
    print(f"{'':38} {'wasm':>10} {'python':>10} {'':9} {'ratio':>7} (target)")
    with Sandbox(core=core) as sandbox:
        programs = guest(empty), python(EMPTY_PYTHON)
        for program in programs:
            start_ms(sandbox, program)  # compiled and warm
        starts = interleaved(repeat, *(lambda one=one: start_ms(sandbox, one) for one in programs))
        show("start to ready", starts, "ms", 2)
        with start(sandbox, programs[0]) as wasm, start(sandbox, programs[1]) as usual:
            for name, observation in (("turn, small", SMALL), ("turn, 2 KB", LARGE)):
                bots = (wasm, usual)
                times = interleaved(
                    repeat, *(lambda bot=bot, told=observation: turn_us(bot, told) for bot in bots)
                )
                show(name, times, "us", 3)
            (private, pss), (usual_private, usual_pss) = memory_mib(wasm), memory_mib(usual)
            show("private memory", (private, usual_private), "MiB", 2.5)
            show("proportional memory", (pss, usual_pss), "MiB", 2)
        with start(sandbox, programs[0], "turn") as fresh, start(sandbox, programs[0]) as wasm:
            times = interleaved(repeat, lambda: turn_us(fresh, SMALL), lambda: turn_us(wasm, SMALL))
            show("turn of a fresh instance, empty turns", times, "us", 20)
        search(sandbox, searching, max(3, repeat // 6))
        matches(sandbox, legal, repeat / 6)


if __name__ == "__main__":
    main()
