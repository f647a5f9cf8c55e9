"""The conformance kit: plays a variant in every way the contract allows and reports what breaks it.

One line in a plugin's tests is enough::

    def test_my_variant_keeps_the_contract() -> None:
        conformance.check(MY_VARIANT)

The kit plays whole matches of moves from ``Rules.sample``, and in them tries moves that nobody offered, drawn from
the variant's move type; then matches with every kind of fault in every seat, and with seats that never came up. It
checks that states are never changed in place, that the same seed gives the same match, that what bots are told is plain
data of the types that the interface names and holds no secret, that moves survive the wire, that every state has a
picture, every seat's view too, and that the encoding, where there is one, has its shape and leads to legal moves.
:func:`check_across_processes` plays the same match in fresh interpreters with other hash seeds. Only the contract is
used here, nothing of the platform.
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
from random import Random
from types import FunctionType, MethodType, ModuleType
from typing import Any, Literal, TypeAlias

import msgspec

from botleague.rules.contract import LONGEST_DESCRIPTION, MAX_TURNS, Told
from botleague.rules.encoding import Choice
from botleague.rules.extent import bounds
from botleague.rules.module_file import import_file
from botleague.rules.outcome import Outcome
from botleague.rules.replies import FAULT_KINDS, Fault, Move, Reply
from botleague.rules.scene import Circle, Line, Polygon, Rect, Scene, Shape, Text
from botleague.rules.testing.random_values import UNKNOWN, damaged, drawn
from botleague.rules.variant import Variant

__all__ = [
    "NotConforming",
    "Secrets",
    "check",
    "check_across_processes",
    "check_configuration",
    "match_digest",
    "smallest",
]

Secrets: TypeAlias = Callable[[Any, int], Iterable[object]]
"""``secrets(state, seat)``: values that ``seat`` must not be told in ``state``."""

PLAIN = (type(None), bool, int, float, str, bytes)
SHAPES = (Rect, Circle, Polygon, Line, Text)
_COLOR = re.compile(r"#[0-9a-f]{6}")
_SLACK = 1e-6
"""Scene units by which rounding may carry a shape over the edge."""

_DAMAGED = 50
"""Configurations with something wrong in them that are tried."""

_SEEDS = 10
"""Seeds that are tried to find a failure in an earlier turn."""

TRIES = 8
"""Moves of any kind that are tried for each seat in a turn that is examined whole."""

THOROUGH_TURNS = 12
"""Turns at the start of each match that are examined whole; after them every tenth is."""


class NotConforming(AssertionError):
    """The variant breaks the contract; the message says how and in which match.

    Attributes:
        turn: of the match in which it was seen, -1 before the first and where there is no match.
    """

    def __init__(self, text: str, turn: int = -1) -> None:
        super().__init__(text)
        self.turn = turn


def check(
    variant: Variant,
    *,
    seeds: Sequence[int] = (1, 2),
    secrets: Secrets | None = None,
    fault_kinds: Sequence[str] = FAULT_KINDS,
) -> Counter[str]:
    """Check that ``variant`` keeps the contract of rules.

    Args:
        seeds: one whole match is played with each.
        secrets: what a seat must not be told.
        fault_kinds: the kinds of fault to try in every seat.

    Returns:
        What was checked, with how often.

    Raises:
        NotConforming: it does not.
    """
    done: Counter[str] = Counter()

    def play(seed: int, said: Sequence[object | Fault], **more: Any) -> _Match:
        match = _Match(variant, seed, said, **more)
        match.play()
        done.update({"matches": 1, **match.done})
        return match

    for seed in range(_DAMAGED):
        check_configuration(variant, Random(seed))
        done["wrong configurations"] += 1
    for number in sorted({variant.seats.least, variant.seats.most}):
        said = _declarations(variant, number)
        for seed in seeds:
            first = play(seed, said, secrets=secrets)
            if first.digest() != play(seed, said).digest():
                raise NotConforming(f"{first}: the same seed and moves gave another match the second time")
        if not variant.has_chance:
            _check_chance(variant, said, seeds[0])
        if variant.opening_turns is not None:
            for turns in (1, number * (variant.opening_turns or 1)):
                play(seeds[0], said, opening=turns, secrets=secrets)
        for seat in range(number):
            for kind in fault_kinds:
                play(seeds[0], said, faults={seat: kind})
            out: list[object] = list(said)
            out[seat] = Fault("rejected", "kept out by the conformance kit")
            play(seeds[0], out)
        play(seeds[0], [Fault("crash", "nobody came up")] * number)
    return done


def smallest(variant: Variant, found: NotConforming) -> NotConforming:
    """Return the failure of ``variant`` that is easiest to look at: the one in the earliest turn, of a few seeds.

    Args:
        found: what :func:`check` raised.
    """
    for seed in range(3, 3 + _SEEDS):
        if found.turn <= 0:
            break
        try:
            check(variant, seeds=(seed,), fault_kinds=())
        except NotConforming as other:
            found = min(found, other, key=lambda failure: (failure.turn, len(str(failure))))
    return found


def _check_chance(variant: Variant, said: Sequence[object], seed: int) -> None:
    """Check that the seed decides nothing but what briefings hold."""
    one, other = (_Match(variant, drawn_by, said, moves=seed) for drawn_by in (seed, seed + 1))
    one.play()
    other.play()
    if one.digest(with_briefs=False) != other.digest(with_briefs=False):
        raise NotConforming(
            f"{one}: another seed and the same moves gave another match, though has_chance is False"
        )


def check_configuration(variant: Variant, rng: Random) -> None:
    """Check that ``variant`` is made again from its configuration, and what happens when that is wrong.

    One thing in the configuration is changed, as ``rng`` draws it. Then there is a variant of that configuration, or a
    ValueError that begins with a path.

    Raises:
        NotConforming: neither is so.
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
            raise NotConforming(f"{variant.name}: a config with an unknown field is taken")


def check_across_processes(module: str, variant: str, seed: int = 1) -> None:
    """Check that a match is the same in fresh interpreters with different hash seeds.

    Args:
        module: the plugin, as it is imported.
        variant: the name of one of the variants that its ``botleague_variants`` offers.
        seed: of the match.

    Raises:
        NotConforming: it is not, or a process failed.
    """
    from botleague import (
        python_process,
    )  # for this alone: the contract itself imports nothing of the platform

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
            said = errors.decode(errors="replace").strip()[-2000:]
            raise NotConforming(f"{variant}: a match in a fresh process failed: {said}")
        digests.add(digest)
    if len(digests) != 1:
        raise NotConforming(f"{variant}: the match depends on the hash seed of the interpreter")


def match_digest(variant: Variant, seed: int) -> str:
    """Return a digest of everything that one match of sampled moves showed."""
    match = _Match(variant, seed, _declarations(variant, variant.seats.least))
    match.play()
    return match.digest()


class _Match:
    """One match of the kit, played by the contract's own loop."""

    def __init__(
        self,
        variant: Variant,
        seed: int,
        declarations: Sequence[object | Fault],
        *,
        faults: Mapping[int, str] | None = None,
        secrets: Secrets | None = None,
        moves: int | None = None,
        opening: int = 0,
    ) -> None:
        """Hold a match.

        Args:
            seed: of the match's generator.
            declarations: what the seats say of themselves, or the faults that keep them out.
            faults: kinds, of seats that commit one now and then.
            secrets: what a seat must not be told.
            moves: seed of the moves; None for one of this match.
            opening: turns before anybody is briefed.
        """
        self._variant = variant
        self._rules = variant.rules
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
        extra = "".join(f", {kind} in seat {seat}" for seat, kind in self._faults.items())
        out = [seat for seat, what in enumerate(self._declared) if isinstance(what, Fault)]
        kept_out = f", seats {out} kept out" if out else ""
        return f"{self._variant.name}, seed {self._seed}{extra}{kept_out}, turn {self._turn}"

    def digest(self, *, with_briefs: bool = True) -> str:
        """Return a digest of all that was seen so far."""
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
                told = self._plain(f"brief of seat {seat}", rules.brief(state, seat))
                self._check_told("briefing", told)
                self._briefs[seat], self._told[seat] = msgspec.msgpack.decode(told), []
                if self._variant.encoding is not None:
                    self._known[seat] = self._variant.encoding.begin(seat, what, self._briefs[seat])
                    self._encode(seat)
                self._seen_briefs.update(told)
        while acting := rules.acting(state):
            self._turn += 1
            self.done["turns"] += 1
            self._require(self._turn < MAX_TURNS, f"no end after {MAX_TURNS} turns")
            self._require(
                list(acting) == sorted(set(acting)) and set(acting) <= set(range(seats)),
                f"acting {acting} is not ascending, or names seats that do not exist",
            )
            self._require(rules.outcome(state) is None, "there is an outcome while seats are asked")
            replies = {seat: self._reply(state, seat, chooser) for seat in acting}
            if self._is_thorough:
                self._try_anything(state, replies, rng)
            state = self._applied(state, replies, rng)
        self._finished(state, seats)

    def _admitted(self) -> list[object | Fault]:
        return [
            what if isinstance(what, Fault) else self._rules.admit(seat, what)
            for seat, what in enumerate(self._declared)
        ]

    def _opened(self, state: Any, chooser: Random, rng: Random) -> Any:
        """Return the state after the opening: turns in which nobody is asked, none of which ends the match."""
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
        told = self._plain(f"observation of seat {seat}", rules.observe(state, seat))
        self._require(
            told == self._plain("observation", rules.observe(state, seat)),
            "observe is not the same when asked twice",
        )
        self._note(told)
        self._check_told("observation", told)
        self._view(seat, told)
        self._learn(state, seat, told)
        if self._secrets is not None:
            hidden = list(self._secrets(state, seat))
            for value in _walk(msgspec.msgpack.decode(told)):
                self._require(value not in hidden, f"seat {seat} is told the secret {value!r}")
        if isinstance(self._declared[seat], Fault):
            return self._declared[seat]  # type: ignore[return-value]  # checked one line above
        kind = self._faults.get(seat)
        # The fault comes early in one half of the turns, so that what follows a fault is played as well.
        if kind is not None and chooser.random() < 0.5:
            return Fault(kind, "by the conformance kit")  # type: ignore[arg-type]  # from FAULT_KINDS
        return self._sampled(state, seat, chooser)

    def _sampled(self, state: Any, seat: int, chooser: Random) -> Move:
        rules = self._rules
        value = rules.sample(state, seat, chooser)
        sent = msgspec.msgpack.encode(value)
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
        """Try moves that nobody offered, drawn from the move type: each is refused, or the game goes on with it."""
        chooser = Random(self._seed * 1_000_003 + self._turn)
        for seat, reply in replies.items():
            if not isinstance(reply, Move):
                continue
            for _ in range(TRIES):
                value = drawn(self._variant.move_type, reply.value, chooser)
                what = f"the move {value!r} of seat {seat}"[:500]
                self.done["moves of any kind"] += 1
                try:
                    found = self._rules.illegal(state, seat, value)
                    if found is None:
                        self._describe(state, seat, value)
                    fault = found if isinstance(found, Fault) or found is None else Fault("illegal", found)
                    replayed = Random()
                    replayed.setstate(rng.getstate())
                    after = self._rules.apply(state, {**replies, seat: fault or Move(value)}, replayed)
                    self._rules.acting(after), self._rules.outcome(after), self._rules.scene(after)
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
        self._require(isinstance(outcome, Outcome), "nobody is asked any more, but there is no outcome")
        assert outcome is not None
        self._require(len(outcome.places) == seats, f"{len(outcome.places)} places for {seats} seats")
        self._require(all(map(math.isfinite, outcome.scores)), f"scores {outcome.scores} are not finite")
        self._require(bool(outcome.reason), "the outcome has no reason")
        self._require_names("reason", outcome.reason)
        self._draw(state)
        self._note(repr(outcome).encode())

    def _check_told(self, what: Literal["briefing", "observation"], told: bytes) -> None:
        """Hold what is told against the type that the interface gives it."""
        interface = self._variant.interface
        if interface is None:
            return
        kind = interface.briefing_type if what == "briefing" else interface.observation_type
        try:
            msgspec.msgpack.decode(told, type=kind)
        except msgspec.ValidationError as error:
            raise NotConforming(f"{self}: the interface describes another {what}: {error}") from error

    def _view(self, seat: int, told: bytes) -> None:
        """Draw what a seat knows from what came over the wire to it."""
        if seat not in self._told:
            return
        self._told[seat].append(msgspec.msgpack.decode(told))
        if self._is_thorough:
            known = Told(self._declared[seat], self._briefs[seat], tuple(self._told[seat]))
            view = self._rules.view(known, seat)
            if view is not None:
                self._check_scene(f"view of seat {seat}", view)

    def _learn(self, state: Any, seat: int, told: bytes) -> None:
        """Hold the encoding against what came over the wire: shape, mask, and that its actions are legal moves."""
        encoding = self._variant.encoding
        if encoding is None or seat not in self._known:
            return
        before = self._known[seat]
        print_before = fingerprint(before) if self._is_thorough else b""
        known = self._known[seat] = encoding.learn(before, msgspec.msgpack.decode(told))
        if not self._is_thorough:
            return
        self._encode(seat)
        mask, action = encoding.mask(known), encoding.action
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
            sent = self._plain_move(seat, encoding.decode(known, one))
            reason = self._rules.illegal(state, seat, sent)
            self._require(reason is None, f"the action {one} of seat {seat} is refused: {reason}")
        self._require(fingerprint(before) == print_before, "the encoding changed what was known before")

    def _encode(self, seat: int) -> None:
        encoding = self._variant.encoding
        assert encoding is not None
        numbers, box = encoding.encode(self._known[seat]), encoding.observation
        self._require(
            len(numbers) == box.size,
            f"the encoding of seat {seat} has {len(numbers)} numbers, not {box.size}",
        )
        self._require(
            all(box.low <= number <= box.high for number in numbers),
            f"the encoding of seat {seat} has numbers that are not from {box.low:g} to {box.high:g}",
        )
        self._require(any(numbers), f"the encoding of seat {seat} is all 0")

    def _plain_move(self, seat: int, value: object) -> object:
        """Return a move as it comes out of the wire."""
        try:
            return msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=self._variant.move_type)
        except msgspec.ValidationError as error:
            raise NotConforming(
                f"{self}: {value!r} of seat {seat} is not a move: {error}", self._turn
            ) from error

    def _describe(self, state: Any, seat: int, value: object) -> None:
        said = self._rules.describe(state, seat, value)
        self._require(
            isinstance(said, str) and len(said) <= LONGEST_DESCRIPTION,
            f"describe says {said!r} of a move, which is not a text of {LONGEST_DESCRIPTION} characters at most",
        )
        self._require_names("description", said)

    def _draw(self, state: Any) -> None:
        self._check_scene("scene", self._rules.scene(state))

    def _check_scene(self, what: str, scene: object) -> None:
        self.done["pictures"] += 1
        self._require(isinstance(scene, Scene), f"{what} returned {scene!r}")
        assert isinstance(scene, Scene)
        self._require(scene.width > 0 and scene.height > 0, f"the {what} has no size")
        for shape in scene.shapes:
            self._require(isinstance(shape, SHAPES), f"{shape!r} in the {what} is not a shape")
        for value in _walk(msgspec.to_builtins(scene)):
            self._require(
                not isinstance(value, float) or math.isfinite(value), f"a number in the {what} is not finite"
            )
        for shape in scene.shapes:
            self._require(
                not isinstance(shape, Polygon | Line) or bool(shape.points), f"{shape} has no points"
            )
            for color in _colors(shape):
                self._require(bool(_COLOR.fullmatch(color)), f"the colour of {shape} is not like #3d7edb")
            left, top, right, bottom = bounds(shape)
            self._require(
                min(left, top) >= -_SLACK
                and right <= scene.width + _SLACK
                and bottom <= scene.height + _SLACK,
                f"outside the {what}, which is {scene.width:g} x {scene.height:g}: {shape}",
            )
        keys = [shape.key for shape in scene.shapes if shape.key]
        self._require(len(keys) == len(set(keys)), f"keys occur twice in the {what}: {_repeated(keys)}")
        seats = len(self._declared)
        self._require(
            len(scene.scores) in (0, seats), f"the {what} has {len(scene.scores)} scores for {seats} seats"
        )
        for event in scene.events:
            self._require(
                event.seat is None or event.seat in range(seats),
                f"the {what} has an event of no seat: {event}",
            )
            self._require(bool(event.text) and event.weight > 0, f"the {what} has an empty event: {event}")
        for text in (*scene.caption, *(event.text for event in scene.events)):
            self._require_names(what, text)
        for shape in scene.shapes:
            self._require_names(what, shape.title)
            self._require(
                not isinstance(shape, Text) or "{seat " not in shape.text,
                f"{shape} in the {what} takes the room of a name that nobody knows yet: write it into a title",
            )
        self._note(msgspec.msgpack.encode(scene))

    def _require_names(self, what: str, text: str) -> None:
        self._require(
            re.search(r"(?<!\{)\bseat [0-9]", text) is None,
            f"the {what} {text!r} names a seat by its number: write seat_name(seat) where the bot's name belongs",
        )

    def _plain(self, what: str, value: object) -> bytes:
        for item in _walk(value):
            self._require(type(item) in PLAIN, f"the {what} holds {item!r}, which is not plain data")
        try:
            return msgspec.msgpack.encode(value)
        except (TypeError, OverflowError, ValueError) as error:
            raise NotConforming(f"{self}: the {what} cannot be sent: {error}") from error

    def _note(self, what: bytes) -> None:
        self._seen.update(len(what).to_bytes(4, "little") + what)

    def _require(self, holds: bool, otherwise: str) -> None:
        if not holds:
            raise NotConforming(f"{self}: {otherwise}", self._turn)


def fingerprint(value: object) -> bytes:
    """Return a digest of a value's content, whatever plain object, container or dataclass it is made of."""
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
        # A value with an identity of its own says all about itself, and may cache what follows from it.
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
    if type(value) in (list, tuple):
        for item in value:  # type: ignore[attr-defined]  # a list or tuple
            yield from _walk(item)
    elif type(value) is dict:
        for key, item in value.items():
            yield from _walk(key)
            yield from _walk(item)
    else:
        yield value


def _colors(shape: Shape) -> tuple[str, ...]:
    match shape:
        case Line(stroke=color) | Text(fill=color):
            return (color,)
        case (
            Rect(fill=fill, stroke=stroke)
            | Circle(fill=fill, stroke=stroke)
            | Polygon(fill=fill, stroke=stroke)
        ):
            return tuple(color for color in (fill, stroke) if color is not None)


def _repeated(keys: Sequence[str]) -> list[str]:
    return sorted(key for key, number in Counter(keys).items() if number > 1)


def _declarations(variant: Variant, seats: int) -> list[object]:
    given = variant.sample_declarations
    if not given:
        return [None] * seats
    return [
        msgspec.msgpack.decode(
            msgspec.msgpack.encode(given[seat % len(given)]), type=variant.declaration_type
        )
        for seat in range(seats)
    ]


def _file_of(module: str) -> str:
    """Return the file of the top-level module or package: a plugin under test may lie in the working directory."""
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
