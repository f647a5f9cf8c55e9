"""Who loses by time that did not take any: a bot that needs 70 % of its limit, on machines that are not at their best.

    python benchmarks/fairness.py [--matches N] [--only NAME]

The honest bot plays matches of Isolation (5 x 5, its usual 150 ms) on a machine that does nothing else, beside eight
busy loops, against a thief that computes in its opponent's turns, and on a machine that stands still for six seconds
about once a match: all processes of the match host are stopped from outside, as freezing a container does. It must
never forfeit. For comparison, the same thief where wall time counts: a loaded machine is the bot's own loss there.

Then two bots that try to gain by time that is not computed: one sleeps, one stops its own process and hopes to be taken
for a paused machine. Both must run out of their own limit in their first turn.

The thief and the one that stops itself are programs after a complete escape: they run without the language layer.
The command ends with exit code 1 if a figure is not as it must be, or if its subject did not happen: by the host's
clocks the honest bot must have needed its time, and the thief must have computed out of turn, in most matches.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from botleague.errors import MachineryError
from botleague.plugins import PluginHost
from botleague.referee import Event, Player, Turn, open_sandbox, play
from botleague.rules import Fault, Variant
from botleague_sandbox import Sandbox
from botleague_sandbox.locks.seccomp import TABLES
from botleague_sandbox.wire.protection_layers import Recipe

VARIANT = "isolation-5x5"
SHARE = 0.7
STOLEN_S = 0.010
"""CPU seconds out of turn, by the host's account, that make a thief of a match's opponent."""
PAUSE_S = 6.0
LOOPS = 8
ENTRY = "my_custom_player.py"

HONEST = """
import time
from sample_players import BasePlayer
class CustomPlayer(BasePlayer):
    def get_action(self, state):
        total, until = 0, time.process_time() + {cpu_s}
        while time.process_time() < until:
            for n in range(1000):
                total += n * n % 7
        actions = state.actions()
        self.queue.put(actions[total % len(actions)])
"""
CALM = "from sample_players import RandomPlayer as CustomPlayer\n"
SLEEPER = (
    "import time\nfrom sample_players import BasePlayer\nclass CustomPlayer(BasePlayer):\n"
    "    def get_action(self, state):\n        time.sleep(3600)\n"
)
THIEF = """
import gc, random, time
from sample_players import BasePlayer
gc.unfreeze()
agent, *_ = [type(one).serve.__globals__ for one in gc.get_objects() if hasattr(type(one), "still_in_time")]
write = agent["_write"]
def then_steal(frame):
    write(frame)
    if frame[5] == 1:
        time.sleep(0.02)
        until = time.process_time() + 0.0165
        while time.process_time() < until:
            pass
class CustomPlayer(BasePlayer):
    def get_action(self, state):
        agent["_write"] = then_steal
        self.queue.put(random.choice(state.actions()))
"""
SELF_STOPPING = """
import ctypes, os, signal
from sample_players import BasePlayer
class CustomPlayer(BasePlayer):
    def get_action(self, state):
        ctypes.CDLL(None).syscall({tgkill}, os.getpid(), os.getpid(), signal.SIGSTOP)
"""


@dataclass
class Tally:
    """What came of the matches of one scenario; ``forfeits`` are of the honest bot, milliseconds of its turns.

    Attributes:
        played: matches in which the honest bot needed its time.
        stolen: matches in which the opponent computed out of turn.
        pauses: how often all processes were stopped.
    """

    matches: int = 0
    played: int = 0
    stolen: int = 0
    pauses: int = 0
    forfeits: int = 0
    others: int = 0
    void: int = 0
    longest_ms: float = 0.0
    slowest_wall_ms: float = 0.0
    reason: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--only", choices=[*SCENARIOS, "gain"])
    options = parser.parse_args()
    variant = PluginHost.load([]).variant(VARIANT)
    honest = HONEST.format(cpu_s=SHARE * variant.time.move_ms / 1000)
    print(f"limit {variant.time.move_ms:g} ms of {variant.time.clock} time, {options.matches} matches each")
    print("                        honest bot                             opponent")
    print("                        forfeits  longest turn  slowest (wall)  forfeits   void")
    bad = 0
    for name in SCENARIOS:
        if options.only in (None, name):
            bad += SCENARIOS[name](variant, honest, options.matches)
    if options.only in (None, "gain"):
        bad += gains(variant)
    return 1 if bad else 0


def idle(variant: Variant, honest: str, matches: int) -> bool:
    return is_bad("idle", in_host(variant, honest, CALM, matches))


def load(variant: Variant, honest: str, matches: int) -> bool:
    with busy_loops(LOOPS):
        return is_bad(f"{LOOPS} busy loops", in_host(variant, honest, CALM, matches))


def thief(variant: Variant, honest: str, matches: int) -> bool:
    tally = in_host(variant, honest, THIEF, matches, unrestricted=True)
    bad = is_bad("a thief", tally) | is_missing("a theft", tally.stolen, tally)
    by_wall = replace(variant, time=replace(variant.time, clock="wall"))
    show("calm, by wall time", in_host(by_wall, honest, CALM, matches, unrestricted=True))
    tally = in_host(by_wall, honest, THIEF, matches, unrestricted=True)
    show("a thief, by wall time", tally)
    return bad | is_missing("a theft", tally.stolen, tally)


def pauses(variant: Variant, honest: str, matches: int) -> bool:
    tally = in_host(variant, honest, CALM, matches, pauses=True)
    return is_bad(f"pauses of {PAUSE_S:g} s", tally) | is_missing("a pause", tally.pauses, tally)


SCENARIOS = {"idle": idle, "load": load, "thief": thief, "pauses": pauses}


def show(name: str, tally: Tally) -> None:
    """Print one line."""
    print(
        f"{name:24}{tally.forfeits:8}  {tally.longest_ms:9.0f} ms  {tally.slowest_wall_ms:11.0f} ms "
        f"{tally.others:9}  {tally.void:5}   {tally.reason}",
        flush=True,
    )


def is_bad(name: str, tally: Tally) -> bool:
    """Print one line; return whether the honest bot forfeited, or did not play."""
    show(name, tally)
    return is_missing("an honest turn of full length", tally.played, tally) | (tally.forfeits > 0)


def is_missing(subject: str, number: int, tally: Tally) -> bool:
    """Report if a subject is missing in half of the matches."""
    if 2 * number > tally.matches:
        return False
    print(f"FAILED: {subject} in only {number} of {tally.matches} matches, so the figures show nothing")
    return True


def gains(variant: Variant) -> int:
    """Play bots that use up time without computing; return how many gained by it."""
    stopping = SELF_STOPPING.format(tgkill=TABLES[os.uname().machine].checked["tgkill"])
    bad = 0
    for name, source in (("sleeps", SLEEPER), ("stops itself", stopping)):
        times: list[float] = []
        with machine(unrestricted=True) as sandbox:
            players = [player(source, "gaining"), player(CALM, "calm")]
            report = play(variant, 1, players, sandbox, partial(note_time, times))
        lost = report.outcome.forfeits == (0,)
        # Any other fault, as of a bot that cannot be loaded, would show nothing. Only a stopped one must be killed.
        did = report.seats[0].faults == {"timeout": 1} and ("killed" in report.outcome.reason) == (
            source is stopping
        )
        bad += not (lost and did)
        took_ms = (times[1] - times[0]) * 1000  # from the first state to the first turn
        print(f"a bot that {name:13} {'forfeits' if lost else 'GAINS'} after {took_ms:.0f} ms")
        if not did:
            print(f"FAILED: it did something else, so this shows nothing: {report.outcome.reason}")
    return bad


def note_time(times: list[float], _event: Event) -> None:
    times.append(time.monotonic())


def in_host(
    variant: Variant,
    honest: str,
    opponent: str,
    matches: int,
    *,
    unrestricted: bool = False,
    pauses: bool = False,
) -> Tally:
    """Play in a process of its own, which is stopped from here now and then if that is wanted."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    host = context.Process(
        target=hold, args=(variant.name, variant.time.clock, honest, opponent, matches, unrestricted, theirs)
    )
    host.start()
    theirs.close()
    chance = Random(1)
    assert host.pid is not None
    tally, stopped = Tally(), 0
    while True:
        if pauses and not ours.poll(0.3 + chance.random()):
            stand_still(host.pid, PAUSE_S)
            stopped += 1
        try:
            received = ours.recv()
        except EOFError:
            break
        tally = received
    host.join()
    if host.exitcode or tally.matches < matches:
        sys.exit(f"the match host ended with code {host.exitcode} after {tally.matches} of {matches} matches")
    return replace(tally, pauses=stopped)


def hold(
    name: str, clock: str, honest: str, opponent: str, matches: int, unrestricted: bool, to: Connection
) -> None:
    """Play matches, with the honest bot on each seat in turn, and send the tally after each."""
    found = PluginHost.load([]).variant(name)
    variant = replace(found, time=replace(found.time, clock="cpu" if clock == "cpu" else "wall"))
    tally = Tally()
    with machine(unrestricted=unrestricted) as sandbox:
        for number in range(matches):
            seat = number % 2
            players = [player(honest, "honest"), player(opponent, "opponent")]
            before = replace(tally)
            watch = watching(tally, before, seat, sandbox, SHARE * variant.time.move_ms)
            for attempt in range(3):
                try:
                    report = play(
                        variant,
                        number,
                        players if seat == 0 else players[::-1],
                        sandbox,
                        watch,
                        decides=attempt == 2,
                    )
                    break
                except MachineryError:
                    tally.void += 1
            tally.matches += 1
            if seat in report.outcome.forfeits:
                tally.forfeits += 1
                tally.reason = report.outcome.reason
            tally.others += 1 - seat in report.outcome.forfeits
            to.send(tally)
    to.close()


def watching(
    tally: Tally, before: Tally, seat: int, sandbox: Sandbox, needed_ms: float
) -> Callable[[Event], None]:
    """Return a watcher of one match.

    It notes the longest turns of a seat, whether they took what they were to take, and whether the opponent computed
    out of turn, by the host's clocks.
    """
    last = time.monotonic()

    def watch(event: Event) -> None:
        nonlocal last
        now = time.monotonic()
        if isinstance(event, Turn) and seat in event.replies:
            reply = event.replies[seat]
            if not isinstance(reply, Fault):
                tally.longest_ms = max(tally.longest_ms, reply.cpu_ms)
                if reply.cpu_ms >= 0.9 * needed_ms:
                    tally.played = before.played + 1
            tally.slowest_wall_ms = max(tally.slowest_wall_ms, (now - last) * 1000)
        if any(bot.name == "opponent" and bot.out_of_turn_s > STOLEN_S for bot in sandbox._bots):
            tally.stolen = before.stolen + 1
        last = now

    return watch


def player(source: str, name: str) -> Player:
    return Player(name, "0" * 64, {ENTRY: source.encode()}, ENTRY)


@contextlib.contextmanager
def machine(*, unrestricted: bool = False) -> Iterator[Sandbox]:
    """Give a sandbox as match hosts have it, without the language layer if that is wanted."""
    with open_sandbox("strong", max(os.sched_getaffinity(0))) as sandbox:
        if unrestricted:
            sandbox._recipe = Recipe(language="unrestricted")
        yield sandbox


@contextlib.contextmanager
def busy_loops(number: int) -> Iterator[None]:
    """Keep the machine busy with so many processes."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
        if any(loop.poll() is not None for loop in loops):
            sys.exit("a busy loop has ended by itself")
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def stand_still(pid: int, seconds: float) -> None:
    """Stop a process and all below it for a time, and let them go on."""
    family = below(pid)
    for one in family:
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGSTOP)
    time.sleep(seconds)
    for one in family:
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGCONT)


def below(pid: int) -> list[int]:
    """Return a process and all its descendants, the youngest first."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    family = [pid]
    for one in family:
        family += [child for child, parent in parents.items() if parent == one]
    return family[::-1]


if __name__ == "__main__":
    sys.exit(main())
