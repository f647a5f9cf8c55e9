"""Goes through a bot's life in the zygote, with a program of our own, so that no bot does anything for the first time.

Python adapts code while it runs it the first times, and fills caches; what a fork does of that it does in pages that it
must copy first, again in every bot. Nothing of a bot is here: neither its source nor its replies.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import msgspec

from botleague_sandbox.inside.agent import Agent, MakeLanguage
from botleague_sandbox.wire.program import Limits
from botleague_sandbox.wire.protocol import ANSWER, ASK, BRIEF, CHECK, LOAD, READY, HostSide

ROUNDS = 10  # Python adapts a function when it is called the eighth time

_NAME, _FILE = "rehearsed", "rehearsed.py"
_SOURCE = b"""
import math
from collections import deque
class Player:
    def __init__(self, depth=2):
        self.depth = depth
        self.seen = deque(maxlen=3)
    def value(self, board):
        return math.sqrt(len(board)) + self.depth
def move(observation):
    player = Player()
    player.seen.append(observation)
    return max([observation], key=lambda board: player.value(str(board)))
"""


class _Harness:
    """The least harness there is."""

    def modules(self) -> Mapping[str, Mapping[str, object]]:
        return {"rehearsal": {"ONE": 1}}

    def loaded(self, bot: Any) -> None:
        self._move = bot.module.move

    def briefed(self, brief: object, turn: object) -> None:
        pass

    def answer(self, observation: object, turn: object) -> object:
        return self._move(observation)


class _RehearsingAgent(Agent):
    """Keeps what it would say to a host."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.said: list[bytes] = []

    def _emit(self, frame: bytes) -> None:
        self.said.append(frame)


def rehearse(make_language: MakeLanguage) -> None:
    """Check a program, load it and ask it, a few times over."""
    plain = {"name": _NAME, "files": {_FILE: _SOURCE}, "entry": _FILE, "harness": ""}
    for _ in range(ROUNDS):
        (checked,) = _answers(make_language, (CHECK, plain))
        loaded = {**plain, "profiled": False, "checked": msgspec.msgpack.decode(checked, type=bytes)}
        _answers(make_language, (LOAD, loaded), (BRIEF, None), (ASK, [1]), (ASK, {"a": 2.5}))
    sys.modules.pop(_NAME)


def _answers(make_language: MakeLanguage, *questions: tuple[int, object]) -> list[msgspec.Raw]:
    """Go through one life of a bot; return what it answers."""
    limits = Limits()
    harness = _Harness()
    agent = _RehearsingAgent(limits, "strict", make_language, harness, harness.modules())
    host = HostSide(limits.reply_bytes, limits.turn_output_bytes, limits.proposals, limits.proposal_bytes)
    agent.send(READY, [])
    host.receive(agent.said.pop())
    answers = []
    for kind, value in questions:
        agent.take(host.ask(kind, value, 100.0, 0.0))
        (answer,) = host.receive(agent.said.pop())
        assert answer.kind == ANSWER, answer
        answers.append(answer.value)
    return answers
