"""Deadlines of any turn, and what a reply is taken for."""

from __future__ import annotations

from collections.abc import Callable

from botleague_sandbox import Answer, Bot, Deadline, Failure, Program

Start = Callable[..., Bot]
MakeProgram = Callable[..., Program]
AMPLE = Deadline.cpu(5000)
SHORT = Deadline(cpu_ms=60, wall_ms=2000, grace_ms=2000)
SHORT_WALL = Deadline.wall(60, grace_ms=2000)

OBEDIENT = "def move(observation): return observation\n"


def failed(reply: object, kind: str) -> Failure:
    assert isinstance(reply, Failure), reply
    assert reply.kind == kind, reply
    return reply


def answered(reply: object) -> object:
    assert isinstance(reply, Answer), reply
    return reply.value
