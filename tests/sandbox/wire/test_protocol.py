"""The wire protocol against a model, and against bytes that nobody should send."""

from __future__ import annotations

import struct
from random import Random

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from botleague_sandbox.wire.protocol import (
    ANSWER,
    ASK,
    BRIEF,
    BROKEN,
    CHECK,
    FAILED,
    FINAL,
    INTERRUPTED,
    LOAD,
    OUTPUT,
    OUTPUTS,
    PROPOSE,
    READY,
    REJECTED,
    TABLE,
    UNSENDABLE,
    BotMessage,
    BotSide,
    HostSide,
    Violation,
)

VALUE_BYTES, OUTPUT_BYTES, PROPOSALS, PROPOSAL_BYTES = 2000, 500, 4, 1000
ASKING = [("checking", CHECK), ("loading", LOAD), ("asked", BRIEF), ("asked", ASK)]
BOT_KINDS = [READY, ANSWER, PROPOSE, OUTPUT, FAILED, UNSENDABLE, INTERRUPTED, REJECTED, BROKEN]
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


def host_side(first: int | None = None) -> HostSide:
    return HostSide(VALUE_BYTES, OUTPUT_BYTES, PROPOSALS, PROPOSAL_BYTES, first=first)


def frame(kind: int, n: int, value: object = None, output: str = "") -> bytes:
    body = msgspec.msgpack.encode([kind, n, value, output])
    return struct.pack("<I", len(body)) + body


def waiting_host(kind: int = ASK) -> HostSide:
    """Return a host side that waits for an answer."""
    host = host_side()
    host.receive(frame(READY, 0, []))
    host.ask(kind, None)
    return host


@pytest.mark.parametrize("text", ["", "x", "x" * 100])
def test_the_output_of_a_question_is_bounded_in_messages_and_length(text: str) -> None:
    host = waiting_host()
    one = frame(OUTPUT, host.n, None, text)
    allowed = min(OUTPUTS, 2 * OUTPUT_BYTES // max(1, len(text)))
    for _ in range(allowed):
        host.receive(one)
    with pytest.raises(Violation, match="more output"):
        host.receive(one)


class Conversation(RuleBasedStateMachine):
    """An honest bot side and a host side: whatever they say in turn arrives as it was said, in whatever pieces."""

    def __init__(self) -> None:
        super().__init__()
        self.host = host_side()
        self.bot = BotSide(VALUE_BYTES)
        self.wire = b""
        self.expected: list[tuple[int, object]] = []
        self.heard: list[tuple[int, object]] = []
        self.proposed = 0

    def say(self, kind: int, value: object) -> None:
        self.wire += self.bot.say(kind, value)
        self.expected.append((kind, value))

    @precondition(lambda self: self.bot.state == "starting")
    @rule()
    def get_ready(self) -> None:
        self.say(READY, ["seccomp"])

    @precondition(lambda self: self.host.state == "idle" and not self.wire)
    @rule(kind=st.sampled_from([LOAD, BRIEF, ASK]), value=PLAIN, cut=st.integers(0, 40))
    def ask(self, kind: int, value: object, cut: int) -> None:
        question = self.host.ask(kind, value, 150.0, 2.5)
        first = self.bot.receive(question[:cut])
        question_heard = first or self.bot.receive(question[cut:])
        assert question_heard is not None
        assert (question_heard.kind, question_heard.value) == (kind, value)
        assert (question_heard.limit_ms, question_heard.cpu_s) == (150.0, 2.5)
        self.proposed = 0

    @precondition(lambda self: self.bot.state == "asked" and self.proposed < PROPOSALS)
    @rule(value=st.integers(0, 1000))
    def propose(self, value: int) -> None:
        self.proposed += 1
        self.say(PROPOSE, value)

    @precondition(lambda self: self.bot.state in ("asked", "loading"))
    @rule(value=PLAIN, choice=st.integers(0, 3))
    def answer(self, value: object, choice: int) -> None:
        kinds = [kind for kind in TABLE[self.bot.state] if kind in FINAL]
        self.say(kinds[choice % len(kinds)], value)

    @precondition(lambda self: self.wire)
    @rule(size=st.integers(1, 30))
    def deliver(self, size: int) -> None:
        piece, self.wire = self.wire[:size], self.wire[size:]
        for message in self.host.receive(piece):
            self.heard.append((message.kind, msgspec.msgpack.decode(message.value)))

    @invariant()
    def what_arrived_is_what_was_said(self) -> None:
        assert self.heard == self.expected[: len(self.heard)]
        if not self.wire:
            assert self.heard == self.expected
            assert self.host.state == self.bot.state


# In most states one rule alone applies, which Hypothesis finds by drawing again.
Conversation.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much],
)
test_host_and_bot_side_understand_each_other = Conversation.TestCase


@pytest.mark.parametrize("kind", BOT_KINDS)
def test_a_message_is_taken_only_where_the_table_allows_it(kind: int) -> None:
    for state, asking in ASKING:
        host = waiting_host(asking)
        message = frame(kind, host.n)
        if kind in TABLE[state]:  # type: ignore[index]  # the states are spelled out above
            assert [reply.kind for reply in host.receive(message)] == [kind]
        else:
            with pytest.raises(Violation):
                host.receive(message)


@pytest.mark.parametrize("kind", [CHECK, LOAD, BRIEF, ASK])
def test_a_bot_cannot_speak_as_the_host(kind: int) -> None:
    host = waiting_host()
    with pytest.raises(Violation):
        host.receive(frame(ANSWER, host.n) + frame(kind, host.n))


@pytest.mark.parametrize("step", [-300, -1, 1, 2, 255, 300])
def test_a_number_that_is_not_the_pending_one_is_a_violation(step: int) -> None:
    host = waiting_host()
    with pytest.raises(Violation):
        host.receive(frame(ANSWER, host.n + step))


def test_the_number_of_the_next_question_cannot_be_known() -> None:
    steps = set()
    for _ in range(300):
        host = waiting_host()
        before = host.n
        host.receive(frame(ANSWER, host.n))
        host.ask(ASK, None)
        steps.add(host.n - before)
    assert len(steps) > 100
    assert min(steps) >= 1


def test_an_answer_to_an_earlier_question_is_a_violation() -> None:
    host = waiting_host()
    early = host.n
    host.receive(frame(ANSWER, early))
    host.ask(ASK, None)
    with pytest.raises(Violation):
        host.receive(frame(ANSWER, early))


@pytest.mark.parametrize("rest", [b"\0", b"\xff" * 9])
def test_bytes_after_the_final_answer_are_a_violation(rest: bytes) -> None:
    host = waiting_host()
    with pytest.raises(Violation):
        host.receive(frame(ANSWER, host.n) + rest)


def test_a_second_answer_is_a_violation() -> None:
    host = waiting_host()
    with pytest.raises(Violation):
        host.receive(frame(ANSWER, host.n) * 2)


def test_a_length_beyond_the_limit_is_a_violation_before_the_body_arrives() -> None:
    host = waiting_host()
    with pytest.raises(Violation):
        host.receive(struct.pack("<I", VALUE_BYTES + OUTPUT_BYTES + 100))


def test_a_value_beyond_its_limit_is_a_violation_although_the_frame_is_not() -> None:
    host = waiting_host()
    with pytest.raises(Violation):
        host.receive(frame(ANSWER, host.n, "x" * (VALUE_BYTES + 1)))


def test_more_provisional_answers_than_allowed_are_a_violation() -> None:
    host = waiting_host()
    host.receive(frame(PROPOSE, host.n, 1) * PROPOSALS)
    with pytest.raises(Violation):
        host.receive(frame(PROPOSE, host.n, 1))


def test_provisional_answers_have_a_common_size_limit() -> None:
    host = waiting_host()
    host.receive(frame(PROPOSE, host.n, "x" * 600))
    with pytest.raises(Violation):
        host.receive(frame(PROPOSE, host.n, "x" * 600))


def test_a_frame_may_arrive_byte_by_byte() -> None:
    host = waiting_host()
    message = frame(PROPOSE, host.n, [1, 2]) + frame(ANSWER, host.n, "done", "printed")
    heard: list[BotMessage] = []
    for at in range(len(message)):
        heard += host.receive(message[at : at + 1])
    assert [(reply.kind, bytes(reply.value), reply.output) for reply in heard] == [
        (PROPOSE, b"\x92\x01\x02", ""),
        (ANSWER, b"\xa4done", "printed"),
    ]


def test_a_question_cannot_be_asked_while_another_is_outstanding() -> None:
    host = waiting_host()
    with pytest.raises(Violation):
        host.ask(ASK, None)


def test_a_bot_side_refuses_what_is_not_plain_data_and_can_still_answer() -> None:
    bot = BotSide(VALUE_BYTES)
    bot.say(READY, [])
    bot.receive(host_question())
    cycle: list[object] = []
    cycle.append(cycle)
    for value in (object(), lambda: 1, 10**400, "\ud800", "x" * (VALUE_BYTES + 1), cycle, int):
        with pytest.raises((TypeError, ValueError, OverflowError, RecursionError)):
            bot.say(ANSWER, value)
    assert bot.say(ANSWER, 7)


def host_question() -> bytes:
    host = host_side()
    host.receive(frame(READY, 0, []))
    return host.ask(ASK, {"x": 1})


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=80), st.integers(0, 80))
def test_any_bytes_end_as_messages_or_a_violation(data: bytes, cut: int) -> None:
    host = waiting_host()
    try:
        heard = host.receive(data[:cut]) + host.receive(data[cut:])
    except Violation:
        return
    assert all(reply.n == host.n for reply in heard)


def test_mutated_messages_end_as_messages_or_a_violation() -> None:
    random = Random(7)
    nested = frame(ANSWER, 0, 0)[:-2] + b"\x91" * 1900
    for _ in range(3000):
        host = waiting_host()
        message = bytearray(random.choice([
            frame(ANSWER, host.n, {"a": [1, 2.5, "x" * 40]}),
            frame(PROPOSE, host.n, [1] * 20) + frame(ANSWER, host.n),
            frame(FAILED, host.n, "ValueError: x", "printed"),
            nested,
        ]))  # fmt: skip
        for _ in range(random.randint(1, 6)):
            message[random.randrange(len(message))] = random.choice(
                [0, 0xC1, 0xDF, 0xFF, random.randrange(256)]
            )
        try:
            heard = host.receive(
                bytes(message[: random.choice([len(message), random.randrange(len(message))])])
            )
        except Violation:
            continue
        assert all(reply.n == host.n for reply in heard)
