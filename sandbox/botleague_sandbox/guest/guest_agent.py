"""The agent of a WebAssembly program: takes the host's questions, and speaks in lines with the guest.

The guest is inside its ``_start`` all the time: when it reads on, the host function finishes the question, waits for
the next one, and returns its line. Only when a guest has ended, or may remember nothing, the next question begins with
a fresh instance, which gets the first lines again. Like every agent it runs after the lock-down, and what it reports,
the fuel included, is only the program's own claim. SANDBOX.md, section 13.
"""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import msgspec

from botleague_sandbox.guest.adapter import Adapter
from botleague_sandbox.guest.engine import OUT_OF_FUEL as OUT_OF_FUEL_TRAP
from botleague_sandbox.guest.engine import Engine, Instance, ModuleRefused, Stopped
from botleague_sandbox.guest.guest_output import GuestOutput
from botleague_sandbox.guest.host_functions import Halt, HostFunctions, run_with
from botleague_sandbox.guest.json_lines import InvalidLine, decode_line, encode_line
from botleague_sandbox.guest.module_check import InvalidModule, check_module, named_refusal
from botleague_sandbox.inside.agent import READ_BYTES, UNSENDABLE_ERRORS, Agent
from botleague_sandbox.inside.turn_profile import most_costly_turns
from botleague_sandbox.locks.lockdown import READ_FD
from botleague_sandbox.wire.fuel import PROTOCOL, UNITS_PER_MS, units_in
from botleague_sandbox.wire.program import MAX_FINDING, Limits, Program
from botleague_sandbox.wire.protocol import (
    ANSWER,
    ASK,
    BRIEF,
    CHECK,
    ENDED,
    FAILED,
    LOAD,
    OUT_OF_FUEL,
    OUTPUTS,
    PROFILE,
    PROPOSE,
    REJECTED,
    UNSENDABLE,
    Question,
)

MAX_FRESH = 8
"""Number of fresh instances in a match of a program that lives on between turns."""

ENDED_TOO_OFTEN = f"the bot ended {MAX_FRESH} times in one match, and is not started again"

Final: TypeAlias = tuple[int, object]
"""Kind and value of a final message."""


class CompiledModule(msgspec.Struct, array_like=True):
    """A module as the process that checked it made it.

    ``names`` are those of its functions, by index.
    """

    code: bytes
    names: dict[int, str]


@dataclass(slots=True)
class _Stage:
    """One line to the guest: a question, or its repetition for a fresh instance.

    Attributes:
        line: with its end.
        units: of fuel.
        is_read: whether the guest has begun to read it.
    """

    kind: Literal["start", "brief", "turn"]
    line: bytes
    units: int
    is_read: bool = False


class GuestAgent(Agent):
    """One program in its process.

    Args:
        limits: for output and answers.
        engine: made by the zygote.
        adapter: translates between host and guest.
    """

    def __init__(self, limits: Limits, engine: Engine, adapter: Adapter) -> None:
        super().__init__(limits, "wasm", _no_language, adapter, {})
        self._engine = engine
        self._adapter = adapter
        self._functions = HostFunctions(engine, self)
        self._out = GuestOutput(limits.reply_bytes, self._canvas.module())
        self._module = 0
        self._names: dict[int, str] = {}
        self._seed: int | None = None
        self._instance: Instance | None = None
        self._instances = 0
        self._first: list[_Stage] = []  # the lines that a fresh instance gets again
        self._stages: deque[_Stage] = deque()
        self._stage: _Stage | None = None
        self._question = 0  # kind of the host's question
        self._turn_number = 0
        self._has_read_turn = False
        self._is_over = False  # the instance has ended
        self._final: tuple[int, object, int] = (ANSWER, None, 0)
        self._profiled: list[int] | None = None

    def serve(self) -> None:
        """Answer the host's questions until it closes the pipe."""
        run_with(self._functions)
        while (question := self._receive()) is not None:
            self._answer(question)

    def _receive(self) -> Question | None:
        """Wait for the next question, None for the end."""
        while data := os.read(READ_FD, READ_BYTES):
            question = self._wire.receive(data)
            if question is not None:
                return question
        return None

    # --- questions ------------------------------------------------------------------------------------------

    def _answer(self, question: Question) -> None:
        """Answer a question while no guest is running."""
        if self._begin(question):
            try:
                self._run_fresh()
            finally:
                self._end_instance()

    def _begin(self, question: Question) -> bool:
        """Prepare for a question; return whether it is one for the guest, and answer it otherwise."""
        self._output_room = min(self._turn_output_bytes, self._match_output_room)
        self._outputs_left = OUTPUTS
        self._out.clear()
        self._question = question.kind
        try:
            if question.kind == CHECK:
                self._finish(*self._compiled(question.value))
            elif question.kind == PROFILE:
                self._finish(ANSWER, most_costly_turns(self._profiled or [], UNITS_PER_MS))
            elif question.kind == LOAD:
                self._load_module(question)
                return True
            elif question.kind == BRIEF:
                self._first[1:] = [self._line("brief", question, self._adapter.brief(question.value))]
                self._stages.append(self._first[1])
                return True
            else:
                self._turn_number += 1
                is_fresh = self._instance is None or not self._has_read_turn
                data = self._adapter.turn(question.value, is_fresh)
                self._stages.append(self._line("turn", question, data))
                return True
        except ModuleRefused as error:
            self._finish(FAILED, f"its compiled module cannot be loaded: {error}")
        except Exception as error:  # of the adapter, or what it returns is no plain data
            self._finish(FAILED, f"the adapter of the game failed: {type(error).__name__}: {error}"[:500])
        return False

    def _line(self, kind: Literal["brief", "turn"], question: Question, data: object) -> _Stage:
        fields: dict[str, object] = {"type": kind, "limit_ms": _short(question.limit_ms), "data": data}
        if kind == "turn":
            fields = {"type": kind, "n": self._turn_number, **fields}
        return _Stage(kind, encode_line(fields), units_in(question.limit_ms))

    def _load_module(self, question: Question) -> None:
        order = question.value
        compiled = msgspec.msgpack.decode(order["checked"], type=CompiledModule)
        self._names, self._seed = compiled.names, order["random_seed"]
        self._program = Program(order["name"], {}, order["entry"], "", "wasm")
        self._profiled = [] if order["profiled"] else None
        self._module = self._engine.load(compiled.code)
        fields = {
            "type": "start",
            "protocol": PROTOCOL,
            **self._adapter.start(),
            "limit_ms": _short(question.limit_ms),
        }
        self._first = [_Stage("start", encode_line(fields), units_in(question.limit_ms))]
        self._stages.append(self._first[0])

    def _compiled(self, order: dict[str, Any]) -> Final:
        entry = order["entry"]
        try:
            module = check_module(order["files"][entry])
        except InvalidModule as error:
            return REJECTED, _finding(entry, str(error))
        try:
            code = self._engine.compile_module(module.code)
        except ModuleRefused as error:
            return REJECTED, _finding(entry, named_refusal(str(error)))
        return ANSWER, msgspec.msgpack.encode(CompiledModule(code, module.names))

    # --- the guest ------------------------------------------------------------------------------------------

    def _run_fresh(self) -> None:
        """Run a fresh instance through its first lines and the question, and on while it reads."""
        self._instances += 1
        if self._adapter.memory == "match" and self._instances > MAX_FRESH + 1:
            self._stages.clear()
            self._finish(ENDED, ENDED_TOO_OFTEN)
            return
        question = self._stages.pop()
        self._stages.extend(_Stage(stage.kind, stage.line, stage.units) for stage in self._first)
        if question.kind == "turn":
            self._stages.append(question)
        self._has_read_turn = self._is_over = False
        functions = self._functions
        instance = self._instance = Instance(self._engine, self._module, 0)
        seed = None if self._seed is None else self._seed << 32 | self._instances
        functions.begin(instance, seed)
        self._next_stage()
        instance.fuel = functions.given
        try:
            instance.instantiate()
            instance.run()
            self._conclude(None)
        except Stopped as end:
            self._conclude(end)

    def _end_instance(self) -> None:
        if self._instance is not None:
            self._instance.delete()
            self._instance = None
        self._stages.clear()
        self._stage = None

    def _next_stage(self) -> None:
        """Go to the next line; earlier output of the guest belongs to the previous line."""
        self._out.clear()
        stage = self._stage = self._stages.popleft()
        self._functions.given = stage.units

    @property
    def _is_first_lines(self) -> bool:
        """Whether the guest is still at a line that it gets again, and not at the question."""
        return bool(self._stages)

    def read_on(self, left: int) -> tuple[bytes, int]:
        """Take it that the guest has finished its line, and return the next one; see ``Conversation``."""
        stage = self._stage
        assert stage is not None
        if not stage.is_read:  # the first time that this instance reads
            return self._read(stage), left
        used = stage.units - left
        self._functions.spent += used
        if not self._is_first_lines:
            if stage.kind == "turn" and self._adapter.memory == "turn":
                self._functions.given = 0  # so that nothing is counted twice
                self._final = (*self._judgement(), used)
                raise Halt("finished")
            self._finish(*self._judgement(), used)
            self._wait_for_question()
        self._next_stage()
        assert self._stage is not None
        return self._read(self._stage), self._stage.units

    def _read(self, stage: _Stage) -> bytes:
        stage.is_read = True
        self._has_read_turn = self._has_read_turn or stage.kind == "turn"
        return stage.line

    def _wait_for_question(self) -> None:
        """Wait for a question to the guest that is running; end when the host closes the pipe."""
        while True:
            question = self._receive()
            if question is None:
                os._exit(0)
            if self._begin(question):
                return

    def take_answer(self, data: bytes) -> None:
        """Take bytes of the guest's standard output."""
        self._out.take(data)

    def take_printed(self, data: bytes) -> None:
        """Take bytes of the guest's standard error."""
        self.write(data.decode("utf-8", "replace"))

    # --- results --------------------------------------------------------------------------------------------

    def _judgement(self) -> Final:
        """Return the final message for a guest that has read on."""
        assert self._stage is not None
        if self._stage.kind == "brief":
            return ANSWER, None
        if self._out.line is None and self._stage.kind == "turn":
            why = "closed its output" if self._functions.is_output_closed else "read on"
            rest = " (its last line has no end)" if self._out.has_rest else ""
            return UNSENDABLE, f"the bot {why} without an answer{rest}"
        return self._value()

    def _value(self) -> Final:
        """Return the final message with the line that counts."""
        assert self._stage is not None
        line, is_turn = self._out.line, self._stage.kind == "turn"
        if self._out.too_long:
            return UNSENDABLE, "the line of the answer is too long"
        try:
            value = None if line is None else decode_line(line)
            if is_turn:
                return ANSWER, self._adapter.answer(value)
            return ANSWER, [self._adapter.declared(value), "", []]
        except InvalidLine as error:
            return UNSENDABLE, f"the answer cannot be used: {error}"
        except ValueError as error:
            return UNSENDABLE, f"the answer cannot be used: {str(error)[:500]}"
        except Exception as error:  # of what the guest chose: nothing it writes may end this process
            return UNSENDABLE, f"the answer cannot be used: {type(error).__name__}"

    def _conclude(self, end: Stopped | None) -> None:
        """Send the final message about a question during which the guest has ended.

        Raises:
            BaseException: the sandbox's own code failed.
        """
        functions, stage, instance = self._functions, self._stage, self._instance
        self._is_over = True
        if functions.error is not None:
            raise functions.error
        assert stage is not None
        assert instance is not None
        halt = functions.halt
        if halt is not None and halt.reason == "finished":
            self._finish(*self._final)
            return
        used = stage.units - min(instance.fuel, stage.units)
        kind, text = self._reason(end, halt)
        failure = FAILED if kind == ANSWER else kind
        if self._is_first_lines:
            self._finish(failure, f"while it was started again: {text}")
        elif self._out.line is None:
            self._finish(failure, text, used)
        elif stage.kind != "turn":
            if kind != ANSWER:
                self.write(f"{text or 'it ran out of fuel'}\n")
            self._finish(*self._judgement(), used)
        else:
            final, value = self._value()
            if kind != ANSWER and final == ANSWER:
                self.send(PROPOSE, value)
                final, value = kind, text
            self._finish(final, value, used)

    def _reason(self, end: Stopped | None, halt: Halt | None) -> tuple[int, str]:
        """Return how the guest ended: kind of the message if no line counts, ANSWER if it ended itself."""
        if halt is not None and halt.reason == "exit":
            return ANSWER, f"the bot ended itself with exit code {halt.code}"
        if end is None:
            return ANSWER, "the bot ended itself: its main function returned"
        if (halt is not None and halt.reason == "fuel") or end.code == OUT_OF_FUEL_TRAP:
            return OUT_OF_FUEL, ""
        text = "a pointer outside of the memory" if halt is not None else end.text
        frames = "".join(f"\n  in {self._names.get(index, f'function {index}')}" for index in end.frames)
        return FAILED, f"trap: {text}{frames}"

    def _finish(self, kind: int, value: object, used: int = 0) -> None:
        """Send a final message, of a guest that has ended only when its memory is given back: that takes time."""
        if self._is_over:
            self._end_instance()
        if self._profiled is not None and self._question == ASK:
            self._profiled.append(used)
        drawn = self._drawn() if self._drawings else b""
        output = self._take_output() if self._output else ""
        try:
            frame = self._wire.say(kind, value, output, drawn, used)
        except UNSENDABLE_ERRORS as error:
            frame = self._wire.say(
                UNSENDABLE, f"the answer cannot be sent: {error}"[:500], output, drawn, used
            )
        self._emit(frame)


def _no_language(*_: object, **__: object) -> None:
    """Stand in for the language layer: a module is no text."""


def _short(limit_ms: float) -> float:
    """Return a limit as a whole number if it is one."""
    return int(limit_ms) if limit_ms == int(limit_ms) else limit_ms


def _finding(entry: str, text: str) -> list[tuple[str, int, int, str, str, str]]:
    return [(entry, 0, 0, text[:MAX_FINDING], "", "module")]
