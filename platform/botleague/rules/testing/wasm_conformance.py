"""The part of the conformance kit for bots in WebAssembly: matches of guests that know the declaration alone.

Every seat is a scripted guest that reads lines and writes lines. The kit checks that

* every question has the declared type, with exactly its keys, and every key has a description;
* an answer from the list ``legal``, or a safe one, is legal, and that list has every move that ``Rules.sample`` makes;
* answers of another type are refused by ValueError.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from botleague.rules.replies import Move
from botleague.rules.storable import sent, typed
from botleague.rules.testing.declared_keys import DeclaredKeys
from botleague.rules.testing.not_conforming import NotConforming
from botleague.rules.testing.random_values import damaged, junk
from botleague.rules.testing.wasm_lines import ScriptedGuest, adapter_of, json_text, question_line, transcript
from botleague.rules.variant import Variant, wasm_of
from botleague.rules.wasm_interface import WasmAdapter

_TURNS = 200
"""Turns that guests play of a match: all questions of a long match are alike."""

_THOROUGH_TURNS = 10
_WRONG_ANSWERS = 5
"""Answers of a wrong type per thorough turn."""

_QUESTION_BYTES = 1024 * 1024


def check_guests(variant: Variant, seeds: Sequence[int]) -> Counter[str]:
    """Check that guests can play ``variant``.

    Args:
        seeds: of the matches to play.

    Returns:
        The number of checks of each kind.

    Raises:
        NotConforming: they cannot.
    """
    done: Counter[str] = Counter()
    if variant.wasm is not None:
        for name, kind in variant.wasm.parts().items():
            schema = msgspec.json.schema(kind)
            for path in _undescribed(name, schema, schema.get("$defs", {})):
                raise NotConforming(
                    f"{variant.name}: the field {path} of its wasm interface has no description"
                )
    keys = _declared_keys(variant)
    for number in sorted({variant.seats.least, variant.seats.most}):
        for seed in seeds:
            match = _GuestMatch(variant, number, seed, keys)
            match.play()
            done.update(match.done)
    if unmet := [key for part in keys.values() for key in part.unmet()]:
        raise NotConforming(
            f"{variant.name}: its wasm interface describes keys that no question had: {', '.join(sorted(unmet))}"
        )
    if transcript(variant) != transcript(variant):
        raise NotConforming(f"{variant.name}: two guests of the same match received different questions")
    return done


def _declared_keys(variant: Variant) -> dict[str, DeclaredKeys]:
    if variant.wasm is None:
        return {}
    return {
        "config": DeclaredKeys("config", variant.wasm.config_type),
        "brief": DeclaredKeys("brief", variant.wasm.brief_type),
        "turn": DeclaredKeys("turn", variant.wasm.turn_type),
    }


def _undescribed(path: str, schema: Any, definitions: Mapping[str, Any]) -> Iterator[str]:
    """Yield the paths of fields without a description."""
    if isinstance(schema, list):
        for one in schema:
            yield from _undescribed(path, one, definitions)
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        yield from _undescribed(path, definitions[schema["$ref"].rpartition("/")[2]], definitions)
    for name, field in schema.get("properties", {}).items():
        if "description" not in field:
            yield f"{path}.{name}"
        yield from _undescribed(f"{path}.{name}", field, definitions)
    for part in ("items", "prefixItems", "anyOf", "additionalProperties"):
        yield from _undescribed(path, schema.get(part), definitions)


class _GuestMatch:
    """One match of guests.

    Args:
        variant: what they play.
        seats: how many.
        seed: of the match.
        keys: the declared keys of each part of the questions.
    """

    def __init__(self, variant: Variant, seats: int, seed: int, keys: Mapping[str, DeclaredKeys]) -> None:
        self._variant = variant
        self._interface = wasm_of(variant)
        self._seed = seed
        self._keys = keys
        self._chooser = Random(seed + 1)
        self._adapters = [adapter_of(variant, seat) for seat in range(seats)]
        self._guests = [ScriptedGuest(self._interface, self._chooser) for _ in range(seats)]
        self._turn = -1
        self.done: Counter[str] = Counter()

    def play(self) -> None:
        variant, rules, rng = self._variant, self._variant.rules, Random(self._seed)
        state = rules.start([self._admitted(seat) for seat in range(len(self._adapters))], rng)
        for seat, adapter in enumerate(self._adapters):
            if rules.acting(state):
                data = adapter.brief(sent(rules.brief(state, seat)))
                line = question_line("brief", variant.time.brief_ms, {"data": data})
                self._check("brief", line, self._interface.brief_type, "data")
        numbers = [0] * len(self._adapters)
        while (acting := rules.acting(state)) and self._turn < _TURNS:
            self._turn += 1
            moves = {}
            for seat in acting:
                numbers[seat] += 1
                moves[seat] = self._moved(state, seat, numbers[seat])
            state = rules.apply(state, moves, rng)
        self.done["matches of guests"] += 1

    def _admitted(self, seat: int) -> object:
        variant, adapter = self._variant, self._adapters[seat]
        self._require(adapter.memory in ("match", "turn"), f"memory {adapter.memory!r} is not match or turn")
        self._require(adapter.start() == adapter.start(), "start returned two values")
        line = question_line("start", variant.time.load_ms, adapter.start())
        question = self._check("start", line, Any)
        self._require(
            (question.get("variant"), question.get("seat")) == (variant.name, seat),
            "the question start must hold variant, seat and config",
        )
        self._check("config", line, self._interface.config_type)
        answer = msgspec.json.decode(self._guests[seat].answer(line))
        if variant.wasm is None and variant.sample_declarations:
            answer = _json(variant.sample_declarations[seat % len(variant.sample_declarations)])
        declaration = self._typed(adapter.declared(answer), variant.declaration_type, "declaration")
        return variant.rules.admit(seat, declaration)

    def _moved(self, state: Any, seat: int, number: int) -> Move:
        rules, adapter, interface = self._variant.rules, self._adapters[seat], self._interface
        data = adapter.turn(sent(rules.observe(state, seat)), number == 1)
        line = question_line("turn", self._variant.time.move_ms, {"n": number, "data": data})
        question = self._check("turn", line, interface.turn_type, "data")
        sampled = typed(rules.sample(state, seat, self._chooser), self._variant.move_type)
        legal = question.get("legal") if isinstance(question, dict) else None
        if self._variant.wasm is None:
            answer = _json(rules.sample(state, seat, self._chooser))
        else:
            self._require(
                bool(legal or interface.safe), "no legal answer in the question, and no safe one declared"
            )
            answer = msgspec.json.decode(self._guests[seat].answer(line))
        move = self._move(seat, answer)
        reason = rules.illegal(state, seat, move)
        self._require(reason is None, f"the answer {answer!r} of seat {seat} is refused: {reason}")
        if self._turn < _THOROUGH_TURNS:
            if legal is not None:
                moves = [self._move(seat, one) for one in legal]
                self._require(sampled in moves, f"the legal answers of seat {seat} lack {sampled!r}")
            for _ in range(_WRONG_ANSWERS):
                self._refused_or_plain(adapter, answer)
        self.done["turns of guests"] += 1
        return Move(move)

    def _move(self, seat: int, answer: Any) -> Any:
        """Return a valid answer as a move."""
        try:
            msgspec.convert(answer, self._interface.answer_type)
            return self._typed(self._adapters[seat].answer(answer), self._variant.move_type, "move")
        except ValueError as error:
            raise NotConforming(
                f"{self}: the answer {answer!r} of seat {seat} is refused: {error}", self._turn
            ) from error

    def _refused_or_plain(self, adapter: WasmAdapter, answer: Any) -> None:
        """Try an answer that is probably wrong."""
        wrong = damaged(answer, self._chooser) if isinstance(answer, dict) else junk(self._chooser)
        wrong = msgspec.json.decode(msgspec.json.encode(_json(wrong)))
        try:
            msgspec.msgpack.encode(adapter.answer(wrong))
        except ValueError:
            return
        except Exception as error:
            raise NotConforming(
                f"{self}: the adapter must refuse the answer {wrong!r} by ValueError, not {error!r}",
                self._turn,
            ) from error

    def _typed(self, plain: object, kind: Any, what: str) -> Any:
        try:
            return typed(plain, kind)
        except (msgspec.ValidationError, TypeError) as error:
            raise NotConforming(
                f"{self}: the adapter made {plain!r}, which is not a {what}: {error}. Declare Variant.wasm with an "
                "adapter that knows the types of answers",
                self._turn,
            ) from error

    def _check(self, part: str, line: str, kind: Any, key: str = "") -> Any:
        """Return the checked part of a question."""
        self._require("\n" not in line, f"the question {part} holds a line end")
        self._require(len(line.encode()) <= _QUESTION_BYTES, f"the question {part} has {len(line)} bytes")
        value = msgspec.json.decode(line)
        key = "config" if part == "config" else key
        value = value.get(key) if key else value
        try:
            if self._variant.wasm is not None:
                msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            raise NotConforming(
                f"{self}: the question {part} has another type: {error}", self._turn
            ) from error
        if part in self._keys:
            extra = self._keys[part].undeclared(value)
            self._require(not extra, f"the wasm interface lacks keys: {', '.join(extra)}")
        return value

    def __str__(self) -> str:
        return f"{self._variant.name}, guests, seed {self._seed}, turn {self._turn}"

    def _require(self, holds: bool, otherwise: str) -> None:
        if not holds:
            raise NotConforming(f"{self}: {otherwise}", self._turn)


def _json(value: object) -> Any:
    """Return a value as it is in a line."""
    return msgspec.json.decode(json_text(value))
