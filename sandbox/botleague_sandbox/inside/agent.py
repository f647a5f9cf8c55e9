"""The trusted code inside the bot's process: takes questions from the host and calls harness and bot.

It runs after the lock-down, so it can open nothing and import nothing. Whatever it reports is only the bot's own
claim once the bot's code has run: the host keeps its own clocks and believes nothing else.

The interrupt is an exception that the SIGUSR1 handler raises, but only while code of harness or bot runs, so that
a frame on its way to the host is never cut. The language layer calls :meth:`Agent.still_in_time` wherever a bot
could swallow the exception. SANDBOX.md, section 9.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import time
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, TypeAlias

from botleague_sandbox.inside.botdraw import MODULE, Canvas
from botleague_sandbox.inside.tracebacks import bot_frames
from botleague_sandbox.inside.turn_profile import TurnProfiler
from botleague_sandbox.locks.lockdown import READ_FD, WRITE_FD
from botleague_sandbox.wire.program import MAX_FINDING, Limits, Program, Rejected, Tier
from botleague_sandbox.wire.protocol import (
    ANSWER,
    ASK,
    BRIEF,
    CHECK,
    FAILED,
    INTERRUPTED,
    OUTPUT,
    OUTPUTS,
    PROFILE,
    PROPOSE,
    REJECTED,
    UNSENDABLE,
    BotSide,
    Question,
)
from botleague_sandbox.wire.safe_text import CUT

READ_BYTES = 1 << 16
PACES = 30  # after the first half of the frames, provisional moves are this many to a limit
PACE_OUTPUT_S = 0.02
FINDINGS = 20
collect_garbage = gc.enable  # once a turn each: a name is quicker than an attribute
leave_garbage = gc.disable
UNSENDABLE_ERRORS = (TypeError, ValueError, OverflowError, RecursionError, MemoryError)


MakeLanguage: TypeAlias = Callable[..., Any]


class Interrupted(BaseException):
    """The deadline has passed. Bots cannot keep it from ending their turn."""


class TurnClock:
    """Clock and messages of a harness during one question; see ``TurnClock`` of the harness contract."""

    __slots__ = ("_clock", "_started", "bank_ms", "limit_ms", "propose")

    def __init__(self, propose: Callable[[object], None]) -> None:
        self.propose = propose
        self.limit_ms = self.bank_ms = 0.0
        self._clock = time.monotonic
        self._started = 0.0

    def start(self, limit_ms: float, cpu_s: float | None, bank_ms: float = 0.0) -> None:
        """Begin the next question: one object serves them all."""
        self.limit_ms, self.bank_ms = limit_ms, bank_ms
        if cpu_s is None:
            self._clock, self._started = time.monotonic, time.monotonic()
        else:
            self._clock, self._started = time.process_time, cpu_s

    def elapsed_ms(self) -> float:
        """Return the milliseconds used so far, by the clock that counts."""
        return (self._clock() - self._started) * 1000


class Agent:
    """One bot in its process.

    Args:
        limits: for output, proposals and answers.
        tier: import tier of its program.
        make_language: the language layer, called with tier, harness modules, ``write`` and ``still_in_time``.
        harness: the trusted code that runs with the bot.
        modules: what the harness offers.
    """

    def __init__(
        self,
        limits: Limits,
        tier: Tier,
        make_language: MakeLanguage,
        harness: Any,
        modules: Mapping[str, Mapping[str, object]],
    ) -> None:
        self._turn = TurnClock(self.propose)
        self._error_bytes = limits.error_bytes
        self._turn_output_bytes = limits.turn_output_bytes
        self._proposals, self._proposal_bytes = limits.proposals, limits.proposal_bytes
        self._wire = BotSide(limits.reply_bytes)
        self._harness = harness
        self._program: Program | None = None
        self._canvas = Canvas(limits.drawing_bytes)
        self._language = make_language(
            tier,
            {MODULE: self._canvas.module(), **modules},
            write=self.write,
            still_in_time=self.still_in_time,
        )
        self._drawings = self._canvas.shapes
        self._output: list[str] = []
        self._output_room = 0
        self._match_output_room = limits.match_output_bytes
        self._output_sent_at = 0.0
        self._outputs_left = 0
        self._held_proposal = b""
        self._proposed_at = 0.0
        self._proposals_left = 0
        self._proposal_room = 0
        self._profiler: TurnProfiler | None = None
        self._answered: object = None  # until the next question: taking it apart may run code of the bot
        self._in_bot = False  # code of harness or bot runs: the interrupt may raise
        self._interrupted = False

    # --- the loop -------------------------------------------------------------------------------------------

    def send(self, kind: int, value: object, output: str = "") -> None:
        """Write one message to the host."""
        self._emit(self._wire.say(kind, value, output))

    def serve(self) -> None:
        """Answer the host's questions until it closes the pipe."""
        while data := os.read(READ_FD, READ_BYTES):
            self.take(data)

    def take(self, data: bytes) -> None:
        """Take bytes of the host, and answer the question that they complete."""
        question = self._wire.receive(data)
        if question is not None:
            self._answer(question)

    def on_interrupt(self, signal_number: int, frame: FrameType | None) -> None:
        """Handle SIGUSR1: the deadline of the present question has passed."""
        if self._wire.state in ("asked", "loading"):
            self._interrupted = True
            if self._in_bot:
                raise Interrupted

    def still_in_time(self) -> None:
        """Raise the interrupt again if the turn is over."""
        if self._interrupted and self._in_bot:
            raise Interrupted

    def _emit(self, frame: bytes) -> None:
        _write(frame)

    # --- questions ------------------------------------------------------------------------------------------

    def _answer(self, question: Question) -> None:
        self._interrupted = False
        if self._output_room != self._turn_output_bytes:
            self._output_room = min(self._turn_output_bytes, self._match_output_room)
        self._outputs_left = OUTPUTS
        turn = self._turn
        turn.start(question.limit_ms, question.cpu_s, question.bank_ms)
        if question.kind == ASK:
            self._proposals_left, self._proposal_room = self._proposals, self._proposal_bytes
            kind, value = self._asked(question.value, turn)
        elif question.kind == BRIEF:
            self._proposals_left = 0
            kind, value = self._guarded(self._harness.briefed, question.value, turn)
        elif question.kind == PROFILE:
            kind, value = ANSWER, b"" if self._profiler is None else self._profiler.told()
        elif question.kind == CHECK:
            kind, value = self._guarded(self._check, question.value)
        else:
            kind, value = self._guarded(self._load, question.value, turn)
        if kind == FAILED:
            kind, value = self._describe(value)
        if self._held_proposal:
            self._send_proposal(self._held_proposal)
        drawn = self._drawn() if self._drawings else b""
        output = self._take_output() if self._output else ""
        try:
            frame = self._wire.say(kind, value, output, drawn)
        except BaseException as error:  # encoding may run methods of the bot, which raise anything
            frame = self._wire.say(*self._unsendable(error), output, drawn)
        self._emit(frame)
        self._answered = value

    def _asked(self, observation: object, turn: TurnClock) -> tuple[int, object]:
        if self._profiler is None:
            return self._guarded(self._harness.answer, observation, turn)
        self._profiler.begin()
        try:
            return self._guarded(self._harness.answer, observation, turn)
        finally:
            self._profiler.end()

    def _drawn(self) -> bytes:
        """Return the drawings of this question, also of one that was interrupted."""
        try:
            return self._canvas.take()
        except BaseException:  # raised by a class of the bot's own, of which it drew a value
            return b""

    def _describe(self, error: object) -> tuple[int, object]:
        """Return the final message about an error: its class and text may be the work of the bot's own methods."""
        kind, text = self._guarded(bot_frames, error, self._program, self._error_bytes)
        if kind == INTERRUPTED:
            return INTERRUPTED, None
        return FAILED, text if kind == ANSWER else "an exception that cannot be shown"

    def _unsendable(self, error: BaseException) -> tuple[int, object]:
        """Return the final message about an answer that cannot be encoded."""
        if isinstance(error, UNSENDABLE_ERRORS):
            kind, text = self._guarded(_why_unsendable, error)
            if kind == ANSWER:
                return UNSENDABLE, text
        return self._describe(error)

    def _guarded(self, call: Callable[..., object], *arguments: object) -> tuple[int, object]:
        """Run code of harness and bot; return the kind and value of the final message, FAILED with the error."""
        # Garbage is collected in the bot's own time only: what it takes would be CPU time out of turn.
        collect_garbage()
        try:
            try:
                self._in_bot = True
                self._answered = None
                value = call(*arguments)
                self._in_bot = False
            except BaseException as error:
                self._in_bot = False
                if self._interrupted:
                    return INTERRUPTED, None
                if isinstance(error, Rejected):
                    return REJECTED, _plain_findings(error)
                return FAILED, error
        except Interrupted:  # the next signal came before the flag was down
            self._in_bot = False
        finally:
            leave_garbage()
        return (INTERRUPTED, None) if self._interrupted else (ANSWER, value)

    def _check(self, order: dict[str, Any]) -> bytes:
        self._program = Program(**order)
        checked: bytes = self._language.check(self._program)
        return checked

    def _load(self, order: dict[str, Any], turn: TurnClock) -> object:
        checked, profiled = order.pop("checked"), order.pop("profiled")
        self._program = program = Program(**order)
        self._profiler = TurnProfiler(program.files) if profiled else None
        _seed_chance(program.random_seed)
        loaded = self._language.load(program, checked)
        declared = self._harness.loaded(loaded)
        return [declared, loaded.chosen, list(loaded.others)]

    # --- while the bot runs ---------------------------------------------------------------------------------

    def propose(self, move: object) -> None:
        """Send a provisional move now, or delay it while the pace requires that; a newer one replaces it.

        Raises:
            TypeError, ValueError: the move is not plain data.
        """
        frame = self._wire.say(PROPOSE, move)  # now: a bot may continue to change the very object
        now = time.monotonic()
        left = self._proposals_left
        pace_s = self._turn.limit_ms / 1000 / PACES
        if left < 2 or (left < self._proposals // 2 and now - self._proposed_at < pace_s):
            self._held_proposal = frame
            return
        self._proposed_at = now
        self._without_interrupt(lambda: self._send_proposal(frame))

    def write(self, text: str) -> None:
        """Take text that the bot printed; what is beyond the limits is dropped, once with a mark of it."""
        room = self._output_room
        if room < 0:
            return
        encoded = str.__str__(text)[: room + 1].encode("utf-8", "replace")
        taken = min(len(encoded), room)
        self._output.append(encoded[:taken].decode("utf-8", "ignore"))
        self._output_room = room - taken
        self._match_output_room -= taken
        if len(encoded) > room:
            self._output.append(CUT)
            self._output_room = -1
        now = time.monotonic()
        if now - self._output_sent_at > PACE_OUTPUT_S and self._outputs_left:
            self._output_sent_at = now
            self._outputs_left -= 1
            self._without_interrupt(lambda: self.send(OUTPUT, None, self._take_output()))

    def on_unraisable(self, unraisable: Any) -> None:
        """Print an exception that cannot be caught, as while a generator goes away: the bot's own lines only."""
        error = unraisable.exc_value
        if self._program is not None and not isinstance(error, Interrupted):
            self.write(f"ignored: {bot_frames(error, self._program, self._error_bytes).strip()}\n")

    def flush(self) -> None:
        """Do nothing: with :meth:`write`, what ``sys.stdout`` must offer."""

    def _without_interrupt(self, action: Callable[[], None]) -> None:
        """Do something that the interrupt must not cut; it raises afterwards instead."""
        inside, self._in_bot = self._in_bot, False
        try:
            action()
        finally:
            self._in_bot = inside
        self.still_in_time()

    def _take_output(self) -> str:
        output = "".join(self._output)
        self._output.clear()
        return output

    def _send_proposal(self, frame: bytes) -> None:
        self._held_proposal = b""
        if self._proposals_left < 1 or len(frame) > self._proposal_room:
            return
        self._proposals_left -= 1
        self._proposal_room -= len(frame)
        self._emit(frame)


def _seed_chance(seed: int | None) -> None:
    """Begin the generators that programs reach as modules; without a seed, with numbers that no other bot gets."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(random.getrandbits(32) if seed is None else seed % 2**32)


def _write(frame: bytes) -> None:
    while frame:
        frame = frame[os.write(WRITE_FD, frame) :]


def _why_unsendable(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "the answer is nested too deeply, or contains itself"
    if isinstance(error, MemoryError):
        return "the answer needs more memory than the bot has left"
    return f"the answer cannot be sent: {error}"[:500]


def _plain_findings(rejected: Rejected) -> list[tuple[str, int, int, str, str, str]]:
    return [
        (
            finding.file,
            finding.line,
            finding.column,
            finding.message[:MAX_FINDING],
            finding.text,
            finding.kind,
        )
        for finding in rejected.findings[:FINDINGS]
    ]
