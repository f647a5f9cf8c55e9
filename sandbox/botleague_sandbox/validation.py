"""Is this MessagePack value something a host may look at? Limits on depth, length and numbers, before decoding.

What msgspec's typed decoding does not refuse is refused here: NaN and infinities, integers beyond 2^53, extension
types, deep nesting, long strings and containers. Most moves are a handful of bytes, which one look settles.
SANDBOX.md, sections 7 and 8.
"""

from __future__ import annotations

import math
import struct

__all__ = ["NotPlain", "check_plain"]

DEPTH, STRING_BYTES, ENTRIES = 8, 4096, 1024
GREATEST_INTEGER = 1 << 53

# One byte says all: small and 8- to 32-bit integers, booleans, None, short strings. Their contents may be any
# byte, so a value that is only made of SMALL and a few CONTAINER bytes is fine whatever it means.
CONTAINER = bytes(range(0x80, 0xA0))
SMALL = bytes([*range(0x80), *range(0xA0, 0xC4), 0xCC, 0xCD, 0xCE, 0xD0, 0xD1, 0xD2, *range(0xE0, 0x100)])

INTEGERS = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
FLOATS = {0xCA: ">f", 0xCB: ">d"}
LENGTHS = {
    0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xDC: ">H", 0xDD: ">I",
    0xDE: ">H", 0xDF: ">I",
}  # fmt: skip
ARRAYS, MAPS = {0xDC, 0xDD}, {0xDE, 0xDF}


class NotPlain(ValueError):
    """The value is outside the limits; the text says which one."""


def check_plain(value: bytes) -> None:
    """Check one well-formed MessagePack value against the limits.

    Raises:
        NotPlain: it breaks one.
    """
    if len(value) == 1:
        return
    unusual = value.translate(None, SMALL)
    if not unusual or (len(unusual) <= DEPTH and not unusual.translate(None, CONTAINER)):
        return
    _walk(value)


def _walk(value: bytes) -> None:
    at = 0
    open_entries: list[int] = []  # how many values each open container still waits for
    while True:
        head = value[at]
        at += 1
        entries = 0
        if head < 0x80 or head >= 0xE0 or head in (0xC0, 0xC2, 0xC3):
            pass
        elif head < 0x90:
            entries = 2 * (head & 0x0F)
        elif head < 0xA0:
            entries = head & 0x0F
        elif head < 0xC0:
            at += head & 0x1F
        elif head in INTEGERS:
            (number,) = struct.unpack_from(INTEGERS[head], value, at)
            if abs(number) > GREATEST_INTEGER:
                raise NotPlain("an integer beyond 2^53")
            at += struct.calcsize(INTEGERS[head])
        elif head in FLOATS:
            (number,) = struct.unpack_from(FLOATS[head], value, at)
            if not math.isfinite(number):
                raise NotPlain("a number that is not finite (NaN or infinity)")
            at += struct.calcsize(FLOATS[head])
        elif head in LENGTHS:
            (length,) = struct.unpack_from(LENGTHS[head], value, at)
            at += struct.calcsize(LENGTHS[head])
            if head in ARRAYS or head in MAPS:
                if length > ENTRIES:
                    raise NotPlain(f"a container of {length} entries (at most {ENTRIES})")
                entries = length * 2 if head in MAPS else length
            else:
                if length > STRING_BYTES:
                    raise NotPlain(f"a string of {length} bytes (at most {STRING_BYTES})")
                at += length
        else:
            raise NotPlain("an extension type")
        if entries:
            open_entries.append(entries)
            if len(open_entries) > DEPTH:
                raise NotPlain(f"a value nested deeper than {DEPTH} levels")
            continue
        while open_entries:
            open_entries[-1] -= 1
            if open_entries[-1]:
                break
            open_entries.pop()
        if not open_entries:
            return
