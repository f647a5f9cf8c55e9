"""Checked programs: bytes that one jailed process has made of a source and another one runs.

The host never decodes them. A source that breaks the compiler can put anything there, and gains only what its
bot has anyway: a locked-down process of its own. So a key must hold everything that determines the bytes.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict

import msgspec

from botleague_sandbox.host.program_cache import StoredPrograms
from botleague_sandbox.wire.program import Program

ROOM_BYTES = 64 << 20  # some ten thousand programs of ordinary size


def key_of(program: Program, compiler: bytes, offered: bytes) -> bytes:
    """Return the key of a checked program.

    Args:
        program: its name counts too, since its files can import each other by it.
        compiler: digest of what checks and compiles, and of the tier's names.
        offered: digest of the names that its harness offers.
    """
    if program.tier == "wasm":  # neither its name nor what lies next to it is compiled
        module = hashlib.sha256(program.files[program.entry]).digest()
        return hashlib.sha256(msgspec.msgpack.encode((compiler, program.tier, module))).digest()
    files = sorted((path, hashlib.sha256(data).digest()) for path, data in program.files.items())
    made_of = (compiler, offered, program.name, files, program.entry, program.tier, program.imports)
    return hashlib.sha256(msgspec.msgpack.encode(made_of)).digest()


class CheckedPrograms:
    """Checked programs by key, those used last as far as there is room; thread-safe.

    Args:
        room_bytes: in memory.
        stored: where they are looked for, and stay for other processes.
    """

    def __init__(self, room_bytes: int = ROOM_BYTES, stored: StoredPrograms | None = None) -> None:
        self._room = room_bytes
        self._stored = stored
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()

    def get(self, key: bytes) -> bytes | None:
        """Return the entry of a key, None if there is no entry."""
        with self._lock:
            code = self._kept.get(key)
            if code is not None:
                self._kept.move_to_end(key)
                return code
        code = None if self._stored is None else self._stored.get(key)
        if code is not None:
            self._remember(key, code)
        return code

    def keep(self, key: bytes, code: bytes) -> None:
        """Keep a checked program, and forget others where there is no room."""
        self._remember(key, code)
        if self._stored is not None:
            self._stored.keep(key, code)

    def _remember(self, key: bytes, code: bytes) -> None:
        with self._lock:
            self._room += len(self._kept.pop(key, b""))
            self._kept[key] = code
            self._room -= len(code)
            while self._room < 0 and len(self._kept) > 1:
                self._room += len(self._kept.popitem(last=False)[1])
