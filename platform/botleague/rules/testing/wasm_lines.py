"""Lines of the protocol of bots in WebAssembly: questions as text, answers of a scripted guest, and a transcript.

Source: the WebAssembly tier's protocol, version 1, in docs/write-a-wasm-bot.md. Here it serves documentation and
tests; in a match the sandbox writes the same lines.
"""

from __future__ import annotations

import base64
import pkgutil
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import msgspec

from botleague.rules.replies import Move
from botleague.rules.storable import sent, typed
from botleague.rules.variant import Variant, wasm_of
from botleague.rules.wasm_interface import WasmAdapter, WasmInterface

PROTOCOL = 1
"""Version of the protocol, in the question ``start``."""

EXACT = 2**53
"""Greatest absolute value of an integer that a line holds as a number: in most languages it is read as a double."""

_SEARCHED_TURNS = 1000
"""Turns that :func:`transcript` plays until the seat acts."""


class Exchange(NamedTuple):
    """A question and its answer, one line each, without line ends."""

    question: str
    answer: str


def json_form(value: Any) -> Any:
    """Return plain data as lines hold it: bytes as base64 text, integers beyond :data:`EXACT` as decimal text."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > EXACT:
        return str(value)
    if isinstance(value, list | tuple):
        return [json_form(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): json_form(item) for key, item in value.items()}
    return value


def question_line(kind: str, limit_ms: float, fields: Mapping[str, Any]) -> str:
    """Return a question as a line without its end.

    Args:
        kind: ``start``, ``brief`` or ``turn``.
        limit_ms: time limit, in milliseconds of fuel.
        fields: of ``start``: what the adapter returns; of ``brief``: ``data``; of ``turn``: ``n`` and ``data``.
    """
    limit = {"limit_ms": int(limit_ms) if limit_ms == int(limit_ms) else limit_ms}
    if kind == "start":
        return json_text({"type": kind, "protocol": PROTOCOL, **fields, **limit})
    number = {"n": fields["n"]} if "n" in fields else {}
    return json_text({"type": kind, **number, **limit, "data": fields["data"]})


def adapter_of(variant: Variant, seat: int) -> WasmAdapter:
    """Return the adapter of a guest in a match of ``variant``."""
    factory = pkgutil.resolve_name(wasm_of(variant).adapter)
    adapter: WasmAdapter = factory(seat=seat, config=dict(variant.config), variant=variant.name)
    return adapter


class ScriptedGuest:
    """A guest that answers from the declaration alone: any legal answer of a question, else any safe one.

    Args:
        interface: the declaration.
        rng: chooses the answers.
    """

    def __init__(self, interface: WasmInterface, rng: Random) -> None:
        self._interface = interface
        self._rng = rng

    def answer(self, line: str) -> str:
        """Return the answer to a line.

        Raises:
            LookupError: the question has no legal answers, and the declaration no safe ones.
        """
        question = msgspec.json.decode(line)
        if question["type"] == "start":
            return json_text(self._interface.declaration)
        if question["type"] == "brief":
            return "null"
        data = question["data"]
        legal = data.get("legal") if isinstance(data, dict) else None
        answers: Sequence[Any] = self._interface.safe if legal is None else legal
        if not answers:
            raise LookupError("the question has no legal answers, and the declaration has no safe ones")
        return json_text(self._rng.choice(answers))


def transcript(variant: Variant, seed: int = 1, seat: int = 0) -> list[Exchange]:
    """Return the first three questions to a seat in a match of ``variant``, each with a legal answer.

    The match is played to get them, so they are what a guest would receive.

    Args:
        seed: of the match.
        seat: the seat of the guest.
    """
    interface, rules, rng, chooser = wasm_of(variant), variant.rules, Random(seed), Random(seed)
    adapters = [adapter_of(variant, number) for number in range(variant.seats.least)]
    guest, adapter, time = ScriptedGuest(interface, chooser), adapters[seat], variant.time
    start = question_line("start", time.load_ms, adapter.start())
    declared = guest.answer(start)
    if variant.wasm is None and variant.sample_declarations:
        declared = json_text(variant.sample_declarations[0])
    state = rules.start(
        [
            rules.admit(number, typed(one.declared(msgspec.json.decode(declared)), variant.declaration_type))
            for number, one in enumerate(adapters)
        ],
        rng,
    )
    brief = question_line("brief", time.brief_ms, {"data": adapter.brief(sent(rules.brief(state, seat)))})
    exchanges = [Exchange(start, declared), Exchange(brief, guest.answer(brief))]
    for _ in range(_SEARCHED_TURNS):
        acting = rules.acting(state)
        if seat in acting:
            limit_ms = time.move_ms if time.first_move_ms is None else time.first_move_ms
            data = adapter.turn(sent(rules.observe(state, seat)), is_fresh=True)
            turn = question_line("turn", limit_ms, {"n": 1, "data": data})
            answer = guest.answer(turn) if variant.wasm else json_text(rules.sample(state, seat, chooser))
            return [*exchanges, Exchange(turn, answer)]
        if not acting:
            break
        moves = {other: Move(rules.sample(state, other, chooser)) for other in acting}
        state = rules.apply(state, moves, rng)
    return exchanges


def json_text(value: object) -> str:
    """Return a value as JSON, as lines hold it."""
    return msgspec.json.encode(json_form(msgspec.to_builtins(value, builtin_types=(bytes,)))).decode()
