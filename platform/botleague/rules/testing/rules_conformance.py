"""Conformance kit, which plays a variant in every way that the contract allows and reports violations.

One line in a plugin's tests suffices::

    def test_my_variant_keeps_the_contract() -> None:
        conformance.check(MY_VARIANT)

The kit plays whole matches with moves from ``Rules.sample``, and tries random moves of the variant's move type
in them. Then it plays matches with every kind of fault in every seat, and with seats that did not start. It
checks that

* states are never changed in place, and the same seed gives the same match;
* briefings and observations are plain data of the interface's types, without secrets, and with exactly its keys;
* a seat gets the same data in states that must look alike to it (``Rules.twins``);
* briefing and first observation suffice after an opening (:mod:`~botleague.rules.testing.late_joiner`);
* moves survive the wire format;
* every state has a picture, and so has every seat's view;
* the encoding, if any, has its declared shape and leads to legal moves;
* bots in WebAssembly can play (:mod:`~botleague.rules.testing.wasm_conformance`).

A crash of native code ends the process: :class:`~botleague.rules.testing.check_process.CheckProcess` checks in a
process of its own. :func:`check_across_processes` plays the same match in fresh interpreters with other hash seeds.
The kit uses only the contract and no other part of the platform.
"""

from __future__ import annotations

import enum
import hashlib
import importlib
import importlib.util
import math
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import cycle, islice
from random import Random
from types import FunctionType, MethodType, ModuleType
from typing import Any, Literal, TypeAlias

import msgspec
import msgspec.inspect

from botleague.rules.contract import MAX_DESCRIPTION_LENGTH, MAX_TURNS, Told
from botleague.rules.encoding import Choice
from botleague.rules.outcome import Outcome
from botleague.rules.plugin_support.module_file import import_file
from botleague.rules.replies import FAULT_KINDS, Fault, Move, Reply
from botleague.rules.storable import fault_of, require_storable, typed
from botleague.rules.testing.declared_keys import DeclaredKeys
from botleague.rules.testing.late_joiner import check_late_joiner
from botleague.rules.testing.not_conforming import NotConforming
from botleague.rules.testing.random_values import UNKNOWN, damaged, drawn
from botleague.rules.testing.scene_check import name_problem, scene_problems
from botleague.rules.testing.wasm_conformance import check_guests
from botleague.rules.variant import Variant

__all__ = [
    "NotConforming",
    "Progress",
    "Secrets",
    "check",
    "check_across_processes",
    "check_configuration",
    "match_digest",
    "smallest",
]

Secrets: TypeAlias = Callable[[Any, int], Iterable[object]]
"""``secrets(state, seat)``: values that ``seat`` must not receive in ``state``."""

Progress: TypeAlias = Callable[[int, int, str], None]
"""``progress(done, planned, match)``: the numbers of matches, and the match that starts now."""

PLAIN = (type(None), bool, int, float, str, bytes)

_DAMAGED = 50
"""Number of invalid configurations to try."""

_SEEDS = 10
"""Number of seeds to try in search of a failure in an earlier turn."""

TRIES = 8
"""Arbitrary moves per seat in a turn with thorough checks."""

MAX_TWINS = 16
"""Twins to compare per seat and turn."""

THOROUGH_TURNS = 12
"""Turns at the start of each match with thorough checks; later, every tenth turn has them."""


def check(
    variant: Variant,
    *,
    seeds: Sequence[int] = (1, 2),
    secrets: Secrets | None = None,
    fault_kinds: Sequence[str] = FAULT_KINDS,
    quick: bool = False,
    progress: Progress | None = None,
) -> Counter[str]:
    """Check that ``variant`` conforms to the contract of rules.

    Args:
        seeds: seeds of the matches to play.
        secrets: values that a seat must not receive.
        fault_kinds: kinds of fault to try in every seat.
        quick: play about a third of the matches: the first seed only, and all seats fault in one match.
        progress: called before each match.

    Returns:
        The number of checks of each kind.

    Raises:
        NotConforming: the variant breaks the contract.
    """
    done: Counter[str] = Counter()
    keys = _declared_keys(variant)
    for seed in range(_DAMAGED // 10 if quick else _DAMAGED):
        check_configuration(variant, Random(seed))
        done["wrong configurations"] += 1
    steps = list(_planned(variant, seeds[:1] if quick else seeds, fault_kinds, quick))
    played: list[_Match] = []
    for number, step in enumerate(steps):
        match = _Match(variant, step.seed, keys=keys, secrets=secrets, **step.options)
        if progress is not None:
            progress(number, len(steps), match.title)
        match.play()
        done.update({"matches": 1, **match.done})
        match.forget()
        played.append(match)
        if step.repeats is not None:
            _require_same(played[number - step.repeats], match, is_other_seed=step.is_other_seed)
    if variant.opening_turns is not None:
        for number in sorted({variant.seats.least, variant.seats.most}):
            pairs, problem = check_late_joiner(variant, _declarations(variant, number), seeds[0])
            done["openings with equal data"] += pairs
            if problem:
                raise NotConforming(problem)
    done.update(check_guests(variant, seeds[:1] if quick else seeds))
    if not quick and (unmet := [key for what in ("briefing", "observation") for key in keys[what].unmet()]):
        raise NotConforming(
            f"{variant.name}: the interface describes keys that no data had: {', '.join(sorted(unmet))}"
        )
    return done


class _Step(msgspec.Struct, frozen=True):
    """One match of a check.

    Attributes:
        seed: of the match.
        options: arguments of :class:`_Match`.
        repeats: distance to the earlier match with the same moves, which must have the same data; None for no match.
        is_other_seed: the seed is another one than there, so briefings may differ.
    """

    seed: int
    options: Mapping[str, Any]
    repeats: int | None = None
    is_other_seed: bool = False


def _planned(
    variant: Variant, seeds: Sequence[int], fault_kinds: Sequence[str], quick: bool
) -> Iterator[_Step]:
    """Yield the matches of a check."""
    for number in sorted({variant.seats.least, variant.seats.most}):
        all_in = {"declarations": _declarations(variant, number)}
        for seed in seeds:
            yield _Step(seed, all_in)
            yield _Step(seed, all_in, repeats=1)
        if not variant.has_chance:
            yield _Step(seed + 1, {**all_in, "moves": seed + 1}, repeats=2, is_other_seed=True)
        if variant.opening_turns is not None:
            longest = number * (variant.opening_turns or 1)
            for turns in (longest,) if quick else (1, longest):
                yield _Step(seeds[0], {**all_in, "opening": turns})
        if quick:
            kinds = dict(zip(range(number), cycle(fault_kinds), strict=False))
            faults: list[dict[int, str]] = [kinds] if kinds else []
        else:
            faults = [{seat: kind} for seat in range(number) for kind in fault_kinds]
        for fault in faults:
            yield _Step(seeds[0], {**all_in, "faults": fault})
        for seat in range(number - 1 if quick else 0, number):
            one_out: list[object] = list(all_in["declarations"])
            one_out[seat] = Fault("rejected", "excluded by the conformance kit")
            yield _Step(seeds[0], {"declarations": one_out})
        yield _Step(seeds[0], {"declarations": [Fault("crash", "did not start")] * number})


def _require_same(first: _Match, again: _Match, *, is_other_seed: bool) -> None:
    """Require equal data of two matches with the same moves."""
    if first.digest(with_briefs=not is_other_seed) == again.digest(with_briefs=not is_other_seed):
        return
    if is_other_seed:
        raise NotConforming(
            f"{first}: another seed and the same moves gave another match, though has_chance is False"
        )
    raise NotConforming(f"{first}: the same seed and moves gave another match the second time")


def _declared_keys(variant: Variant) -> dict[str, DeclaredKeys]:
    """Return the keys that the interface declares for briefings, observations and moves."""
    kinds = {"move": variant.move_type}
    if variant.interface is not None:
        kinds |= {
            "briefing": variant.interface.briefing_type,
            "observation": variant.interface.observation_type,
        }
    return {name: DeclaredKeys(name, kinds.get(name, Any)) for name in ("briefing", "observation", "move")}


def smallest(variant: Variant, failure: NotConforming) -> NotConforming:
    """Return the failure of ``variant`` in the earliest turn, of a few seeds.

    Args:
        failure: the error raised by :func:`check`.
    """
    for seed in range(3, 3 + _SEEDS):
        if failure.turn <= 0:
            break
        try:
            check(variant, seeds=(seed,), fault_kinds=(), quick=True)
        except NotConforming as other:
            failure = min(failure, other, key=lambda one: (one.turn, len(str(one))))
    return failure


def check_configuration(variant: Variant, rng: Random) -> None:
    """Check that the configuration of ``variant`` makes it again, and that an invalid one is refused.

    One random part of the configuration is changed. The result must be a variant, or a
    ValueError with a message that begins with a path.

    Raises:
        NotConforming: the result is neither.
    """
    if variant.config_type is None or variant.configured is None:
        if variant.config:
            raise NotConforming(f"{variant.name}: has a config, so declare its config_type and configured")
        return
    config = damaged(plain := msgspec.json.decode(msgspec.json.encode(dict(variant.config))), rng)
    try:
        again = variant.with_config(plain)
        if (again.game, dict(again.config)) != (variant.game, plain):
            raise NotConforming(f"{variant.name}: its own config makes {again.game} with {again.config}")
        variant.with_config(config)
    except ValueError as error:
        if not re.match(r"config[^:]*: .", str(error)):
            raise NotConforming(
                f"{variant.name}: a wrong config is refused without a path: {error} (config: {config})"
            ) from error
    except (NotConforming, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise NotConforming(
            f"{variant.name}: a wrong config must be a ValueError, not {error!r} (config: {config})"
        ) from error
    else:
        if UNKNOWN in config:
            raise NotConforming(f"{variant.name}: a config with an unknown field is accepted")


def check_across_processes(module: str, variant: str, seed: int = 1) -> None:
    """Check that a match is the same in fresh interpreters with different hash seeds.

    Args:
        module: import name of the plugin.
        variant: name of a variant that its ``botleague_variants`` offers.
        seed: of the match.

    Raises:
        NotConforming: the match differs, or a process failed.
    """
    from botleague import (
        python_process,
    )  # Not at the top: the contract itself imports nothing of the platform.

    digests = set()
    for hash_seed in ("0", "1", "4242"):
        with python_process.start(
            *(__name__, module, _file_of(module), variant, str(seed)),
            env={"PYTHONHASHSEED": hash_seed},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            digest, errors = process.communicate()
        if process.returncode:
            stderr = errors.decode(errors="replace").strip()[-2000:]
            raise NotConforming(f"{variant}: a match in a fresh process failed: {stderr}")
        digests.add(digest.splitlines()[-1])  # after whatever the plugin prints
    if len(digests) != 1:
        raise NotConforming(f"{variant}: the match depends on the hash seed of the interpreter")


def match_digest(variant: Variant, seed: int) -> str:
    """Return a digest of all data of one match with sampled moves."""
    match = _Match(variant, seed, declarations=_declarations(variant, variant.seats.least))
    match.play()
    return match.digest()


class _Match:
    """One match of the kit, played as the contract describes."""

    def __init__(
        self,
        variant: Variant,
        seed: int,
        *,
        declarations: Sequence[object | Fault],
        faults: Mapping[int, str] | None = None,
        secrets: Secrets | None = None,
        moves: int | None = None,
        opening: int = 0,
        keys: Mapping[str, DeclaredKeys] | None = None,
    ) -> None:
        """Store the options of a match.

        Args:
            seed: of the match.
            declarations: declarations of the seats, or the faults that exclude them.
            faults: the kind of fault that a seat commits in some turns, by seat.
            secrets: values that a seat must not receive.
            moves: seed of the moves; None for one computed from ``seed``.
            opening: turns before the briefing.
            keys: the declared keys, which note those that occur; None for no comparison.
        """
        self._variant = variant
        self._keys = keys or {}
        self._rules = variant.rules
        self._move_info = msgspec.inspect.type_info(variant.move_type)
        self._seed = seed
        self._moves = seed + 1 if moves is None else moves
        self._opening = opening
        self._declared = declarations
        self._faults = dict(faults or {})
        self._secrets = secrets
        self._turn = -1
        self._briefs: dict[int, object] = {}
        self._told: dict[int, list[object]] = {}
        self._known: dict[int, Any] = {}
        self._seen = hashlib.sha256()
        self._seen_briefs = hashlib.sha256()
        self.done: Counter[str] = Counter()

    def __str__(self) -> str:
        return f"{self.title}, turn {self._turn}"

    @property
    def title(self) -> str:
        """The match in words, without its turn."""
        extra = "".join(f", {kind} in seat {seat}" for seat, kind in self._faults.items())
        out = [seat for seat, what in enumerate(self._declared) if isinstance(what, Fault)]
        kept_out = f", seats {out} excluded" if out else ""
        return f"{self._variant.name}, seed {self._seed}{extra}{kept_out}"

    def forget(self) -> None:
        """Discard everything but the digests."""
        self._told.clear()
        self._known.clear()
        self._briefs.clear()

    def digest(self, *, with_briefs: bool = True) -> str:
        """Return a digest of all data so far."""
        return self._seen.hexdigest() + self._seen_briefs.hexdigest() * with_briefs

    def play(self) -> None:
        rng, chooser = Random(self._seed), Random(self._moves)
        rules = self._rules
        state = rules.start(self._admitted(), rng)
        seats = len(self._declared)
        self._draw(state)
        state = self._opened(state, chooser, rng)
        for seat, what in enumerate(self._declared):
            if not isinstance(what, Fault):
                briefing = self._plain(f"brief of seat {seat}", rules.brief(state, seat))
                self._check_told("briefing", briefing)
                for twin in self._twins(state, seat):
                    self._compare("briefing", seat, briefing, rules.brief(twin, seat))
                self._briefs[seat], self._told[seat] = msgspec.msgpack.decode(briefing), []
                if self._variant.encoding is not None:
                    self._known[seat] = self._variant.encoding.begin(seat, what, self._briefs[seat])
                    self._encode(seat)
                self._seen_briefs.update(briefing)
        while acting := rules.acting(state):
            self._turn += 1
            self.done["turns"] += 1
            self._require(self._turn < MAX_TURNS, f"no end after {MAX_TURNS} turns")
            self._require(
                list(acting) == sorted(set(acting)) and set(acting) <= set(range(seats)),
                f"acting {acting} is not ascending, or names seats that do not exist",
            )
            self._require(rules.outcome(state) is None, "there is an outcome while seats act")
            replies = {seat: self._reply(state, seat, chooser) for seat in acting}
            if self._is_thorough:
                self._try_anything(state, replies, rng)
            state = self._applied(state, replies, rng)
        self._finished(state, seats)

    def _admitted(self) -> list[object | Fault]:
        admitted = []
        for seat, what in enumerate(self._declared):
            if not isinstance(what, Fault):
                what = self._rules.admit(seat, what)
                self._require_storable(what, self._variant.declaration_type, "admit", exact=False)
            admitted.append(what)
        return admitted

    def _require_storable(self, value: object, kind: Any, method: str, *, exact: bool = True) -> None:
        try:
            require_storable(value, kind, method, exact=exact)
        except TypeError as error:
            raise NotConforming(f"{self}: {error}", self._turn) from None

    def _opened(self, state: Any, chooser: Random, rng: Random) -> Any:
        """Return the state after the opening: turns without requests to bots, none of which ends the match."""
        for _ in range(self._opening):
            acting = self._rules.acting(state)
            after = self._rules.apply(
                state, {seat: self._sampled(state, seat, chooser) for seat in acting}, rng
            )
            if not self._rules.acting(after):
                break
            state = after
        return state

    def _reply(self, state: Any, seat: int, chooser: Random) -> Reply:
        rules = self._rules
        observation = self._plain(f"observation of seat {seat}", rules.observe(state, seat))
        self._require(
            observation == self._plain("observation", rules.observe(state, seat)),
            "observe returned two values for one state",
        )
        self._note(observation)
        self._check_told("observation", observation)
        if self._is_thorough:
            for twin in self._twins(state, seat):
                self._require(seat in rules.acting(twin), f"seat {seat} does not act in a twin of the state")
                self._compare("observation", seat, observation, rules.observe(twin, seat))
        self._view(seat, observation)
        self._learn(state, seat, observation)
        if self._secrets is not None:
            hidden = list(self._secrets(state, seat))
            for value in _walk(msgspec.msgpack.decode(observation)):
                self._require(value not in hidden, f"seat {seat} receives the secret {value!r}")
        if isinstance(self._declared[seat], Fault):
            return self._declared[seat]  # type: ignore[return-value]  # checked one line above
        kind = self._faults.get(seat)
        # A fault in half of the turns: the turns after a fault are tested, too.
        if kind is not None and chooser.random() < 0.5:
            return Fault(kind, "by the conformance kit")  # type: ignore[arg-type]  # from FAULT_KINDS
        return self._sampled(state, seat, chooser)

    def _sampled(self, state: Any, seat: int, chooser: Random) -> Move:
        rules = self._rules
        value = rules.sample(state, seat, chooser)
        sent = msgspec.msgpack.encode(value)
        self._check_keys("move", sent)
        received = msgspec.msgpack.decode(sent, type=self._variant.move_type)
        reason = rules.illegal(state, seat, received)
        self._require(reason is None, f"the sampled move {value!r} of seat {seat} is refused: {reason}")
        self._describe(state, seat, received)
        self._note(sent)
        return Move(received)

    @property
    def _is_thorough(self) -> bool:
        return self._turn < THOROUGH_TURNS or self._turn % 10 == 0

    def _try_anything(self, state: Any, replies: Mapping[int, Reply], rng: Random) -> None:
        """Try random moves of the move type: the rules must refuse each one or continue with it."""
        chooser = Random(self._seed * 1_000_003 + self._turn)
        for seat, reply in replies.items():
            if not isinstance(reply, Move):
                continue
            for number in range(TRIES):
                value = drawn(self._variant.move_type, self._move_info, reply.value, chooser)
                what = f"the move {value!r} of seat {seat}"[:500]
                self.done["moves of any kind"] += 1
                try:
                    verdict = self._rules.illegal(state, seat, value)
                    if verdict is None:
                        self._describe(state, seat, value)
                    fault = None if verdict is None else fault_of(verdict)
                    replayed = Random()
                    replayed.setstate(rng.getstate())
                    after = self._rules.apply(state, {**replies, seat: fault or Move(value)}, replayed)
                    self._rules.acting(after), self._rules.outcome(after)
                    # Refused moves leave much the same picture, and drawing takes longer than all other checks.
                    if fault is None or not number:
                        self._rules.scene(after)
                except NotConforming:
                    raise
                except Exception as error:
                    raise NotConforming(
                        f"{self}: the rules failed at {what}: {error!r}", self._turn
                    ) from error

    def _applied(self, state: Any, replies: Mapping[int, Reply], rng: Random) -> Any:
        thorough = self._is_thorough
        before = fingerprint(state) if thorough else b""
        after = self._rules.apply(state, replies, rng)
        if thorough:
            self._require(fingerprint(state) == before, "apply changed the old state")
            self._draw(after)
            self._require(fingerprint(state) == before, "scene changed a state")
        return after

    def _finished(self, state: Any, seats: int) -> None:
        outcome = self._rules.outcome(state)
        self._require(isinstance(outcome, Outcome), "no seat acts, but there is no outcome")
        assert outcome is not None
        self._require_storable(outcome, Outcome, "outcome")
        self._require(len(outcome.places) == seats, f"{len(outcome.places)} places for {seats} seats")
        self._require(all(map(math.isfinite, outcome.scores)), f"scores {outcome.scores} are not finite")
        self._require(bool(outcome.reason), "the outcome has no reason")
        self._require_names("reason", outcome.reason)
        self._draw(state)
        self._note(repr(outcome).encode())

    def _check_told(self, what: Literal["briefing", "observation"], data: bytes) -> None:
        """Check a briefing or an observation against the type in the interface."""
        interface = self._variant.interface
        if interface is None:
            return
        kind = interface.briefing_type if what == "briefing" else interface.observation_type
        try:
            msgspec.msgpack.decode(data, type=kind)
        except msgspec.ValidationError as error:
            raise NotConforming(f"{self}: the interface describes another {what}: {error}") from error
        self._check_keys(what, data)

    def _twins(self, state: Any, seat: int) -> Iterator[Any]:
        for twin in islice(self._rules.twins(state, seat), MAX_TWINS):
            self.done["twin states"] += 1
            yield twin

    def _compare(self, what: str, seat: int, data: bytes, twins_value: object) -> None:
        """Check that a seat gets the same data in a twin of the state."""
        other = self._plain(f"{what} of seat {seat}", twins_value)
        if other != data:
            difference = _difference(msgspec.msgpack.decode(data), msgspec.msgpack.decode(other), what)
            self._require(False, f"seat {seat} can tell twin states apart by its {difference}")

    def _check_keys(self, what: str, data: bytes) -> None:
        if what in self._keys:
            extra = self._keys[what].undeclared(msgspec.msgpack.decode(data))
            self._require(not extra, f"the interface lacks keys of the {what}: {', '.join(extra)}")

    def _view(self, seat: int, observation: bytes) -> None:
        """Draw the view of a seat from the data that it received."""
        if seat not in self._told:
            return
        self._told[seat].append(msgspec.msgpack.decode(observation))
        if self._is_thorough:
            received = Told(self._declared[seat], self._briefs[seat], tuple(self._told[seat]))
            view = self._rules.view(received, seat)
            if view is not None:
                self._check_scene(f"view of seat {seat}", view)

    def _learn(self, state: Any, seat: int, observation: bytes) -> None:
        """Check the encoding with a received observation: its shape, its mask, and the legality of its actions."""
        encoding = self._variant.encoding
        if encoding is None or seat not in self._known:
            return
        before = self._known[seat]
        print_before = fingerprint(before) if self._is_thorough else b""
        knowledge = self._known[seat] = encoding.learn(before, msgspec.msgpack.decode(observation))
        if not self._is_thorough:
            return
        self._encode(seat)
        mask, action = encoding.mask(knowledge), encoding.action
        chooser = Random(self._seed * 1_000_003 + self._turn)
        if isinstance(action, Choice):
            allowed = [True] * action.number if mask is None else list(mask)
            self._require(
                len(allowed) == action.number, f"the mask of seat {seat} has {len(allowed)} entries"
            )
            legal = [number for number, is_legal in enumerate(allowed) if is_legal]
            self._require(bool(legal), f"the mask of seat {seat} leaves no action")
            tried: Iterable[object] = chooser.sample(legal, min(TRIES, len(legal)))
        else:
            self._require(mask is None, f"seat {seat} has a mask, but no actions to choose from")
            tried = [
                [chooser.uniform(action.low, action.high) for _ in range(action.size)] for _ in range(TRIES)
            ]
        for one in tried:
            self.done["actions of programs that learn"] += 1
            sent = self._plain_move(seat, encoding.decode(knowledge, one))
            reason = self._rules.illegal(state, seat, sent)
            self._require(reason is None, f"the action {one} of seat {seat} is refused: {reason}")
        self._require(fingerprint(before) == print_before, "the encoding changed an earlier value")

    def _encode(self, seat: int) -> None:
        encoding = self._variant.encoding
        assert encoding is not None
        numbers, box = encoding.encode(self._known[seat]), encoding.observation
        self._require(
            len(numbers) == box.size,
            f"the encoding of seat {seat} has {len(numbers)} numbers, not {box.size}",
        )
        self._require(
            box.low <= min(numbers) and max(numbers) <= box.high and not math.isnan(sum(numbers)),
            f"the encoding of seat {seat} has numbers that are not from {box.low:g} to {box.high:g}",
        )
        self._require(any(numbers), f"the encoding of seat {seat} is all 0")

    def _plain_move(self, seat: int, value: object) -> object:
        """Return a move after its way through the wire format."""
        try:
            return typed(value, self._variant.move_type)
        except msgspec.ValidationError as error:
            raise NotConforming(
                f"{self}: {value!r} of seat {seat} is not a move: {error}", self._turn
            ) from error

    def _describe(self, state: Any, seat: int, value: object) -> None:
        text = self._rules.describe(state, seat, value)
        self._require(
            isinstance(text, str) and len(text) <= MAX_DESCRIPTION_LENGTH,
            f"describe returned {text!r}, which is not a text of at most {MAX_DESCRIPTION_LENGTH} characters",
        )
        self._require_names("description", text)

    def _draw(self, state: Any) -> None:
        self._check_scene("scene", self._rules.scene(state))

    def _check_scene(self, what: str, scene: object) -> None:
        self.done["pictures"] += 1
        for problem in scene_problems(what, scene, len(self._declared)):
            self._require(False, problem)
        self._note(msgspec.msgpack.encode(scene))

    def _require_names(self, what: str, text: str) -> None:
        for problem in name_problem(what, text):
            self._require(False, problem)

    def _plain(self, what: str, value: object) -> bytes:
        data, reason = b"", None
        try:
            data = msgspec.msgpack.encode(value)
        except (TypeError, OverflowError, ValueError) as error:
            reason = error
        for item in _walk(value):
            if type(item) not in PLAIN:
                self._require(False, f"the {what} holds {item!r}, which is not plain data")
        if reason is not None:
            raise NotConforming(f"{self}: the {what} cannot be sent: {reason}") from reason
        return data

    def _note(self, what: bytes) -> None:
        self._seen.update(len(what).to_bytes(4, "little") + what)

    def _require(self, holds: bool, otherwise: str) -> None:
        if not holds:
            raise NotConforming(f"{self}: {otherwise}", self._turn)


def fingerprint(value: object) -> bytes:
    """Return a digest of a value's content: plain objects, containers and dataclasses."""
    total = hashlib.sha256()
    _feed(value, total.update, set())
    return total.digest()


def _feed(value: object, update: Callable[[bytes], None], open_ids: set[int]) -> None:
    update(type(value).__name__.encode() + b":")
    if isinstance(value, (*PLAIN, enum.Enum)):
        update(repr(value).encode())
        return
    kind = type(value)
    if kind.__hash__ not in (None, object.__hash__) and kind.__repr__ is not object.__repr__:
        # The repr of a hashable value is its whole content; its attributes may be caches.
        update(repr(value).encode())
        return
    if isinstance(value, type | FunctionType | MethodType | ModuleType) or id(value) in open_ids:
        update(getattr(value, "__qualname__", "").encode())
        return
    open_ids.add(id(value))
    if isinstance(value, Random):
        update(repr(value.getstate()).encode())
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _feed(key, update, open_ids)
            _feed(item, update, open_ids)
    elif isinstance(value, set | frozenset):
        for digest in sorted(fingerprint(item) for item in value):
            update(digest)
    elif isinstance(value, list | tuple):
        for item in value:
            _feed(item, update, open_ids)
    elif hasattr(value, "tobytes"):
        update(value.tobytes())
    for name in _attributes(value):
        update(name.encode())
        _feed(getattr(value, name, None), update, open_ids)
    open_ids.discard(id(value))


def _attributes(value: object) -> Iterator[str]:
    for base in type(value).__mro__:
        slots = base.__dict__.get("__slots__", ())
        yield from (slots,) if isinstance(slots, str) else slots
    yield from getattr(value, "__dict__", ())


def _walk(value: object) -> Iterator[object]:
    """Yield the leaves of nested lists, tuples and dictionaries, keys included."""
    waiting = [value]
    while waiting:
        item: Any = waiting.pop()
        if type(item) in (list, tuple):
            waiting += item[::-1]
        elif type(item) is dict:
            waiting += (*item, *item.values())
        else:
            yield item


def _difference(one: object, other: object, path: str) -> str:
    """Return the first place in which two values differ, with both."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        key = next(key for key in one if one[key] != other[key])
        return _difference(one[key], other[key], f"{path}[{key!r}]")
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        place = next(n for n, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1])
        return _difference(one[place], other[place], f"{path}[{place}]")
    return f"{path}: {one!r:.200} or {other!r:.200}"


def _declarations(variant: Variant, seats: int) -> list[object]:
    samples = variant.sample_declarations
    if not samples:
        return [None] * seats
    return [typed(samples[seat % len(samples)], variant.declaration_type) for seat in range(seats)]


def _file_of(module: str) -> str:
    """Return the file of the top-level module or package, because it may lie in the working directory."""
    spec = importlib.util.find_spec(module.partition(".")[0])
    return (spec and spec.origin) or ""


def _main(module: str, file: str, name: str, seed: str) -> None:
    top = module.partition(".")[0]
    if file and importlib.util.find_spec(top) is None:
        import_file(top, file)
    plugin = importlib.import_module(module)
    variants = {variant.name: variant for variant in plugin.botleague_variants()}
    print(match_digest(variants[name], int(seed)))


if __name__ == "__main__":
    _main(*sys.argv[1:])
