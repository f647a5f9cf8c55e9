"""Throw malformed, truncated, oversized, late, doubled and out-of-order messages at the host's side of the protocol.

    python benchmarks/fuzz_protocol.py [--frames 1000000] [--seed 0]

Each ends as the documented fault (a violation, a value that is not plain, a type that does not match) or as a message
that really is one. The run stops at the first other exception, and at the end the process must not have grown.
Mutations that lead to an outcome not seen before are kept and mutated further, so the run finds its way into the
decoder.
"""

from __future__ import annotations

import argparse
import collections
import random
import resource
import struct
import time

import msgspec

from botleague_sandbox.host.reply_validation import InvalidValue, decode_value
from botleague_sandbox.wire.protocol import ASK, BRIEF, LOAD, READY, HostSide, Violation

MOVE_TYPES = [int, list[int], tuple[str, int], dict[str, float], str | None, object]
VALUES: list[object] = [0, -1, 7, 1.5, True, None, "move", [1, 2, 3], {"a": [1.0, "x"]}, ["go", 4], {}]
VALUES += [float("nan"), 2**60, [[[[[[[[[[1]]]]]]]]]], b"\xff"]
INSERTED = [
    b"\xdd\xff\xff\xff\xff",
    b"\x91" * 60,
    b"\xc7\xff\x05",
    b"\xd6\xff\0\0\0\0",
    b"\xcb\x7f\xf8\0\0\0\0\0\0",
]
LIKELY_KINDS = (1, 1, 1, 1, 2, 2, 3, 4, 5, 6)
GROWTH_KIB = 32 * 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    chance = random.Random(wanted.seed)
    outcomes: collections.Counter[str] = collections.Counter()
    kept: list[bytes] = []
    worst = 0.0
    memory = 0
    start = time.perf_counter()
    for number in range(wanted.frames):
        if number == wanted.frames // 10:
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        host = HostSide(64 * 1024, 16 * 1024, 64, 64 * 1024)
        host.receive(frame(READY, 0, []))
        host.ask(chance.choice((ASK, BRIEF, LOAD)), None)
        data = make_bytes(chance, host.n, kept)
        before = time.perf_counter()
        outcome = deliver(chance, host, data)
        worst = max(worst, time.perf_counter() - before)
        if outcome not in outcomes and len(kept) < 500 and len(data) < 2000:
            kept.append(data)
        outcomes[outcome] += 1
    spent = time.perf_counter() - start
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    print(
        f"{wanted.frames} deliveries in {spent:.0f} s, worst {worst * 1000:.1f} ms, memory grew by {grown} KiB"
    )
    groups: collections.Counter[str] = collections.Counter()
    for outcome, times in outcomes.items():
        groups[outcome.split(":")[0]] += times
    for group, times in groups.most_common():
        print(f"  {times:9} {group}")
    expected = {"violation", "nothing yet", "garbage value", "message"}
    assert expected <= set(groups), f"not reached: {expected - set(groups)}"
    assert grown < GROWTH_KIB, "memory grew"


def frame(kind: int, n: int, value: object, output: object = "") -> bytes:
    body = msgspec.msgpack.encode([kind, n, value, output])
    return struct.pack("<I", len(body)) + body


def make_bytes(chance: random.Random, n: int, kept: list[bytes]) -> bytes:
    """Return something a hostile process could write."""
    draw = chance.random()
    if draw < 0.05:
        return chance.randbytes(chance.randint(0, 60))
    if draw < 0.1 and kept:
        data = chance.choice(kept)
    else:
        number = n + chance.choice((0,) * 10 + (1, -1, 2**40))
        parts = []
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            kind = chance.choice(LIKELY_KINDS) if chance.random() < 0.8 else chance.randint(0, 20)
            parts.append(frame(kind, number, chance.choice(VALUES), chance.choice(("", "", "", "text", 5))))
        if chance.random() < 0.1:
            parts.append(parts[0])
        data = b"".join(parts)
    mutated = bytearray(data)
    for _ in range(chance.choice((0, 0, 1, 2, 5))):
        if mutated:
            at = chance.randrange(len(mutated))
            how = chance.random()
            if how < 0.5:
                mutated[at] = chance.choice(
                    (0, 0x7F, 0x80, 0x91, 0xC1, 0xC9, 0xDD, 0xDF, 0xFF, chance.randrange(256))
                )
            elif how < 0.7:
                del mutated[at : at + chance.randint(1, 8)]
            elif how < 0.9:
                mutated[at:at] = chance.choice((*INSERTED, chance.randbytes(4)))
            else:
                length = chance.choice((0, 1, max(0, len(mutated) - 4), 1 << 16, 1 << 31))
                mutated[:4] = struct.pack("<I", length)
    return bytes(mutated)


def deliver(chance: random.Random, host: HostSide, data: bytes) -> str:
    """Let the bytes arrive in pieces and return what became of them; anything undocumented raises."""
    at = 0
    heard = []
    while at < len(data):
        size = chance.choice((len(data), len(data), chance.randint(1, 9)))
        try:
            heard += host.receive(data[at : at + size])
        except Violation as violation:
            return f"violation: {violation.args[0][:30]}"
        at += size
    if not heard:
        return "nothing yet: the deadline decides"
    try:
        value = decode_value(heard[-1].value, chance.choice(MOVE_TYPES))
    except InvalidValue as error:
        return f"garbage value: {error.args[0][:30]}"
    return f"message: {heard[-1].kind} {type(value).__name__}"


if __name__ == "__main__":
    main()
