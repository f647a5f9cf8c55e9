"""The wire protocol between host and bot process, as a state machine over bytes without any I/O.

A frame is a 4-byte little-endian length and that many bytes of MessagePack: an array whose first two entries are
the kind of the message and the number ``n`` of the question it belongs to. Both roles walk through one table of
states, :data:`TABLE`; whatever is not in it is a :class:`Violation`. The host decodes an envelope with the value
still raw; the value is checked and decoded later, with the type that was asked for.

One question is outstanding at a time and has exactly one final reply. Numbers start at a random point and go up
by random steps: nothing that was sent late, twice, or before its question can be taken for an answer, even by a
host that does not look at the pipe before it asks. SANDBOX.md, section 8.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from struct import Struct
from typing import Any, Literal, TypeAlias

import msgspec

# what the bot's process says
READY = 0  # locked down; the value lists the active layers
ANSWER = 1  # final: the value that was asked for
PROPOSE = 2  # a provisional value
OUTPUT = 3  # captured text, nothing else
FAILED = 4  # final: the bot raised; the value is the text of the error
UNSENDABLE = 5  # final: the bot's answer is not plain data or too large; the value says why
INTERRUPTED = 6  # final: the interrupt at the deadline was obeyed
REJECTED = 7  # final: the language policy refuses the source; the value lists the findings
BROKEN = 8  # our own code failed, which can only be true before the bot's code has arrived
OUT_OF_FUEL = 9  # final: a program of the tier ``wasm`` has used all fuel of the question, and lives
ENDED = 10  # final: such a program has ended too often to be asked again; the value says so

# what the host says: all kinds from here on
LOAD = 17  # run the code of a source that was checked
BRIEF = 18  # told once before the first turn
ASK = 19  # one turn
CHECK = 20  # check and compile the source; the process is asked nothing else
PROFILE = 21  # asked for once, after the last turn, where turns are profiled

FINAL = frozenset({ANSWER, FAILED, UNSENDABLE, INTERRUPTED, REJECTED, OUT_OF_FUEL, ENDED})

State: TypeAlias = Literal["starting", "idle", "checking", "loading", "asked", "over"]

# state -> kind of message -> next state; the kinds from LOAD on are the host's, the others the bot's
TABLE: dict[State, dict[int, State]] = {
    "starting": {READY: "idle", BROKEN: "over"},
    "idle": {CHECK: "checking", LOAD: "loading", BRIEF: "asked", ASK: "asked", PROFILE: "asked"},
    "checking": {ANSWER: "over", FAILED: "over", UNSENDABLE: "over", INTERRUPTED: "over", REJECTED: "over"},
    "loading": {
        OUTPUT: "loading",
        ANSWER: "idle", FAILED: "idle", UNSENDABLE: "idle", INTERRUPTED: "idle", OUT_OF_FUEL: "idle",
    },
    "asked": {
        OUTPUT: "asked", PROPOSE: "asked",
        ANSWER: "idle", FAILED: "idle", UNSENDABLE: "idle", INTERRUPTED: "idle", OUT_OF_FUEL: "idle", ENDED: "over",
    },
    "over": {},
}  # fmt: skip

_LENGTH = Struct("<I")
_pack_length, _unpack_length = _LENGTH.pack, _LENGTH.unpack_from
OUTPUTS = 64  # messages of output alone that one question may have; later output waits for the answer
ENVELOPE_BYTES = 64  # room for everything in a frame but value and output
CODE_BYTES = (
    16 << 20
)  # of a checked program, whatever other messages may have: ten times what a megabyte of source makes


class Violation(Exception):
    """The other side broke the protocol; nothing it sends from now on means anything."""


class BotMessage(msgspec.Struct, array_like=True, forbid_unknown_fields=True, gc=False):
    """A message of the bot's process."""

    kind: int
    n: int
    value: msgspec.Raw
    output: str
    drawn: bytes = b""  # with a final message only; never decoded on the way
    fuel: int = 0  # units used, with a final message of the tier wasm only; no other is asked about


class Saying(msgspec.Struct, array_like=True, gc=False):
    """The same message before it is encoded, on the bot's side."""

    kind: int
    n: int
    value: Any
    output: str


class SayingDrawn(Saying):
    """A message with drawings: most have none, and are shorter without."""

    drawn: bytes


class SayingFuel(SayingDrawn):
    """A message with the fuel used."""

    fuel: int


class Question(msgspec.Struct, array_like=True, gc=False):
    """A message of the host. ``value`` is plain data: the bot's process trusts its host."""

    kind: int
    n: int
    limit_ms: float
    cpu_s: float | None
    value: Any
    bank_ms: float = 0.0


_encode = msgspec.msgpack.Encoder().encode
_decode_message = msgspec.msgpack.Decoder(BotMessage).decode
_decode_question = msgspec.msgpack.Decoder(Question).decode

# everything that msgspec raises for bad bytes; anything else would be a bug of ours
DECODING_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError, OverflowError)


class _Side:
    """State of both roles: the phase, the number of the question, and bytes of an incomplete frame."""

    __slots__ = ("_held", "n", "state")

    def __init__(self) -> None:
        self.state: State = "starting"
        self.n = 0
        self._held = bytearray()


class HostSide(_Side):
    """The host's end: asks questions, takes what the bot's process says.

    Args:
        value_bytes: longest value of one message.
        output_bytes: longest output of one question. Twice as much may arrive: a rest of the previous one's.
        drawing_bytes: longest drawings of one question.
        proposals, proposal_bytes: provisional values of one question, number and total size.
        question_bytes: longest question; sources to load have their own limits.
        first: number of the first question; random unless a test wants to know it.
    """

    __slots__ = (
        "_drawing_bytes",
        "_frame_limit",
        "_output_bytes",
        "_output_left",
        "_outputs_left",
        "_proposal_bytes",
        "_proposals",
        "_proposals_left",
        "_question_limit",
        "_room",
        "_steps",
        "_value_limit",
    )

    def __init__(
        self,
        value_bytes: int,
        output_bytes: int,
        proposals: int,
        proposal_bytes: int,
        question_bytes: int = 1 << 20,
        first: int | None = None,
        drawing_bytes: int = 0,
    ) -> None:
        super().__init__()
        self.n = secrets.randbits(48) if first is None else first
        self._steps = bytearray()
        self._value_limit = value_bytes
        self._frame_limit = value_bytes + output_bytes + drawing_bytes + ENVELOPE_BYTES
        self._drawing_bytes = drawing_bytes
        self._question_limit = question_bytes
        self._output_bytes = output_bytes
        self._outputs_left = self._output_left = 0
        self._proposals = proposals
        self._proposal_bytes = proposal_bytes
        self._proposals_left = self._room = 0

    def ask(
        self,
        kind: int,
        value: object,
        limit_ms: float = 0.0,
        cpu_s: float | None = None,
        bank_ms: float = 0.0,
    ) -> bytes:
        """Return the frame of the next question.

        Args:
            kind, value: of the question.
            limit_ms: for the reply.
            cpu_s: what the CPU clock of the bot's process showed at the question, None if wall time counts. The bot is
                time is counted from there, and its clock is read only if needed.
            bank_ms: part of the limit that a reserve would pay for.

        Raises:
            Violation: a question is still outstanding: a bug of the caller.
            TypeError, ValueError, OverflowError: ``value`` is not plain data, or too large.
        """
        following = TABLE[self.state].get(kind)
        if following is None:
            raise Violation(f"message kind {kind} while {self.state}")
        n = self.n + 1 + (self._steps.pop() if self._steps else self._refill())
        body = _encode(Question(kind, n, limit_ms, cpu_s, value, bank_ms))
        if len(body) > self._question_limit and kind not in (LOAD, CHECK):
            raise ValueError(f"it takes {len(body)} bytes, at most {self._question_limit} may be sent")
        self.state, self.n = following, n
        if kind == CHECK:
            self._value_limit, self._frame_limit = CODE_BYTES, CODE_BYTES + ENVELOPE_BYTES
        self._proposals_left, self._room = self._proposals, self._proposal_bytes
        self._outputs_left, self._output_left = OUTPUTS, 2 * self._output_bytes
        return _pack_length(len(body)) + body

    def receive(self, data: bytes) -> list[BotMessage]:
        """Take bytes as they come and return the messages they complete, in order.

        Raises:
            Violation: bytes that are no message, or not allowed now.
        """
        held = self._held
        came: bytes | bytearray = data
        if held:
            held += data
            came = held
        messages, at, size = [], 0, len(came)
        while size - at >= 4:
            (length,) = _unpack_length(came, at)
            if length > self._frame_limit:
                raise Violation(f"a message of {length} bytes")
            start, end = at + 4, at + 4 + length
            if end > size:
                break
            messages.append(self._message(bytes(came[start:end])))
            at = end
        if at < size and self.state in ("idle", "over"):
            raise Violation("bytes after the final answer")
        if held:
            del held[:at]
        elif at < size:
            held += data[at:]
        return messages

    def _message(self, body: bytes) -> BotMessage:
        try:
            message = _decode_message(body)
        except DECODING_ERRORS as error:
            raise Violation(f"bytes that are not a message ({type(error).__name__})") from None
        kind = message.kind
        if message.n != self.n and self.state != "starting":
            raise Violation("an answer to a question that is not pending")
        if len(body) > self._value_limit:
            size = len(memoryview(message.value))
            if size > self._value_limit or len(body) > self._frame_limit:
                raise Violation(f"a message of {len(body)} bytes with a value of {size} bytes")
        following = TABLE[self.state].get(kind)
        if following is None or kind >= LOAD:
            raise Violation(f"message kind {kind} while {self.state}")
        self.state = following
        if kind == PROPOSE:
            self._note_proposal(message.value)
        if message.output or kind == OUTPUT:
            self._note_output(message)
        if message.drawn and (kind not in FINAL or len(message.drawn) > self._drawing_bytes):
            raise Violation("more drawings than a turn may have")
        return message

    @property
    def proposals(self) -> int:
        """Number of provisional values for the last question."""
        return self._proposals - self._proposals_left

    def _refill(self) -> int:
        self._steps += secrets.token_bytes(256)
        return self._steps.pop()

    def _note_proposal(self, value: msgspec.Raw) -> None:
        self._proposals_left -= 1
        self._room -= len(memoryview(value))
        if self._proposals_left < 0 or self._room < 0:
            raise Violation("more provisional answers than a turn may have")

    def _note_output(self, message: BotMessage) -> None:
        """Bound what the host has to look at: sending costs a bot much less than cleaning costs the host."""
        self._outputs_left -= message.kind == OUTPUT
        self._output_left -= len(message.output)
        if self._outputs_left < 0 or self._output_left < 0:
            raise Violation("more output than a turn may have")


class BotSide(_Side):
    """The bot process's end: takes questions, sends results. It trusts the host."""

    __slots__ = ("_value_limit",)

    def __init__(self, value_bytes: int) -> None:
        super().__init__()
        self._value_limit = value_bytes

    def receive(self, data: bytes) -> Question | None:
        """Take bytes as they come and return the question they complete, if any."""
        if not self._held and len(data) >= 4 and _unpack_length(data)[0] == len(data) - 4:
            body = data[4:]
        else:
            held = self._held
            held += data
            if len(held) < 4 or len(held) < 4 + _unpack_length(held)[0]:
                return None
            body = bytes(held[4:])
            held.clear()
        question = _decode_question(body)
        if question.kind == CHECK:
            self._value_limit = CODE_BYTES
        self.state = TABLE[self.state][question.kind]
        self.n = question.n
        return question

    def say(self, kind: int, value: object, output: str = "", drawn: bytes = b"", fuel: int = 0) -> bytes:
        """Return the frame of a message.

        Raises:
            TypeError, ValueError, OverflowError, RecursionError: ``value`` is not plain data, or too large.
        """
        message = (
            SayingFuel(kind, self.n, value, output, drawn, fuel)
            if fuel
            else SayingDrawn(kind, self.n, value, output, drawn)
            if drawn
            else Saying(kind, self.n, value, output)
        )
        body = _encode_saying(message)
        size = len(body)
        if size > self._value_limit and (taken := len(_encode_saying(value))) > self._value_limit:
            raise ValueError(f"it takes {taken} bytes, at most {self._value_limit} may be sent")
        self.state = TABLE[self.state][kind]
        return _pack_length(size) + body


def _refuse(value: object) -> object:
    raise TypeError(f"an object of type {type(value).__name__} is not plain data")


_encode_saying: Callable[[object], bytes] = msgspec.msgpack.Encoder(enc_hook=_refuse).encode
