"""Time of a bot's turns by function: counted inside its process, and only the process's own claim.

The interpreter's profiler runs while the harness answers, and is read before the answer is sent, in the bot's own time.
What it counted stays here until the host asks for it once, after the last turn.
"""

from __future__ import annotations

import time
from _lsprof import Profiler, profiler_entry
from collections.abc import Collection, Sequence
from types import CodeType
from typing import Any

import msgspec

FUNCTIONS = 40
"""Number of functions reported per match, those with the most time of their own."""

SLOWEST, SLOWEST_FUNCTIONS = 5, 5
"""Number of slowest turns reported, and of functions in each."""

NAME_CHARS = 80

OWN = "<botleague_sandbox"
"""File name of the sandbox's own code here, which guards what a bot does with names and items."""

Place = tuple[str, int, str]
"""A function: its file or module, its line and its name."""

Times = list[float]
"""Number of calls, seconds of its own, and seconds including its callees."""


class TurnProfiler:
    """Counts turn by turn.

    Args:
        files: of the program; functions of other code are named by their modules.
    """

    def __init__(self, files: Collection[str]) -> None:
        self._files = files
        # By CPU time, as limits count: by the wall clock a function that waits for a core would seem slow. A bot has
        # one thread, and the kernel keeps a process's own clock, under a limit of its CPU time, by the tick only.
        self._profiler = Profiler(time.thread_time_ns, 1e-9)
        self._functions: dict[Place, Times] = {}
        self._slowest: list[tuple[float, int, dict[Place, Times]]] = []
        self._turns = 0

    def begin(self) -> None:
        """Count from now on."""
        self._profiler.enable()

    def end(self) -> None:
        """Stop counting; the turn is over."""
        self._profiler.disable()
        turn: dict[Place, Times] = {}
        for entry in self._profiler.getstats():
            _add(turn, self._place(entry), (entry.callcount, entry.inlinetime, entry.totaltime))
        self._profiler.clear()
        for place, times in turn.items():
            _add(self._functions, place, times)
        took_s = sum(own_s for _, own_s, _ in turn.values())
        self._slowest = sorted([*self._slowest, (took_s, self._turns, turn)], key=_by_time)[:SLOWEST]
        self._turns += 1

    def told(self) -> bytes:
        """Return what was counted, as MessagePack; :mod:`botleague.referee.journals.profiles` reads it."""
        slowest = [
            (number, round(took_s * 1000, 3), _most(turn, SLOWEST_FUNCTIONS))
            for took_s, number, turn in self._slowest
        ]
        total_ms = sum(own_s for _, own_s, _ in self._functions.values()) * 1000
        content = (self._turns, round(total_ms, 3), _most(self._functions, FUNCTIONS), slowest)
        return msgspec.msgpack.encode(content)

    def _place(self, entry: profiler_entry) -> Place:
        code: Any = entry.code
        if isinstance(code, str):  # of a builtin, with an address where it is a method of one object
            return (
                "",
                0,
                code.partition(" at 0x")[0].strip("<>").removeprefix("built-in method ")[:NAME_CHARS],
            )
        if code.co_filename in self._files:
            return code.co_filename, code.co_firstlineno, _name(code)
        if code.co_filename.startswith(OWN):
            return "", 0, "checks of the sandbox"
        return code.co_filename.strip("<>"), 0, _name(code)


def most_costly_turns(used: Sequence[int], units_per_ms: int) -> bytes:
    """Return the fuel of a WebAssembly program's turns in the form of :meth:`TurnProfiler.told`.

    Args:
        used: units of fuel, turn by turn.
        units_per_ms: units in a millisecond.
    """
    times = [round(units / units_per_ms, 3) for units in used]
    slowest = sorted(range(len(times)), key=lambda number: -times[number])[:SLOWEST]
    turns = [(number, times[number], [_guest(1, times[number])]) for number in slowest]
    return msgspec.msgpack.encode((len(times), sum(times), [_guest(len(times), sum(times))], turns))


def _guest(calls: int, ms: float) -> tuple[str, int, str, int, float, float]:
    return ("", 0, "WebAssembly module, in fuel", calls, round(ms, 3), round(ms, 3))


def _name(code: CodeType) -> str:
    return code.co_qualname.replace(".<locals>", "")[:NAME_CHARS]


def _by_time(turn: tuple[float, int, dict[Place, Times]]) -> float:
    return -turn[0]


def _add(functions: dict[Place, Times], place: Place, times: Collection[float]) -> None:
    entry = functions.setdefault(place, [0, 0.0, 0.0])
    for number, value in enumerate(times):
        entry[number] += value


def _most(functions: dict[Place, Times], number: int) -> list[tuple[Any, ...]]:
    most = sorted(functions.items(), key=lambda item: -item[1][1])[:number]
    return [
        (*place, int(calls), round(own_s * 1000, 3), round(all_s * 1000, 3))
        for place, (calls, own_s, all_s) in most
    ]
