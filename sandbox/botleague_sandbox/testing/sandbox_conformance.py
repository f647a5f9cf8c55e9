"""A suite that any sandbox of the same face must pass: a container, a virtual machine, WebAssembly, or ours.

Each check plays small programs through the public face and asserts what its host must see; together they pin down
what :class:`~botleague_sandbox.Sandbox`, :class:`~botleague_sandbox.Bot` and
:func:`~botleague_sandbox.ask_together` promise. Run all of them::

    for check in CHECKS:
        check(Face(open=MySandbox, ask_together=my_ask_together))

The programs are ordinary Python that a language policy accepts. Whether hostile programs are held is the matter of
the attack corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from textwrap import dedent
from typing import Any, Protocol, TypeAlias

import msgspec

from botleague_sandbox.host.bot_process import Usage
from botleague_sandbox.inside.botdraw import CIRCLE
from botleague_sandbox.wire.program import (
    Answer,
    Crashed,
    Deadline,
    Failure,
    Finding,
    Limits,
    Notes,
    Program,
    Rejected,
    Reply,
)

HARNESS = "botleague_sandbox.testing.sandbox_conformance:PlainHarness"
AMPLE = Deadline.cpu(10_000)
SHORT = Deadline(cpu_ms=100, wall_ms=3000, grace_ms=1000)
SHORT_WALL = Deadline.wall(100, grace_ms=1000)


class BotFace(AbstractContextManager["BotFace"], Protocol):
    """Interface of a running bot."""

    @property
    def name(self) -> str: ...
    @property
    def layers(self) -> Sequence[str]: ...
    @property
    def output(self) -> str: ...
    @property
    def is_alive(self) -> bool: ...
    @property
    def usage(self) -> Usage: ...
    @property
    def proposals(self) -> int: ...
    def take_notes(self) -> Notes | None: ...
    def declaration(self, type_: object) -> object: ...
    def brief(self, brief: object, deadline: Deadline) -> Reply: ...
    def ask(self, observation: object, deadline: Deadline, type_: object = ...) -> Reply: ...
    def close(self) -> None: ...


class SandboxFace(Protocol):
    """Interface of a sandbox."""

    def run(
        self,
        program: Program,
        briefing: Mapping[str, object] = ...,
        *,
        load: Deadline = ...,
        limits: Limits | None = ...,
    ) -> BotFace: ...
    def check(self, program: Program, briefing: Mapping[str, object] = ...) -> tuple[Finding, ...]: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Face:
    """An implementation to judge.

    Attributes:
        open: makes a sandbox with default limits.
        ask_together: asks several of its bots at the same time.
    """

    open: Callable[[], AbstractContextManager[SandboxFace]]
    ask_together: Callable[[Sequence[tuple[Any, object, Deadline, Any]]], list[Reply]]


class PlainHarness:
    """Calls ``move(observation)`` of the entry module, and ``brief(told)`` and ``declare()`` where there are any.

    Programs can import ``stage``: ``propose(move)``, ``briefing()``, ``limit_ms()``, ``bank_ms()``, ``elapsed_ms()``.
    """

    def __init__(self, **briefing: object) -> None:
        self._briefing = briefing
        self._turn: Any = None
        self._bot: Any = None

    def modules(self) -> dict[str, dict[str, object]]:
        return {
            "stage": {
                "propose": lambda move: self._turn.propose(move),
                "briefing": lambda: dict(self._briefing),
                "limit_ms": lambda: self._turn.limit_ms,
                "bank_ms": lambda: self._turn.bank_ms,
                "elapsed_ms": lambda: self._turn.elapsed_ms(),
            }
        }

    def loaded(self, bot: Any) -> object:
        self._bot = bot.module
        return self._bot.declare() if hasattr(self._bot, "declare") else None

    def briefed(self, brief: object, turn: object) -> None:
        if hasattr(self._bot, "brief"):
            self._bot.brief(brief)

    def answer(self, observation: object, turn: Any) -> object:
        self._turn = turn
        return self._bot.move(observation)


Check: TypeAlias = Callable[[Face], None]
CHECKS: list[Check] = []


def _check(check: Check) -> Check:
    CHECKS.append(check)
    return check


def _program(source: str, **more_files: bytes) -> Program:
    files = {
        "bot.py": dedent(source).encode(),
        **{name.replace("__", "."): text for name, text in more_files.items()},
    }
    return Program("candidate", files, "bot.py", HARNESS)


@contextmanager
def _bot(face: Face, source: str, limits: Limits | None = None, **briefing: object) -> Iterator[BotFace]:
    with face.open() as sandbox, sandbox.run(_program(source), briefing, limits=limits) as bot:
        yield bot


def _value(reply: Reply) -> object:
    assert isinstance(reply, Answer), f"expected an answer, got {reply}"
    return reply.value


def _failure(reply: Reply, kind: str) -> Failure:
    assert isinstance(reply, Failure), f"expected a {kind}, got {reply}"
    assert reply.kind == kind, f"expected a {kind}, got {reply}"
    assert reply.detail.isprintable() or "\n" in reply.detail
    return reply


def _crash(action: Callable[[], object]) -> Failure:
    try:
        result = action()
    except Crashed as crashed:
        return crashed.failure
    raise AssertionError(f"expected Crashed, got {result}")


@_check
def an_answer_is_decoded_to_the_type_that_was_asked_for(face: Face) -> None:
    with _bot(face, "def move(o): return o") as bot:
        assert _value(bot.ask([1, 2], AMPLE, tuple[int, int])) == (1, 2)
        assert _value(bot.ask({"a": None}, AMPLE, dict[str, Any])) == {"a": None}


@_check
def an_answer_of_another_type_is_garbage_and_the_bot_lives_on(face: Face) -> None:
    with _bot(face, "def move(o): return o") as bot:
        for wrong in ("x", 1.5, None, True, [1]):
            _failure(bot.ask(wrong, AMPLE, int), "garbage")
        assert _value(bot.ask(3, AMPLE, int)) == 3


@_check
def values_that_are_not_plain_finite_and_small_are_garbage(face: Face) -> None:
    source = """
        def deep():
            value = 0
            for _ in range(50): value = [value]
            return value
        def move(o):
            return [float("nan"), float("inf"), 2 ** 60, "x" * 60_000, deep(), [0] * 5000, object(), lambda: 1][o]
        """
    with _bot(face, source) as bot:
        for which in range(8):
            _failure(bot.ask(which, AMPLE), "garbage")
        assert bot.is_alive


@_check
def an_exception_costs_the_turn_and_not_the_bot(face: Face) -> None:
    with _bot(face, "def move(o): return 10 // o") as bot:
        assert "ZeroDivisionError" in _failure(bot.ask(0, AMPLE), "exception").detail
        assert _value(bot.ask(5, AMPLE)) == 2


@_check
def exits_of_all_kinds_are_exceptions(face: Face) -> None:
    source = """
        def deeper(n): return deeper(n + 1)
        def move(o):
            if o == 0: raise SystemExit(0)
            if o == 1: raise KeyboardInterrupt
            if o == 2: deeper(0)
            return o
        """
    with _bot(face, source) as bot:
        for which in range(3):
            _failure(bot.ask(which, AMPLE), "exception")
        assert _value(bot.ask(3, AMPLE)) == 3


@_check
def the_text_of_an_error_is_bounded_and_without_control_characters(face: Face) -> None:
    with _bot(face, "def move(o): raise ValueError('\\x1b[2J' + 'x' * 1_000_000)") as bot:
        detail = _failure(bot.ask(0, AMPLE), "exception").detail
        assert len(detail) <= Limits().error_bytes
        assert "\x1b" not in detail


@_check
def a_deadline_interrupts_what_a_bot_tries_to_swallow(face: Face) -> None:
    source = """
        import time
        def move(o):
            while o:
                try:
                    if o == 1:
                        while True: pass
                    time.sleep(3600)
                except BaseException: pass
                finally: continue
            return "fine"
        """
    with _bot(face, source) as bot:
        _failure(bot.ask(1, SHORT), "timeout")
        _failure(bot.ask(2, SHORT_WALL), "timeout")
        assert _value(bot.ask(0, AMPLE)) == "fine"


@_check
def a_bot_that_cannot_be_interrupted_is_killed_and_crashes_from_then_on(face: Face) -> None:
    with _bot(face, "import itertools\ndef move(o): return sum(itertools.count())") as bot:
        _failure(bot.ask(0, Deadline(cpu_ms=100, wall_ms=3000, grace_ms=100)), "timeout")
        assert not bot.is_alive
        _failure(bot.ask(0, AMPLE), "crash")
        _failure(bot.brief(0, AMPLE), "crash")


@_check
def sleeping_is_charged_like_computing(face: Face) -> None:
    with _bot(face, "import time\ndef move(o):\n    time.sleep(o)\n    return 1") as bot:
        # On a busy machine the host itself may pause, and does not charge that time: ask again.
        replies = (bot.ask(0.3, AMPLE) for _ in range(3))
        assert any(_value(reply) == 1 and reply.cpu_ms < 150 < reply.used_ms for reply in replies)
        _failure(bot.ask(3600, SHORT), "timeout")


@_check
def a_late_answer_is_not_taken_for_the_next(face: Face) -> None:
    source = """
        import time
        def move(o):
            try:
                if o == 0: time.sleep(3600)
            except BaseException: return "late"
            return o
        """
    with _bot(face, source) as bot:
        for number in (1, 2, 3):
            _failure(bot.ask(0, SHORT_WALL), "timeout")
            assert _value(bot.ask(number, AMPLE)) == number


@_check
def the_last_provisional_move_counts_after_a_deadline_or_an_exception(face: Face) -> None:
    source = """
        from stage import propose
        def move(o):
            propose(1)
            propose(2)
            if o == 0: raise ValueError
            while o == 1: pass
            return 3
        """
    with _bot(face, source) as bot:
        for which in (0, 1):
            reply = bot.ask(which, SHORT, int)
            assert _value(reply) == 2
            assert isinstance(reply, Answer)
            assert reply.warning
        assert _value(bot.ask(2, AMPLE, int)) == 3


@_check
def a_bot_may_propose_as_often_as_it_likes(face: Face) -> None:
    source = "from stage import propose\ndef move(o):\n    for n in range(20_000): propose(n)\n    raise ValueError"
    with _bot(face, source) as bot:
        assert _value(bot.ask(0, AMPLE, int)) == 19_999


@_check
def briefing_brief_declaration_and_limit_arrive(face: Face) -> None:
    source = """
        from stage import bank_ms, briefing, limit_ms
        told = []
        def declare(): return {"seat": briefing()["seat"]}
        def brief(what): told.append(what)
        def move(o): return [told, limit_ms(), bank_ms()]
        """
    with _bot(face, source, seat=3) as bot:
        assert bot.declaration(dict[str, int]) == {"seat": 3}
        assert isinstance(bot.brief("hello", AMPLE), Answer)
        assert _value(bot.ask(0, msgspec.structs.replace(Deadline.cpu(750), bank_ms=500))) == [
            ["hello"],
            750,
            500,
        ]
        assert _value(bot.ask(0, Deadline.cpu(750))) == [["hello"], 750, 0]
        assert _crash(lambda: bot.declaration(int)).kind == "garbage"


@_check
def output_is_captured_cleaned_and_cut(face: Face) -> None:
    limits = Limits(turn_output_bytes=500, match_output_bytes=1200)
    source = "print('start\\x07')\ndef move(o):\n    for _ in range(100): print('y' * 50)"
    with _bot(face, source, limits) as bot:
        assert bot.output == "start\n"
        for _ in range(5):
            bot.ask(0, AMPLE)
        assert 500 <= len(bot.output) <= 1200


@_check
def what_is_said_beside_answers_is_told_by_turn(face: Face) -> None:
    source = """
        import botdraw
        print('up')
        def move(o):
            if o:
                print('turn', o)
                botdraw.circle(o, 1, 0.5)
            return o
        """
    with _bot(face, source) as bot:
        lines = []
        for question in (0, 3, 0):
            bot.ask(question, AMPLE)
            notes = bot.take_notes()
            lines.append((notes.printed, notes.drawn, notes.is_cut) if notes is not None else None)
    drawn = msgspec.msgpack.encode([[CIRCLE, 3, 1, 0.5, None, None]])
    assert lines == [("up\n", b"", False), ("turn 3\n", drawn, False), None]


@_check
def a_refused_source_says_where(face: Face) -> None:
    with face.open() as sandbox:
        program = _program("x = 1\nimport os\ndef move(o): return o")
        try:
            sandbox.run(program)
        except Rejected as rejected:
            findings = rejected.findings
        else:
            raise AssertionError("a source that imports os was accepted")
        assert (findings[0].file, findings[0].line) == ("bot.py", 2)
        assert sandbox.check(program) == findings
        assert sandbox.check(_program("def move(o): return o")) == ()


@_check
def a_program_that_does_not_come_up_is_a_crash_of_its_kind(face: Face) -> None:
    with face.open() as sandbox:
        for source, kind in (("1 / 0", "exception"), ("while True: pass", "timeout")):
            program = _program(source)
            assert _crash(partial(sandbox.run, program, load=SHORT)).kind == kind


@_check
def files_beside_the_entry_can_be_imported(face: Face) -> None:
    program = _program(
        "import plan\ndef move(o): return plan.answer()", plan__py=b"def answer(): return 42\n"
    )
    with face.open() as sandbox, sandbox.run(program) as bot:
        assert _value(bot.ask(0, AMPLE)) == 42


@_check
def simultaneous_questions_have_one_reply_each_in_order(face: Face) -> None:
    sources = ("def move(o): return o", "def move(o): 1 / 0", "def move(o):\n    while True: pass")
    with face.open() as sandbox:
        bots = [sandbox.run(_program(source)) for source in sources]
        replies = face.ask_together([(bot, number, SHORT, int) for number, bot in enumerate(bots)])
        assert _value(replies[0]) == 0
        _failure(replies[1], "exception")
        _failure(replies[2], "timeout")


@_check
def memory_is_limited(face: Face) -> None:
    source = "def move(o):\n    try: return len([0] * (1 << 27))\n    except MemoryError: return -1"
    with _bot(face, source) as bot:
        assert _value(bot.ask(0, AMPLE, int)) == -1


@_check
def nothing_is_shared_between_runs(face: Face) -> None:
    source = "import math\nseen = []\ndef move(o):\n    seen.append(o)\n    return len(seen)"
    with face.open() as sandbox:
        for _ in range(2):
            with sandbox.run(_program(source)) as bot:
                assert _value(bot.ask(0, AMPLE)) == 1


@_check
def what_a_bot_was_told_it_cannot_change(face: Face) -> None:
    observation = {"score": [1, 2], "legal": [1]}
    with _bot(face, "def move(o):\n    o['score'][0] = 99\n    o.clear()\n    return 1") as bot:
        assert _value(bot.ask(observation, AMPLE)) == 1
    assert observation == {"score": [1, 2], "legal": [1]}


@_check
def use_is_measured_and_closing_is_final(face: Face) -> None:
    with _bot(face, "def move(o): return sum(range(o))") as bot:
        before = bot.usage
        bot.ask(3_000_000, AMPLE)
        after = bot.usage
        assert after.cpu_ms > before.cpu_ms
        assert after.wall_ms > before.wall_ms
        assert after.peak_memory_bytes > 0
        assert bot.layers
        assert bot.name == "candidate"
        bot.close()
        bot.close()
        assert not bot.is_alive
        _failure(bot.ask(1, AMPLE), "crash")
