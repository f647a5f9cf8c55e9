"""A running bot, asked questions under deadlines: the I/O around the protocol.

A :class:`Turn` is one outstanding question. It sends the question, looks at what comes back and when, and ends in
exactly one reply whatever the bot does. One question is awaited on the bot's own poll object; simultaneous ones
share one. The host waits for ``min(wall time left, CPU time left)``, reads the bot's CPU clock again, and repeats:
CPU time cannot pass faster than wall time. SANDBOX.md, sections 8 and 9.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Sequence
from functools import partial
from types import TracebackType
from typing import Any

import msgspec

from botleague_sandbox.errors import MachineryFailure
from botleague_sandbox.process import BotProcess, Usage, describe_end
from botleague_sandbox.program import Answer, Crashed, Deadline, Failure, FailureKind, Limits, Reply, Tier
from botleague_sandbox.protocol import (
    ANSWER,
    ASK,
    BRIEF,
    DECODING_ERRORS,
    FAILED,
    FINAL,
    PROPOSE,
    REJECTED,
    UNSENDABLE,
    HostSide,
    Said,
    Violation,
)
from botleague_sandbox.text import clean_text
from botleague_sandbox.validation import InvalidValue, decode_value

__all__ = ["Bot", "Turn", "ask_together", "settle"]

READ_BYTES = 1 << 16
WAITS = 32
REPEAT_S = 0.020  # the interrupt is sent again until it is obeyed
FLUSH_S = 0.010  # a provisional move that was held back may follow the interrupt within this
OUT_OF_TURN_S = 0.005  # so soon after its last answer a bot cannot have used CPU time worth asking about
# CPU time between two questions that is forgiven: a virtual machine may book what its own host took to a process that
# was about to wait. Beyond it the bot computes while others think, which only an escaped one can.
FORGIVEN_S = 0.020
SECONDS_TO_EXIT = 0.25  # between the end of the stream and the end of the process


class Bot:
    """One untrusted program in its own process, for one match. A context manager: leaving it ends the process.

    Attributes:
        name, tier: of the program.
        layers: of protection that were active, in the order of :data:`botleague_sandbox.ALL_LAYERS`.
        output: what the bot printed so far, safe for terminals, cut to the limits.
    """

    def __init__(
        self,
        name: str,
        tier: Tier,
        process: BotProcess,
        limits: Limits,
        cores: int,
        on_close: Callable[[Bot], None] = lambda bot: None,
    ) -> None:
        self.name = name
        self.tier = tier
        self.layers: tuple[str, ...] = ()
        self._limits = limits
        self._cores = cores
        self._process = process
        self._question_fd, self._reply_fd = process.question_fd, process.reply_fd
        self._cpu_s = partial(time.clock_gettime, process.clock)
        self._on_close = on_close
        self._wire = HostSide(
            limits.reply_bytes,
            limits.turn_output_bytes,
            limits.proposals,
            limits.proposal_bytes,
            limits.question_bytes,
        )
        self._receive = self._wire.receive
        self._poller = select.poll()
        self._poller.register(process.reply_fd, select.POLLIN)
        self._poll = self._poller.poll
        self._waits = 0  # turns to come that wait before they read
        # After the last reply; CPU time on top of it is out of turn. Until the first question the process gets ready.
        self._cpu_at_rest = float("inf")
        self._wall_at_rest = float("-inf")
        self._end = ""  # how it ended; empty while it lives
        self._declared: msgspec.Raw = msgspec.Raw(b"\xc0")
        self._output: list[str] = []
        self._output_room = limits.match_output_bytes

    def __enter__(self) -> Bot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def is_alive(self) -> bool:
        """Whether the bot can still answer."""
        return not self._end

    @property
    def output(self) -> str:
        return "".join(self._output)

    @property
    def usage(self) -> Usage:
        """CPU, wall time and memory of the process up to now."""
        return self._process.usage()

    def declaration(self, type_: Any = Any) -> object:
        """Return what the harness declared for the bot when it was loaded.

        Raises:
            Crashed: it is not a ``type_`` (kind ``garbage``).
        """
        try:
            return decode_value(self._declared, type_)
        except InvalidValue as error:
            failure = Failure("garbage", f"what the bot declares of itself cannot be used: {error}", 0.0, 0.0)
            raise Crashed(failure) from None

    def brief(self, brief: object, deadline: Deadline) -> Reply:
        """Tell the bot what its seat is told before the first turn."""
        return self._converse(Turn(self, BRIEF, brief, deadline, Any))

    def ask(self, observation: object, deadline: Deadline, type_: Any = Any) -> Reply:
        """Ask for a move and return it as ``type_``, or what the bot did instead. Never raises for a bot's deed.

        Raises:
            MachineryFailure: the observation cannot be sent, or our own processes failed.
        """
        return self._converse(Turn(self, ASK, observation, deadline, type_))

    def close(self) -> None:
        """End the process and release everything it held. Can be called twice."""
        if not self._end:
            self._end = "the bot was closed"
        self._process.end()
        self._on_close(self)

    def _converse(self, turn: Turn) -> Reply:
        if turn.unsent:
            settle([turn])
        elif turn.reply is None:
            # On one core the kernel often lets a quick bot answer before the question's write returns. Reading then,
            # without asking first whether there is anything, saves a tenth of such a turn; where it was in vain, the
            # next turns wait first.
            if not self._waits:
                turn.on_readable()
                if turn.reply is None:
                    self._waits = WAITS
            else:
                self._waits -= 1
                if self._poll(turn.first_wait_ms()):
                    turn.on_readable()
            while turn.reply is None:
                turn.on_time()  # also for a bot that never stops sending
                if turn.reply is None and self._poll(turn.wait_ms()):
                    turn.on_readable()
        assert turn.reply is not None
        return turn.reply

    def _print(self, text: str) -> None:
        room = min(self._output_room, self._limits.turn_output_bytes)
        if room <= 0:
            return
        cleaned = clean_text(text[:room], room)
        # What is cleaned away counts too: looking at it has cost time.
        self._output_room -= max(len(text), len(cleaned.encode()))
        self._output.append(cleaned)

    def _stop(self, why: str) -> None:
        self._end = why
        self._process.end()


class Turn:
    """One question and everything that happens until its reply.

    Making one sends the question. :attr:`reply` is None until the turn has ended.
    """

    # Defaults on the class: most turns never set them.
    reply: Reply | None = None
    final: Said | None = None
    unsent = b""
    _overdue_at = _grace_ends = _next_signal = 0.0
    _cpu_0 = _wall_0 = 0.0
    _proposal: msgspec.Raw | None = None

    def __init__(
        self, bot: Bot, kind: int, value: object, deadline: Deadline, type_: Any, rivals: float = 1.0
    ) -> None:
        """Send a question.

        Args:
            bot: who is asked.
            kind: of question, from the protocol.
            value: plain data.
            deadline: for the reply.
            type_: the reply is decoded to it.
            rivals: how many bots share one core during this turn; above 1 the turn is judged by CPU time, with a
                longer wall clock behind it.

        Raises:
            MachineryFailure: the question cannot be sent, which is our fault.
        """
        self._bot = bot
        self._type = type_
        self._deadline = deadline
        cpu_ms, wall_ms = deadline.cpu_ms, deadline.wall_ms
        if rivals > 1:
            if cpu_ms is None:
                cpu_ms, wall_ms = wall_ms, 3 * wall_ms + 500
            wall_ms *= rivals
        self._cpu_limit_ms = cpu_ms
        self._wall_limit_ms = wall_ms
        self._wall_0 = now = time.monotonic()
        self._cpu_0 = bot._cpu_at_rest
        # CPU time passes no faster than the wall clock: soon after its last answer the bot cannot have used much, and
        # bytes that it sent in the meantime do not carry the number of the question that follows.
        if (now - bot._wall_at_rest < OUT_OF_TURN_S and not bot._end) or self._is_ready_to_be_asked():
            self._send(kind, value)

    # --- sending --------------------------------------------------------------------------------------------

    def _is_ready_to_be_asked(self) -> bool:
        """Look whether the bot is gone or did something since its last answer; if so, the turn is over."""
        bot = self._bot
        if bot._end:
            self.reply = Failure("crash", bot._end, 0.0, 0.0)
            return False
        self._cpu_0 = bot._process.cpu_s()
        if self._cpu_0 - bot._cpu_at_rest > FORGIVEN_S:
            self._break("crash", "the bot computed while it was not its turn")
        elif bot._poll(0):
            if os.read(bot._reply_fd, 1):
                self._break("garbage", "the bot sent bytes before it was asked")
            else:
                self._die()
        return self.reply is None

    def _send(self, kind: int, value: object) -> None:
        bot = self._bot
        cpu_ms = self._cpu_limit_ms
        limit_ms = self._wall_limit_ms if cpu_ms is None else cpu_ms
        try:
            frame = bot._wire.ask(kind, value, limit_ms, cpu_ms is not None)
        except Violation as error:
            raise MachineryFailure(
                f"a question to {bot.name} while another is outstanding ({error})"
            ) from None
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise MachineryFailure(f"the question to {bot.name} cannot be sent: {error}") from error
        try:
            written = os.write(bot._question_fd, frame)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            self._die()
            return
        if written < len(frame):
            self.unsent = frame[written:]

    def on_writable(self) -> None:
        """Write more of a question that is larger than the pipe."""
        try:
            self.unsent = self.unsent[os.write(self._bot._process.question_fd, self.unsent) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._die()

    # --- waiting --------------------------------------------------------------------------------------------

    def first_wait_ms(self) -> float:
        """Return how long to wait when nothing of the time is used up yet; needs no look at the clocks."""
        cpu_ms, wall_ms = self._cpu_limit_ms, self._wall_limit_ms
        return wall_ms if cpu_ms is None or wall_ms < cpu_ms else cpu_ms

    def wait_ms(self) -> float:
        """Return how long to wait for the bot before :meth:`on_time` must look at the clocks."""
        now = time.monotonic()
        if self._overdue_at:
            return max(0.0, min(self._grace_ends, self._next_signal) - now) * 1000
        left = self._wall_limit_ms - (now - self._wall_0) * 1000
        if self._cpu_limit_ms is not None:
            left = min(left, self._cpu_limit_ms - self._cpu_ms())
        return max(0.0, left)

    def on_time(self) -> None:
        """Look at the clocks: interrupt the bot at the deadline, kill it after the grace."""
        now = time.monotonic()
        if not self._overdue_at:
            if (now - self._wall_0) * 1000 < self._wall_limit_ms and not self._is_out_of_cpu():
                return
            self._overdue_at = now
            self._grace_ends = now + self._deadline.grace_ms / 1000
        elif now < min(self._grace_ends, self._next_signal):
            return
        if now < self._grace_ends:
            self._next_signal = now + REPEAT_S
            self._bot._process.interrupt()
        else:
            detail = self._too_late()
            self._bot._stop("the bot did not stop at an earlier deadline and was killed")
            self._fail("timeout", f"{detail}; the bot could not be interrupted and was killed")

    def _cpu_ms(self) -> float:
        return max(0.0, self._bot._process.cpu_s() - self._cpu_0) * 1000

    def _is_out_of_cpu(self) -> bool:
        return self._cpu_limit_ms is not None and self._cpu_ms() >= self._cpu_limit_ms

    def _too_late(self) -> str:
        if self._is_out_of_cpu():
            return f"no answer within {self._cpu_limit_ms:g} ms of CPU time"
        return f"no answer within {self._wall_limit_ms:g} ms"

    # --- listening ------------------------------------------------------------------------------------------

    def on_readable(self) -> None:
        """Take what the bot sent."""
        bot = self._bot
        try:
            data = os.read(bot._reply_fd, READ_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._die()
            return
        try:
            messages = bot._receive(data)
        except Violation as error:
            self._break("garbage", f"the bot broke the protocol: {error}")
            return
        for said in messages:
            if said.output:
                bot._print(said.output)
            kind = said.kind
            if kind in FINAL:
                self._take_final(said)
            elif kind == PROPOSE and (not self._overdue_at or time.monotonic() - self._overdue_at <= FLUSH_S):
                self._proposal = said.value

    def _take_final(self, said: Said) -> None:
        bot = self._bot
        self.final = said
        cpu = bot._cpu_at_rest = bot._cpu_s()
        now = bot._wall_at_rest = time.monotonic()
        cpu_ms, cpu_limit_ms = (cpu - self._cpu_0) * 1000, self._cpu_limit_ms
        if self._overdue_at or (cpu_limit_ms is not None and cpu_ms > cpu_limit_ms):
            self._fail("timeout", self._too_late())
        elif said.kind == ANSWER:
            try:
                value = decode_value(said.value, self._type)
            except InvalidValue as error:
                self._fail("garbage", f"the answer cannot be used: {error}")
            else:
                self.reply = Answer(value, cpu_ms, (now - self._wall_0) * 1000)
        elif said.kind == FAILED:
            self._fail("exception", self._text(said))
        elif said.kind == UNSENDABLE:
            self._fail("garbage", self._text(said))
        elif said.kind == REJECTED:
            self._fail("exception", "the source is refused")
        else:
            self._break("garbage", "the bot claims an interrupt that nobody sent")

    def _text(self, said: Said) -> str:
        try:
            text = msgspec.msgpack.decode(said.value, type=str)
        except DECODING_ERRORS:
            return "no readable text"
        limit = self._bot._limits.error_bytes
        return clean_text(text[:limit], limit)

    # --- endings --------------------------------------------------------------------------------------------

    def _fail(self, kind: FailureKind, detail: str) -> None:
        """End with a failure, unless a provisional answer that arrived in time stands."""
        cpu_ms, wall_ms = self._cpu_ms(), (time.monotonic() - self._wall_0) * 1000
        if self._proposal is not None:
            try:
                value = decode_value(self._proposal, self._type)
            except InvalidValue as error:
                kind, detail = "garbage", f"the last provisional answer cannot be used: {error}"
            else:
                fault = kind if self._bot._end else None
                self.reply = Answer(value, cpu_ms, wall_ms, f"{kind}: {detail}", fault)
                return
        self.reply = Failure(kind, detail, cpu_ms, wall_ms)

    def _die(self) -> None:
        """The stream has ended: so has the process, or it will."""
        bot = self._bot
        bot._end = describe_end(bot._process.end(SECONDS_TO_EXIT))
        if bot._process.is_orphaned:
            # A bot dies with the warm process that it comes from, which is nothing that a bot can bring about.
            raise MachineryFailure("the warm process of a bot died, and the bot with it")
        self._fail("timeout" if self._overdue_at else "crash", bot._end)

    def _break(self, kind: FailureKind, detail: str) -> None:
        """Stop a bot whose stream means nothing any more, provisional answers included."""
        self._bot._stop(f"the bot was stopped: {detail}")
        self._proposal = None
        self._fail(kind, detail)


def settle(turns: Sequence[Turn]) -> None:
    """Wait until every turn has its reply; their deadlines run in parallel."""
    poller = select.poll()
    by_fd: dict[int, tuple[Turn, bool]] = {}
    for turn in turns:
        if turn.reply is None:
            process = turn._bot._process
            by_fd[process.reply_fd] = (turn, True)
            poller.register(process.reply_fd, select.POLLIN)
            if turn.unsent:
                by_fd[process.question_fd] = (turn, False)
                poller.register(process.question_fd, select.POLLOUT)
    while pending := [turn for turn in turns if turn.reply is None]:
        for fd, _ in poller.poll(min(turn.wait_ms() for turn in pending)):
            turn, readable = by_fd[fd]
            if turn.reply is None:
                turn.on_readable() if readable else turn.on_writable()
            if turn.reply is None and readable:
                continue
            if not readable and turn.unsent and turn.reply is None:
                continue
            poller.unregister(fd)
        for turn in pending:
            if turn.reply is None:
                turn.on_time()


def close_together(bots: Sequence[Bot]) -> None:
    """Close several bots, which then die at the same time and not one after another."""
    for bot in bots:
        bot._process.kill()
    for bot in bots:
        bot.close()


def ask_together(questions: Sequence[tuple[Bot, object, Deadline, Any]]) -> list[Reply]:
    """Ask several bots at the same time, each ``(bot, observation, deadline, type)``, and return their replies.

    All questions are written before the first answer is read. With fewer cores than bots they slow each other
    down, so CPU time is what counts then, and the wall clock behind it gets longer.
    """
    cores = min((bot._cores for bot, *_ in questions), default=1)
    rivals = max(1.0, len(questions) / cores)
    turns = [Turn(bot, ASK, value, deadline, type_, rivals) for bot, value, deadline, type_ in questions]
    settle(turns)
    return [turn.reply for turn in turns if turn.reply is not None]
