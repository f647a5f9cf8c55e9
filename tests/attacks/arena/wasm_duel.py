"""Plays every module of a folder in one mode and prints what happened, one JSON object per line.

    python wasm_duel.py DIR [--without LAYER ...] [--user] [--only NAME ...]

Like ``duel.py``, whose canaries it uses: a process of its own that is the host. It reads the modules as bytes and does
nothing with them but hand them to the sandbox.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import msgspec
from duel import (  # type: ignore[import-not-found]  # next to this program, in no package
    World,
    become_nobody,
    canaries,
    resident_bytes,
)

from botleague_sandbox import Bot, Crashed, Deadline, Failure, Program, Rejected, Sandbox
from botleague_sandbox.testing.plain_adapter import ADAPTER

MIB = 1 << 20
MOST_RESIDENT = 256 * MIB + 128 * MIB  # what the tier's processes may have, libraries, page tables
LOAD, TURN = Deadline.fuel(100), Deadline.fuel(20)
TURNS = 2
BRIEFING = {"seat": 0, "config": {"memory": "match"}, "variant": "arena"}


def program(name: str, data: bytes) -> Program:
    return Program(name, {"bot.wasm": data}, "bot.wasm", ADAPTER, "wasm", 1)


def memory_harm(bot: Bot) -> list[str]:
    resident = bot.usage.peak_memory_bytes
    return [f"it held {resident // MIB} MiB"] if resident > MOST_RESIDENT else []


def play(sandbox: Sandbox, path: Path, canary: dict[str, Any]) -> dict[str, Any]:
    """Play one module and return what the host saw of it."""
    seen: dict[str, Any] = {"verdicts": [], "replies": [], "details": [], "harm": []}

    def note(verdict: str, detail: str) -> None:
        seen["verdicts"].append(verdict)
        seen["details"].append(detail)

    try:
        bot = sandbox.run(program(path.stem, path.read_bytes()), BRIEFING, load=LOAD)
    except Rejected as rejected:
        note("rejected", rejected.findings[0].message)
        return seen
    except Crashed as crashed:
        note(crashed.failure.kind, crashed.failure.detail)
        return seen
    with bot:
        for _ in range(TURNS):
            reply = bot.ask(canary, TURN)
            if isinstance(reply, Failure):
                note(reply.kind, reply.detail)
            else:
                note("move", reply.warning)
                seen["replies"].append(str(reply.value)[:200])
        seen["harm"] += memory_harm(bot)
    return seen


def honest_bot_plays(sandbox: Sandbox, honest: bytes) -> bool:
    """Return whether a well-behaved bot gets its usual result."""
    with sandbox.run(program("honest", honest), BRIEFING, load=LOAD) as bot:
        reply = bot.ask(None, TURN)
        return not isinstance(reply, Failure) and reply.value is None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("attacks", type=Path)
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--user", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    wanted = parser.parse_args()
    if wanted.user and os.geteuid() == 0:
        become_nobody(wanted.attacks, Path(__file__).parent)
    files = sorted(
        path for path in wanted.attacks.glob("*.wasm") if not wanted.only or path.stem in wanted.only
    )
    honest = (wanted.attacks / "honest.module").read_bytes()
    with canaries() as canary, Sandbox() as sandbox:
        sandbox._recipe = msgspec.structs.replace(sandbox._recipe, without=frozenset(wanted.without))
        sandbox.preload("wasm", ADAPTER)
        assert honest_bot_plays(sandbox, honest)
        with sandbox.run(program("honest", honest), BRIEFING, load=LOAD) as bot:
            layers = bot.layers
        memory = resident_bytes()
        for path in files:
            before, start = World.now(), time.monotonic()
            seen = play(sandbox, path, canary.observed())
            seen["seconds"] = time.monotonic() - start
            seen["harm"] += [*canary.harm(), *before.changes(World.now())]
            seen["layers"] = layers
            seen["uid"] = os.getuid()
            seen["honest"] = honest_bot_plays(sandbox, honest)
            seen["growth"] = resident_bytes() - memory
            print(json.dumps({"name": path.stem, **seen}), flush=True)


if __name__ == "__main__":
    main()
