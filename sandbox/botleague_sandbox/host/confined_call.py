"""Runs trusted code on untrusted bytes under the locks of a bot's process: for decoders that a stranger may fool.

A process is forked, takes on the operating system's layers, and only then reads the bytes. It can read them, answer,
and nothing else: no file, no clock of another process, no child. Call it from a process with one thread.
"""

from __future__ import annotations

import functools
import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from botleague_sandbox.locks.lockdown import (
    READ_FD,
    WRITE_FD,
    Locks,
    above_places,
    grow_stack,
    keep_only_pipes,
    spare_uids,
)
from botleague_sandbox.wire.program import Limits
from botleague_sandbox.wire.protection_layers import Profile, Recipe
from botleague_sandbox.wire.sandbox_errors import MachineryFailure

CHUNK = 1 << 16

CPU_S = 5
"""Limit on the CPU time of one call, in seconds."""

MAX_ANSWER_BYTES = 64 << 20


class Refused(Exception):
    """The work took too much memory or time, or its process was ended by one of its locks."""


def confined(work: Callable[[bytes], bytes], content: bytes, profile: Profile, longest_s: float) -> bytes:
    """Return what ``work`` makes of ``content`` in a process that can do nothing else.

    Args:
        work: trusted, and needs no file: what it imports is imported.
        profile: which locks must not be missing.
        longest_s: limit on its duration, in seconds.

    Raises:
        Refused: there is no answer, because of what ``content`` made of the work.
        MachineryFailure: the process cannot be locked as the profile says, and did not begin.
    """
    locks, uids = _locks(profile)
    question, ask = os.pipe()
    answer, reply = os.pipe()
    null, parent = os.open(os.devnull, os.O_RDWR), os.getpid()
    child = os.fork()
    if not child:
        _work(work, question, reply, null, parent, uids[parent % len(uids)] if uids else 0, locks)
    for descriptor in (question, reply, null):
        os.close(descriptor)
    try:
        return _talk(ask, answer, content, longest_s)
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(answer)


@functools.cache
def _locks(profile: Profile) -> tuple[Locks, range]:
    """Return the locks of every such process, and its user ids; what is made once is inherited."""
    grow_stack()
    return Locks(Recipe(profile), Limits(match_cpu_s=CPU_S), "strict"), spare_uids()


def _work(
    work: Callable[[bytes], bytes], question: int, reply: int, null: int, parent: int, uid: int, locks: Locks
) -> None:
    try:
        keep_only_pipes(*map(above_places, (question, reply, null)))
        try:
            locks.enter(parent, uid)
        except Exception as error:
            os.write(WRITE_FD, b"L" + str(error).encode())
            return
        os.write(WRITE_FD, b"R")
        pieces = []
        while piece := os.read(READ_FD, CHUNK):
            pieces.append(piece)
        made = memoryview(work(b"".join(pieces)))
        while made:
            made = made[os.write(WRITE_FD, made[:CHUNK]) :]
        os.write(WRITE_FD, b"E")
    finally:
        os._exit(0)  # in all cases: no code of the caller may run here


def _talk(ask: int, answer: int, content: bytes, longest_s: float) -> bytes:
    """Hand ``content`` over, and return the answer; both may be larger than a pipe."""
    to_write, pieces = memoryview(content), bytearray()
    os.set_blocking(ask, False)
    asking = [ask]  # until everything is written
    end = time.monotonic() + longest_s
    try:
        while True:
            left = max(0.0, end - time.monotonic())
            readable, writable, _ = select.select([answer], asking, [], left)
            if not readable and not writable:
                raise Refused(f"it took longer than {longest_s:g} seconds")
            if writable:
                try:
                    to_write = to_write[os.write(ask, to_write[:CHUNK]) :] if to_write else to_write
                except BrokenPipeError:
                    to_write = memoryview(b"")
                if not to_write:
                    os.close(asking.pop())
            if readable:
                piece = os.read(answer, CHUNK)
                pieces += piece
                if not piece or len(pieces) > MAX_ANSWER_BYTES:
                    break
    finally:
        for descriptor in asking:
            os.close(descriptor)
    if pieces[:1] == b"L":
        raise MachineryFailure(f"A process cannot be locked down: {pieces[1:].decode(errors='replace')}.")
    if pieces[:1] != b"R" or pieces[-1:] != b"E" or len(pieces) < 2:
        raise Refused("it took more memory or time than there is for it")
    return bytes(pieces[1:-1])
