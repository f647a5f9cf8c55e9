"""Makes the engine of the tier ``wasm`` in its zygote, and goes through a guest's life with a module of ours.

The engine's callback lies in a page that is writable and executable; it is sealed before any fork. From then on the
zygote and its bots make no callback, and end without running what libraries do at the end.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from botleague_sandbox.guest.engine import digest, seal_callbacks
from botleague_sandbox.guest.guest_agent import GuestAgent
from botleague_sandbox.guest.host_functions import make_engine, run_with
from botleague_sandbox.guest.null_guest import MODULE
from botleague_sandbox.inside.agent import Agent
from botleague_sandbox.wire.program import Limits
from botleague_sandbox.wire.protocol import ANSWER, ASK, BRIEF, CHECK, LOAD, READY, HostSide, Question

ROUNDS = 10  # as for Python programs


@dataclass(frozen=True, slots=True)
class PreloadedEngine:
    """Parts with which a zygote makes programs of the tier.

    Attributes:
        make_agent: makes an agent from limits, adapter and modules (always empty).
        compiler: digest of all that determines compiled modules.
        rehearse: goes through a guest's life, and seals the callbacks.
    """

    make_agent: Callable[[Limits, Any, Mapping[str, Mapping[str, object]]], Agent]
    compiler: bytes
    rehearse: Callable[[], None]


def preload_engine() -> PreloadedEngine:
    """Make the engine.

    Raises:
        EngineMissing: it is not installed.
    """
    engine = make_engine()
    compiler = digest()

    def make_agent(limits: Limits, adapter: Any, modules: Mapping[str, Mapping[str, object]]) -> Agent:
        return GuestAgent(limits, engine, adapter)

    def rehearse() -> None:
        for _ in range(ROUNDS):
            _Rehearsal(engine, "match").go()
            _Rehearsal(engine, "turn").go()
        engine.release_memory()
        seal_callbacks()

    return PreloadedEngine(make_agent, compiler, rehearse)


class _Adapter:
    def __init__(self, memory: Literal["match", "turn"]) -> None:
        self.memory = memory

    def start(self) -> Mapping[str, object]:
        return {"variant": "rehearsal", "seat": 0, "config": {}}

    def declared(self, answer: object) -> object:
        return answer

    def brief(self, brief: object) -> object:
        return brief

    def turn(self, observation: object, is_fresh: bool) -> object:
        return observation

    def answer(self, answer: object) -> object:
        return answer


class _AllAsked(Exception):
    """No question is left."""


class _Rehearsal(GuestAgent):
    """Asks itself, and keeps what it would say to a host."""

    def __init__(self, engine: Any, memory: Literal["match", "turn"]) -> None:
        limits = Limits()
        super().__init__(limits, engine, _Adapter(memory))
        self._host = HostSide(limits.reply_bytes, limits.turn_output_bytes, 0, 0, 1 << 24)
        self._host_questions: deque[tuple[int, object]] = deque([(CHECK, _order(None))])
        self._last: msgspec.Raw = msgspec.Raw(b"")

    def go(self) -> None:
        """Check the module, load it and ask it."""
        self.send(READY, [])
        run_with(self._functions)
        checked = self._asked_all()
        rehearsal = type(self)(self._engine, self._adapter.memory)
        rehearsal.send(READY, [])
        run_with(rehearsal._functions)
        compiled = msgspec.msgpack.decode(checked, type=bytes)
        questions = [
            (LOAD, _order(compiled)),
            (BRIEF, {"seed": 1 << 60}),
            (ASK, [1]),
            (ASK, {"a": b"2"}),
            (ASK, None),
        ]
        rehearsal._host_questions = deque(questions)
        rehearsal._asked_all()

    def _asked_all(self) -> msgspec.Raw:
        with contextlib.suppress(_AllAsked):
            self.serve()
        self._end_instance()
        return self._last

    def _receive(self) -> Question | None:
        if not self._host_questions:
            raise _AllAsked
        kind, value = self._host_questions.popleft()
        frame = self._host.ask(kind, value, 100.0, 0.0)
        return self._wire.receive(frame)

    def _emit(self, frame: bytes) -> None:
        for message in self._host.receive(frame):
            assert message.kind in (ANSWER, READY), message
            self._last = message.value


def _order(compiled: bytes | None) -> dict[str, object]:
    files = {"rehearsal.wasm": MODULE} if compiled is None else {}
    plain = {"name": "rehearsal", "files": files, "entry": "rehearsal.wasm", "random_seed": 0}
    return {**plain, "checked": compiled, "profiled": False}
