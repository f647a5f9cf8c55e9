"""One question to a bot, and everything that happens until its reply.

A :class:`PendingReply` sends the question, looks at what comes back and when, and ends in exactly one reply whatever
the bot does. The host waits for the bot until a limit could be reached, ten milliseconds at most, looks at the
clocks, and repeats: CPU time cannot pass faster than wall time, and a look that comes late shows that the machine
stood still. What the time used comes to is the matter of :mod:`botleague_sandbox.host.turn_clocks`. SANDBOX.md,
sections 8 and 9.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Sequence

import msgspec

from botleague_sandbox.host.bot_channel import BotChannel
from botleague_sandbox.host.bot_process import describe_end
from botleague_sandbox.host.reply_validation import InvalidValue, decode_value
from botleague_sandbox.host.turn_clocks import UNSEEN_S, Meter
from botleague_sandbox.wire.fuel import UNITS_PER_MS, units_in
from botleague_sandbox.wire.program import Answer, Deadline, Failure, FailureKind, Reply
from botleague_sandbox.wire.protocol import (
    ANSWER,
    DECODING_ERRORS,
    ENDED,
    FAILED,
    FINAL,
    OUT_OF_FUEL,
    PROPOSE,
    REJECTED,
    UNSENDABLE,
    BotMessage,
    Violation,
)
from botleague_sandbox.wire.safe_text import clean_text
from botleague_sandbox.wire.sandbox_errors import MachineryFailure

READ_BYTES = 1 << 16
REPEAT_S = 0.020  # the interrupt is sent again until it is obeyed
FLUSH_S = 0.010  # a provisional move that was held back may follow the interrupt within this
REST_S = 0.005  # so soon after its last answer a bot cannot have used CPU time worth asking about
SECONDS_TO_EXIT = 0.25  # between the end of the stream and the end of the process
OUT_OF_TURN = "the bot computed while it was not its turn"


class PendingReply:
    """One outstanding question. :attr:`reply` is None until it has ended.

    Args:
        channel: of the bot that is asked.
        deadline: for the reply.
        type_: the reply is decoded to it.
        rivals: how many bots share one core during this question; above 1 it is judged by CPU time, with a longer
            wall clock behind it.
    """

    # Defaults on the class: most questions never set them.
    reply: Reply | None = None
    final: BotMessage | None = None
    unsent = b""
    _meter: Meter | None = None
    _overdue_at = _overdue_s = _next_signal = 0.0
    _cpu_0 = _wall_0 = 0.0
    _proposal: msgspec.Raw | None = None
    _fuel: int | None = None

    def __init__(self, channel: BotChannel, deadline: Deadline, type_: object, rivals: float = 1.0) -> None:
        self._channel = channel
        self._type = type_
        self._deadline = deadline
        cpu_ms, wall_ms = deadline.cpu_ms, deadline.wall_ms
        self._fuel_ms = deadline.fuel_ms
        if self._fuel_ms is not None and cpu_ms is not None:
            cpu_ms += channel.again_ms
            wall_ms += 3 * channel.again_ms
        if rivals > 1:
            if cpu_ms is None:
                cpu_ms, wall_ms = wall_ms, 3 * wall_ms + 500
            wall_ms *= rivals
        self._cpu_limit_ms = cpu_ms
        self._wall_limit_ms = wall_ms

    # --- sending --------------------------------------------------------------------------------------------

    def send(self, kind: int, value: object) -> PendingReply:
        """Send the question; return self.

        Args:
            kind: of question, from the protocol.
            value: plain data.

        Raises:
            MachineryFailure: the question cannot be sent, which is our fault.
        """
        channel = self._channel
        self._wall_0 = now = time.monotonic()
        self._cpu_0 = channel.cpu_at_rest
        # CPU time passes no faster than the wall clock: soon after its last answer the bot cannot have used much, and
        # bytes that it sent in the meantime do not carry the number of the question that follows.
        if (now - channel.wall_at_rest >= REST_S or channel.end) and not self._can_be_asked():
            return self
        cpu_ms = self._cpu_limit_ms
        limit_ms = self._wall_limit_ms if cpu_ms is None else cpu_ms
        if self._fuel_ms is not None:
            limit_ms = self._fuel_ms
        try:
            cpu_0 = None if cpu_ms is None else self._cpu_0
            frame = channel.wire.ask(kind, value, limit_ms, cpu_0, self._deadline.bank_ms)
        except Violation as error:
            raise MachineryFailure(
                f"a question to {channel.name} while another is outstanding ({error})"
            ) from None
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise MachineryFailure(f"the question to {channel.name} cannot be sent: {error}") from error
        try:
            written = os.write(channel.question_fd, frame)
        except BlockingIOError:
            written = 0
        except BrokenPipeError:
            self._die()
            return self
        if written < len(frame):
            self.unsent = frame[written:]
        return self

    def on_writable(self) -> None:
        """Write more of a question that is larger than the pipe."""
        try:
            self.unsent = self.unsent[os.write(self._channel.process.question_fd, self.unsent) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self._die()

    def _can_be_asked(self) -> bool:
        """Return whether a question can be sent; a bot that is gone, or acted since its last answer, has replied."""
        channel = self._channel
        if channel.end:
            self.reply = Failure("crash", channel.end, 0.0, 0.0)
            return False
        self._cpu_0 = channel.process.cpu_s()
        if not channel.has_rested(self._cpu_0):
            self._break("crash", OUT_OF_TURN)
        elif channel.poll(0):
            if os.read(channel.reply_fd, 1):
                self._break("garbage", "the bot sent bytes before it was asked")
            else:
                self._die()
        return self.reply is None

    # --- waiting --------------------------------------------------------------------------------------------

    @property
    def first_wait_ms(self) -> float:
        """Milliseconds to wait before the first look; needs no look at the clocks."""
        limit_ms = self._wall_limit_ms if self._cpu_limit_ms is None else self._cpu_limit_ms
        return min(UNSEEN_S * 1000, limit_ms)

    def wait_ms(self) -> float:
        """Return how long to wait for the bot before :meth:`on_time` must look at the clocks."""
        meter = self._meter
        if meter is None:
            return self.first_wait_ms
        if self._overdue_at:
            left = max(0.0, self._next_signal - time.monotonic())
        elif self._cpu_limit_ms is None:
            left = self._wall_limit_ms / 1000 - meter.wall_s
        else:
            left = self._cpu_limit_ms / 1000 - meter.cpu_s
        return meter.next_look_s(left) * 1000

    def on_time(self) -> None:
        """Look at the clocks: interrupt the bot at the deadline, kill it after the grace."""
        now, meter = self._look()
        if not self._overdue_at:
            if not self._is_over(meter):
                return
            if self._fuel_ms is not None:  # no signal stops a guest
                detail = f"{self._too_late(meter)}; killed"
                self._channel.stop("the bot used far more time than its fuel is worth and was killed")
                self._fail("timeout", detail)
                return
            self._overdue_at = now
            self._overdue_s = meter.stretched_s()
        elif meter.stretched_s() - self._overdue_s >= self._deadline.grace_ms / 1000:
            detail = self._too_late(meter)
            self._channel.stop("the bot did not stop at an earlier deadline and was killed")
            self._fail("timeout", f"{detail}; the bot could not be interrupted and was killed")
            return
        if now >= self._next_signal:
            self._next_signal = now + REPEAT_S
            self._channel.process.interrupt()

    def _look(self) -> tuple[float, Meter]:
        """Look at both clocks; return the host's time, and the meter that has taken note of them."""
        channel = self._channel
        now, cpu_s = time.monotonic(), channel.process.cpu_s()
        meter = self._meter
        if meter is None:
            meter = self._meter = Meter(channel.account, self._wall_0, min(self._cpu_0, cpu_s))
        meter.look(now, cpu_s)
        return now, meter

    def _is_over(self, meter: Meter) -> bool:
        """Whether a limit is reached. What the kernel books is read only if it can make the difference."""
        wall_s = meter.wall_s
        if self._cpu_limit_ms is None:
            return wall_s * 1000 >= self._wall_limit_ms
        limit_s = self._cpu_limit_ms / 1000
        if meter.cpu_s >= limit_s or (wall_s >= limit_s and meter.charged_s() >= limit_s):
            return True
        return wall_s * 1000 >= self._wall_limit_ms and meter.stretched_s() * 1000 >= self._wall_limit_ms

    def _too_late(self, meter: Meter) -> str:
        limit_ms = self._cpu_limit_ms
        if limit_ms is None:
            return f"no answer within {self._wall_limit_ms:g} ms"
        if meter.cpu_s * 1000 >= limit_ms:
            return f"no answer within {limit_ms:g} ms of CPU time"
        if (charged_s := meter.charged_s()) * 1000 >= limit_ms:
            # On a busy machine some milliseconds count as sleep of a bot that only computes. The text is part of the
            # record, which must not depend on the machine.
            and_sleep = " and sleep" if meter.cpu_s < charged_s / 2 else ""
            return f"no answer within {limit_ms:g} ms of CPU time{and_sleep}"
        return f"no answer within {self._wall_limit_ms:g} ms"

    # --- listening ------------------------------------------------------------------------------------------

    def on_readable(self) -> None:
        """Take what the bot sent."""
        channel = self._channel
        try:
            data = os.read(channel.reply_fd, READ_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._die()
            return
        try:
            messages = channel.receive(data)
        except Violation as error:
            self._break("garbage", f"the bot broke the protocol: {error}")
            return
        for message in messages:
            if message.output:
                channel.take_output(message.output)
            if message.drawn:
                channel.drawn = message.drawn
            kind = message.kind
            if kind in FINAL:
                self._take_final(message)
            elif kind == PROPOSE and (not self._overdue_at or time.monotonic() - self._overdue_at <= FLUSH_S):
                self._proposal = message.value

    def _take_final(self, message: BotMessage) -> None:
        channel = self._channel
        self.final = message
        cpu_s = channel.cpu_at_rest = channel.cpu_s()
        now = channel.wall_at_rest = time.monotonic()
        used_s, wall_s = cpu_s - self._cpu_0, now - self._wall_0
        if self._fuel_ms is not None:
            self._take_fuelled(message, wall_s * 1000)
            return
        cpu_ms, limit_ms = used_s * 1000, self._cpu_limit_ms
        meter, is_undecided = self._meter, False
        if meter is not None or wall_s - used_s > UNSEEN_S:
            _, meter = self._look()
            is_undecided = self._is_undecided(meter)
            used_s = meter.wall_s if limit_ms is None else meter.charged_s(has_answered=True)
        elif limit_ms is None:
            used_s = wall_s
        used_ms = used_s * 1000
        if self._overdue_at or (limit_ms is not None and used_ms > limit_ms):
            if meter is None:
                _, meter = self._look()
            self._fail("timeout", self._too_late(meter))
        elif message.kind == ANSWER:
            self._take_answer(message, cpu_ms, wall_s * 1000, used_ms, is_undecided=is_undecided)
        else:
            self._take_failure(message)

    def _take_fuelled(self, message: BotMessage, wall_ms: float) -> None:
        """Take a final message whose time is fuel: the program's own claim, up to its limit."""
        assert self._fuel_ms is not None
        if not 0 <= message.fuel <= units_in(self._fuel_ms):
            self._break("garbage", "the bot claims fuel that it did not have")
            return
        self._fuel = message.fuel
        used_ms = message.fuel / UNITS_PER_MS
        if message.kind == ANSWER:
            self._take_answer(message, used_ms, wall_ms, used_ms, is_undecided=False)
        elif message.kind == OUT_OF_FUEL:
            units = f"{units_in(self._fuel_ms):,} units of fuel"
            text = self._text(message)
            self._fail("timeout", f"{text}no answer within {self._fuel_ms:g} ms ({units})")
        elif message.kind == ENDED:
            self._channel.stop(self._text(message))
            self._fail("crash", self._text(message))
        else:
            self._take_failure(message)

    def _take_answer(
        self, message: BotMessage, cpu_ms: float, wall_ms: float, used_ms: float, *, is_undecided: bool
    ) -> None:
        try:
            value = decode_value(message.value, self._type)
        except InvalidValue as error:
            self._fail("garbage", f"the answer cannot be used: {error}")
        else:
            self.reply = Answer(value, cpu_ms, wall_ms, used_ms, is_undecided=is_undecided, fuel=self._fuel)

    def _take_failure(self, message: BotMessage) -> None:
        """Take a final message that is no answer."""
        if message.kind == FAILED:
            self._fail("exception", self._text(message))
        elif message.kind == UNSENDABLE:
            self._fail("garbage", self._text(message))
        elif message.kind == REJECTED:
            self._fail("exception", "the source is refused")
        else:
            self._break("garbage", "the bot claims an end of its turn that it cannot have")

    def _is_undecided(self, meter: Meter) -> bool:
        by_cpu = self._cpu_limit_ms is not None
        limit_ms = self._wall_limit_ms if self._cpu_limit_ms is None else self._cpu_limit_ms
        return meter.is_undecided(limit_ms / 1000, by_cpu)

    def _text(self, message: BotMessage) -> str:
        try:
            text = msgspec.msgpack.decode(message.value, type=str)
        except DECODING_ERRORS:
            return "no readable text"
        limit = self._channel.error_bytes
        return clean_text(text[:limit], limit)

    # --- endings --------------------------------------------------------------------------------------------

    def _fail(self, kind: FailureKind, detail: str) -> None:
        """End with a failure, unless a provisional answer that arrived in time stands."""
        _, meter = self._look()
        cpu_ms = meter.cpu_s * 1000
        wall_ms = (time.monotonic() - self._wall_0) * 1000
        if self._fuel_ms is not None:  # a pause of the machine has used none
            used_ms = self._fuel_ms if self._fuel is None else self._fuel / UNITS_PER_MS
            cpu_ms, is_undecided = used_ms, False
        else:
            used_ms = 1000 * (
                meter.wall_s if self._cpu_limit_ms is None else meter.charged_s(has_answered=True)
            )
            is_undecided = self._is_undecided(meter)
        if self._proposal is not None:
            try:
                value = decode_value(self._proposal, self._type)
            except InvalidValue as error:
                kind, detail = "garbage", f"the last provisional answer cannot be used: {error}"
            else:
                fault = kind if self._channel.end else None
                warning = f"{kind}: {detail}"
                self.reply = Answer(value, cpu_ms, wall_ms, used_ms, warning, fault, is_undecided, self._fuel)
                return
        self.reply = Failure(kind, detail, cpu_ms, wall_ms, used_ms, is_undecided, self._fuel)

    def _die(self) -> None:
        """The stream has ended: so has the process, or it will."""
        channel = self._channel
        channel.end = describe_end(channel.process.end(SECONDS_TO_EXIT))
        if channel.process.is_orphaned:
            # A bot dies with the zygote that it comes from, which is nothing that a bot can bring about.
            raise MachineryFailure("the zygote of a bot died, and the bot with it")
        self._fail("timeout" if self._overdue_at else "crash", channel.end)

    def _break(self, kind: FailureKind, detail: str) -> None:
        """Stop a bot whose stream has lost its meaning, provisional answers included."""
        self._channel.stop(f"the bot was stopped: {detail}")
        self._proposal = None
        self._fail(kind, detail)


def settle(pending: Sequence[PendingReply]) -> None:
    """Wait until every question has its reply; their deadlines run in parallel."""
    if not pending:
        return
    poller = select.poll()
    by_fd: dict[int, tuple[PendingReply, bool]] = {}
    for one in pending:
        if one.reply is None:
            process = one._channel.process
            by_fd[process.reply_fd] = (one, True)
            poller.register(process.reply_fd, select.POLLIN)
            if one.unsent:
                by_fd[process.question_fd] = (one, False)
                poller.register(process.question_fd, select.POLLOUT)
    while waiting := [one for one in pending if one.reply is None]:
        for fd, _ in poller.poll(min(one.wait_ms() for one in waiting)):
            one, readable = by_fd[fd]
            if one.reply is None:
                one.on_readable() if readable else one.on_writable()
            if one.reply is None and readable:
                continue
            if not readable and one.unsent and one.reply is None:
                continue
            poller.unregister(fd)
        for one in waiting:
            if one.reply is None:
                one.on_time()
