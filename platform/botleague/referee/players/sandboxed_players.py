"""Players that are untrusted bots, each in its own sandboxed process for the whole match.

This module converts the sandbox's answers and failures to moves and faults, and time controls to deadlines.
"""

from __future__ import annotations

import hashlib
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from botleague.errors import BotleagueError, MachineryError, PluginError, UsageError
from botleague.referee.journals.journal import BEFORE, JournalWriter
from botleague.referee.journals.profiles import NOTHING, Measures, SeatProfile, read_profile, stretched
from botleague.referee.players.player import Player
from botleague.rules import MAX_TURNS, Fault, Move, Reply, TimeControl, Variant, wasm_of
from botleague_sandbox import (
    MAX_FINDING,
    Answer,
    Bot,
    Crashed,
    Deadline,
    Failure,
    Finding,
    HarnessFailure,
    Limits,
    MachineryFailure,
    Profile,
    Program,
    Rejected,
    Request,
    Sandbox,
    SandboxError,
    ask_together,
    close_together,
    missing_engine,
)

SCIENTIFIC = ("numpy", "networkx")
"""Packages of the scientific tier."""

MAX_RESTARTS = 3
"""Maximum number of restarts of a dead bot per match; each start has the time limits of the first."""

WASM_CPU_SHARE = 20
"""CPU time of a WebAssembly bot per time limit, at most; its limits count fuel, and first lines are repeated."""

MAX_CPU_S = 1_000_000_000
"""Maximum limit of CPU time in seconds; the kernel counts nanoseconds in 64 bits."""


Phase: TypeAlias = Literal["load", "brief", "turn"]

Charge: TypeAlias = Callable[[int, Phase, float], object]
"""Takes the seat, the phase, and the milliseconds that the bot's clock charges for it."""


def error_of(failure: SandboxError) -> BotleagueError:
    """Return a failure of the sandbox, which is never the bot's fault, as an error of a plugin or of the machine."""
    return (PluginError if isinstance(failure, HarnessFailure) else MachineryError)(str(failure))


class SeatUsage(msgspec.Struct, frozen=True):
    """Resources of one seat in a match: milliseconds, bytes, and the encoded journal."""

    cpu_ms: float = 0.0
    wall_ms: float = 0.0
    peak_memory: int = 0
    journal: bytes = b""
    layers: tuple[str, ...] = ()


class SandboxedPlayers:
    """All players of one match, each in a sandbox. As a context manager, it ends their processes on exit.

    Args:
        seats: the players' seats, ascending; None for all seats of the match.
        match_seats: number of seats of the match; None for that of the players.
        decides: if a pause of the machine leaves a turn undecided, use the clocks. False: raise
            MachineryFailure, because the fault is not the bot's.
        measures: additional measurements of seats.
        charge: called with the time charged to each seat; its exceptions end the match. None for no call.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        variant: Variant,
        players: Sequence[Player],
        seed: int,
        *,
        seats: Sequence[int] | None = None,
        match_seats: int | None = None,
        decides: bool = False,
        measures: Measures = NOTHING,
        charge: Charge | None = None,
    ) -> None:
        for player in players:
            _require_packages(player, variant)
        self._decides = decides
        self.findings: tuple[Finding, ...] = ()
        """Findings of the language policy about the first refused bot."""
        self._sandbox = sandbox
        if measures.profile:
            variant = replace(variant, time=stretched(variant.time))
        self._variant = variant
        self._measures = measures
        self._charge = charge
        self._turn = BEFORE
        self._match_seats = len(players) if match_seats is None else match_seats
        numbers = range(len(players)) if seats is None else seats
        self._seats = {
            number: _Seat(number, player, _Clock(variant.time, player.is_wasm), bot_seed(seed, number))
            for number, player in zip(numbers, players, strict=True)
        }

    def __enter__(self) -> SandboxedPlayers:
        return self

    def __exit__(self, *_: object) -> None:
        close_together([seat.bot for seat in self._seats.values() if seat.bot is not None])

    def declare(self) -> list[object | Fault]:
        """Start all bots at the same time and return their declarations."""
        return self._start(list(self._seats.values()))

    def brief(self, briefs: Mapping[int, object]) -> dict[int, Fault]:
        """Send each seat its briefing; return the faults of the seats that failed."""
        faults = {}
        for number, brief in briefs.items():
            seat = self._seats[number]
            seat.briefing = brief
            fault = self._brief(seat)
            if fault is not None:
                faults[number] = fault
        return faults

    def pass_turn(self) -> None:
        """Count a turn of the match without requests, for the turn numbers of journals."""
        self._turn += 1

    def ask(self, questions: Mapping[int, object]) -> dict[int, Reply]:
        """Request moves from several seats at the same time."""
        self.pass_turn()
        replies: dict[int, Reply] = {}
        acting: list[_Seat] = []
        for number in questions:
            seat = self._seats[number]
            fault = self._revive(seat)
            if fault is not None:
                replies[number] = fault
            else:
                acting.append(seat)
        answers = self._ask(acting, questions)
        if self._variant.time.clock == "wall":
            late = [seat for seat in acting if _is_late(answers[seat.number]) and not seat.player.is_wasm]
            if late and self._stop_who_computed(questions):
                # The bot lost the time to another bot, so neither the answer nor a resulting kill counts.
                faults = {seat.number: self._start_anew(seat) for seat in late if not _is_alive(seat)}
                replies.update({number: fault for number, fault in faults.items() if fault is not None})
                answers.update(self._ask([seat for seat in late if _is_alive(seat)], questions))
        for seat in acting:
            answer = answers[seat.number]
            seat.note(self._turn, answer, with_memory=seat.number in self._measures.memory)
            if seat.number not in replies:
                seat.clock.turn_ended(answer)
                replies[seat.number] = as_reply(answer)
        return replies

    def stop(self, seat: int) -> None:
        """End the process of a seat's bot, as a kill does; only some variants start it again."""
        if (bot := self._seats[seat].bot) is not None:
            bot.close()

    def chosen(self) -> list[tuple[str, tuple[str, ...]]]:
        """Return the chosen bot of each seat's entry module and the names of the others, as the bots report them."""
        seats = self._seats.values()
        return [("", ()) if seat.bot is None else (seat.bot.chosen, seat.bot.others) for seat in seats]

    def usage(self) -> list[SeatUsage]:
        """Return the resources that each seat has used so far."""
        return [seat.usage() for seat in self._seats.values()]

    def profiles(self) -> list[SeatProfile | None]:
        """Return the profile of each seat; None without a request for it, or if the bot's process has ended."""
        deadline = Deadline.cpu(self._variant.time.brief_ms)
        return [
            read_profile(seat.bot.profile(deadline), seat.asked)
            if seat.number in self._measures.profile and seat.bot is not None
            else None
            for seat in self._seats.values()
        ]

    def _ask(self, seats: Sequence[_Seat], questions: Mapping[int, object]) -> dict[int, Answer | Failure]:
        together = [
            (seat.bot, questions[seat.number], seat.clock.deadline(), self._variant.move_type)
            for seat in seats
            if seat.bot is not None
        ]
        answers = ask_together(together)
        if self._charge is not None:
            for seat, answer in zip(seats, answers, strict=True):
                self._charge(seat.number, "turn", answer.used_ms)
        return {seat.number: self._decided(answer) for seat, answer in zip(seats, answers, strict=True)}

    def _decided(self, answer: Answer | Failure) -> Answer | Failure:
        """Return the answer if no pause of the machine makes it doubtful.

        Raises:
            MachineryFailure: a pause does; the match may be played again.
        """
        if answer.is_undecided and not self._decides:
            raise MachineryFailure(
                "The machine stalled during a bot's turn, so the time limit could not be checked. "
                "The match does not count; play it again."
            )
        return answer

    def _stop_who_computed(self, questions: Mapping[int, object]) -> bool:
        """Stop bots that compute outside their turn; return whether there was one."""
        seats = self._seats.values()
        resting = [seat.bot for seat in seats if seat.number not in questions and seat.bot is not None]
        stopped = [bot for bot in resting if bot.stop_if_computing()]
        return bool(stopped)

    def _start(self, seats: Sequence[_Seat]) -> list[object | Fault]:
        """Start bots together; return each declaration, or the fault that excludes the seat."""
        started = self._sandbox.run_together(
            [
                _request(
                    seat.player,
                    self._variant,
                    seat.number,
                    self._match_seats,
                    seat.random_seed,
                    profiled=seat.number in self._measures.profile,
                    out_of_turn_s=seat.out_of_turn_s,
                )
                for seat in seats
            ]
        )
        declared = [self._declared(seat, came_up) for seat, came_up in zip(seats, started, strict=True)]
        for seat, came_up in zip(seats, started, strict=True):
            if self._charge is not None and not isinstance(came_up, Rejected):
                used_ms = came_up.load_ms if isinstance(came_up, Bot) else came_up.failure.used_ms
                self._charge(seat.number, "load", used_ms)
        return declared

    def _declared(self, seat: _Seat, came_up: Bot | Rejected | Crashed) -> object | Fault:
        if isinstance(came_up, Rejected):
            self.findings = self.findings or came_up.findings
            return Fault("rejected", describe_findings(came_up.findings))
        if isinstance(came_up, Crashed):
            if came_up.notes is not None:
                seat.journal.said(self._turn, came_up.notes)
            self._decided(came_up.failure)
            return _load_fault(came_up)
        seat.bot = came_up
        seat.asked.clear()
        seat.listen(self._turn)
        if self._variant.declaration_type is None:
            return None
        try:
            declared: object = came_up.declaration(self._variant.declaration_type)
        except Crashed as crash:
            return _load_fault(crash)
        return declared

    def _brief(self, seat: _Seat) -> Fault | None:
        if seat.bot is None:
            return None
        time = self._variant.time
        answer = seat.bot.brief(seat.briefing, _deadline(seat.player, time.brief_ms, time.grace_ms))
        seat.listen(self._turn)
        if self._charge is not None:
            self._charge(seat.number, "brief", answer.used_ms)
        reply = as_reply(self._decided(answer))
        return reply if isinstance(reply, Fault) else None

    def _revive(self, seat: _Seat) -> Fault | None:
        """Restart a dead bot if the variant allows it; return a fault if that fails."""
        if seat.bot is None:
            return Fault("crash", "The bot failed to start.")
        if seat.bot.is_alive or not self._variant.restart_after_death:
            return None
        if seat.restarts == MAX_RESTARTS:
            return Fault("crash", f"The bot died again after {MAX_RESTARTS} restarts, the maximum per match.")
        seat.restarts += 1
        return self._start_anew(seat)

    def _start_anew(self, seat: _Seat) -> Fault | None:
        seat.retire(self._turn)
        (declared,) = self._start([seat])
        return declared if isinstance(declared, Fault) else self._brief(seat)


def _is_late(answer: Answer | Failure) -> bool:
    return isinstance(answer, Failure) and answer.kind == "timeout"


def _is_alive(seat: _Seat) -> bool:
    return seat.bot is not None and seat.bot.is_alive


def _load_fault(crash: Crashed) -> Fault:
    return Fault(crash.failure.kind, f"while loading: {crash.failure.detail}", crash.failure.cpu_ms)


def open_sandbox(
    profile: Profile, core: int | None, *, spares: bool = False, stored: Path | None = None
) -> Sandbox:
    """Return a sandbox for matches of this process.

    Args:
        profile: the sandbox profile.
        core: processor for this process from now on, and for its bots while they answer: they communicate
            constantly, which takes several times longer between two processors. None for no preference.
        spares: start processes in advance for the bots of the next match; for many matches.
        stored: folder in which checked programs are cached for later processes, None for no cache.
    """
    cores = os.sched_getaffinity(0) if core is not None else ()
    if core is not None:
        os.sched_setaffinity(0, {core})
    return Sandbox(profile=profile, core=core, starting_cores=cores, spares=spares, stored=stored, tell=_tell)


def _tell(text: str) -> None:
    if sys.stderr.isatty():
        print(text, file=sys.stderr, flush=True)


def as_reply(answer: Answer | Failure) -> Reply:
    """Convert the sandbox's answer to a reply for the rules."""
    if isinstance(answer, Answer):
        return Move(answer.value, answer.cpu_ms, answer.warning, answer.fault, answer.fuel)
    return Fault(answer.kind, answer.detail, answer.cpu_ms, answer.fuel)


def findings_in(player: Player, variant: Variant, sandbox: Sandbox) -> tuple[Finding, ...]:
    """Return the language policy's findings about a bot for a variant, without running the bot.

    Raises:
        Crashed: its source crashed the checker.
        SandboxError: this machine failed.
        UsageError: packages that the variant's bots may import are not installed.
    """
    _require_packages(player, variant)
    return sandbox.examine(_request(player, variant, seat=0, seats=variant.seats.least))


def _request(
    player: Player,
    variant: Variant,
    seat: int,
    seats: int,
    random_seed: int | None = None,
    *,
    profiled: bool = False,
    out_of_turn_s: float = 0.0,
) -> Request:
    briefing: dict[str, object] = {"seat": seat, "seats": seats, "config": dict(variant.config)}
    if player.is_wasm:
        briefing["variant"] = variant.name
    return Request(
        program_of(player, variant, random_seed),
        briefing,
        _deadline(player, variant.time.load_ms, variant.time.grace_ms),
        limits_of(variant, is_wasm=player.is_wasm),
        profiled,
        out_of_turn_s,
    )


def program_of(player: Player, variant: Variant, random_seed: int | None = None) -> Program:
    """Return the sandbox's program for ``player`` in ``variant``."""
    entry, choice = player.started
    if player.is_wasm:
        return Program(player.name, player.files, entry, wasm_of(variant).adapter, "wasm", random_seed)
    made = (player.name, player.files, entry, variant.harness, variant.tier)
    imports = "lenient" if player.imports == "lenient" else variant.imports
    return Program(*made, random_seed, imports=imports, choice=choice)


def _deadline(player: Player, limit_ms: float, grace_ms: float) -> Deadline:
    return Deadline.fuel(limit_ms) if player.is_wasm else Deadline.cpu(limit_ms, grace_ms)


def limits_of(variant: Variant, *, is_wasm: bool = False) -> Limits:
    """Return the sandbox's limits for a variant."""
    # The memory of WebAssembly bots is the same everywhere: where it ends, their fuel changes.
    memory = None if is_wasm else variant.memory_mib
    match_cpu_s = _match_cpu_s(variant.time)
    return Limits(
        memory_bytes=None if memory is None else memory * 1024 * 1024,
        match_cpu_s=min(WASM_CPU_SHARE * match_cpu_s, MAX_CPU_S) if is_wasm else match_cpu_s,
        # Error reports use the same frames and are longer than the answers of many games.
        reply_bytes=max(Limits().reply_bytes, variant.reply_bytes),
        # An anytime bot sends many proposals: early ones must not use up the room of the last.
        proposal_bytes=max(64 * 1024, 16 * variant.reply_bytes),
        question_bytes=max(1024 * 1024, 2 * variant.reply_bytes),
    )


def _match_cpu_s(time: TimeControl) -> int:
    """Return an upper bound in seconds on the CPU time of a process within its time control, plus 10."""
    # Rules do not declare the number of turns, so the bound is the general maximum.
    turn_ms = time.move_ms + time.increment_ms + time.grace_ms
    match_ms = time.load_ms + time.brief_ms + (time.first_move_ms or 0.0) + time.bank_ms + MAX_TURNS * turn_ms
    return min(math.ceil(match_ms / 1000) + 10, MAX_CPU_S)


def describe_findings(findings: Sequence[Finding]) -> str:
    """Return the findings as lines of ``file, line N: reason``."""
    return "\n".join(
        (f"{item.file}, line {item.line}: {item.message}" if item.line else f"{item.file}: {item.message}")[
            :MAX_FINDING
        ]
        for item in findings
    )


def _require_packages(player: Player, variant: Variant) -> None:
    """Raise UsageError if packages are not installed: the engine of WebAssembly bots, or what others may import."""
    if player.is_wasm:
        if reason := missing_engine():
            raise UsageError(f"{player.name} is a WebAssembly bot. {reason}")
        return
    missing = [name for name in SCIENTIFIC if variant.tier == "scientific" and find_spec(name) is None]
    if missing:
        raise UsageError(
            f"Bots of {variant.name} may import {' and '.join(missing)}, but this machine lacks it. "
            f"Run: pip install {' '.join(missing)}"
        )


def bot_seed(seed: int, seat: int) -> int:
    """Return the seed of the ``random`` module in a bot's process, computed from match seed and seat alone."""
    # Hashed, because a bot can print its random state, and its author could search for the match seed.
    return int.from_bytes(hashlib.sha256(f"{seed}/{seat}".encode()).digest()[:4], "big")


class _Seat(msgspec.Struct):
    """State of one seat during a match: its current process, its turns, and the resources of earlier processes."""

    number: int
    player: Player
    clock: _Clock
    random_seed: int
    bot: Bot | None = None
    briefing: object = None
    restarts: int = 0
    out_of_turn_s: float = 0.0
    asked: list[int] = msgspec.field(default_factory=list)
    used: list[SeatUsage] = msgspec.field(default_factory=list)
    journal: JournalWriter = msgspec.field(default_factory=JournalWriter)

    def note(self, turn: int, answer: Answer | Failure, *, with_memory: bool) -> None:
        """Add the duration of a turn to the journal, with the bot's output and drawings."""
        # None: the bot was stopped in this turn and did not start again.
        proposals = self.bot.proposals if self.bot is not None else 0
        self.journal.asked(turn, answer.cpu_ms, answer.wall_ms, proposals)
        self.asked.append(turn)
        if with_memory and self.bot is not None:
            self.journal.peaked(turn, self.bot.usage.peak_memory_bytes // 1024)
        self.listen(turn)

    def listen(self, turn: int) -> None:
        """Add the bot's output since the last call."""
        notes = self.bot.take_notes() if self.bot is not None else None
        if notes is not None:
            self.journal.said(turn, notes)

    def retire(self, turn: int) -> None:
        """End the current process and store its resources."""
        if self.bot is not None:
            self.listen(turn)
            self.used.append(_usage(self.bot))
            self.out_of_turn_s = self.bot.out_of_turn_s
            self.bot.close()
            self.bot = None

    def usage(self) -> SeatUsage:
        parts = [*self.used, _usage(self.bot)] if self.bot is not None else self.used
        return SeatUsage(
            cpu_ms=sum(part.cpu_ms for part in parts),
            wall_ms=sum(part.wall_ms for part in parts),
            peak_memory=max((part.peak_memory for part in parts), default=0),
            journal=self.journal.encode(),
            layers=parts[-1].layers if parts else (),
        )


def _usage(bot: Bot) -> SeatUsage:
    used = bot.usage
    return SeatUsage(used.cpu_ms, used.wall_ms, used.peak_memory_bytes, layers=bot.layers)


@dataclass(slots=True)
class _Clock:
    """A seat's clock: its bank, and whether its first turn is still to come."""

    control: TimeControl
    is_fuel: bool = False
    bank_ms: float = field(init=False)
    is_first: bool = True
    _last: tuple[float, float, Deadline] | None = None  # Most turns have the same limit as the previous one.

    def __post_init__(self) -> None:
        self.bank_ms = self.control.bank_ms

    @property
    def allowance_ms(self) -> float:
        """Time limit of this turn without the bank, in milliseconds."""
        first = self.control.first_move_ms
        return first if self.is_first and first is not None else self.control.move_ms

    def deadline(self) -> Deadline:
        """Return the deadline of the coming turn."""
        limit, bank = self.allowance_ms + self.bank_ms, self.bank_ms
        if self._last is None or self._last[:2] != (limit, bank):
            make = Deadline.cpu if self.control.clock == "cpu" else Deadline.wall
            deadline = Deadline.fuel(limit) if self.is_fuel else make(limit, self.control.grace_ms)
            self._last = limit, bank, msgspec.structs.replace(deadline, bank_ms=bank)
        return self._last[2]

    def turn_ended(self, answer: Answer | Failure) -> None:
        """Take time beyond the allowance from the bank; add the increment if the turn was in time."""
        over_ms = answer.used_ms - self.allowance_ms
        if over_ms > 0:
            self.bank_ms = max(0.0, self.bank_ms - over_ms)
        if isinstance(answer, Answer):
            self.bank_ms += self.control.increment_ms
        self.is_first = False
