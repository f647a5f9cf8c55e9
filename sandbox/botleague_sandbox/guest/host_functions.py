"""The functions that a guest may call: a small part of WASI preview 1, without files, time or chance of the machine.

Each call costs fuel, and each byte that it moves, also if it fails. The clock shows the fuel used, and the random
numbers come from a seed, so a guest behaves the same wherever it runs. SANDBOX.md, section 13.
"""

from __future__ import annotations

import ctypes
import random
from collections.abc import Sequence
from ctypes import c_int32, string_at
from struct import Struct
from typing import Literal, Protocol, TypeAlias

from botleague_sandbox.guest.engine import Engine, Instance
from botleague_sandbox.guest.wasi_functions import (
    BAD_DESCRIPTOR,
    FUNCTIONS,
    INVALID,
    NAMESPACE,
    NO_SEEKING,
    NOT_SUPPORTED,
    SUCCESS,
)
from botleague_sandbox.wire.fuel import BYTE_UNITS, CALL_UNITS, NS_PER_UNIT
from botleague_sandbox.wire.guest_engine import MEMORY_BYTES

MAX_BUFFERS, MAX_MOVED, MAX_RANDOM, MAX_POLLED = 1024, 1 << 20, 1 << 16, 16
ARGUMENTS = b"bot\0"

_CHARACTER_DEVICE, _READ_WRITE = 2, 1 << 1 | 1 << 6  # C flushes each line to what cannot seek
_DESCRIPTOR_STATUS, _FILE_STATUS = Struct("<BxHxxxxQQ"), Struct("<QQBxxxxxxxQQQQQ")
_SUBSCRIPTION, _EVENT = Struct("<QBxxxxxxxIxxxxQQHxxxxxx"), Struct("<QHBxxxxxQHxxxxxx")
_BUFFER, _NUMBER, _LONG = Struct("<II"), Struct("<I"), Struct("<Q")
_CLOCKS = 4

HaltReason: TypeAlias = Literal["finished", "fuel", "exit", "pointer"]
_Range = ctypes.c_char * MEMORY_BYTES


class Halt(Exception):
    """The host ends a guest.

    Attributes:
        reason: the turn is over, no fuel is left, the guest ended itself, or passed a pointer outside of its memory.
        code: of its exit.
    """

    def __init__(self, reason: HaltReason, code: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.code = reason, code


class Conversation(Protocol):
    """Other end of a guest's reading and writing."""

    def read_on(self, left: int) -> tuple[bytes, int]:
        """Return the next line for a guest that has read everything, and its fuel from now on.

        Args:
            left: units of fuel.

        Raises:
            Halt: it shall end.
        """
        ...

    def take_answer(self, data: bytes) -> None:
        """Take bytes of its standard output."""
        ...

    def take_printed(self, data: bytes) -> None:
        """Take bytes of its standard error."""
        ...


class HostFunctions:
    """Host functions of one instance after another.

    Args:
        engine: whose callback leads here.
        conversation: what they read and write.

    Attributes:
        halt: why the host ended the present instance, None if it did not.
        error: what failed in code of ours, None for nothing.
    """

    def __init__(self, engine: Engine, conversation: Conversation) -> None:
        self._engine = engine
        self._conversation = conversation
        self._handlers = [getattr(self, f"_{name}", None) for name in FUNCTIONS]
        self._unpack = [_arguments(type_).unpack for type_ in FUNCTIONS.values()]
        self._sizes = [16 * len(type_.partition(">")[0]) for type_ in FUNCTIONS.values()]
        self._has_result = [">" in type_ for type_ in FUNCTIONS.values()]
        self.halt: Halt | None = None
        self.error: BaseException | None = None
        self._instance: Instance | None = None

    def begin(self, instance: Instance, seed: int | None) -> None:
        """Serve a fresh instance from now on."""
        self._instance = instance
        self._memory: memoryview | None = None
        self._input, self._at = b"", 0
        self._open = {0, 1, 2}
        self._left = 0
        self.spent = 0  # units in earlier stages of this instance
        self.given = 0  # units at the beginning of the present one
        self._random = random.Random(seed)
        self.halt = self.error = None

    @property
    def is_output_closed(self) -> bool:
        return 1 not in self._open

    def call(self, number: int, caller: int, address: int) -> int:
        """Run a host function for the guest; return 0, or the address of a trap."""
        instance = self._instance
        assert instance is not None
        try:
            self._left = instance.fuel
            self._pay(CALL_UNITS)
            if self._memory is None:
                self._find_memory(instance, caller)
            self._size = instance.size
            handler = self._handlers[number]
            arguments = self._unpack[number](string_at(address, self._sizes[number]))
            result = NOT_SUPPORTED if handler is None else handler(*arguments)
            instance.fuel = self._left
            if self._has_result[number]:
                c_int32.from_address(address).value = result
            return 0
        except Halt as halt:
            self.halt = halt
            if halt.reason == "fuel":
                self._left = 0
            instance.fuel = self._left
        except BaseException as error:
            self.error = error
        return self._engine.trap("stopped")

    # --- fuel and memory ------------------------------------------------------------------------------------

    def _pay(self, units: int) -> None:
        if units > self._left:
            raise Halt("fuel")
        self._left -= units

    def _find_memory(self, instance: Instance, caller: int) -> None:
        if instance.find_memory(caller):
            self._memory = memoryview(_Range.from_address(instance.base)).cast("B")

    def _place(self, pointer: int, length: int) -> memoryview:
        """Return a range of the guest's memory.

        Raises:
            Halt: it is not inside.
        """
        if self._memory is None or pointer + length > self._size:
            raise Halt("pointer")
        return self._memory[pointer : pointer + length]

    def _put(self, pointer: int, data: bytes) -> None:
        self._place(pointer, len(data))[:] = data

    def _buffers(self, pointer: int, number: int) -> list[memoryview]:
        """Return the ranges that a list of buffers names, cut to :data:`MAX_MOVED` bytes together."""
        room, ranges = MAX_MOVED, []
        for place, length in _BUFFER.iter_unpack(self._place(pointer, 8 * number)):
            taken = self._place(place, length)[:room]
            room -= len(taken)
            ranges.append(taken)
        return ranges

    # --- reading and writing --------------------------------------------------------------------------------

    def _fd_read(self, fd: int, buffers: int, number: int, count: int) -> int:
        if fd not in self._open or fd != 0:
            return BAD_DESCRIPTOR
        if number > MAX_BUFFERS:
            return INVALID
        ranges = self._buffers(buffers, number)
        result = self._place(count, 4)
        room = sum(map(len, ranges))
        if room and self._at == len(self._input):
            self._input, self._left = self._conversation.read_on(self._left)
            self._at = 0
        moved = min(room, len(self._input) - self._at)
        self._pay(BYTE_UNITS * moved)
        for target in ranges:
            piece = self._input[self._at : self._at + len(target)]
            target[: len(piece)] = piece
            self._at += len(piece)
        result[:] = _NUMBER.pack(moved)
        return SUCCESS

    def _fd_write(self, fd: int, buffers: int, number: int, count: int) -> int:
        if fd not in self._open or fd == 0:
            return BAD_DESCRIPTOR
        if number > MAX_BUFFERS:
            return INVALID
        ranges = self._buffers(buffers, number)
        result = self._place(count, 4)
        moved = sum(map(len, ranges))
        self._pay(BYTE_UNITS * moved)
        data = b"".join(ranges)
        if fd == 1:
            self._conversation.take_answer(data)
        else:
            self._conversation.take_printed(data)
        result[:] = _NUMBER.pack(moved)
        return SUCCESS

    def _fd_close(self, fd: int) -> int:
        if fd not in self._open:
            return BAD_DESCRIPTOR
        self._open.remove(fd)
        return SUCCESS

    def _fd_fdstat_get(self, fd: int, status: int) -> int:
        if fd not in self._open:
            return BAD_DESCRIPTOR
        self._put(status, _DESCRIPTOR_STATUS.pack(_CHARACTER_DEVICE, 0, _READ_WRITE, 0))
        return SUCCESS

    def _fd_filestat_get(self, fd: int, status: int) -> int:
        if fd not in self._open:
            return BAD_DESCRIPTOR
        self._put(status, _FILE_STATUS.pack(0, fd, _CHARACTER_DEVICE, 1, 0, 0, 0, 0))
        return SUCCESS

    def _no_seeking(self, fd: int, *_: int) -> int:
        return NO_SEEKING if fd in self._open else BAD_DESCRIPTOR

    _fd_seek = _fd_tell = _fd_pread = _fd_pwrite = _no_seeking

    def _no_file(self, *_: int) -> int:
        return BAD_DESCRIPTOR

    _fd_prestat_get = _path_open = _no_file

    # --- arguments and environment --------------------------------------------------------------------------

    def _args_sizes_get(self, number: int, size: int) -> int:
        self._put(number, _NUMBER.pack(1))
        self._put(size, _NUMBER.pack(len(ARGUMENTS)))
        return SUCCESS

    def _args_get(self, pointers: int, content: int) -> int:
        self._put(pointers, _NUMBER.pack(content))
        self._put(content, ARGUMENTS)
        return SUCCESS

    def _environ_sizes_get(self, number: int, size: int) -> int:
        self._put(number, _NUMBER.pack(0))
        self._put(size, _NUMBER.pack(0))
        return SUCCESS

    def _environ_get(self, pointers: int, content: int) -> int:
        return SUCCESS

    # --- time and chance ------------------------------------------------------------------------------------

    def _now_ns(self) -> int:
        return NS_PER_UNIT * (self.spent + self.given - self._left)

    def _clock_time_get(self, clock: int, precision: int, result: int) -> int:
        if clock >= _CLOCKS:
            return INVALID
        self._put(result, _LONG.pack(self._now_ns()))
        return SUCCESS

    def _clock_res_get(self, clock: int, result: int) -> int:
        if clock >= _CLOCKS:
            return INVALID
        self._put(result, _LONG.pack(NS_PER_UNIT))
        return SUCCESS

    def _random_get(self, pointer: int, length: int) -> int:
        if length > MAX_RANDOM:
            return INVALID
        self._pay(BYTE_UNITS * length)
        self._place(pointer, length)[:] = self._random.randbytes(length)
        return SUCCESS

    def _poll_oneoff(self, subscriptions: int, events: int, number: int, count: int) -> int:
        """Answer at once that reading and writing are possible; waiting for a clock costs its time."""
        if not 0 < number <= MAX_POLLED:
            return INVALID
        polled = list(_SUBSCRIPTION.iter_unpack(self._place(subscriptions, _SUBSCRIPTION.size * number)))
        self._place(events, _EVENT.size * number)
        self._place(count, 4)
        ready = [_EVENT.pack(user, SUCCESS, kind, 1, 0) for user, kind, *_ in polled if kind in (1, 2)]
        clocks = sorted((self._wait_units(*clock), user) for user, kind, *clock in polled if kind == 0)
        if not ready and clocks:
            units, _ = clocks[0]
            self._pay(units)
            ready = [_EVENT.pack(user, SUCCESS, 0, 0, 0) for wait, user in clocks if wait <= units]
        self._put(events, b"".join(ready))
        self._put(count, _NUMBER.pack(len(ready)))
        return SUCCESS

    def _wait_units(self, clock: int, timeout: int, precision: int, flags: int) -> int:
        """Return what it costs to wait for a clock."""
        wait_ns = timeout - self._now_ns() if flags & 1 else timeout
        return max(0, wait_ns) // NS_PER_UNIT

    def _sched_yield(self) -> int:
        return SUCCESS

    def _proc_exit(self, code: int) -> int:
        raise Halt("exit", code)


_running: HostFunctions | None = None
"""Those of the program that this process runs."""


def make_engine() -> Engine:
    """Return an engine whose host functions are those of the program that this process will run.

    Raises:
        EngineMissing: it is not installed.
    """
    return Engine(tuple(FUNCTIONS.items()), _dispatch, NAMESPACE)


def run_with(functions: HostFunctions) -> None:
    """Lead calls of guests in this process to ``functions`` from now on."""
    global _running
    _running = functions


def _dispatch(number: int, caller: int, address: int, count: int) -> int:
    assert _running is not None
    return _running.call(number, caller, address)


def _arguments(type_: str) -> Struct:
    """Return how the arguments of a function lie in memory: 16 bytes each; pointers are unsigned."""
    letters: Sequence[str] = type_.partition(">")[0]
    return Struct("<" + "".join("I12x" if letter == "i" else "Q8x" for letter in letters))
