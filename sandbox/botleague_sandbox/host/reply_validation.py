"""Validation of a bot's value: limits on depth, length and numbers first, then decoding to a type.

What msgspec's typed decoding does not refuse is refused here: NaN and infinities, integers beyond 2^53, extension
types, deep nesting, long strings and containers. Bytes are as long as the message may be: they are opaque, and the
type that is asked for has a limit where a game wants one. Most moves are a handful of bytes, which one look settles.
SANDBOX.md, sections 7 and 8.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable

import msgspec

from botleague_sandbox.wire.protocol import DECODING_ERRORS
from botleague_sandbox.wire.safe_text import clean_text

DEPTH, STRING_BYTES, ENTRIES = 8, 4096, 1024
GREATEST_INTEGER = 1 << 53

# One byte says all: small and 8- to 32-bit integers, booleans, None, short strings. Their contents may be any
# byte, so a value that is only made of SMALL and a few CONTAINER bytes is fine whatever it means.
CONTAINER = bytes(range(0x80, 0xA0))
SMALL = bytes([*range(0x80), *range(0xA0, 0xC4), 0xCC, 0xCD, 0xCE, 0xD0, 0xD1, 0xD2, *range(0xE0, 0x100)])

# Most other moves have floats, in at most DEPTH small containers. What this matches, well-formed as it is, is within
# the limits: doubles but for those of which all bits of the exponent are set, and integers of up to 32 bits.
_NUMBERS = (
    rb"(?:[\x00-\x7f\xa0\xc0\xc2\xc3\xe0-\xff]|\xcb(?![\x7f\xff][\xf0-\xff]).{8}"
    rb"|[\xcc\xd0].|[\xcd\xd1]..|[\xce\xd2].{4})*"
)
OF_NUMBERS = rb"(?s)%b(?:[\x80-\x9f]%b){0,%d}" % (_NUMBERS, _NUMBERS, DEPTH)

INTEGERS = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
FLOATS = {0xCA: ">f", 0xCB: ">d"}
LENGTHS = {
    0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I", 0xDC: ">H", 0xDD: ">I",
    0xDE: ">H", 0xDF: ">I",
}  # fmt: skip
NUMBERS = INTEGERS | FLOATS | LENGTHS
ARRAYS, MAPS, BYTES = {0xDC, 0xDD}, {0xDE, 0xDF}, {0xC4, 0xC5, 0xC6}


Decode = Callable[[bytes | msgspec.Raw], object]
_decoders: dict[object, Decode] = {}


class InvalidValue(ValueError):
    """The value is outside the limits, or of another type; the text says what and where."""


def decode_value(raw: msgspec.Raw, type_: object) -> object:
    """Return a bot's value as ``type_``, which is anything that msgspec can decode to.

    Raises:
        InvalidValue: it has another type or is outside the limits.
    """
    try:
        check_limits(bytes(raw))
        decode = _decoders.get(type_) or _decoder(type_)
        return decode(raw)
    except InvalidValue:
        raise
    except DECODING_ERRORS as error:
        raise InvalidValue(clean_text(str(error), 300)) from None


def _decoder(type_: object) -> Decode:
    """Return the function that decodes MessagePack to ``type_``; made once for each type."""
    decode = _decoders[type_] = msgspec.msgpack.Decoder(type_).decode
    return decode


def check_limits(value: bytes) -> None:
    """Check one well-formed MessagePack value against the limits.

    Raises:
        InvalidValue: it breaks one.
    """
    if len(value) == 1:
        return
    unusual = value.translate(None, SMALL)
    is_plain = not unusual or (len(unusual) <= DEPTH and not unusual.translate(None, CONTAINER))
    if not is_plain and not re.fullmatch(OF_NUMBERS, value):
        _walk(value)


def _walk(value: bytes, at: int = 0, depth: int = 0) -> int:
    """Check the value that begins at ``at``, inside ``depth`` containers, and return where it ends."""
    head = value[at]
    at += 1
    if head < 0x80 or head >= 0xE0 or head in (0xC0, 0xC2, 0xC3):
        return at
    if head < 0x90:
        return _walk_entries(value, at, 2 * (head & 0x0F), depth)
    if head < 0xA0:
        return _walk_entries(value, at, head & 0x0F, depth)
    if head < 0xC0:
        return at + (head & 0x1F)
    kind = NUMBERS.get(head)
    if kind is None:
        raise InvalidValue("an extension type")
    (number,) = struct.unpack_from(kind, value, at)
    at += struct.calcsize(kind)
    if head in INTEGERS and abs(number) > GREATEST_INTEGER:
        raise InvalidValue("an integer beyond 2^53")
    if head in FLOATS and not math.isfinite(number):
        raise InvalidValue("a number that is not finite (NaN or infinity)")
    if head in ARRAYS or head in MAPS:
        if number > ENTRIES:
            raise InvalidValue(f"a container of {number} entries (at most {ENTRIES})")
        return _walk_entries(value, at, number * 2 if head in MAPS else number, depth)
    if head not in LENGTHS:
        return at
    if number > STRING_BYTES and head not in BYTES:
        raise InvalidValue(f"a string of {number} bytes (at most {STRING_BYTES})")
    return at + int(number)


def _walk_entries(value: bytes, at: int, entries: int, depth: int) -> int:
    if entries and depth == DEPTH:
        raise InvalidValue(f"a value nested deeper than {DEPTH} levels")
    for _ in range(entries):
        at = _walk(value, at, depth + 1)
    return at
