"""Frames between the runner and its workers: four bytes of length, then MessagePack. Both ends are trusted."""

from __future__ import annotations

import os

import msgspec


def frame_of(message: msgspec.Struct) -> bytes:
    """Return a message as a frame."""
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(4, "little") + body


def write_frame(descriptor: int, frame: bytes) -> None:
    """Write one frame completely; blocks.

    Raises:
        OSError: the other end is closed.
    """
    data = memoryview(frame)
    while data:
        data = data[os.write(descriptor, data) :]


def read_frame(descriptor: int) -> bytes | None:
    """Return the body of the next frame, None if the other end is closed."""
    header = _read_exactly(descriptor, 4)
    return None if header is None else _read_exactly(descriptor, int.from_bytes(header, "little"))


def _read_exactly(descriptor: int, size: int) -> bytes | None:
    parts = []
    while size:
        part = os.read(descriptor, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
