"""The engine that runs WebAssembly programs: whether it is installed, and all of it that determines their answers.

Nothing here loads it.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import msgspec

from botleague_sandbox.wire.fuel import BYTE_UNITS, CALL_UNITS, PROTOCOL, UNITS_PER_MS

DISTRIBUTION, MAJOR_VERSION = "wasmtime", "50"
MEMORY_BYTES = 128 << 20
"""Limit on the memory of a program, in bytes."""

INSTALL = "Run: pip install 'botleague[wasm]'"


class EngineMissing(ImportError):
    """The engine is not installed; the text says how to get it."""


class GuestEngine(msgspec.Struct, frozen=True):
    """The engine with all that determines answers besides modules, questions and seeds.

    Attributes:
        version: name and version of the engine.
        machine: processor family, which determines the bits of a float that is no number.
        units_per_ms, call_units, byte_units: fuel of a millisecond, of a call to the host, and of each byte it moves.
        memory_bytes: limit on a program's memory.
        protocol: version of the lines.
    """

    version: str
    machine: str
    units_per_ms: int = UNITS_PER_MS
    call_units: int = CALL_UNITS
    byte_units: int = BYTE_UNITS
    memory_bytes: int = MEMORY_BYTES
    protocol: int = PROTOCOL


def guest_engine() -> GuestEngine:
    """Return the engine of this installation."""
    return GuestEngine(f"{DISTRIBUTION} {_version()}", os.uname().machine)


def missing_engine() -> str:
    """Return why no WebAssembly program can run here, with advice; "" if it can."""
    version = _version()
    if not version:
        return f"They need the engine {DISTRIBUTION}, which is not installed. {INSTALL}"
    if version.partition(".")[0] != MAJOR_VERSION:
        return f"They need {DISTRIBUTION} {MAJOR_VERSION}, and {version} is installed. {INSTALL}"
    if not library_path().is_file():
        return f"{DISTRIBUTION} has no library for {os.uname().machine}."
    return ""


def library_path() -> Path:
    """Return where the engine's library is, or would be."""
    spec = find_spec(DISTRIBUTION)
    folder = Path(spec.origin).parent if spec is not None and spec.origin else Path()
    return folder / f"linux-{os.uname().machine}" / "_libwasmtime.so"


def _version() -> str:
    """Return the version of the installed engine, "" without one."""
    from importlib import metadata  # takes longer than all else here, and few commands ask

    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return ""
