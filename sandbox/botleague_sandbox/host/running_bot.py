"""A running bot, asked questions under deadlines.

One question at a time is outstanding: a :class:`~botleague_sandbox.host.pending_reply.PendingReply`. One is awaited on
the bot's own poll object; simultaneous ones share one. SANDBOX.md, sections 8 and 9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType

import msgspec

from botleague_sandbox.host.bot_channel import BotChannel
from botleague_sandbox.host.bot_process import BotProcess, Usage
from botleague_sandbox.host.pending_reply import OUT_OF_TURN, PendingReply, settle
from botleague_sandbox.host.reply_validation import InvalidValue, decode_value
from botleague_sandbox.wire.program import Answer, Crashed, Deadline, Failure, Limits, Notes, Reply, Tier
from botleague_sandbox.wire.protocol import ASK, BRIEF, PROFILE
from botleague_sandbox.wire.safe_text import clean_text

WAITS = 32
CPU_PER_FUEL = 20  # twice the backstop of a turn: the same lines took at most ten times their fuel
CAUGHT_S = 0.005  # more than this is computing during another seat's timeout

NAME_BYTES = 100
MAX_OTHERS = 20


class Loaded(msgspec.Struct, array_like=True):
    """Answer of the agent when the program has been loaded."""

    declared: msgspec.Raw
    chosen: str
    others: list[str]


class Bot:
    """One untrusted program in its own process, for one match. A context manager: leaving it ends the process.

    Attributes:
        name, tier: of the program.
        layers: of protection that were active, in the order of :data:`botleague_sandbox.ALL_LAYERS`.
        output: what the bot printed so far, safe for terminals, cut to the limits.
        chosen: what the harness took of the entry module, by its own account; "" where there was nothing to choose.
        others: what else it could have taken.
        out_of_turn_s: CPU seconds between its answers that count towards the match.
        channel: the process behind it.
        load_ms: what was charged for loading the program.
    """

    def __init__(
        self,
        name: str,
        tier: Tier,
        process: BotProcess,
        limits: Limits,
        cores: int,
        on_close: Callable[[Bot], None] = lambda bot: None,
        out_of_turn_s: float = 0.0,
    ) -> None:
        self.name = name
        self.tier = tier
        self.layers: tuple[str, ...] = ()
        self.chosen = ""
        self.others: tuple[str, ...] = ()
        self.load_ms = 0.0
        self.channel = BotChannel(name, process, limits, out_of_turn_s)
        self._poll = self.channel.poll
        self._cores = cores
        self._on_close = on_close
        self._waits = 0  # turns to come that wait before they read
        self._declared: msgspec.Raw = msgspec.Raw(b"\xc0")

    def __enter__(self) -> Bot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def is_alive(self) -> bool:
        """Whether the bot can still answer."""
        return not self.channel.end

    @property
    def output(self) -> str:
        return self.channel.output

    @property
    def out_of_turn_s(self) -> float:
        return self.channel.out_of_turn_s

    @property
    def proposals(self) -> int:
        """Number of provisional answers to the last question."""
        return self.channel.wire.proposals

    def take_notes(self) -> Notes | None:
        """Return what the bot printed and drew since the last time, None for nothing."""
        return self.channel.take_notes()

    @property
    def usage(self) -> Usage:
        """CPU, wall time and memory of the process up to now."""
        return self.channel.process.usage()

    def declaration(self, type_: object = object) -> object:
        """Return what the harness declared for the bot when it was loaded.

        Raises:
            Crashed: it is not a ``type_`` (kind ``garbage``).
        """
        try:
            return decode_value(self._declared, type_)
        except InvalidValue as error:
            failure = Failure("garbage", f"what the bot declares of itself cannot be used: {error}", 0.0, 0.0)
            raise Crashed(failure) from None

    def take_loaded(self, value: msgspec.Raw) -> None:
        """Store the process's report about itself after its program was loaded; ignore an invalid report."""
        try:
            loaded = decode_value(value, Loaded)
        except InvalidValue:
            return
        assert isinstance(loaded, Loaded)
        self._declared = loaded.declared
        self.chosen = clean_text(loaded.chosen, NAME_BYTES)
        self.others = tuple(clean_text(name, NAME_BYTES) for name in loaded.others[:MAX_OTHERS])

    def brief(self, brief: object, deadline: Deadline) -> Reply:
        """Send the bot its briefing, before the first turn."""
        reply = self._converse(PendingReply(self.channel, deadline, object).send(BRIEF, brief))
        self.note_first_lines(reply)
        return reply

    def note_first_lines(self, reply: Reply) -> None:
        """Note the fuel of a WebAssembly program's first lines, which a fresh instance may read within any turn."""
        if reply.fuel is not None:
            self.channel.again_ms += CPU_PER_FUEL * reply.used_ms

    def ask(self, observation: object, deadline: Deadline, type_: object = object) -> Reply:
        """Request a move and return it as ``type_``, or the bot's fault. Never raises because of a bot's behaviour.

        Raises:
            MachineryFailure: the observation cannot be sent, or our own processes failed.
        """
        return self._converse(PendingReply(self.channel, deadline, type_).send(ASK, observation))

    def profile(self, deadline: Deadline) -> bytes:
        """Return the time of its turns by function, as its process reports it: unchecked bytes.

        Empty if it was not started to be profiled, or does not tell.
        """
        reply = self._converse(PendingReply(self.channel, deadline, bytes).send(PROFILE, None))
        return reply.value if isinstance(reply, Answer) and isinstance(reply.value, bytes) else b""

    def stop_if_computing(self) -> bool:
        """Stop the bot if it has computed since its last answer, while another was to think; return whether it had.

        Call it when another seat has run out of a limit by the wall clock, which such a theft of CPU time consumes.
        """
        if self.channel.end:
            return False
        spent_s = self.channel.process.cpu_s() - self.channel.cpu_at_rest
        if spent_s <= CAUGHT_S:
            return False
        self.channel.out_of_turn_s += spent_s
        self.channel.stop(f"the bot was stopped: {OUT_OF_TURN}")
        return True

    def close(self) -> None:
        """End the process and release everything it held. Can be called twice."""
        if not self.channel.end:
            self.channel.end = "the bot was closed"
        self.channel.process.end()
        self._on_close(self)

    def _leave(self) -> None:
        """Close it, and do not wait for the end of its process."""
        if not self.channel.end:
            self.channel.end = "the bot was closed"
        self.channel.process.leave()
        self._on_close(self)

    def _converse(self, pending: PendingReply) -> Reply:
        if pending.unsent:
            settle([pending])
        elif pending.reply is None:
            if not self._read_early(pending) and self._poll(pending.first_wait_ms):
                pending.on_readable()
            while pending.reply is None:
                pending.on_time()  # also for a bot that never stops sending
                if pending.reply is None and self._poll(pending.wait_ms()):
                    pending.on_readable()
        assert pending.reply is not None
        return pending.reply

    def _read_early(self, pending: PendingReply) -> bool:
        """Read without asking first whether there is anything, or return False.

        On one core the kernel often lets a quick bot answer before the question's write returns. Reading then saves a
        tenth of such a turn; where it was in vain, the next turns wait first.
        """
        if self._waits:
            self._waits -= 1
            return False
        pending.on_readable()
        if pending.reply is None:
            self._waits = WAITS
        return True


def close_together(bots: Sequence[Bot]) -> None:
    """Close several bots; their processes end while this one continues."""
    for bot in bots:
        bot._leave()


def ask_together(questions: Sequence[tuple[Bot, object, Deadline, object]]) -> list[Reply]:
    """Ask several bots at the same time, each ``(bot, observation, deadline, type)``, and return their replies.

    All questions are written before the first answer is read; one alone waits as in :meth:`Bot.ask`. With fewer cores
    than bots they slow each other down, so CPU time is what counts then, and the wall clock behind it gets longer.
    """
    if len(questions) == 1:
        ((bot, value, deadline, type_),) = questions
        return [bot.ask(value, deadline, type_)]
    cores = min((bot._cores for bot, *_ in questions), default=1)
    rivals = max(1.0, len(questions) / cores)
    pending = [
        PendingReply(bot.channel, deadline, type_, rivals).send(ASK, value)
        for bot, value, deadline, type_ in questions
    ]
    for one, (bot, *_) in zip(pending, questions, strict=True):
        if one.reply is None and not one.unsent:
            bot._read_early(one)
    settle([one for one in pending if one.reply is None])
    return [one.reply for one in pending if one.reply is not None]
